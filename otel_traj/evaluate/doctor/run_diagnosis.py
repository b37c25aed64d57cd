"""A run and all below it, looked at for what is missing; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.evaluate.doctor.advice import ADVICE
from otel_traj.evaluate.doctor.diagnosis import CallDiagnosis, Finding, RunDiagnosis
from otel_traj.evaluate.judging.missing_nodes import find_missing
from otel_traj.model import NAMED_ONLY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.model import Run

__all__ = ["diagnose_run", "list_runs"]


def diagnose_run(run: Run) -> RunDiagnosis:
    """Return what arrived of a run, what is missing from it, and what to do.

    Args:
        run: A top-level run; its subgraph runs are looked at with it.
    """
    every = list(list_runs(run))
    return RunDiagnosis(
        run=run,
        complete=all(each.complete for each in every),
        verified=all(each.verified for each in every),
        calls=[call for each in every for call in _list_calls(each, is_subgraph=each is not run)],
        findings=_list_findings(every),
    )


def list_runs(run: Run) -> Iterator[Run]:
    """Yield a run and then all subgraph runs below it."""
    yield run
    for child in run.children:
        yield from list_runs(child)


def _list_calls(run: Run, *, is_subgraph: bool) -> Iterator[CallDiagnosis]:
    for call in run.invocations:
        if call.arrival is not None:
            yield CallDiagnosis(
                graph=run.graph,
                run_id=call.run_id,
                trace_id=call.trace_id,
                is_subgraph=is_subgraph,
                arrival=call.arrival,
                missing=find_missing(call),
            )


def _list_findings(runs: list[Run]) -> list[Finding]:
    """Each problem once: one of a subgraph's run may stand in its caller's too."""
    findings: dict[tuple[str, str], Finding] = {}
    for run in runs:
        for problem in run.problems:
            finding = Finding(
                code=problem.code,
                run_id=run.run_id,
                message=problem.message,
                span_ids=problem.span_ids,
                breaks=problem.code not in NAMED_ONLY,
                advice=ADVICE[problem.code],
            )
            findings.setdefault((problem.code, problem.message), finding)
    return list(findings.values())
