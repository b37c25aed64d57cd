from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import assume, given
from hypothesis import strategies as st

from otel_traj.match import AnyOf, TrajectoryMatcher
from otel_traj.match.compare.align import align
from otel_traj.match.compare.program import compile_items
from otel_traj.match.options import read_options
from otel_traj.match.reference.references import read_references
from otel_traj.match.supersteps import ActualStep
from otel_traj.match.values.arguments import read_args_mode
from tests.match.every_way import cheapest, list_ways, passes, worst_of
from tests.match.ordered_references import (
    PATIENT,
    ordered_modes,
    references,
    runs_near,
    small_runs,
    step_modes,
)

if TYPE_CHECKING:
    from otel_traj.match import MatchOutcome, StepMode
    from otel_traj.match.compare.program import OrderedMode

MOST = 8
"""Supersteps in a way that is tried; four may run."""


def judge(reference: object, actual: list[list[str]], step_mode: StepMode, mode: OrderedMode) -> MatchOutcome:
    """Return the outcome, the same the second time, and the verdict that the short way gives."""
    made = [
        TrajectoryMatcher(reference, step_mode=step_mode, trajectory_mode=mode)  # type: ignore[arg-type]
        for _ in range(2)
    ]
    outcomes = [matcher.judge([{"steps": actual}])[0] for matcher in (*made, made[0])]
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert made[0].matches([{"steps": actual}]) is outcomes[0].score
    return outcomes[0]


@PATIENT
@given(references, st.data(), step_modes, ordered_modes)
def test_the_verdict_is_that_of_trying_every_way(
    reference: list[object], data: st.DataObject, step_mode: StepMode, mode: OrderedMode
) -> None:
    """Patterns, bounds, loops, gaps and alternatives: the verdict agrees with brute force, and is explained."""
    actual = data.draw(small_runs | runs_near(reference))
    outcome = judge({"steps": reference}, actual, step_mode, mode)
    assert outcome.score is passes(list_ways(reference, step_mode, max(MOST, len(actual))), actual, mode)
    assert outcome.metadata is not None
    assert bool(outcome.metadata["ops"]) is bool(outcome.comment) is not outcome.score


@PATIENT
@given(references, small_runs, step_modes)
def test_cost_and_fitness_are_those_of_trying_every_alignment(
    reference: list[object], actual: list[list[str]], step_mode: StepMode
) -> None:
    """Edits are the cost of the cheapest alignment with any way, 0 exactly for a pass; fitness follows from them."""
    metadata = judge({"steps": reference}, actual, step_mode, "strict").metadata
    assert metadata is not None
    cost, worst = _by_every_way(reference, actual, step_mode)
    assert metadata["edits"] == cost
    assert (cost == 0) is (metadata["verdict"] == "pass")
    assert metadata["fitness"] is not None
    assert 0.0 <= metadata["fitness"] <= 1.0
    assert abs(metadata["fitness"] - (1 - cost / worst if worst else 1.0)) <= 0.001


@PATIENT
@given(references, small_runs, step_modes, ordered_modes)
def test_what_is_explained_is_the_cheapest_in_every_mode(
    reference: list[object], actual: list[list[str]], step_mode: StepMode, mode: OrderedMode
) -> None:
    """The alignment covers the run in its order, and no other costs less; there are edits in `strict` alone."""
    options = read_options({"step_mode": step_mode, "trajectory_mode": mode})
    [given_reference] = read_references(
        {"steps": reference}, options, read_args_mode("ignore"), compares_results=False
    )
    steps = [ActualStep(at + 1, tuple(names), at) for at, names in enumerate(actual)]
    moves = align(compile_items(given_reference.ways[0].items, mode), steps)
    assert [move.actual for move in moves if move.actual is not None] == steps
    ways = list_ways(reference, step_mode, MOST)
    assume(ways)  # all may be longer than what is tried
    cost = cheapest(ways, actual, mode)
    assume(cost <= MOST + 1 - len(actual))
    assert sum(move.cost for move in moves) == cost
    metadata = judge({"steps": reference}, actual, step_mode, mode).metadata
    assert metadata is not None
    assert (metadata["edits"] is None) is (metadata["fitness"] is None) is (mode != "strict")


@PATIENT
@given(st.lists(references, min_size=1, max_size=3), small_runs, step_modes, ordered_modes)
def test_any_of_several_is_the_nearest(
    ways: list[list[object]], actual: list[list[str]], step_mode: StepMode, mode: OrderedMode
) -> None:
    """Any of several trajectories passes where one does; else the cost is that of the cheapest."""
    outcome = judge({"any_of": ways}, actual, step_mode, mode)
    assert outcome == judge(AnyOf(*({"steps": way} for way in ways)), actual, step_mode, mode)
    each = [judge({"steps": way}, actual, step_mode, mode) for way in ways]
    assert outcome.score is any(one.score for one in each)
    assert outcome.metadata is not None
    if mode == "strict" and not outcome.score:
        costs = [one.metadata["edits"] for one in each if one.metadata is not None]
        least = min(cost for cost in costs if cost is not None)
        assert outcome.metadata["edits"] == least
        nearest = [one.comment for one, cost in zip(each, costs, strict=True) if cost == least]
        assert outcome.comment in nearest


def _by_every_way(reference: list[object], actual: list[list[str]], step_mode: StepMode) -> tuple[int, int]:
    ways = list_ways(reference, step_mode, MOST)
    assume(ways)  # all may be longer than what is tried
    cost = cheapest(ways, actual)
    # A way that is longer leaves at least so many supersteps without a partner.
    assume(cost <= MOST + 1 - len(actual))
    return cost, worst_of(ways, actual)
