"""Runs of a source in, a report out.

For each run: choose its reference, compare, and say in words what could not be told. The comparison itself, and
whether a run's data suffices for one, is the matching engine's; what is added here is the choice, the demand for
a manifest, and the sum. The selection is applied here and not by the reader, because the exit code depends on
whether the source holds any run at all.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.evaluate.choice import choose_reference
from otel_traj.evaluate.gate import Demands, decide_exit, summarise
from otel_traj.evaluate.reference import Reference
from otel_traj.evaluate.reference_file import load_references
from otel_traj.evaluate.verdict import Report, Verdict
from otel_traj.match import MatchOutcome, match_runs
from otel_traj.reconstruct import read_runs
from otel_traj.reconstruct.selection import make_selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from otel_traj.evaluate.choice import Choice
    from otel_traj.model import AttributeValue, Run, RunStatus, SourceProblem

__all__ = ["evaluate_runs"]


def evaluate_runs(
    source: object,
    *,
    references: str | os.PathLike[str] | Iterable[Reference],
    require_all: bool = False,
    min_evaluated: int | None = None,
    allow_unreadable: bool = False,
    require_manifest: bool = False,
    graph: str | None = None,
    service: str | None = None,
    thread: str | None = None,
    run: str | None = None,
    trace: str | None = None,
    status: RunStatus | Iterable[RunStatus] | None = None,
    since: str | datetime | None = None,
    until: str | datetime | None = None,
    attributes: Mapping[str, AttributeValue] | None = None,
) -> Report:
    """Judge every selected run of a source against the reference that applies to it.

    Args:
        source: Whatever `read_runs` takes.
        references: A reference file (YAML or JSON), or references; names distinct, at least one.
        require_all: A run that no reference applies to, or a reference that no run met, gives exit code 1.
        min_evaluated: Fewer runs that passed or failed give exit code 1; from 0.
        allow_unreadable: Accept that parts of the source could not be read; else exit code 2.
        require_manifest: Judge only runs whose recorder said how much there is and where all of it arrived.
        graph: Only runs of this graph; this and the following select as in `read_runs`.
        service: Only runs of this `service.name`.
        thread: Only runs of this thread.
        run: Only the run with this callback run id.
        trace: Only runs with a part in this trace.
        status: Only runs of this status or these.
        since: Only runs that started then or later.
        until: Only runs that started then or earlier.
        attributes: Only runs with these attributes.

    Returns:
        One verdict per selected run, by start, with the summary and the exit code. A run that lost its
        graph-run span counts as selected where only its graph, status or attributes could tell. Problems of
        the source are in the report, not warned about.

    Raises:
        InvalidReferenceError: The references are not valid.
        SourceError: The source can't be opened.
        TrajectoryTypeError: The source is of no type that can be read.
        TrajectoryValueError: A keyword's value is not allowed.
    """
    if min_evaluated is not None and min_evaluated < 0:
        raise TrajectoryValueError(f"min_evaluated is {min_evaluated}; a number of runs starts at 0")
    selection = make_selection(
        graph=graph,
        service=service,
        thread=thread,
        run=run,
        trace=trace,
        status=status,
        since=since,
        until=until,
        attributes=attributes,
    )
    certain = make_selection(service=service, thread=thread, run=run, trace=trace, since=since, until=until)
    known = _load(references)
    demands = Demands(require_all=require_all, min_evaluated=min_evaluated, allow_unreadable=allow_unreadable)
    problems: list[SourceProblem] = []
    judged: list[tuple[Verdict, Choice]] = []
    holds_runs = False
    for each in read_runs(source, on_problem=problems.append):
        holds_runs = True
        if selection.takes(each) or (_has_lost_root(each) and certain.takes(each)):
            judged.append(_judge(each, known, require_manifest=require_manifest))
    met = {name for _, choice in judged for name in choice.applying}
    verdicts = [verdict for verdict, _ in judged]
    summary = summarise(verdicts, [each.name for each in known if each.name not in met])
    exit_code, reasons = decide_exit(summary, problems, demands, holds_runs=holds_runs)
    return Report(
        verdicts=verdicts,
        summary=summary,
        exit_code=exit_code,
        exit_reasons=reasons,
        source_problems=problems,
    )


def _has_lost_root(run: Run) -> bool:
    """Return whether nobody knows the run's graph, attributes and status, so that they can't rule it out."""
    return run.graph is None or run.parent_task_id is not None


def _load(references: str | os.PathLike[str] | Iterable[Reference]) -> list[Reference]:
    if isinstance(references, str | os.PathLike):
        return load_references(references)
    known = list(references)
    if not known:
        raise InvalidReferenceError("there is no reference, so nothing can be judged; give at least one")
    for reference in known:
        _check(reference)
    names = [reference.name for reference in known]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        message = f"two references are named {twice!r}; verdicts name their reference, so names must differ"
        raise InvalidReferenceError(message)
    return known


def _check(reference: object) -> None:
    """Raise what is wrong with a reference made by hand now, and not as a verdict on each run."""
    if not isinstance(reference, Reference):
        words = f"{type(reference).__name__!r} stands where a Reference is needed; load_references makes them"
        raise TrajectoryTypeError(words)
    if not reference.steps:
        raise InvalidReferenceError(f"the steps of {reference.name!r} are empty; name at least one superstep")
    _compare({"steps": []}, reference)


def _compare(output: Run | Mapping[str, object], reference: Reference) -> MatchOutcome:
    return match_runs(
        [output],
        [{"steps": reference.steps}],
        step_mode=reference.step_mode,
        duplicates=reference.duplicates,
        ignore=reference.ignore,
        status=reference.status,
    )


def _judge(run: Run, references: list[Reference], *, require_manifest: bool) -> tuple[Verdict, Choice]:
    choice = choose_reference(run, references)
    reference = choice.reference
    if reference is None:
        return _not_evaluated(run, choice, *_explain_no_choice(run, choice)), choice
    if require_manifest and run.complete and not run.verified:
        words = "no manifest of its recorder was met, so that spans may be missing (require-manifest is set)"
        return _not_evaluated(run, choice, "unverified", words), choice
    try:
        outcome = _compare(run, reference)
    except (TrajectoryTypeError, TrajectoryValueError) as error:
        return _not_evaluated(run, choice, "broken", f"the comparison broke: {error}"), choice
    metadata = None if outcome.metadata is None else dict(outcome.metadata)
    verdict = Verdict(
        run_id=run.run_id,
        thread_id=run.thread_id,
        reference=reference.name,
        verdict=outcome.verdict,
        score=outcome.score,
        comment=outcome.comment,
        metadata=metadata,
        graph=run.graph,
    )
    return verdict, choice


def _not_evaluated(run: Run, choice: Choice, reason: str, comment: str) -> Verdict:
    candidates = () if choice.reference else choice.applying + choice.possible
    return Verdict(
        run_id=run.run_id,
        thread_id=run.thread_id,
        reference=choice.reference.name if choice.reference else None,
        verdict="not_evaluated",
        score=None,
        comment=comment,
        metadata={"verdict": "not_evaluated", "reason": reason, "candidates": list(candidates)},
        graph=run.graph,
        candidates=candidates,
    )


def _explain_no_choice(run: Run, choice: Choice) -> tuple[str, str]:
    """Return the reason in a word and in a sentence."""
    names = ", ".join(map(repr, choice.applying + choice.possible))
    if choice.possible:
        lost = "; ".join(problem.message for problem in run.problems) or "its input was not recorded"
        return "undecided", f"which reference applies can't be told (perhaps {names}): {lost}"
    if choice.applying:
        words = f"{len(choice.applying)} references apply, {names}: narrow their applies_to until one does"
        return "ambiguous", words
    facts = f"graph {run.graph!r}, case {run.case!r}, thread {run.thread_id!r}"
    return "no_reference", f"no reference applies to {facts}"
