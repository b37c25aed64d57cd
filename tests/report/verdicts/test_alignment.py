"""Expected and actual supersteps in rows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj import Gap, Glob, OneOf, ReferenceStep, Repeat
from otel_traj.report.verdicts.alignment import align_runs
from otel_traj.report.verdicts.difference import Hidden, fold_rows, format_difference
from tests.report.verdicts.judged import judge_steps

if TYPE_CHECKING:
    from otel_traj.match import TrajectoryMode

_SUPERSTEPS = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3), max_size=5)


def _rows(expected: list[Any], *actual: list[str]) -> list[tuple[str, str, str]]:
    """Return mark, expected and actual of each row of a run against a reference."""
    [aligned] = align_runs(judge_steps(expected, *actual))
    return [(row.mark, row.expected, row.actual) for row in aligned.rows]


@pytest.mark.parametrize(
    ("expected", "actual", "rows"),
    [
        ([["a"], ["b", "c"]], [["a"], ["b"], ["c"]], [(" ", "a", "a"), ("~", "b, -c", "b"), ("+", "", "c")]),
        ([["a"], ["b"], ["c"]], [["a"], ["c"]], [(" ", "a", "a"), ("-", "b", ""), (" ", "c", "c")]),
        ([["a"], ["b"]], [["a"], ["x"]], [(" ", "a", "a"), ("~", "b", "x")]),
        ([["w", "w"]], [["w", "w", "w"]], [("~", "w, w", "w, w, +w")]),
        (
            [["a"], Gap(), ["z"]],
            [["a"], ["m"], ["n"]],
            [(" ", "a", "a"), (" ", "any supersteps", "m"), (" ", "as above", "n"), ("-", "z", "")],
        ),
        (
            [Repeat([["a"], ["b"]], 0, None), ["z"]],
            [["a"], ["b"], ["a"], ["b"]],
            [
                (" ", "(a then b) 0 times or more", "a"),
                *[(" ", "as above", name) for name in "bab"],
                ("-", "z", ""),
            ],
        ),
        ([[Glob("n*")], ["z"]], [["n1"], ["y"]], [(" ", "glob(n*)", "n1"), ("~", "z", "y")]),
        (
            [OneOf(["a"], ["b", "c"]), ReferenceStep(["d"], min=0), ["z"]],
            [["a"], ["y"]],
            [(" ", "(a | b, c)", "a"), (" ", "d 0 to 1 times", ""), ("~", "z", "y")],
        ),
        ([["-a"], ["b"]], [["-a", "+c"], ["b"]], [("~", '"-a"', '"-a", +"+c"'), (" ", "b", "b")]),
    ],
)
def test_what_differs_is_marked(
    expected: list[Any], actual: list[list[str]], rows: list[tuple[str, str, str]]
) -> None:
    """Missing, extra and changed supersteps stand where the engine's explanation has them, the others beside."""
    assert _rows(expected, *actual) == rows


@given(_SUPERSTEPS.filter(bool), _SUPERSTEPS.filter(bool))
def test_rows_hold_both_sides_whole(expected: list[list[str]], actual: list[list[str]]) -> None:
    """Every superstep of both sides stands in one row, in its order, and the marks are those of the ops."""
    verdict = judge_steps(expected, *actual)
    if verdict.verdict == "pass":
        assert align_runs(verdict) == []
        return
    [aligned] = align_runs(verdict)
    rows = aligned.rows
    assert [row.expected_number for row in rows if row.expected] == list(range(1, len(expected) + 1))
    assert [row.actual_number for row in rows if row.actual] == list(range(1, len(actual) + 1))
    assert verdict.metadata is not None
    places = [(op["expected_superstep"], op["actual_superstep"]) for op in verdict.metadata["ops"]]
    marked = [row for row in rows if row.mark != " "]
    assert [(row.expected_number, row.actual_number) for row in marked] == places
    assert Counter(row.mark for row in rows if row.mark in "-+") == Counter(
        "-" if there is None else "+" for here, there in places if here is None or there is None
    )


@pytest.mark.parametrize(
    "mode", ["starts_with", "contains", "subsequence", "steps_any_order", "flat_unordered", "flat_in_order"]
)
def test_every_trajectory_mode_has_rows(mode: TrajectoryMode) -> None:
    """In the modes that align otherwise no superstep is lost, and a difference is marked."""
    verdict = judge_steps([["a"], ["b"], ["q"]], ["a"], ["b"], ["c"], trajectory_mode=mode)
    assert verdict.verdict == "fail"
    for aligned in align_runs(verdict):
        assert [row.actual for row in aligned.rows if row.actual] == ["a", "b", "c"] or mode.startswith(
            "flat"
        )
        assert [row.expected.strip("-") for row in aligned.rows if row.expected] == ["a", "b", "q"]
        assert any(row.mark != " " for row in aligned.rows)


def test_what_is_alike_is_folded() -> None:
    """Far from a difference supersteps are counted, not shown."""
    names = [[f"n{number}"] for number in range(30)]
    verdict = judge_steps(names, *names[:15], ["x"], *names[16:])
    assert format_difference(verdict) == [
        "  ... 13 supersteps",
        "   14  n13",
        "   15  n14",
        "-  16  n15",
        "+  16  x",
        "   17  n16",
        "   18  n17",
        "  ... 12 supersteps",
    ]


def test_a_long_difference_ends() -> None:
    """Where everything differs sixty rows are shown, and the rest is counted."""
    verdict = judge_steps([["a"]] * 100, *[["b"]] * 100)
    [aligned] = align_runs(verdict)
    folded = fold_rows(aligned.rows)
    assert len(folded) == 61
    assert folded[-1] == Hidden(40)


def test_a_pass_has_no_difference() -> None:
    """Where nothing differs nothing is drawn."""
    assert format_difference(judge_steps([["a"]], ["a"])) == []
