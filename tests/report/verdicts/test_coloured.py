"""A report as rich draws it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from otel_traj import evaluate_runs
from otel_traj.evaluate.references.reference import AppliesTo, ExpectedThread, Reference
from otel_traj.report import TraceLink, format_report, format_tree
from otel_traj.report.verdicts.alignment import align_runs
from tests.missing_api import needs
from tests.report.golden import compare_with_gold
from tests.report.verdicts.judged import build_hostile_report, build_report, record

if TYPE_CHECKING:
    from otel_traj import Report

pytestmark = needs("reports in colour")


def _draw(report: Report, *, width: int, link: TraceLink | None = None, colour: bool = False) -> str:
    from rich.console import Console

    from otel_traj.report.verdicts.coloured import print_coloured

    file = io.StringIO()
    console = Console(
        file=file, width=width, force_terminal=True, color_system="standard" if colour else None, _environ={}
    )
    print_coloured(report, console, link=link)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


@pytest.mark.parametrize("width", [100, 50])
def test_the_layout_is_the_agreed_one(width: int) -> None:
    """Fails show supersteps side by side, in a narrow terminal one below the other, and their tree."""
    compare_with_gold(f"coloured-{width}.txt", _draw(build_report(), width=width))


def test_without_colour_it_says_the_same() -> None:
    """What a colour marks a character marks too."""
    coloured = _draw(build_report(), width=100, colour=True)
    assert "\x1b[31m" in coloured
    from rich.text import Text

    plain = "\n".join(line.rstrip() for line in Text.from_ansi(coloured).plain.splitlines())
    assert plain == _draw(build_report(), width=100)


def test_markup_in_names_is_text() -> None:
    """Markup of rich, and names of emoji, stand in headline, reason, table and tree as they were written."""
    report = build_hostile_report()
    evil = "[bold red]:skull:[/]"
    pieces = [format_report(report, width=1_000)]
    for verdict in report.verdicts:
        pieces += [format_tree(run, width=1_000) for run in verdict.runs if verdict.verdict == "fail"]
        pieces += [f"{row.expected}{row.actual}" for each in align_runs(verdict) for row in each.rows]
    assert _draw(report, width=1_000).count(evil) == sum(piece.count(evil) for piece in pieces) > 8


def test_many_fails_are_told_but_not_drawn() -> None:
    """After twenty fails the reason is told without supersteps and tree, and so it says."""
    spans = [span for number in range(25) for span in record(f"run {number}", ["b"])]
    report = evaluate_runs(spans, references=[Reference(name="r", steps=[["a"]])])
    text = _draw(report, width=100)
    assert text.count("FAIL r: ") == 25
    assert text.count("expected ") - text.count("expected {") == 20
    assert "(supersteps and tree of 5 more fails are not drawn)" in text


def test_of_a_thread_the_runs_that_differ_are_drawn() -> None:
    """Beside each run of a thread that differs stands its number, and only these have their tree."""
    spans = [*record("one", ["a"], thread="t"), *record("two", ["b"], thread="t", start=10_000_000_000)]
    references = [
        Reference(name="r", steps=[["a"]], applies_to=AppliesTo(graph="none")),
        Reference(name="c", thread=ExpectedThread(runs=("r", "r")), applies_to=AppliesTo(graph="seven")),
    ]
    report = evaluate_runs(spans, references=references)
    report = replace(report, verdicts=[each for each in report.verdicts if each.run_ids is not None])
    lines = _draw(report, width=100).splitlines()
    assert lines[0] == "FAIL c: seven thread t (2 runs)"
    assert [line.strip() for line in lines if line.startswith("    run ") and len(line) < 12] == ["run 1"]
    assert sum("graph seven" in line for line in lines) == 1


def test_a_link_is_not_broken() -> None:
    """A link longer than the line stays one word, so that it can be clicked."""
    link = TraceLink("https://jaeger.example/a/rather/long/address/of/a/trace/{trace_id}")
    assert any(
        line.strip().startswith("https://") and len(line) > 80
        for line in _draw(build_report(), width=60, link=link).splitlines()
    )
