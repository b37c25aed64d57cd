"""A report as text."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from otel_traj import Report, SourceProblem, Verdict
from otel_traj.report import Prices, TraceLink, format_report, format_source_problem
from otel_traj.report.prices import ModelPrice
from tests.report import scenes
from tests.report.golden import compare_with_gold

if TYPE_CHECKING:
    from otel_traj import Run

_RUN = "019a7c2e-1111-7000-8000-00000000000"


def _of(graph: str) -> tuple[Run]:
    return (replace(scenes.build_seven(), graph=graph),)


def _make_report() -> Report:
    verdicts = [
        Verdict(
            run_id=f"{_RUN}1",
            thread_id="t-1",
            reference="long path",
            verdict="pass",
            score=True,
            comment=None,
            metadata=None,
            runs=_of("seven"),
        ),
        Verdict(
            run_id=f"{_RUN}2",
            thread_id=None,
            reference="long path",
            verdict="fail",
            score=False,
            comment="superstep 2: expected {node3}, got {node2}; missing node3; extra node2\n"
            "superstep 3: expected {node4, node5}, got nothing; missing node4, node5\nhint: another branch",
            metadata={"verdict": "fail"},
            runs=_of("seven"),
        ),
        Verdict(
            run_id=f"{_RUN}3",
            thread_id="t-3",
            reference=None,
            verdict="not_evaluated",
            score=None,
            comment="no reference applies to graph 'other', thread 't-3'",
            metadata={"verdict": "not_evaluated"},
            runs=_of("other"),
        ),
        Verdict(
            run_id=f"{_RUN}4",
            thread_id=None,
            reference=None,
            verdict="not_evaluated",
            score=None,
            comment="which reference applies can't be told (perhaps 'long path'): the graph-run span is missing",
            metadata={"verdict": "not_evaluated"},
            candidates=("long path",),
        ),
    ]
    return Report(
        verdicts=verdicts,
        summary={
            "passed": 1,
            "failed": 1,
            "not_evaluated": 2,
            "without_reference": 1,
            "unmet_references": ["short path", "x" * 100],
        },
        exit_code=1,
        exit_reasons=["1 run failed", "1 run could not be judged"],
        source_problems=[],
        hints=["no run is of the graph inner; graphs there: other, seven; only as subgraphs: inner"],
    )


def test_the_layout_is_the_agreed_one() -> None:
    """Verdicts, summary, unmet references and the reasons of the exit code stand as in the gold file."""
    text = format_report(_make_report())
    compare_with_gold("report.txt", text)
    assert max(map(len, text.splitlines())) <= 80


def test_a_clean_report_is_short() -> None:
    """Where all passed nothing but the verdicts and the summary is said."""
    report = Report(
        verdicts=_make_report().verdicts[:1],
        summary={
            "passed": 1,
            "failed": 0,
            "not_evaluated": 0,
            "without_reference": 0,
            "unmet_references": [],
        },
        exit_code=0,
        exit_reasons=[],
        source_problems=[],
    )
    compare_with_gold("report-clean.txt", format_report(report, width=120))


def test_hostile_words_are_data() -> None:
    """What a name or a message brings along is escaped, and forges no line of its own."""
    verdict = Verdict(
        run_id="\x1b[2J",
        thread_id="\u202eevil",
        reference="a\npass  everything",
        verdict="fail",
        score=False,
        comment="superstep 1: got {\x1b[31mred\x07}\u2028pass, all fine",
        metadata=None,
        runs=_of("g\rpass"),
    )
    report = Report(
        verdicts=[verdict],
        summary=_make_report().summary,
        exit_code=1,
        exit_reasons=["\x1b]0;owned\x07"],
        source_problems=[],
    )
    text = format_report(report)
    assert all(char.isprintable() for char in text.replace("\n", ""))
    assert not any(line.lstrip().startswith("pass") for line in text.splitlines())


@pytest.mark.parametrize(
    ("line", "offset", "text"),
    [
        (3, None, "traces.jsonl:3: not JSON\\x1b"),
        (None, 90, "traces.jsonl: byte 90: not JSON\\x1b"),
        (None, None, "traces.jsonl: not JSON\\x1b"),
    ],
)
def test_a_source_problem_is_one_line_with_its_place(line: int | None, offset: int | None, text: str) -> None:
    """A problem of the source reads `file:line: words`."""
    problem = SourceProblem(
        code="unreadable_line", message="not JSON\x1b", source="traces.jsonl", line=line, offset=offset
    )
    assert format_source_problem(problem) == text


def test_threads_evaluators_and_links_are_told() -> None:
    """A thread counts its runs, an evaluator's verdict names its key and its number, links stand below."""
    thread = Verdict(
        run_id=None,
        run_ids=("1", "2"),
        thread_id="t-1",
        reference="conversation",
        verdict="pass",
        score=True,
        comment=None,
        metadata=None,
        runs=_of("seven") * 2,
    )
    number = Verdict(
        run_id="1",
        thread_id=None,
        reference=None,
        verdict="pass",
        score=0.25,
        comment=None,
        metadata=None,
        key="polite",
        runs=_of("seven"),
    )
    report = replace(_make_report(), verdicts=[thread, number])
    link = TraceLink("https://jaeger.example/trace/{trace_id}")
    [trace_id] = scenes.build_seven().trace_ids
    url = f"    https://jaeger.example/trace/{trace_id}"
    assert format_report(report, link=link).splitlines()[:5] == [
        "pass conversation: seven thread t-1 (2 runs)",
        url,
        url,
        "pass [polite]: seven 1, score 0.25",
        url,
    ]


def test_tokens_and_costs_are_told() -> None:
    """With prices each run has its tokens and cost, the sum counts a run once though two verdicts are about it."""
    run = scenes.build_agent()
    verdict = replace(_make_report().verdicts[0], runs=(run,))
    report = replace(_make_report(), verdicts=[verdict, replace(verdict, key="polite")])
    price = ModelPrice(input=Decimal(1), output=Decimal(1), cache_read=Decimal(1))
    text = format_report(report, width=300, prices=Prices(currency="EUR", models=(("scripted-1", price),)))
    spent = "1,200 tokens in (1,000 cached), 41 out (5 reasoning), at least 0.001234 EUR (no price for thinking-1)"
    assert [line.endswith(spent) for line in text.splitlines()[:2]] == [True, True]
    assert spent in text.splitlines()
    assert "EUR" not in format_report(report)
