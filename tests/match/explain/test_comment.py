from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_traj.errors import InvalidReferenceError
from otel_traj.match import (
    Glob,
    GraphTrajectoryMatchMode,
    OneOf,
    OpKind,
    ReferenceStep,
    TrajectoryMode,
    graph_trajectory_match,
)
from otel_traj.match.explain.comment import build_comment
from tests.match.judging import decide, explain, explained, judge

if TYPE_CHECKING:
    from otel_traj.match.reference.name_patterns import Entry

MOST_BYTES = 2_048
"""Of UTF-8 in a comment: what an attribute may hold in most backends."""


@pytest.mark.parametrize(
    ("expected", "actual", "mode", "op", "line"),
    [
        (
            [["a", "b"]],
            [["a"]],
            "unordered",
            "missing_nodes",
            "superstep 1: expected {a, b}, got {a}; missing b",
        ),
        ([["a"]], [["a", "b"]], "unordered", "extra_nodes", "superstep 1: expected {a}, got {a, b}; extra b"),
        (
            [["a", "b"]],
            [["a", "c"]],
            "unordered",
            "changed_nodes",
            "superstep 1: expected {a, b}, got {a, c}; missing b; extra c",
        ),
        (
            [["a", "b"]],
            [["b", "a"]],
            "exact",
            "reordered",
            "superstep 1: expected {a, b}, got {b, a}; order differs",
        ),
        ([["a"]], [["b"]], "exact", "replaced", "superstep 1: expected {a}, got {b}; missing a; extra b"),
        ([["a"]], [], "unordered", "missing_step", "superstep 1: expected {a}, got nothing; missing a"),
        ([], [["a"]], "unordered", "extra_step", "superstep 1: got {a}, not expected"),
        (
            [["w", "w", "w"]],
            [["w"]],
            "unordered",
            "missing_nodes",
            "superstep 1: expected {w, w, w}, got {w}; missing w, w",
        ),
        ([["a"]], [[]], "unordered", "missing_nodes", "superstep 1: expected {a}, got {}; missing a"),
        ([[]], [], "unordered", "missing_step", "superstep 1: expected {}, got nothing"),
    ],
)
def test_one_line_per_kind(
    expected: list[list[str]],
    actual: list[list[str]],
    mode: GraphTrajectoryMatchMode,
    op: OpKind,
    line: str,
) -> None:
    """Each kind of difference has its sentence."""
    assert explain(expected, actual, mode) == [line]
    assert [each["op"] for each in explained(judge(expected, actual, mode))["ops"]] == [op]


def test_a_mode_is_not_blamed_for_what_it_allows() -> None:
    """Superset does not name extra nodes, subset does not name missing ones, in text and in metadata."""
    assert explain([["a", "b"]], [["a", "x"]], "superset") == [
        "superstep 1: expected {a, b}, got {a, x}; missing b"
    ]
    assert explain([["a", "b"]], [["a", "x"]], "subset") == [
        "superstep 1: expected {a, b}, got {a, x}; extra x"
    ]
    assert explained(judge([["a"]], [["x"]], "superset"))["ops"][0]["extra"] == []
    assert explained(judge([["a"]], [["x"]], "subset"))["ops"][0]["missing"] == []


def test_numbers_count_what_is_ignored() -> None:
    """`__start__` is superstep 0, the first nodes are 1, also where markers are left out of the comparison."""
    assert explain([["__start__"], ["a"], ["b"]], [["__start__"], ["a"], ["c"]]) == [
        "superstep 2: expected {b}, got {c}; missing b; extra c"
    ]
    ignored = judge(
        [["a"], ["log"], ["b"]], [["__start__"], ["a"], ["log"], ["c"]], ignore=["__start__", "log"]
    )
    assert ignored["comment"] == "superstep 3: expected {b}, got {c}; missing b; extra c"


def test_start_has_number_0_where_it_is_compared() -> None:
    """With nothing ignored, a `__start__` that only the run has is superstep 0."""
    result = judge([["a"]], [["__start__"], ["a"]], ignore=())
    assert result["comment"] == "superstep 0: got {__start__}, not expected"


def test_an_interrupt_carries_the_number_before_it() -> None:
    """An interrupt marker is not counted: neither it nor what follows shifts a number."""
    actual = [["__start__"], ["a"], ["ask"], ["__interrupt__"], ["c"]]
    result = judge([["a"], ["ask"], ["b"]], actual)
    assert result["comment"] == (
        "superstep 2: got {__interrupt__}, not expected\n"
        "superstep 3: expected {b}, got {c}; missing b; extra c"
    )
    assert [op["actual_superstep"] for op in explained(result)["ops"]] == [2, 3]


def test_both_numbers_are_told_where_they_differ() -> None:
    """After an extra superstep the reference's own number is named beside the run's."""
    assert explain([["a"], ["b", "c"]], [["a"], ["x"], ["b"]]) == [
        "superstep 2: got {x}, not expected",
        "superstep 3 (superstep 2 of the reference): expected {b, c}, got {b}; missing c",
    ]


