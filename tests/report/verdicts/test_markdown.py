"""A report as Markdown."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from otel_traj import Report, SourceProblem
from otel_traj.report import TraceLink, format_markdown
from otel_traj.report.verdicts.markdown_text import show_cell, show_code
from tests.missing_api import needs
from tests.report.golden import compare_with_gold
from tests.report.verdicts.judged import HOSTILE, build_hostile_report, build_report

_LINK = TraceLink("https://jaeger.example/trace/{trace_id}")


class _Page(HTMLParser):
    """A rendered page: its elements, its links, its text in code and outside."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.codes: list[str] = []
        self.prose = ""
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        self._open.append(tag)
        if tag == "code":
            self.codes.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "code" in self._open:
            self.codes[-1] += data
        else:
            self.prose += data


def _render(text: str) -> _Page:
    from markdown_it import MarkdownIt

    return _Page(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


def test_the_layout_is_the_agreed_one() -> None:
    """Counts, fails with reasons, what was not told, unmet references; passes and details folded."""
    problem = SourceProblem(code="unreadable_line", message="not JSON", source="traces.jsonl", line=3)
    report = replace(build_report(), source_problems=[problem])
    compare_with_gold("report.md", format_markdown(report, link=_LINK))


@needs("rendered Markdown")
def test_hostile_names_are_code() -> None:
    """Rendered, every foreign word stands in code: no mention, reference, link, HTML or cell of its own."""
    report = build_hostile_report()
    assert {verdict.verdict for verdict in report.verdicts} == {"fail", "not_evaluated"}
    page = _render(format_markdown(report, link=_LINK))
    assert page.tags.count("details") == page.tags.count("summary") == report.summary["failed"]
    assert set(page.tags) <= {
        "h2",
        "h3",
        "p",
        "ul",
        "li",
        "code",
        "pre",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "a",
        "details",
        "summary",
    }
    assert all(link.startswith("https://jaeger.example/trace/") for link in page.links)
    assert not set(page.prose) & set("@#<>[]|`\\*_")
    assert "evil" not in page.prose
    assert "www" not in page.prose
    assert page.tags.count("td") == 4 * page.tags.count("tr") - 4 * page.tags.count("thead")


@needs("rendered Markdown")
@pytest.mark.parametrize("name", [name for name in HOSTILE if name.isprintable() and len(name) < 300])
def test_a_name_reads_as_it_is(name: str) -> None:
    """A printable name comes back from a line and from a cell, character by character."""
    page = _render(f"- {show_code(name)}\n\n| a | b |\n| --- | --- |\n| {show_cell(name)} | x |\n")
    assert page.codes == [name, name]
    assert page.tags.count("td") == 2


def _multiply(report: Report, number: int) -> Report:
    verdicts = report.verdicts * number
    counts = {"passed": 2 * number, "failed": 2 * number, "not_evaluated": 2 * number}
    return replace(report, verdicts=verdicts, summary={**report.summary, **counts})


def test_a_summary_ends_where_github_refuses_it() -> None:
    """However many runs there are it stays below 1 MiB, and says of each part how much is left out."""
    text = format_markdown(_multiply(build_report(), 5_000), link=_LINK)
    assert len(text.encode()) < 1024 * 1024
    assert text.count("more left out: a summary holds at most 1,048,576 bytes.*") == 4
    assert text.startswith("## Trajectories: 10,000 passed, 10,000 failed, 10,000 not evaluated")
    assert text.count("<details>") == text.count("</details>")


def test_what_is_left_out_is_counted() -> None:
    """Rows shown and rows left out are all there are."""
    text = format_markdown(_multiply(build_report(), 500), max_bytes=100_000)
    failed = text.partition("### Failed")[2].partition("### Not evaluated")[0]
    [left_out] = [line for line in failed.splitlines() if "left out" in line]
    assert failed.count("thread thread-") + int(left_out.strip("*").split()[0].replace(",", "")) == 1_000


def test_an_empty_report_says_so() -> None:
    """Without a verdict the counts and the exit code are told."""
    report = replace(
        build_report(),
        verdicts=[],
        summary={
            "passed": 0,
            "failed": 0,
            "not_evaluated": 0,
            "without_reference": 0,
            "unmet_references": [],
        },
        exit_code=2,
        exit_reasons=["the source holds no run"],
        hints=[],
    )
    assert format_markdown(report).splitlines() == [
        "## Trajectories: 0 passed, 0 failed, 0 not evaluated",
        "",
        "- exit code 2: `the source holds no run`",
    ]
