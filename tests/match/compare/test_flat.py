from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from otel_traj.errors import InvalidReferenceError
from otel_traj.match.compare.flat import FlatComparer
from otel_traj.match.explain.ops import SpanIndex
from otel_traj.match.explain.scores import combine_scores
from otel_traj.match.levels import CalledTool, ListedSuperstep
from otel_traj.match.reference.items import Alternatives, AnySteps, Group, Item
from otel_traj.match.reference.name_patterns import Any, Entry, Glob
from otel_traj.match.reference.tool_patterns import Tool, prepare_entry
from otel_traj.match.supersteps import Bounds, ExpectedStep
from otel_traj.match.values.arguments import read_args_mode
from tests.match.every_assignment import (
    assignments,
    fits,
)
from tests.match.flat_references import (
    MODES,
    REFERENCE,
    bounded,
    explain,
    literal_references,
    loose_references,
    names,
    passes,
    ran,
    runs,
    small_references,
    small_runs,
    wanted,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.flat_items import FlatMode


def places_of(
    items: Sequence[Item], most: int, low: int = 1, high: int = 1
) -> list[tuple[list[Entry], bool]]:
    """Return every place that a name may take, with whether it has to be taken; no bound is one of `most`."""
    places: list[tuple[list[Entry], bool]] = []
    for item in items:
        if isinstance(item, Group):
            top = most + item.bounds.min if item.bounds.max is None else item.bounds.max
            places += places_of(item.items, most, low * item.bounds.min, high * top)
        elif isinstance(item, Alternatives):
            choices = [
                step.entries[0] for row in item.choices for step in row if isinstance(step, ExpectedStep)
            ]
            places += [(choices, at < low) for at in range(min(high, low + most))]
        elif isinstance(item, ExpectedStep):
            top = most + item.bounds.min if item.bounds.max is None else item.bounds.max
            for entry in item.entries:
                least, greatest = low * item.bounds.min, high * top
                places += [([entry], at < least) for at in range(min(greatest, least + most))]
    return places


def covers_by_trying(items: Sequence[Item], actual: Sequence[Sequence[str]], mode: FlatMode) -> bool:
    """Return the verdict of a mode without an order, from all assignments there are."""
    flat = [name for superstep in actual for name in superstep]
    places = places_of(items, len(flat))
    assume((len(places) + 1) ** len(flat) < 5_000)
    has_gap = any(isinstance(item, AnySteps) for item in items)
    needed = {at for at, (_, is_needed) in enumerate(places) if is_needed}
    for taken, placed in assignments(
        places, flat, lambda place, name: any(fits(entry, name) for entry in place[0])
    ):
        all_there = needed <= taken
        none_beside = has_gap or len(placed) == len(flat)
        if (all_there or mode == "flat_subset") and (none_beside or mode == "flat_superset"):
            return True
    return False


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("flat_superset", True),
        ("flat_subset", True),
        ("flat_unordered", True),
        ("flat_exact", True),
        ("flat_in_order", True),
    ],
)
def test_nodes_that_ran_one_after_another_are_the_same_names(mode: FlatMode, expected: bool) -> None:
    """A parallel superstep that was serialised is no difference where supersteps are not told apart."""
    serial = ran(["node1"], ["node3"], ["node4"], ["node5"], ["node6"], ["node7"])
    assert passes(wanted(*REFERENCE), serial, mode) is expected
    assert passes(wanted(*[list(step.names) for step in serial]), ran(*REFERENCE), mode) is expected


@pytest.mark.parametrize("mode", MODES)
def test_step_modes_play_no_part(mode: FlatMode) -> None:
    """A superstep in mode superset takes no more in a flat mode than one in mode exact."""
    loose: list[Item] = [ExpectedStep(1, ("a", "b"), "superset")]
    assert FlatComparer(loose, mode).matches(ran(["a", "b", "x"])) is (
        mode in ("flat_superset", "flat_in_order")
    )


@given(loose_references(), small_runs, st.sampled_from(["flat_unordered", "flat_superset", "flat_subset"]))
def test_multisets_agree_with_every_assignment(
    items: list[Item], actual: list[list[str]], mode: FlatMode
) -> None:
    """The modes without an order give the verdict that trying all assignments gives."""
    assert passes(items, ran(*actual), mode) is covers_by_trying(items, actual, mode)


