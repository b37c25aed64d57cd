"""A report as text: each run's verdict with its reason, the sum, and why the exit code is what it is.

The comment of the matching engine is printed as it is, indented: it names the supersteps by the numbers that
the execution tree shows. Fails are not sorted to the top, for the order of the runs is part of the story.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.report.escape import escape, shorten, wrap
from otel_traj.report.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.evaluate import Report, Verdict
    from otel_traj.model import SourceProblem

__all__ = ["format_report", "format_source_problem"]

_WORDS = {"pass": "pass", "fail": "FAIL", "not_evaluated": "not evaluated"}
_INDENT = "    "


def format_report(report: Report, *, width: int = 80) -> str:
    """Return the text form of a report, without a newline at the end.

    Args:
        report: What `evaluate_runs` returned.
        width: Characters per line.

    Returns:
        A line per run with its comment below, then the summary, the references no run met with a hint why, and
        the exit code with its reasons where it is not 0. Problems of the source are not repeated here.
    """
    lines = [line for verdict in report.verdicts for line in _format_verdict(verdict, width)]
    lines += [""] if lines else []
    lines += [line for text in _summarise(report) for line in wrap(text, width=width, hanging=_INDENT)]
    return "\n".join(lines)


def format_source_problem(problem: SourceProblem) -> str:
    """Return a problem of the source on one line: `file:line: words`."""
    place = problem.source
    if problem.line is not None:
        place = f"{place}:{problem.line}"
    elif problem.offset is not None:
        place = f"{place}: byte {problem.offset}"
    return f"{escape(place)}: {escape(problem.message)}"


def _format_verdict(verdict: Verdict, width: int) -> Iterator[str]:
    graph = next((run.graph for run in verdict.runs), None)
    graph = "unknown graph" if graph is None else shorten(graph)
    thread = "" if verdict.thread_id is None else f", thread {shorten(verdict.thread_id)}"
    against = "" if verdict.reference is None else f" {shorten(verdict.reference)}"
    head = f"{_WORDS[verdict.verdict]}{against}: {graph} {shorten(verdict.run_id or '')}{thread}"
    yield from wrap(head, width=width, hanging=_INDENT * 2)
    for line in (verdict.comment or "").split("\n") if verdict.comment else ():
        yield from wrap(escape(line), width=width, indent=_INDENT, hanging=_INDENT + "  ")


def _summarise(report: Report) -> Iterator[str]:
    summary = report.summary
    without = summary["without_reference"]
    yield (
        f"{summary['passed']:,} passed, {summary['failed']:,} failed, "
        f"{summary['not_evaluated']:,} not evaluated"
        + (f" ({count(without, 'run')} without a reference)" if without else "")
    )
    if summary["unmet_references"]:
        yield f"references that no run met: {', '.join(map(shorten, summary['unmet_references']))}"
    for hint in report.hints:
        yield f"hint: {escape(hint)}"
    if report.exit_code:
        yield f"exit code {report.exit_code}: {escape('; '.join(report.exit_reasons))}"
