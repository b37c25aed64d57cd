from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.match import graph_trajectory_match
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


@pytest.mark.parametrize("mode", ["exact", "unordered", "subset", "superset"])
def test_two_tasks_of_one_node_are_no_second_round(mode: GraphTrajectoryMatchMode) -> None:
    """They ran one after another, or in parallel, in every mode; no loop ran another number of times as well."""
    parallel, in_turn = [["a"], ["w", "w"], ["b"]], [["a"], ["w"], ["w"], ["b"]]
    assert hints_of(parallel, in_turn, mode) == (
        ["serialised"],
        ["w and w ran one after another, expected in parallel"],
    )
    assert hints_of(in_turn, parallel, mode) == (
        ["merged"],
        ["w and w ran in parallel, expected one after another"],
    )


def test_a_kind_stands_once_in_the_metadata() -> None:
    """Two runs whose nodes ran one after another have a sentence each; what kind of hint it is stands once."""
    both = [[["a", "b"]], [["c", "d"]]]
    result = graph_trajectory_match(outputs=[[["a"], ["b"]], [["c"], ["d"]]], reference_outputs=both)
    assert explained(result)["hints"] == ["serialised"]
    assert str(result["comment"]).split("\n")[-2:] == [
        "hint: run 0, a and b ran one after another, expected in parallel",
        "hint: run 1, c and d ran one after another, expected in parallel",
    ]


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


@pytest.mark.parametrize("mode", ["exact", "unordered", "subset", "superset"])
@pytest.mark.parametrize(
    ("expected", "rounds"),
    [
        ([["work"], [], ["check"]], 3),
        ([["work"], ["other"], ["check"]], 3),
        ([["work"], ["check"], ["other"], ["work"], ["check"]], 4),
    ],
)
def test_rounds_that_the_reference_does_not_have_are_not_counted(
    expected: list[list[str]], rounds: int, mode: GraphTrajectoryMatchMode
) -> None:
    """Where the reference holds the loop in parts, or with something between, no number is told."""
    assert "loop_count" not in hints_of(expected, [["work"], ["check"]] * rounds, mode)[0]


def test_rounds_too_many_on_both_sides_of_a_right_one_are_one_loop() -> None:
    """Rounds before and after those that are expected count together, and the loop is told once."""
    expected = [["s"], ["a"], ["b"], ["e"]]
    assert hints_of(expected, [["s"], *[["a"], ["b"]] * 4, ["e"]]) == (
        ["loop_count"],
        ["the loop a -> b ran 4 times, expected 1"],
    )


_LOOP = re.compile(r"the loop (.*) ran ([0-9]+) times?, expected ([0-9]+)")


@given(*[st.lists(st.lists(st.sampled_from("ab"), max_size=2), max_size=7)] * 2)
def test_a_loop_has_so_many_rounds_on_either_side(expected: list[list[str]], actual: list[list[str]]) -> None:
    """The numbers of a loop are true: so many rounds stand in a row in the run, and so many in the reference."""
    if judge(expected, actual)["score"]:
        return
    for hint in hints_of(expected, actual)[1]:
        found = _LOOP.fullmatch(hint)
        if found is None:
            continue
        one_round = [sorted(re.findall("[ab]", each)) for each in found[1].split(" -> ")]
        for steps, number in ((actual, int(found[2])), (expected, int(found[3]))):
            row, there = one_round * number, [sorted(names) for names in steps]
            assert row in [there[at : at + len(row)] for at in range(len(there) + 1)]


@pytest.mark.parametrize(
    ("written", "ran"),
    [
        ("serach", "search"),
        ("serch", "search"),
        ("search", "searchh"),
        ("Search_Web", "search-web"),
        ("read_file", "read_files"),
        ("Ask", "ask"),
        ("interrupt", "__interrupt__"),
    ],
)
def test_misspelt(written: str, ran: str) -> None:
    """A name that never ran beside one that the reference does not know, a slip apart, is asked about."""
    assert hints_of([["a"], [written], ["e"]], [["a"], [ran], ["e"]]) == (
        ["misspelt"],
        [f"did you mean {ran}? {written} of the reference never ran"],
    )


@pytest.mark.parametrize(
    ("written", "ran"),
    [
        ("node3", "node2"),
        ("node1", "node11"),
        ("node12", "node21"),
        ("plan_a", "plan_b"),
        ("ab", "ba"),
        ("ask", "task"),
        ("-", "--"),
    ],
)
def test_other_names_are_not_misspelt(written: str, ran: str) -> None:
    """Names that differ in a digit, in a letter that was replaced, or are short, are two nodes."""
    assert hints_of([["a"], [written], ["e"]], [["a"], [ran], ["e"]]) == ([], [])


def test_a_name_that_both_sides_know_is_not_misspelt() -> None:
    """A name that ran elsewhere, or that the reference has elsewhere, is spelt right."""
    assert "misspelt" not in hints_of([["model"], ["models"], ["e"]], [["models"], ["x"], ["e"]])[0]
    assert "misspelt" not in hints_of([["model"], ["x"], ["models"]], [["models"], ["x"], ["models"]])[0]


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
