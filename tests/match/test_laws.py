from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from otel_traj.match import GraphTrajectoryMatchMode, StepMode, graph_trajectory_match
from tests.match.judging import judge, score
from tests.match.strategies import modes, supersteps, trajectories


@given(trajectories, trajectories)
def test_the_modes_order_themselves(expected: list[list[str]], actual: list[list[str]]) -> None:
    """Exact implies unordered, and unordered is subset and superset together."""
    passes = {mode: score(expected, actual, mode) for mode in ("exact", "unordered", "subset", "superset")}
    assert passes["unordered"] or not passes["exact"]
    assert passes["unordered"] is (passes["subset"] and passes["superset"])


@given(trajectories, trajectories)
def test_subset_is_superset_seen_from_the_other_side(
    expected: list[list[str]], actual: list[list[str]]
) -> None:
    """Actual lies within expected exactly where expected contains actual."""
    assert score(expected, actual, "subset") is score(actual, expected, "superset")


@given(trajectories, modes)
def test_a_trajectory_matches_itself(steps: list[list[str]], mode: StepMode) -> None:
    """Every trajectory passes against itself in every mode."""
    assert score(steps, steps, mode) is True


@given(trajectories, st.data())
def test_order_inside_a_superstep_changes_nothing(expected: list[list[str]], data: st.DataObject) -> None:
    """In every mode but exact, verdict and cost stay the same whatever order the names stand in."""
    actual = data.draw(trajectories)
    shuffled = [data.draw(st.permutations(names)) for names in actual]
    for mode in ("unordered", "subset", "superset"):
        first, second = judge(expected, actual, mode), judge(expected, shuffled, mode)
        assert first["score"] is second["score"]
        if first["metadata"] is not None and second["metadata"] is not None:
            assert first["metadata"]["edits"] == second["metadata"]["edits"]


@given(trajectories, trajectories, modes)
def test_no_difference_is_a_pass_and_a_pass_is_no_difference(
    expected: list[list[str]], actual: list[list[str]], mode: StepMode
) -> None:
    """A fail has a cost, ops and a comment; a pass has neither."""
    result = judge(expected, actual, mode)
    metadata = result["metadata"]
    assert (metadata is None) is (result["comment"] is None) is (result["score"] is True)
    if metadata is not None:
        assert metadata["edits"] is not None
        assert metadata["edits"] > 0
        assert metadata["ops"]
        assert metadata["fitness"] is not None
        assert 0.0 <= metadata["fitness"] < 1.0


@given(trajectories, st.data())
def test_superset_is_monotone(expected: list[list[str]], data: st.DataObject) -> None:
    """A node more in a superstep never makes a superset match fail."""
    actual = [[*names, *data.draw(supersteps)] for names in expected]
    assert score(expected, actual, "superset") is True
    if actual:
        at = data.draw(st.integers(0, len(actual) - 1))
        actual[at] = [*actual[at], "more"]
        assert score(expected, actual, "superset") is True


@given(trajectories, trajectories, modes)
def test_lists_tuples_and_json_are_one(
    expected: list[list[str]], actual: list[list[str]], mode: GraphTrajectoryMatchMode
) -> None:
    """The whole answer is the same for tuples, after a JSON round trip, and the second time; it is JSON."""
    result = judge(expected, actual, mode)
    as_tuples = judge(tuple(map(tuple, expected)), tuple(map(tuple, actual)), mode)
    round_trip = graph_trajectory_match(
        outputs=json.loads(json.dumps([{"steps": actual}])),
        reference_outputs=json.loads(json.dumps([{"steps": expected}])),
        step_mode=mode,
    )
    assert result == as_tuples == round_trip == judge(expected, actual, mode)
    assert json.loads(json.dumps(result)) == result


@given(trajectories, trajectories, modes)
def test_ignoring_duplicates_is_comparing_sets(
    expected: list[list[str]], actual: list[list[str]], mode: StepMode
) -> None:
    """With duplicates="ignore" names may be repeated at will without changing the verdict."""
    once = judge([list(dict.fromkeys(names)) for names in expected], actual, mode, duplicates="ignore")
    twice = judge([names + names for names in expected], actual, mode, duplicates="ignore")
    assert once["score"] is twice["score"]


@given(trajectories, trajectories, modes)
def test_ignored_names_are_as_if_never_written(
    expected: list[list[str]], actual: list[list[str]], mode: StepMode
) -> None:
    """Supersteps of ignored names alone, put anywhere, change no verdict."""
    padded = [["__start__"], *(step for names in actual for step in (names, ["__end__", "__start__"]))]
    mixed = [[*names, "__end__"] if names else names for names in expected]
    assert score(mixed, padded, mode) is score(expected, actual, mode)