@given(small_references, small_runs)
def test_the_modes_order_themselves(expected: list[list[Entry]], actual: list[list[str]]) -> None:
    """flat_exact implies flat_unordered and flat_in_order; these imply what they hold less of."""
    verdict = {mode: passes(wanted(*expected), ran(*actual), mode) for mode in MODES}
    assert verdict["flat_unordered"] or not verdict["flat_exact"]
    assert verdict["flat_in_order"] or not verdict["flat_exact"]
    assert verdict["flat_superset"] or not verdict["flat_in_order"]
    assert verdict["flat_unordered"] is (verdict["flat_subset"] and verdict["flat_superset"])


@given(
    loose_references(),
    small_runs,
    names,
    st.integers(0, 4),
    st.sampled_from(["flat_superset", "flat_in_order"]),
)
def test_one_name_more_never_breaks_what_may_hold_more(
    items: list[Item], actual: list[list[str]], more: str, at: int, mode: FlatMode
) -> None:
    """flat_superset and flat_in_order go on matching when a superstep is put anywhere."""
    longer = [*actual[:at], [more], *actual[at:]]
    assert passes(items, ran(*longer), mode) or not passes(items, ran(*actual), mode)


@given(loose_references(), small_runs, st.data())
def test_one_superstep_less_never_breaks_what_may_hold_less(
    items: list[Item], actual: list[list[str]], data: st.DataObject
) -> None:
    """flat_subset goes on matching when a superstep is taken away."""
    if actual:
        at = data.draw(st.integers(0, len(actual) - 1))
        shorter = [*actual[:at], *actual[at + 1 :]]
        assert passes(items, ran(*shorter), "flat_subset") or not passes(items, ran(*actual), "flat_subset")


@given(literal_references, runs)
def test_subset_is_superset_seen_from_the_other_side(
    expected: list[list[str]], actual: list[list[str]]
) -> None:
    """What ran lies within the reference exactly where the reference contains it the other way round."""
    forth = passes(wanted(*expected), ran(*actual), "flat_subset")
    assert forth is passes(wanted(*actual), ran(*expected), "flat_superset")


@given(literal_references, st.sampled_from(MODES))
def test_a_run_matches_itself_and_may_always_have_gone_on(expected: list[list[str]], mode: FlatMode) -> None:
    """Every run matches itself, and each of its beginnings may go on."""
    assert passes(wanted(*expected), ran(*expected), mode)
    comparer = FlatComparer(wanted(*expected), mode)
    assert all(comparer.may_go_on(ran(*expected[:end])) for end in range(len(expected) + 1))


@given(loose_references(), small_runs, st.sampled_from(["flat_unordered", "flat_subset"]))
def test_what_matches_may_have_gone_on_from_each_beginning(
    items: list[Item], actual: list[list[str]], mode: FlatMode
) -> None:
    """Each beginning of a run that matches may go on."""
    comparer = FlatComparer(items, mode)
    if comparer.matches(ran(*actual)):
        assert all(comparer.may_go_on(ran(*actual[:end])) for end in range(len(actual) + 1))


def test_a_name_too_many_can_not_go_on() -> None:
    """A run that waits and has what the reference lacks may go on only in modes that allow more."""
    for mode in MODES:
        may = FlatComparer(wanted(["a"], ["b"]), mode).may_go_on(ran(["a"], ["x"]))
        assert may is (mode in ("flat_superset", "flat_in_order"))


def test_a_pattern_leaves_a_name_to_the_one_that_needs_it() -> None:
    """An assignment is never greedy: required entries and patterns share the names as it has to be."""
    assert passes(wanted([Glob("node*"), "node4"]), ran(["node4", "node5"]), "flat_unordered")
    assert passes([bounded(["a"], 0, 1), *wanted([Any()])], ran(["a"]), "flat_unordered")
    assert not passes(wanted([Glob("node*"), "node4"]), ran(["node4", "x"]), "flat_superset")