def test_several_runs_are_told_apart() -> None:
    """With more than one run, ops and lines say which run they are about."""
    result = graph_trajectory_match(
        outputs=[[["a"]], [["a"], ["b"]], [["x"], ["y"]]],
        reference_outputs=[[["a"]], [["a", "b"]], [["y"], ["x"]]],
    )
    assert result["comment"] == (
        "run 1, superstep 1: expected {a, b}, got {a}; missing b\n"
        "run 1, superstep 2: got {b}, not expected\n"
        "run 2, superstep 1: got {x}, not expected\n"
        "run 2, superstep 2: expected {x}, got nothing; missing x\n"
        "hint: run 1, a and b ran one after another, expected in parallel\n"
        "hint: run 2, x ran in superstep 1, expected in superstep 2"
    )
    assert [op["run"] for op in explained(result)["ops"]] == [1, 1, 2, 2]


def test_expected_and_actual_are_whole() -> None:
    """The metadata has both sides as they were given: markers, order, duplicates, a mode's step as its names."""
    expected: list[ReferenceStep | list[str]] = [
        ["__start__"],
        ReferenceStep(("b", "a"), "exact"),
        ["w", "w"],
        ["__end__"],
    ]
    actual = [("__start__",), ("x",), ("__interrupt__",)]
    metadata = explained(judge(expected, actual, duplicates="ignore"))
    assert metadata["expected"] == [[["__start__"], ["b", "a"], ["w", "w"], ["__end__"]]]
    assert metadata["actual"] == [[["__start__"], ["x"], ["__interrupt__"]]]


def test_twenty_differences_are_named() -> None:
    """The text names the first twenty differences and how many more there are; the metadata has all."""
    result = judge([["a"]] * 25, [["b"]] * 25)
    assert result["comment"] is not None
    lines = result["comment"].split("\n")
    assert lines[19:] == [
        "superstep 20: expected {a}, got {b}; missing a; extra b",
        "and 5 more",
        "hint: another branch was taken at superstep 1: {b}, expected {a}",
    ]
    assert len(explained(result)["ops"]) == 25


@pytest.mark.parametrize("name", ["node_with_a_rather_long_name_number_", "ü" * 70, "\u202e" * 60])
def test_a_comment_is_at_most_2048_bytes(name: str) -> None:
    """However many and however long the names, the comment fits; whole lines give way, hints stay."""
    wide = [[f"{name}{index}" for index in range(9)]]
    comment = judge([*wide * 9, ["a", "b"]], [["x"], *wide * 7, ["a"], ["b"]])["comment"]
    assert comment is not None
    assert len(comment.encode()) <= MOST_BYTES
    assert comment.split("\n")[-1].startswith("hint: a and b ran one after another")


def test_a_line_too_long_alone_is_cut_at_a_character() -> None:
    """A single difference longer than the whole comment is cut between characters, marked by three dots."""
    names = [chr(0x10000 + index) * 80 for index in range(10)]
    comment = judge([names], [["x"]])["comment"]
    assert comment is not None
    assert comment.startswith("superstep 1: expected {" + names[0])
    assert comment.endswith("...")
    assert MOST_BYTES - 4 <= len(comment.encode()) <= MOST_BYTES


def test_wide_supersteps_are_shortened_in_text() -> None:
    """Of a wide superstep the text shows ten names and how many more; missing names are still named."""
    names = [f"n{index}" for index in range(40)]
    assert explain([names], [names[:39]]) == [
        (
            "superstep 1: expected {n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, 30 more}, "
            "got {n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, 29 more}; missing n39"
        )
    ]


def test_lines_alone_and_tail_alone() -> None:
    """A comment of notes alone has no empty line before them."""
    assert build_comment([], ["note"]) == "note"
    assert build_comment(["line"], []) == "line"


_hostile = st.sampled_from(
    [
        text * times
        for text in ("\u202e", "\x1b[2J", "\n\x00", "ü\U0001f600", "\ud800", "*{", '"\\', "a")
        for times in (1, 400)
    ]
)
_entries = (
    _hostile | _hostile.map(Glob) | st.lists(_hostile, min_size=1, max_size=3).map(lambda row: OneOf(*row))
)
_runs = st.lists(st.lists(st.lists(_hostile, min_size=1, max_size=3), max_size=8), max_size=3)


@given(
    st.lists(st.lists(st.lists(_entries, min_size=1, max_size=3), max_size=8), max_size=3),
    _runs,
    st.sampled_from(get_args(TrajectoryMode)),
)
@settings(deadline=None)
def test_hostile_names_and_patterns_stay_within_bounds(
    expected: list[list[list[Entry]]], actual: list[list[list[str]]], mode: TrajectoryMode
) -> None:
    """In every trajectory mode, and whatever names and patterns hold, a comment is printable and at most 2,048 bytes."""
    references = [{"steps": steps, "rules": {"forbidden": ["a"], "max_supersteps": 9}} for steps in expected]
    runs = [{"steps": steps} for steps in actual]
    for reference in (references, {"any_of": [each["steps"] for each in references] or [[["x"]]]}):
        try:
            outcome = decide(runs, reference, trajectory_mode=mode)
        except InvalidReferenceError:
            continue
        if outcome.comment is not None:
            assert len(outcome.comment.encode()) <= MOST_BYTES
            assert all(line.isprintable() for line in outcome.comment.split("\n"))
            assert len(outcome.comment.split("\n")) <= 20 + 1 + 6
