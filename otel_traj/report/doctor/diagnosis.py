"""A diagnosis as text: each source run by run, what differs between sources, and what to do, once per problem.

The advice stands at the end: one lost batch gives a hundred runs the same problem, and each needs its own words but
not its own advice.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from otel_traj.evaluate import ADVICE, SOURCE_ADVICE
from otel_traj.match.names import list_names
from otel_traj.report.doctor.comparison import format_comparison
from otel_traj.report.escape import escape, shorten, wrap
from otel_traj.report.units import count
from otel_traj.report.verdicts.verdicts import format_source_problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.evaluate import Diagnosis
    from otel_traj.evaluate.doctor.diagnosis import CallDiagnosis, RunDiagnosis, SourceDiagnosis
    from otel_traj.model import Arrival

__all__ = ["format_diagnosis"]

_INDENT = "    "


def format_diagnosis(diagnosis: Diagnosis, *, width: int = 80) -> str:
    """Return the text form of a diagnosis, without a newline at the end.

    Args:
        diagnosis: What `diagnose` returned.
        width: Characters per line.

    Returns:
        A section per source with a line per run and what is missing below it, or why it could not be read; the
        comparison where several could be read; what to do about each problem that was met; the exit code with its
        reasons where it is not 0.
    """
    sections = [list(_format_source(source, width)) for source in diagnosis.sources]
    if sum(source.error is None for source in diagnosis.sources) > 1:
        sections.append(list(format_comparison(diagnosis.comparison, diagnosis.sources, width=width)))
    sections.append(list(_format_advice(diagnosis.sources, width)))
    if diagnosis.exit_code:
        reasons = escape("; ".join(diagnosis.exit_reasons))
        sections.append(wrap(f"exit code {diagnosis.exit_code}: {reasons}", width=width, hanging=_INDENT))
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _format_source(source: SourceDiagnosis, width: int) -> Iterator[str]:
    if source.error is not None:
        yield from wrap(f"{escape(source.source)}: UNREADABLE", width=width, hanging=_INDENT)
        yield from wrap(escape(source.error), width=width, indent="  ", hanging=_INDENT)
        return
    complete = sum(run.complete for run in source.runs)
    verified = sum(run.verified for run in source.runs)
    head = (
        f"{escape(source.source)}: {count(len(source.runs), 'run')}, {complete:,} complete "
        f"({verified:,} verified), {len(source.runs) - complete:,} incomplete"
    )
    yield from wrap(head, width=width, hanging=_INDENT)
    for problem in source.problems:
        text = f"problem {problem.code}: {format_source_problem(problem)}"
        yield from wrap(text, width=width, indent="  ", hanging=_INDENT)
    for run in source.runs:
        yield from _format_run(run, width)


def _format_run(found: RunDiagnosis, width: int) -> Iterator[str]:
    run = found.run
    graph = "unknown graph" if run.graph is None else shorten(run.graph)
    thread = "" if run.thread_id is None else f", thread {shorten(run.thread_id)}"
    head = f"{_name_state(found)}: {graph} {shorten(run.run_id)}{thread}, {run.status}: "
    head += _count_arrivals([call.arrival for call in found.calls if not call.is_subgraph])
    yield from wrap(head, width=width, indent="  ", hanging=_INDENT * 2)
    details = [
        text for number, call in enumerate(found.calls, 1) for text in _describe_call(found, call, number)
    ]
    dropped = sum(call.arrival.dropped_attributes for call in found.calls if not call.is_subgraph)
    if dropped:
        details.append(f"{count(dropped, 'attribute')} dropped by the SDK at its limit")
    details += [f"problem {finding.code}: {escape(finding.message)}" for finding in found.findings]
    for text in details:
        yield from wrap(text, width=width, indent=_INDENT, hanging=_INDENT + "  ")


def _name_state(found: RunDiagnosis) -> str:
    if not found.complete:
        return "INCOMPLETE"
    return "complete, verified" if found.verified else "complete, not verified"


def _count_arrivals(arrivals: Sequence[Arrival]) -> str:
    """Return `3 of 5 tasks, 9 of 17 spans arrived` for all calls of a run together."""
    tasks = sum(arrival.tasks for arrival in arrivals)
    spans = sum(arrival.spans for arrival in arrivals)
    wanted_tasks = [arrival.expected_tasks for arrival in arrivals]
    wanted_spans = [arrival.expected_spans for arrival in arrivals]
    return f"{_compare(tasks, wanted_tasks, 'task')}, {_compare(spans, wanted_spans, 'span')} arrived"


def _compare(arrived: int, expected: Sequence[int | None], noun: str) -> str:
    """Without a manifest nobody knows of how many."""
    known = [number for number in expected if number is not None]
    if not known or len(known) < len(expected):
        return count(arrived, noun)
    return f"{arrived:,} of {count(sum(known), noun)}"


def _describe_call(found: RunDiagnosis, call: CallDiagnosis, number: int) -> Iterator[str]:
    """Yield what is missing from a call; it is named where the run has others."""
    if call.is_met:
        return
    where = ""
    if call.is_subgraph:
        graph = "unknown graph" if call.graph is None else shorten(call.graph)
        where = f"in the subgraph run {graph} {shorten(call.run_id)}: "
        yield f"{where}{_count_arrivals([call.arrival])}"
    elif len(found.run.invocations) > 1:
        where = f"in call {number}: "
        yield f"{where}{_count_arrivals([call.arrival])}"
    for lost in call.missing:
        superstep = "" if lost.superstep is None else f" in superstep {lost.superstep}"
        yield f"{where}missing{superstep}: {list_names(lost.nodes)}"


def _format_advice(sources: Sequence[SourceDiagnosis], width: int) -> Iterator[str]:
    """Yield what to do: codes in the order of their table, those with the same advice together."""
    met = Counter(
        code
        for source in sources
        for run in source.runs
        for code in {finding.code for finding in run.findings}
    )
    damaged = Counter(problem.code for source in sources for problem in source.problems)
    by_advice: dict[str, list[str]] = {}
    for code, advice in ADVICE.items():
        if met[code]:
            by_advice.setdefault(advice, []).append(f"{code} ({count(met[code], 'run')})")
    for source_code, advice in SOURCE_ADVICE.items():
        if damaged[source_code]:
            by_advice.setdefault(advice, []).append(f"{source_code} ({count(damaged[source_code], 'time')})")
    if by_advice:
        yield "What to do:"
    for advice, codes in by_advice.items():
        text = f"{', '.join(codes)}: {advice.replace('`', '')}"
        yield from wrap(text, width=width, indent="  ", hanging=_INDENT)