def test_bounds_of_loops_in_loops_multiply() -> None:
    """A loop of two to three rounds of a superstep that stands up to twice allows two to six of each name."""
    items: list[Item] = [Group((Group((bounded(["a", "b"], 1, 2),), Bounds(2, 3)),), Bounds())]
    for count in range(9):
        assert passes(items, ran(["a", "b"] * count), "flat_unordered") is (2 <= count <= 6)
    assert passes(items, ran(["a"] * 2 + ["b"] * 6), "flat_unordered")


def test_a_gap_takes_what_nothing_else_does() -> None:
    """With a gap nothing is extra, what is required stays so, and the names in the gap count for nothing."""
    items: list[Item] = [*wanted(["a"]), AnySteps()]
    assert passes(items, ran(["x"], ["a", "y"]), "flat_unordered")
    assert passes(items, ran(["x"]), "flat_subset")
    assert not passes(items, ran(["x"]), "flat_unordered")
    explanation = explain(items, ran(["x"], ["a", "y"]), "flat_unordered")
    assert explanation.tolerated == {
        "missing": [],
        "extra": [],
        "reordered_supersteps": 0,
        "gap_supersteps": 1,
    }
    scores = combine_scores([explanation.score])
    assert (scores.edits, scores.fitness, scores.precision, scores.recall, scores.f1) == (
        None,
        None,
        1.0,
        1.0,
        1.0,
    )


def test_missing_names_are_listed_by_superstep_of_the_reference_and_extra_ones_by_that_of_the_run() -> None:
    """Ops stand in the order of the reference, then of the run; of equal names the last ones are meant."""
    explanation = explain(
        wanted(["a", "w"], ["b"], ["w"]), ran(["w"], ["x", "a", "a"], ["y"]), "flat_unordered"
    )
    assert [(op["op"], op["expected_superstep"], op["actual_superstep"]) for op in explanation.ops] == [
        ("missing_nodes", 2, None),
        ("missing_nodes", 3, None),
        ("extra_nodes", None, 2),
        ("extra_nodes", None, 3),
    ]
    assert [(op["missing"], op["extra"]) for op in explanation.ops] == [
        (["b"], []),
        (["w"], []),
        ([], ["x", "a"]),
        ([], ["y"]),
    ]
    assert explanation.lines == [
        "superstep 2 of the reference: expected {b}; missing b",
        "superstep 3 of the reference: expected {w}; missing w",
        "superstep 2: got {x, a, a}; extra x, a",
        "superstep 3: got {y}; extra y",
    ]


@pytest.mark.parametrize(
    ("mode", "kinds"),
    [
        ("flat_unordered", ["missing_nodes", "extra_nodes"]),
        ("flat_exact", ["missing_nodes", "extra_nodes"]),
        ("flat_superset", ["missing_nodes"]),
        ("flat_in_order", ["missing_nodes"]),
        ("flat_subset", ["extra_nodes"]),
    ],
)
def test_only_what_the_mode_objects_to_is_said(mode: FlatMode, kinds: list[str]) -> None:
    """What a mode allows is no op, but tolerated."""
    explanation = explain(wanted(["a"], ["b"]), ran(["a"], ["x"]), mode)
    assert [op["op"] for op in explanation.ops] == kinds
    assert explanation.tolerated is not None
    assert explanation.tolerated["missing"] == (["b"] if mode == "flat_subset" else [])
    assert explanation.tolerated["extra"] == (["x"] if mode in ("flat_superset", "flat_in_order") else [])
    scores = combine_scores([explanation.score])
    assert (scores.precision, scores.recall) == (0.5, 0.5)


def test_a_slip_of_the_pen_is_said() -> None:
    """A name of the reference that never ran and looks like an extra one gives a hint."""
    explanation = explain(wanted(["planer"]), ran(["planner"]), "flat_unordered")
    assert [hint.kind for hint in explanation.hints] == ["misspelt"]


