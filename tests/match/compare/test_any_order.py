from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from otel_traj.errors import InvalidReferenceError
from otel_traj.match.compare.any_order import AnyOrderComparer
from otel_traj.match.compare.ordered import OrderedComparer
from otel_traj.match.explain.ops import SpanIndex
from otel_traj.match.explain.scores import combine_scores
from otel_traj.match.levels import CalledTool
from otel_traj.match.reference.items import Alternatives, AnySteps, Group, Item
from otel_traj.match.reference.name_patterns import Any, Entry, Glob
from otel_traj.match.reference.tool_patterns import Tool, prepare_entry
from otel_traj.match.supersteps import ActualStep, Bounds, ExpectedStep
from otel_traj.match.values.arguments import read_args_mode
from tests.match.every_assignment import assignments, superstep_passes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.comparer import Explanation
    from otel_traj.match.modes import StepMode

MODES: tuple[StepMode, ...] = ("exact", "unordered", "subset", "superset")


def step(
    entries: Sequence[Entry], mode: StepMode = "unordered", low: int = 1, high: int | None = 1
) -> ExpectedStep:
    """Return a superstep of a reference."""
    return ExpectedStep(1, tuple(entries), mode, Bounds(low, high))


def wanted(*supersteps: Sequence[Entry], mode: StepMode = "unordered") -> list[Item]:
    """Return a reference of supersteps that stand once."""
    return [ExpectedStep(number, tuple(entries), mode) for number, entries in enumerate(supersteps, 1)]


def ran(*supersteps: Sequence[str]) -> list[ActualStep]:
    """Return a run."""
    return [ActualStep(at + 1, tuple(names), at) for at, names in enumerate(supersteps)]


def explain(items: Sequence[Item], actual: Sequence[ActualStep]) -> Explanation:
    """Return what differs, of a plain trajectory."""
    return AnyOrderComparer(items).explain(actual, 0, SpanIndex.of(None))


def passes(items: Sequence[Item], actual: Sequence[ActualStep]) -> bool:
    """Return the verdict, which the explanation has to agree with."""
    verdict = AnyOrderComparer(items).matches(actual)
    explanation = explain(items, actual)
    assert bool(explanation.ops) is not verdict
    assert len(explanation.ops) == len(explanation.lines)
    return verdict


names = st.sampled_from(["a", "b", "c"])
entries: st.SearchStrategy[Entry] = names | st.sampled_from([Glob("[ab]"), Glob("[bc]"), Any()])
modes = st.sampled_from(MODES)
runs = st.lists(st.lists(names, max_size=2), max_size=4)
some_bounds = st.sampled_from(
    [Bounds(), Bounds(), Bounds(0, 1), Bounds(0, None), Bounds(1, None), Bounds(1, 2), Bounds(2, 2)]
)
plain_references = st.lists(
    st.builds(lambda row, mode: ExpectedStep(1, tuple(row), mode), st.lists(entries, max_size=2), modes),
    max_size=4,
)


@st.composite
def loose_references(draw: st.DrawFn) -> list[Item]:
    """Return a reference with bounds, loops of one superstep, gaps and alternatives of one."""
    items: list[Item] = []
    for _ in range(draw(st.integers(0, 3))):
        rows = [draw(st.lists(entries, max_size=2)) for _ in range(2)]
        kind = draw(st.sampled_from(["step", "step", "group", "choice", "gap"]))
        if kind == "gap":
            items.append(AnySteps())
        elif kind == "choice":
            items.append(Alternatives(tuple((step(row, draw(modes)),) for row in rows)))
        elif kind == "group":
            items.append(Group((step(rows[0], draw(modes)),), draw(some_bounds)))
        else:
            items.append(ExpectedStep(1, tuple(rows[0]), draw(modes), draw(some_bounds)))
    return items


