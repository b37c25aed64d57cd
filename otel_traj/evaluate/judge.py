"""Runs of a source in, a report out.

Which runs are meant is told in `meant_runs`, how one run is judged in `judge_run`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.evaluate.absent_graphs import explain_absent_graphs
from otel_traj.evaluate.gate import Demands, decide_exit, summarise
from otel_traj.evaluate.judge_run import judge_run, prepare
from otel_traj.evaluate.meant_runs import read_meant
from otel_traj.evaluate.reference import Reference
from otel_traj.evaluate.reference_file import load_references
from otel_traj.evaluate.verdict import Report
from otel_traj.match.values_in_words import describe_value
from otel_traj.reconstruct.selection import make_selection

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from otel_traj.model import AttributeValue, RunStatus, SourceProblem

__all__ = ["evaluate_runs"]


def evaluate_runs(
    source: object,
    *,
    references: str | os.PathLike[str] | Iterable[Reference],
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
        references: A reference file (YAML or JSON), or references; names distinct, at least one.
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
        One verdict per selected run, by start, with the summary and the exit code. A run that lost its
        graph-run span counts as selected where only its graph, status or attributes could tell. Problems of
        the source are in the report, not warned about.

    Raises:
        InvalidReferenceError: The references are not valid.
        SourceError: The source can't be opened.
        TrajectoryTypeError: The source is of no type that can be read.
        TrajectoryValueError: A keyword's value is not allowed.
    """
    _check_number(min_evaluated)
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
    known = _load(references)
    matchers = {each.name: prepare(each) for each in known}
    problems: list[SourceProblem] = []
    runs, meant = read_meant(source, selection, on_problem=problems.append, wait=wait)
    judged = [judge_run(each, known, matchers, require_manifest=require_manifest) for each in meant]
    met = {name for _, choice in judged for name in choice.applying}
    unmet = [each for each in known if each.name not in met]
    verdicts = [verdict for verdict, _ in judged]
    summary = summarise(verdicts, [each.name for each in unmet])
    demands = Demands(require_all=require_all, min_evaluated=min_evaluated, allow_unreadable=allow_unreadable)
    exit_code, reasons = decide_exit(summary, problems, demands, holds_runs=bool(runs))
    asked = (graph, *(each.applies_to.graph for each in unmet))
    hint = explain_absent_graphs(runs, filter(None, asked))
    return Report(
        verdicts=verdicts,
        summary=summary,
        exit_code=exit_code,
        exit_reasons=reasons,
        source_problems=problems,
        hints=[] if hint is None else [hint],
    )


def _check_number(min_evaluated: object) -> None:
    if min_evaluated is not None and not isinstance(min_evaluated, int):
        words = f"min_evaluated is {describe_value(min_evaluated)}, which counts no runs; give a whole number"
        raise TrajectoryTypeError(words)
    if min_evaluated is not None and min_evaluated < 0:
        words = f"min_evaluated is {min_evaluated}, which counts no runs; give a number from 0"
        raise TrajectoryValueError(words)


def _load(references: str | os.PathLike[str] | Iterable[Reference]) -> list[Reference]:
    if isinstance(references, str | os.PathLike):
        return load_references(references)
    if not isinstance(references, Iterable):
        words = f"references is {describe_value(references)}, and nothing can be judged by it"
        raise TrajectoryTypeError(f"{words}; give a reference file, or a list of Reference")
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
        words = f"a reference is {describe_value(reference)}, and nothing can be compared with it"
        raise TrajectoryTypeError(f"{words}; give records of Reference, which load_references makes")
    prepare(reference)
