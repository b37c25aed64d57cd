from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from otel_traj.match import ReferenceStep, StepMode
from otel_traj.match.compare.align import align
from otel_traj.match.compare.program import compile_items
from otel_traj.match.compare.step_match import longest_common_subsequence
from otel_traj.match.supersteps import ActualStep, ExpectedStep
from tests.match.brute_force import best_alignment, passes_strictly, step_cost
from tests.match.judging import explained, judge
from tests.match.strategies import modes, supersteps, trajectories

moded_trajectories = st.lists(st.tuples(supersteps, modes), max_size=4)


@given(moded_trajectories, trajectories)
def test_verdict_and_cost_are_those_of_trying_everything(
    expected: list[tuple[list[str], StepMode]], actual: list[list[str]]
) -> None:
    """Over random references with a mode per superstep, verdict and minimal cost agree with brute force."""
    names, kinds = [list(step) for step, _ in expected], [mode for _, mode in expected]
    result = judge([ReferenceStep(step, mode) for step, mode in expected], actual)
    passes = passes_strictly(names, actual, kinds)
    cost, places, _ = best_alignment(names, actual, kinds)
    assert result["score"] is passes
    assert passes is (cost == 0)
    if not passes:
        metadata = explained(result)
        assert metadata["edits"] == cost
        assert len(metadata["ops"]) == places
        worst = sum(max(1, len(step)) for step in (*names, *actual))
        assert metadata["fitness"] is not None
        assert abs(metadata["fitness"] - (1 - cost / worst)) <= 0.001


@given(moded_trajectories, trajectories)
def test_the_chosen_alignment_is_the_specified_one(
    expected: list[tuple[list[str], StepMode]], actual: list[list[str]]
) -> None:
    """Of the cheapest alignments that with the fewest places is taken, pairs before extra before missing."""
    steps = [ExpectedStep(number, tuple(names), mode) for number, (names, mode) in enumerate(expected)]
    moves = align(
        compile_items(steps, "strict"),
        [ActualStep(number, tuple(names), number) for number, names in enumerate(actual)],
    )
    chosen = tuple(
        "pair" if move.is_pair else "extra" if move.expected is None else "missing" for move in moves
    )
    cost, places, specified = best_alignment(
        [names for names, _ in expected], actual, [mode for _, mode in expected]
    )
    assert chosen == specified
    assert sum(move.cost for move in moves) == cost
    assert sum(move.cost > 0 for move in moves) == places


@given(st.lists(st.sampled_from("abc"), max_size=7), st.data())
def test_what_another_order_costs(names: list[str], data: st.DataObject) -> None:
    """The bit-parallel longest common subsequence is that of trying every choice."""
    turned = data.draw(st.permutations(names))
    moved = len(names) - longest_common_subsequence(names, turned)
    assert moved == step_cost(names, turned, "exact")
