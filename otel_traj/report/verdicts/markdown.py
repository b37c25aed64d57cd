"""A report as Markdown, for the summary of a pull request's checks.

What a reviewer asks comes first: how many, which failed and why. Everything longer is folded. GitHub refuses a step's
summary of more than 1 MiB, so each part has a share of that, and says how much of it was left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from otel_traj.evaluate.judging.verdict import has_no_reference
from otel_traj.report.escape import cut, shorten
from otel_traj.report.units import count, format_duration
from otel_traj.report.verdicts.difference import format_difference
from otel_traj.report.verdicts.headline import (
    link_verdict,
    list_distinct_runs,
    name_judge,
    name_judged,
    sum_up,
)
from otel_traj.report.verdicts.markdown_text import fence_lines, show_cell, show_code, show_html, show_link
from otel_traj.report.verdicts.verdicts import format_source_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from otel_traj.evaluate import Report, Verdict
    from otel_traj.report.prices import Prices
    from otel_traj.report.trace_link import TraceLink

__all__ = ["MAX_BYTES", "format_markdown"]

_Item = TypeVar("_Item")

MAX_BYTES: Final = 1024 * 1024
"""What GitHub takes as the summary of one step."""

_SHARES: Final = {"failed": 0.25, "not evaluated": 0.15, "passed": 0.1, "details": 0.35, "list": 0.05}
"""Of the whole; what is left is for the frame around them."""


def format_markdown(
    report: Report, *, link: TraceLink | None = None, prices: Prices | None = None, max_bytes: int = MAX_BYTES
) -> str:
    """Return a report as GitHub Flavored Markdown, without a newline at the end.

    Args:
        report: What `evaluate_runs` returned.
        link: Makes the links of each run.
        prices: What model calls cost.
        max_bytes: What the text may have in UTF-8, from 100,000.

    Returns:
        The counts; tables of what failed and what was not evaluated, with reasons; references that no run met;
        problems of the source; folded, what passed and the details of each fail.
    """
    return "\n".join(_Page(report, link, prices, max_bytes).list_lines())


class _Page:
    def __init__(self, report: Report, link: TraceLink | None, prices: Prices | None, max_bytes: int) -> None:
        self.report, self.link, self.prices, self.max_bytes = report, link, prices, max_bytes

    def list_lines(self) -> Iterator[str]:
        report = self.report
        by_word: dict[str, list[Verdict]] = {"pass": [], "fail": [], "not_evaluated": []}
        for verdict in report.verdicts:
            by_word[verdict.verdict].append(verdict)
        yield from self._list_counts()
        yield from self._list_table("failed", by_word["fail"])
        yield from self._list_table("not evaluated", by_word["not_evaluated"])
        yield from self._list_texts(
            "References that no run met", list(map(shorten, report.summary["unmet_references"]))
        )
        problems = list(map(format_source_problem, report.source_problems))
        yield from self._list_texts("Problems of the source", problems)
        yield from self._list_passes(by_word["pass"])
        yield from self._list_details(by_word["fail"])

    def _list_counts(self) -> Iterator[str]:
        summary, report = self.report.summary, self.report
        yield (
            f"## Trajectories: {summary['passed']:,} passed, {summary['failed']:,} failed, "
            f"{summary['not_evaluated']:,} not evaluated"
        )
        yield ""
        if summary["without_reference"]:
            yield f"- {count(summary['without_reference'], 'run')} without a reference"
        spent = sum_up(list_distinct_runs(report.verdicts), self.prices)
        if spent:
            yield f"- {show_code(spent)}"
        if report.exit_code:
            yield f"- exit code {report.exit_code}: {show_code(cut('; '.join(report.exit_reasons)))}"
        yield from (f"- hint: {show_code(cut(hint))}" for hint in report.hints)

    def _list_table(self, word: str, verdicts: list[Verdict]) -> Iterator[str]:
        if not verdicts:
            return
        yield from ("", f"### {word[0].upper()}{word[1:]}", "")
        yield from ("| what | by | why | |", "| --- | --- | --- | --- |")
        yield from self._fit(word, verdicts, lambda verdict: self._make_row(verdict, _say_why(verdict)))

    def _make_row(self, verdict: Verdict, why: str) -> str:
        links = [show_link("trace", url) for url in link_verdict(verdict, self.link)]
        cells = (
            show_cell(name_judged(verdict)),
            show_cell(name_judge(verdict)),
            show_cell(why),
            " ".join(links),
        )
        return f"| {' | '.join(cells)} |"

    def _list_texts(self, title: str, texts: list[str]) -> Iterator[str]:
        if texts:
            yield from ("", f"### {title}", "")
            yield from self._fit("list", texts, lambda text: f"- {show_code(text)}")

    def _list_passes(self, verdicts: list[Verdict]) -> Iterator[str]:
        if not verdicts:
            return
        yield from ("", f"<details><summary>{len(verdicts):,} passed</summary>", "")
        yield from ("| what | by | used | |", "| --- | --- | --- | --- |")
        yield from self._fit(
            "passed", verdicts, lambda verdict: self._make_row(verdict, self._say_used(verdict))
        )
        yield from ("", "</details>")

    def _say_used(self, verdict: Verdict) -> str:
        times = [format_duration(run.started_ns, run.ended_ns) for run in verdict.runs if run.ended_ns]
        return ", ".join(filter(None, (*times[:1], sum_up(verdict.runs, self.prices))))

    def _list_details(self, verdicts: list[Verdict]) -> Iterator[str]:
        if verdicts:
            yield from ("", "### Details of what failed")
            yield from self._fit("details", verdicts, self._make_details)

    def _make_details(self, verdict: Verdict) -> str:
        title = f"{show_html(name_judge(verdict))}: {show_html(name_judged(verdict))}"
        lines = ["", f"<details><summary>{title}</summary>", ""]
        lines += fence_lines((verdict.comment or "").split("\n"))
        difference = format_difference(verdict)
        if difference:
            lines += ["", "Expected (`-`) and actual (`+`) supersteps:", "", *fence_lines(difference, "diff")]
        spent = sum_up(verdict.runs, self.prices)
        lines += ["", show_code(spent)] if spent else []
        return "\n".join([*lines, "", "</details>"])

    def _fit(self, part: str, items: Sequence[_Item], write: Callable[[_Item], str]) -> Iterator[str]:
        """Yield what of a part fits into its share, then how much was left out."""
        left = int(_SHARES[part] * self.max_bytes)
        for index, item in enumerate(items):
            text = write(item)
            left -= len(text.encode()) + 1
            if left < 0:
                words = (
                    f"{len(items) - index:,} more left out: a summary holds at most {self.max_bytes:,} bytes"
                )
                yield from ("", f"*{words}.*")
                return
            yield text


def _say_why(verdict: Verdict) -> str:
    """Return the first sentence of the reason, which is the first difference."""
    first, _, rest = (verdict.comment or "").partition("\n")
    more = rest.count("\n") + 1 if rest else 0
    words = (
        f"{first[:240]} (and {count(more, 'line')} below)" if more and verdict.verdict == "fail" else first
    )
    return f"no reference: {words}" if has_no_reference(verdict) and not words else words
