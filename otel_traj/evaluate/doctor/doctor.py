"""Sources in, a diagnosis out: is everything there, and do several sources agree about the same runs?

Exit code 2 wins over 1: of a source that gives no run nothing is known to be missing or whole. One of several that
can't be read keeps nobody from hearing of the others; one alone leaves nothing to tell but its error, which is raised
as everywhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from otel_traj.errors import SourceError, TrajectoryTypeError
from otel_traj.evaluate.absent_graphs import explain_absent_graphs
from otel_traj.evaluate.doctor.comparison import compare_sources
from otel_traj.evaluate.doctor.diagnosis import Diagnosis, SourceDiagnosis
from otel_traj.evaluate.doctor.run_diagnosis import diagnose_run
from otel_traj.evaluate.judging.gate import NOTHING_LOST
from otel_traj.evaluate.judging.meant_runs import read_meant
from otel_traj.reconstruct.selection import make_selection
from otel_traj.sources import open_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from otel_traj.evaluate.doctor.diagnosis import ComparedRun
    from otel_traj.model import AttributeValue, Run, RunStatus, SourceProblem
    from otel_traj.reconstruct.selection import Selection

__all__ = ["diagnose"]


def diagnose(
    *sources: object,
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
) -> Diagnosis:
    """Look whether all that was recorded is there, and whether several sources agree about it.

    Args:
        sources: One or more, each whatever `read_runs` takes.
        require_manifest: A run that is complete but not proved to be gives exit code 1, too.
        wait: Seconds to go on reading each source while runs are incomplete, as in `read_runs`.
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
        Each source with its runs, then the runs compared where there are several sources. A run that lost its
        graph-run span counts as selected where only its graph, status or attributes could tell. Exit code: 0 every
        run is complete, no part of a source was unreadable and all sources agree; 1 one of these does not hold; 2 a
        source could not be read, or gave no run that was asked for.

    Raises:
        SourceError: The only source can't be read; of several, each that can't has its `error`.
        TrajectoryTypeError: There is no source, or one is of no type that can be read.
        TrajectoryValueError: A keyword's value is not allowed.
    """
    if not sources:
        raise TrajectoryTypeError("there is no source, so there is nothing to look at; pass at least one")
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
    examined: list[SourceDiagnosis] = []
    unknown: list[str] = []
    for source in sources:
        try:
            diagnosis, runs = _examine(source, selection, wait)
        except SourceError as error:
            if len(sources) == 1:
                raise
            diagnosis, runs = SourceDiagnosis(source=error.source, runs=[], problems=[], error=str(error)), []
        examined.append(diagnosis)
        if not diagnosis.runs:
            unknown.append(_explain_nothing(diagnosis, runs, graph))
    comparison = compare_sources(examined) if sum(each.error is None for each in examined) > 1 else []
    lacks = [*_find_lacks(examined, require_manifest=require_manifest), *_find_disagreements(comparison)]
    code: Literal[0, 1, 2] = 2 if unknown else 1 if lacks else 0
    return Diagnosis(sources=examined, comparison=comparison, exit_code=code, exit_reasons=unknown + lacks)


def _examine(source: object, selection: Selection, wait: float | None) -> tuple[SourceDiagnosis, list[Run]]:
    opened = open_source(source)
    problems: list[SourceProblem] = []
    runs, meant = read_meant(opened, selection, on_problem=problems.append, wait=wait)
    found = [diagnose_run(each) for each in meant]
    return SourceDiagnosis(source=opened.name, runs=found, problems=problems), runs


def _explain_nothing(diagnosis: SourceDiagnosis, runs: Sequence[Run], graph: str | None) -> str:
    if diagnosis.error is not None:
        return f"{diagnosis.source!r} could not be read"
    which = "no run meets the selection" if runs else "no run was found"
    why = explain_absent_graphs(runs, filter(None, [graph]))
    return f"{which} in {diagnosis.source!r}" + (f": {why}" if why else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _find_lacks(sources: Sequence[SourceDiagnosis], *, require_manifest: bool) -> Iterator[str]:
    for source in sources:
        incomplete = sum(not run.complete for run in source.runs)
        if incomplete:
            yield f"{_count(incomplete, 'run')} incomplete in {source.source!r}"
        unproved = sum(run.complete and not run.verified for run in source.runs)
        if unproved and require_manifest:
            yield f"{_count(unproved, 'run')} not verified in {source.source!r} (require-manifest is set)"
        if any(problem.code not in NOTHING_LOST for problem in source.problems):
            yield f"parts of {source.source!r} could not be read"


def _find_disagreements(comparison: Sequence[ComparedRun]) -> Iterator[str]:
    elsewhere = sum(not run.is_everywhere for run in comparison)
    if elsewhere:
        yield f"{_count(elsewhere, 'run')} not in every source"
    differing = sum(bool(run.differences) for run in comparison)
    if differing:
        yield f"{_count(differing, 'run')} not the same in every source"
