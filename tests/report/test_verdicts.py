"""A report as text."""

from __future__ import annotations

import pytest

from otel_traj import Report, SourceProblem, Verdict
from otel_traj.report import format_report, format_source_problem
from tests.report.golden import compare_with_gold

_RUN = "019a7c2e-1111-7000-8000-00000000000"


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
            graph="seven",
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
            graph="seven",
        ),
        Verdict(
            run_id=f"{_RUN}3",
            thread_id="t-3",
            reference=None,
            verdict="not_evaluated",
            score=None,
            comment="no reference applies to graph 'other', thread 't-3'",
            metadata={"verdict": "not_evaluated"},
            graph="other",
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
        graph="g\rpass",
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
