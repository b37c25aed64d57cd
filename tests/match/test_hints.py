from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.match.judging import LONG, explained, judge, make_run

if TYPE_CHECKING:
    from otel_traj.match import GraphTrajectoryMatchMode, HintKind


def hints_of(
    expected: list[list[str]], actual: list[list[str]], mode: GraphTrajectoryMatchMode = "unordered"
) -> tuple[list[HintKind], list[str]]:
    """Return the kinds of hint in the metadata, and the sentences in the comment."""
    result = judge(expected, actual, mode)
    lines = (result["comment"] or "").split("\n")
    return explained(result)["hints"], [line.removeprefix("hint: ") for line in lines if line[:5] == "hint:"]


@pytest.mark.parametrize("mode", ["exact", "unordered", "subset", "superset"])
def test_serialised(mode: GraphTrajectoryMatchMode) -> None:
    """One expected superstep that ran as several is said to have run one after another, in every mode."""
    assert hints_of([["s"], ["a", "b"], ["e"]], [["s"], ["a"], ["b"], ["e"]], mode) == (
        ["serialised"],
        ["a and b ran one after another, expected in parallel"],
    )


@pytest.mark.parametrize(
    ("expected", "actual", "text"),
    [
        ([["a", "b", "c"]], [["c"], ["a"], ["b"]], "c, a and b ran one after another, expected in parallel"),
        (
            [["a", "b", "c"]],
            [["a", "b"], ["c"]],
            "{a, b} and {c} ran one after another, expected in parallel",
        ),
        ([["a", "b", "c"]], [["a"], ["b"]], "a and b ran one after another, expected in parallel"),
        ([["a", "b"]], [["a", "x"], ["b"]], "a and b ran one after another, expected in parallel"),
        ([["w", "w"]], [["w"], ["w"]], "w and w ran one after another, expected in parallel"),
        ([["a", "b"], ["c"]], [["a"], ["b"]], "a and b ran one after another, expected in parallel"),
    ],
)
def test_serialised_in_other_shapes(expected: list[list[str]], actual: list[list[str]], text: str) -> None:
    """Three in a row, a group and one, a part of the nodes, others beside them, one node twice, a stop after."""
    assert hints_of(expected, actual) == (["serialised"], [text])


@pytest.mark.parametrize("mode", ["exact", "unordered", "subset", "superset"])
def test_merged(mode: GraphTrajectoryMatchMode) -> None:
    """Several expected supersteps that ran as one are said to have run in parallel, in every mode."""
    assert hints_of([["s"], ["a"], ["b"], ["e"]], [["s"], ["a", "b"], ["e"]], mode) == (
        ["merged"],
        ["a and b ran in parallel, expected one after another"],
    )


def test_moved() -> None:
    """A node missing in one superstep and extra in another is said to have moved."""
    assert hints_of([["a", "m"], ["b"], ["c"]], [["a"], ["b"], ["c", "m"]]) == (
        ["moved"],
        ["m ran in superstep 3, expected in superstep 1"],
    )
    assert hints_of([["a", "m", "n"], ["b"], ["c"]], [["a"], ["b"], ["c", "n", "m"]]) == (
        ["moved"],
        ["m and n ran in superstep 3, expected in superstep 1"],
    )


def test_moved_counts_what_the_mode_tolerates() -> None:
    """In superset mode the superstep a node moved to is no fault, but still where it went."""
    assert hints_of([["a", "m"], ["b"], ["c"]], [["a"], ["b"], ["c", "m"]], "superset") == (
        ["moved"],
        ["m ran in superstep 3, expected in superstep 1"],
    )


def test_moved_is_not_said_for_nodes_that_a_better_hint_explains() -> None:
    """Where serialised or merged fits, the same nodes are not called moved as well."""
    assert hints_of([["a", "b"], ["c"]], [["a"], ["b"], ["c"]])[0] == ["serialised"]
    assert hints_of([["a"], ["b"], ["c"]], [["a", "b"], ["c"]])[0] == ["merged"]


@pytest.mark.parametrize(
    ("expected", "actual", "text"),
    [
        (LONG, [["node1"], ["node2"], ["node7"]], "{node2}, expected {node3}"),
        ([["node1"], ["node2"], ["node7"]], LONG, "{node3}, expected {node2}"),
        ([["s"], ["a"], ["b"], ["e"]], [["s"], ["x"], ["y"], ["e"]], "{x}, expected {a}"),
    ],
)
def test_wrong_branch(expected: list[list[str]], actual: list[list[str]], text: str) -> None:
    """A replaced superstep with whole supersteps differing after it is another branch: shorter, longer, as long."""
    assert hints_of(expected, actual) == (
        ["wrong_branch"],
        [f"another branch was taken at superstep 2: {text}"],
    )


def test_a_single_replaced_superstep_is_no_branch() -> None:
    """One superstep that differs and then the reference again says enough by itself."""
    assert hints_of([["s"], ["a"], ["e"]], [["s"], ["x"], ["e"]]) == ([], [])


@pytest.mark.parametrize(
    ("expected", "actual", "text"),
    [
        ("a t a", "a t a t a t a", "the loop t -> a ran 3 times, expected 1"),
        ("a t a t a t a", "a t a", "the loop t -> a ran 1 time, expected 3"),
        ("s poll e", "s poll poll poll e", "the loop poll ran 3 times, expected 1"),
        ("s a t a e", "s a t a t a e", "the loop t -> a ran 2 times, expected 1"),
    ],
)
def test_loop_count(expected: str, actual: str, text: str) -> None:
    """Supersteps too many or too few that repeat their neighbours are rounds of a loop, counted."""
    assert hints_of([[name] for name in expected.split()], [[name] for name in actual.split()]) == (
        ["loop_count"],
        [text],
    )


def test_a_loop_of_parallel_nodes_shows_its_supersteps() -> None:
    """Nodes of a round that run in parallel stand in braces, in whatever order they ran."""
    actual = [["m"], ["t", "u"], ["m"], ["u", "t"], ["m"]]
    assert hints_of(actual[:3], actual) == (["loop_count"], ["the loop {u, t} -> m ran 2 times, expected 1"])


def test_a_gap_in_the_superstep_numbers_is_a_hint_where_a_run_fails() -> None:
    """A cached node leaves a gap: it fails no run, but is told where one fails."""
    steps = [["__start__"], ["a"], ["c"]]
    run = make_run(steps, problems=["step_gap"])
    assert judge([["a"], ["c"]], run)["score"] is True
    result = judge([["a"], ["b"], ["c"]], run)
    assert explained(result)["hints"] == ["step_gap"]
    assert result["comment"] == (
        "superstep 2: expected {b}, got nothing; missing b\n"
        "hint: superstep numbers have a gap, which cached nodes and update_state leave"
    )