def places_of(items: Sequence[Item], most: int) -> list[tuple[list[ExpectedStep], bool]]:
    """Return every place that a superstep may take, with whether it has to be taken; no bound is one of `most`."""
    places: list[tuple[list[ExpectedStep], bool]] = []
    for item in items:
        if isinstance(item, AnySteps):
            continue
        if isinstance(item, Alternatives):
            choices, bounds = [each for row in item.choices for each in row], Bounds()
        elif isinstance(item, Group):
            choices, bounds = list(item.items), item.bounds
        else:
            choices, bounds = [item], item.bounds
        steps = [each for each in choices if isinstance(each, ExpectedStep)]
        top = bounds.min + most if bounds.max is None else bounds.max
        places += [(steps, at < bounds.min) for at in range(top)]
    return places


def try_everything(items: Sequence[Item], actual: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Return how many are missing and how many are extra, for every assignment there is."""
    places = places_of(items, len(actual))
    assume((len(places) + 1) ** len(actual) < 5_000)
    needed = {at for at, (_, is_needed) in enumerate(places) if is_needed}
    has_gap = any(isinstance(item, AnySteps) for item in items)

    def may(place: tuple[list[ExpectedStep], bool], superstep: Sequence[str]) -> bool:
        return any(superstep_passes(each.entries, superstep, each.mode) for each in place[0])

    return [
        (len(needed - taken), 0 if has_gap else len(actual) - len(placed))
        for taken, placed in assignments(places, actual, may)
    ]


def test_supersteps_in_another_order_match() -> None:
    """Neither the order of supersteps nor, unless the step mode is exact, that inside them is compared."""
    assert passes(wanted(["a"], ["b", "c"]), ran(["c", "b"], ["a"]))
    assert not passes(wanted(["a"], ["b", "c"], mode="exact"), ran(["c", "b"], ["a"]))
    assert passes(wanted(["a"], ["b", "c"], mode="exact"), ran(["b", "c"], ["a"]))


def test_the_grouping_is_kept() -> None:
    """Nodes that ran one after another are not the superstep in which they were expected together."""
    assert not passes(wanted(["a", "b"]), ran(["a"], ["b"]))
    assert not passes(wanted(["a"], ["b"], mode="superset"), ran(["a", "b"]))


@pytest.mark.parametrize(("mode", "fits"), [("exact", 0), ("unordered", 0), ("subset", 0), ("superset", 2)])
def test_a_superstep_without_names(mode: StepMode, fits: int) -> None:
    """An empty superstep of the reference is met by an empty one, in mode superset by every one."""
    found = [passes(wanted([], mode=mode), ran(names)) for names in ([], ["a"], ["a", "b"])]
    assert found == [True, fits > 0, fits > 1]


@given(loose_references(), runs)
def test_verdict_and_explanation_agree_with_every_assignment(
    items: list[Item], actual: list[list[str]]
) -> None:
    """The verdict is that of trying everything, and the explanation names as few differences as any assignment has."""
    ways = try_everything(items, actual)
    assert passes(items, ran(*actual)) is ((0, 0) in ways)
    ops = [op["op"] for op in explain(items, ran(*actual)).ops]
    assert ops.count("missing_step") == min(missing for missing, _ in ways)
    assert ops.count("extra_step") == min(extra for _, extra in ways)


@given(loose_references(), runs)
def test_a_run_that_waits_may_go_on_while_nothing_is_extra(
    items: list[Item], actual: list[list[str]]
) -> None:
    """A run that waits may go on exactly where some assignment has a place for all that ran."""
    may = AnyOrderComparer(items).may_go_on(ran(*actual))
    assert may is any(not extra for _, extra in try_everything(items, actual))


@given(loose_references(), runs)
def test_every_beginning_of_a_match_may_go_on(items: list[Item], actual: list[list[str]]) -> None:
    """Each beginning of a run that matches may go on."""
    comparer = AnyOrderComparer(items)
    if comparer.matches(ran(*actual)):
        assert all(comparer.may_go_on(ran(*actual[:end])) for end in range(len(actual) + 1))


@given(plain_references, runs, st.data())
def test_the_order_of_either_side_changes_no_verdict(
    items: list[Item], actual: list[list[str]], data: st.DataObject
) -> None:
    """Shuffled references and runs match alike."""
    turned, shuffled = data.draw(st.permutations(items)), data.draw(st.permutations(actual))
    assert passes(items, ran(*actual)) is passes(turned, ran(*shuffled))


@given(plain_references, runs)
def test_strict_implies_any_order(items: list[Item], actual: list[list[str]]) -> None:
    """What matches in its order matches in any."""
    assert passes(items, ran(*actual)) or not OrderedComparer(items, "strict").matches(ran(*actual))


@given(loose_references(), runs)
def test_an_explanation_is_the_same_every_time(items: list[Item], actual: list[list[str]]) -> None:
    """Two explanations of one run are equal."""
    first, second = explain(items, ran(*actual)), explain(items, ran(*actual))
    assert (first.ops, first.lines, first.tolerated, first.score) == (
        second.ops,
        second.lines,
        second.tolerated,
        second.score,
    )


def test_a_pattern_leaves_a_superstep_to_the_one_that_needs_it() -> None:
    """An assignment is never greedy, and an optional superstep never takes one from what is required."""
    assert passes(wanted([Any()], ["a"]), ran(["a"], ["b"]))
    assert passes([step(["a"], low=0), step([Any()])], ran(["a"]))
    assert not passes([step(["a"], low=0), step([Any()])], ran())


def test_bounds_say_how_many_supersteps_fill_a_place() -> None:
    """Of a superstep with bounds as many may run as these say, wherever; those of a loop around it multiply."""
    for count in range(6):
        actual = ran(*[["a"]] * count, ["b"])
        assert passes([step(["b"]), step(["a"], low=1, high=3)], actual) is (1 <= count <= 3)
        assert passes([Group((step(["a"], low=1, high=2),), Bounds(2, 2)), step(["b"])], actual) is (
            2 <= count <= 4
        )
        assert passes([Group((step(["a"], low=0, high=None),), Bounds(0, 1)), step(["b"])], actual)


def test_any_of_several_single_supersteps_fills_a_place() -> None:
    """Alternatives of single supersteps are one place, and the smaller one is named where it is missing."""
    items: list[Item] = [Alternatives(((step(["a", "b"]),), (step(["c"]),))), step(["d"])]
    assert passes(items, ran(["d"], ["b", "a"]))
    assert passes(items, ran(["c"], ["d"]))
    assert explain(items, ran(["d"])).ops[0]["missing"] == ["c"]
    assert AnyOrderComparer(items).worst_cost() == 2


def test_a_gap_takes_what_fills_no_place() -> None:
    """With a gap nothing is extra; what it took is tolerated and counts for nothing."""
    items: list[Item] = [*wanted(["a"]), AnySteps()]
    assert passes(items, ran(["x"], ["a"], ["y", "z"]))
    assert not passes(items, ran(["x"]))
    explanation = explain(items, ran(["x"], ["a"], ["y", "z"]))
    assert explanation.tolerated == {
        "missing": [],
        "extra": [],
        "reordered_supersteps": 0,
        "gap_supersteps": 2,
    }
    scores = combine_scores([explanation.score])
    assert (scores.edits, scores.fitness, scores.precision, scores.recall, scores.f1) == (
        None,
        None,
        1.0,
        1.0,
        1.0,
    )


def test_what_is_extra_comes_in_the_runs_order_then_what_is_missing() -> None:
    """Ops: extra supersteps as they ran, then missing ones as they are written; of equal ones the last."""
    explanation = explain(wanted(["a"], ["b"], ["a"]), ran(["x"], ["a"], ["y", "z"]))
    assert [(op["op"], op["expected_superstep"], op["actual_superstep"]) for op in explanation.ops] == [
        ("extra_step", None, 1),
        ("extra_step", None, 3),
        ("missing_step", 2, None),
        ("missing_step", 3, None),
    ]
    assert explanation.lines == [
        "superstep 1: got {x}, not expected",
        "superstep 3: got {y, z}, not expected",
        "superstep 2: expected {b}, got nothing; missing b",
        "superstep 3: expected {a}, got nothing; missing a",
    ]
    scores = combine_scores([explanation.score])
    assert (scores.edits, scores.precision, scores.recall) == (None, 0.25, 0.333)


def test_what_modes_let_through_is_tolerated() -> None:
    """Missing names in subset, extra ones in superset and turned ones in unordered are told of a pass."""
    items: list[Item] = [step(["a", "b"], "subset"), step(["c"], "superset"), step(["d", "e"])]
    explanation = explain(items, ran(["e", "d"], ["c", "x"], ["a"]))
    assert explanation.ops == []
    assert explanation.tolerated == {
        "missing": ["b"],
        "extra": ["x"],
        "reordered_supersteps": 1,
        "gap_supersteps": 0,
    }


def test_a_slip_of_the_pen_is_the_only_hint() -> None:
    """A name of the reference that never ran and looks like an extra one gives a hint."""
    explanation = explain(wanted(["planer"], ["a", "b"]), ran(["planner"], ["a"], ["b"]))
    assert [hint.kind for hint in explanation.hints] == ["misspelt"]


def test_calls_of_one_tool_differ_in_their_arguments() -> None:
    """Two supersteps of one tool are alike only where nobody asks for arguments."""
    rules = read_args_mode("ignore", "args")
    first, second = (prepare_entry(Tool("search", {"q": text}, "exact"), rules) for text in ("x", "y"))
    calls = [CalledTool("search", tool="search", args={"q": text}) for text in ("y", "x")]
    assert passes(wanted([first], [second]), ran(*[[call] for call in calls]))
    assert not passes(wanted([first], [second]), ran([calls[0]], [calls[0]]))
    assert passes(wanted(["search"], ["search"]), ran(*[[call] for call in calls]))
    assert passes(wanted(["search"], ["search"]), ran(["search"], [calls[0]]))
    assert passes(wanted([second], [second]), ran(["search"], [calls[0]]))
    assert not passes(wanted([second], [second]), ran(["search"], [calls[1]]))


@pytest.mark.parametrize(
    "item",
    [
        Group(tuple(wanted(["a"], ["b"])), Bounds(1, 2)),
        Group((Group(tuple(wanted(["a"], ["b"])), Bounds()),), Bounds()),
        Alternatives((tuple(wanted(["a"], ["b"])), tuple(wanted(["c"])))),
        Alternatives(((step(["a"], low=0),),)),
        Alternatives(((AnySteps(),), (step(["a"]),))),
        Group((step(["a"], low=2, high=2),), Bounds(0, None)),
        Group((step(["a"], low=2, high=None),), Bounds(0, 1)),
    ],
)
def test_what_means_something_in_an_order_only_is_refused(item: Item) -> None:
    """Rows of supersteps, and loops whose numbers have holes, are refused with the modes that can compare them."""
    with pytest.raises(
        InvalidReferenceError, match=r"steps_any_order.*strict, starts_with, so_far, contains or subsequence"
    ):
        AnyOrderComparer([item])


def test_a_reference_that_unfolds_without_end_is_refused() -> None:
    """Bounds that multiply to more than 200,000 supersteps are an error."""
    with pytest.raises(InvalidReferenceError, match="200,000"):
        AnyOrderComparer([Group((step(["a"], low=1_000, high=None),), Bounds(1_000, None))])


@pytest.mark.parametrize("distinct", [True, False])
def test_ten_thousand_supersteps_in_seconds(distinct: bool) -> None:
    """Supersteps of names take linear time in the default mode, pass and fail."""
    rows = [[f"n{index}" if distinct else "n", "w", "w"] for index in range(10_000)]
    actual = [row[::-1] for row in reversed(rows)]
    started = time.process_time()
    assert passes(wanted(*rows), ran(*actual))
    assert not passes(wanted(*rows), ran(*actual[:-1], ["other"]))
    assert time.process_time() - started < 15.0


@pytest.mark.parametrize("mode", MODES)
def test_supersteps_are_found_by_their_rarest_name(mode: StepMode) -> None:
    """5,000 supersteps that differ in one name are told apart without comparing each with each, in every mode."""
    rows = [[f"n{index}"] for index in range(5_000)]
    started = time.process_time()
    assert passes(wanted(*rows, mode=mode), ran(*reversed(rows)))
    assert not passes(wanted(*rows, mode=mode), ran(*rows[:-1], ["other"]))
    assert time.process_time() - started < 15.0
