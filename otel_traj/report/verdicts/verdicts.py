"""A report as text: each run's verdict with its reason, the sum, and why the exit code is what it is.

The comment of the matching engine is printed as it is, indented: it names the supersteps by the numbers that
the execution tree shows. Fails are not sorted to the top, for the order of the runs is part of the story.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.report.escape import cut, shorten, wrap
from otel_traj.report.units import count
from otel_traj.report.verdicts.headline import format_headline, link_verdict, list_distinct_runs, sum_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.evaluate import Report, Verdict
    from otel_traj.model import SourceProblem
    from otel_traj.report.prices import Prices
    from otel_traj.report.trace_link import TraceLink

__all__ = ["format_report", "format_source_problem", "format_summary", "format_verdict"]

_INDENT = "    "


def format_report(
    report: Report, *, width: int = 80, link: TraceLink | None = None, prices: Prices | None = None
) -> str:
    """Return the text form of a report, without a newline at the end.

    Args:
        report: What `evaluate_runs` returned.
        width: Characters per line.
        link: Makes the links of each run.
        prices: What model calls cost; with them each run's tokens and cost are told too.

    Returns:
        A line per verdict with its comment below, then the summary, the references no run met with a hint why, and
        the exit code with its reasons where it is not 0. Problems of the source are not repeated here.
    """
    lines = [
        line
        for verdict in report.verdicts
        for line in format_verdict(verdict, width=width, link=link, prices=prices)
    ]
    lines += [""] if lines else []
    return "\n".join([*lines, *format_summary(report, width=width, prices=prices)])


def format_source_problem(problem: SourceProblem) -> str:
    """Return a problem of the source on one line: `file:line: words`."""
    place = problem.source
    if problem.line is not None:
        place = f"{place}:{problem.line}"
    elif problem.offset is not None:
        place = f"{place}: byte {problem.offset}"
    return f"{cut(place)}: {cut(problem.message)}"


def format_verdict(
    verdict: Verdict, *, width: int, link: TraceLink | None = None, prices: Prices | None = None
) -> Iterator[str]:
    """Yield the lines of a verdict.

    Args:
        verdict: Any verdict.
        width: Characters per line.
        link: Makes the links of its runs.
        prices: What model calls cost.
    """
    yield from wrap(format_headline(verdict, prices), width=width, hanging=_INDENT * 2)
    for line in verdict.comment.split("\n") if verdict.comment else ():
        yield from wrap(cut(line), width=width, indent=_INDENT, hanging=_INDENT + "  ")
    yield from (_INDENT + each for each in link_verdict(verdict, link))


def format_summary(report: Report, *, width: int, prices: Prices | None = None) -> list[str]:
    """Return the last lines of a report: the counts, what was not met, the exit code with its reasons.

    Args:
        report: What `evaluate_runs` returned.
        width: Characters per line.
        prices: What model calls cost.
    """
    return [line for text in _summarise(report, prices) for line in wrap(text, width=width, hanging=_INDENT)]


def _summarise(report: Report, prices: Prices | None) -> Iterator[str]:
    summary = report.summary
    without = summary["without_reference"]
    yield (
        f"{summary['passed']:,} passed, {summary['failed']:,} failed, "
        f"{summary['not_evaluated']:,} not evaluated"
        + (f" ({count(without, 'run')} without a reference)" if without else "")
    )
    spent = sum_up(list_distinct_runs(report.verdicts), prices)
    if spent:
        yield spent
    if summary["unmet_references"]:
        yield f"references that no run met: {', '.join(map(shorten, summary['unmet_references']))}"
    for hint in report.hints:
        yield f"hint: {cut(hint)}"
    if report.exit_code:
        yield f"exit code {report.exit_code}: {cut('; '.join(report.exit_reasons))}"