@given(loose_references(), small_runs, st.sampled_from(["flat_unordered", "flat_superset", "flat_subset"]))
def test_an_explanation_is_the_same_every_time_and_no_larger_than_it_must_be(
    items: list[Item], actual: list[list[str]], mode: FlatMode
) -> None:
    """Missing and extra names together are as few as any assignment leaves, and two explanations are equal."""
    first, second = explain(items, ran(*actual), mode), explain(items, ran(*actual), mode)
    assert (first.ops, first.lines, first.tolerated, first.score) == (
        second.ops,
        second.lines,
        second.tolerated,
        second.score,
    )
    flat = [name for superstep in actual for name in superstep]
    places = places_of(items, len(flat))
    assume((len(places) + 1) ** len(flat) < 5_000)
    needed = {at for at, (_, is_needed) in enumerate(places) if is_needed}
    ways = list(assignments(places, flat, lambda place, name: any(fits(entry, name) for entry in place[0])))
    has_gap = any(isinstance(item, AnySteps) for item in items)
    fewest_missing = 0 if mode == "flat_subset" else min(len(needed - taken) for taken, _ in ways)
    free = mode == "flat_superset" or has_gap
    fewest_extra = 0 if free else min(len(flat) - len(placed) for _, placed in ways)
    assert sum(len(op["missing"]) for op in first.ops) == fewest_missing
    assert sum(len(op["extra"]) for op in first.ops) == fewest_extra


def test_calls_of_one_tool_differ_in_their_arguments() -> None:
    """Two calls of one name are two kinds where the reference says which arguments it means."""
    rules = read_args_mode("ignore", "args")
    first, second = (prepare_entry(Tool("search", {"q": text}, "exact"), rules) for text in ("x", "y"))
    calls = [CalledTool("search", tool="search", args={"q": text}) for text in ("y", "x")]
    for mode in MODES:
        together = FlatComparer([ExpectedStep(1, (first, second), "exact")], mode)
        assert together.matches(ran(calls))
        apart = FlatComparer(wanted([first], [second]), mode)
        is_ordered = mode in ("flat_exact", "flat_in_order")
        assert apart.matches(ran(calls[:1], calls[1:])) is not is_ordered
        assert apart.matches(ran([calls[0], calls[0]])) is False
        twice = FlatComparer(wanted([second], [second]), mode)
        assert not twice.matches(ran(["search"], [calls[1]])), (
            "a call is not taken for a plain name of the same text"
        )
        assert twice.matches(ran(["search"], [calls[0]]))


@pytest.mark.parametrize("mode", MODES)
def test_rows_in_place_of_a_superstep_are_refused(mode: FlatMode) -> None:
    """Alternatives of several names or supersteps are refused with the modes that can compare them."""
    wide = Alternatives(((ExpectedStep(1, ("a", "b"), "exact"),), (ExpectedStep(1, ("c",), "exact"),)))
    row = Alternatives((tuple(wanted(["a"], ["b"])),))
    loose = Alternatives(((bounded(["a"], 0, 1),),))
    for item in (wide, row, loose, Group((wide,), Bounds())):
        with pytest.raises(InvalidReferenceError, match=r"OneOf.*compare by strict, starts_with") as caught:
            FlatComparer([item], mode)
        assert mode in str(caught.value)


def test_the_least_a_run_needs() -> None:
    """The worst cost is the number of names that are required."""
    items: list[Item] = [
        Group((bounded(["a", "b"], 2, None),), Bounds(3, 3)),
        bounded(["c"], 0, 1),
        AnySteps(),
    ]
    assert FlatComparer(items, "flat_unordered").worst_cost() == 12


def test_an_extra_name_points_at_its_spans() -> None:
    """Extra names carry the spans of their tasks, of equal ones the last; missing names have none."""
    spans = SpanIndex(
        (
            ListedSuperstep(number=1, names=("a", "w"), span_ids=(("s1",), ("s2",))),
            ListedSuperstep(number=2, names=("w", "w"), span_ids=(("s3",), ("s4", "s5"))),
        )
    )
    comparer = FlatComparer(wanted(["a"], ["w", "w", "b"]), "flat_unordered")
    ops = comparer.explain(ran(["a", "w"], ["w", "w"]), 3, spans).ops
    assert [(op["op"], op["run"], op["span_ids"]) for op in ops] == [
        ("missing_nodes", 3, []),
        ("extra_nodes", 3, ["s4", "s5"]),
    ]
