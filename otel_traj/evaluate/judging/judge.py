"""Runs of a source in, a report out.

What is wrong with the options is said before anything is read. Then: which runs are meant (`meant_runs`), how each of
them and each of their threads is judged (`judge_subject`), what the user's own evaluators say (`evaluators`), and what
it all comes to (`gate`).
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from otel_traj.errors import InvalidReferenceError
from otel_traj.evaluate.absent_graphs import explain_absent_graphs
from otel_traj.evaluate.judging.evaluator_names import name_evaluators
from otel_traj.evaluate.judging.evaluators import ask_evaluators
from otel_traj.evaluate.judging.gate import decide_exit, is_damaged, make_demands, summarise
from otel_traj.evaluate.judging.judge_all import judge_all, lacks_runs
from otel_traj.evaluate.judging.meant_runs import read_meant
from otel_traj.evaluate.judging.prepared_references import prepare_references
from otel_traj.evaluate.judging.verdict import Report
from otel_traj.reconstruct.selection import make_selection

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from otel_traj.evaluate.judging.evaluator_names import Evaluator
    from otel_traj.evaluate.judging.gate import Demands
    from otel_traj.evaluate.judging.prepared_references import PreparedReferences
    from otel_traj.evaluate.references.reference import Reference
    from otel_traj.model import AttributeValue, RunStatus, SourceProblem
    from otel_traj.reconstruct.selection import Selection

__all__ = ["evaluate_runs"]


def evaluate_runs(
    source: object,
    *,
    references: str | os.PathLike[str] | Iterable[Reference] | None = None,
    evaluators: Iterable[Evaluator] = (),
    require_all: bool = False,
    min_evaluated: int | None = None,
    allow_unreadable: bool = False,
    require_manifest: bool = False,
    wait: float | None = None,
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
        references: A reference file (YAML or JSON), or references; names distinct, at least one. None: the
            evaluators alone judge.
        evaluators: Functions of one run, plain or asynchronous, called with each selected run of which nothing is
            missing. A bool, or False as the score of a dict, gates; a number alone never does.
        require_all: A run that no reference applies to, or a reference that no run met, gives exit code 1.
        min_evaluated: Fewer runs that passed or failed give exit code 1; from 0.
        allow_unreadable: Accept that parts of the source could not be read; else exit code 2.
        require_manifest: Judge only runs whose recorder said how much there is and where all of it arrived.
        wait: Seconds to go on reading while runs are incomplete, as in `read_runs`.
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
        The verdicts on each selected run, by start, then those on the threads of which all runs are selected, with
        the summary and the exit code. A run that lost its graph-run span counts as selected where only its graph,
        status or attributes could tell. Problems of the source are in the report, not warned about.

    Raises:
        InvalidReferenceError: The references are not valid, or there is nothing to judge by.
        SourceError: The source can't be opened.
        TrajectoryTypeError: The source, an evaluator or a keyword is of no type that can be used.
        TrajectoryValueError: A keyword's value is not allowed.
    """
    demands = make_demands(
        require_all=require_all,
        min_evaluated=min_evaluated,
        allow_unreadable=allow_unreadable,
        require_manifest=require_manifest,
    )
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
    asked = name_evaluators(evaluators)
    if references is None and not asked:
        raise InvalidReferenceError("there is neither a reference nor an evaluator to judge by; give one")
    known = prepare_references(references)
    return _evaluate(source, selection, demands, known, asked, wait=wait)


def _evaluate(
    source: object,
    selection: Selection,
    demands: Demands,
    known: PreparedReferences,
    evaluators: Mapping[str, Evaluator],
    *,
    wait: float | None,
) -> Report:
    problems: list[SourceProblem] = []
    runs, meant = read_meant(
        source,
        selection,
        on_problem=problems.append,
        wait=wait,
        lacks_runs=partial(lacks_runs, known=known) if known.of_threads else None,
    )
    manifest = demands.require_manifest
    judged = judge_all(runs, meant, known, require_manifest=manifest, is_damaged=is_damaged(problems))
    answers = ask_evaluators(evaluators, meant, require_manifest=manifest)
    verdicts = [each for beside in zip(judged.of_runs, answers, strict=True) for each in chain(*beside)]
    verdicts += judged.of_threads
    exit_code, reasons = decide_exit(verdicts, judged.unmet, problems, demands, holds_runs=bool(runs))
    graphs = (selection.graph, *(each.applies_to.graph for each in known.all if each.name in judged.unmet))
    absent = explain_absent_graphs(runs, filter(None, graphs))
    return Report(
        verdicts=verdicts,
        summary=summarise(verdicts, judged.unmet),
        exit_code=exit_code,
        exit_reasons=reasons,
        source_problems=problems,
        hints=[*filter(None, [absent]), *judged.hints],
    )
