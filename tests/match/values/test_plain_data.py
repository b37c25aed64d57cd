from __future__ import annotations

import json
import threading

import pytest

from otel_traj.match import Tool, TrajectoryMatcher
from otel_traj.match.values.plain_data import copy_containers, make_json
from tests.match.judging import decide


def test_containers_are_copied_and_what_they_hold_stays() -> None:
    """A change of any container that was given changes no copy; an object that can't be copied is still itself."""
    lock = threading.Lock()
    inner: dict[str, object] = {"b": lock}
    in_tuple = {"d": 1}
    given = {"a": [1, inner], "c": (in_tuple,)}
    kept = copy_containers(given)
    assert kept == given
    inner["e"] = in_tuple["d"] = 2
    assert kept == {"a": [1, {"b": lock}], "c": ({"d": 1},)}


def test_what_holds_itself_is_left_as_it_is() -> None:
    """A list that holds itself neither hangs nor raises."""
    given: list[object] = []
    given.append(given)
    assert copy_containers(given) is given
    json.dumps(make_json(given))


def test_only_what_json_can_not_hold_is_rendered() -> None:
    """JSON stays as it is, a lock becomes the name of its type."""
    assert make_json({"a": [1.5, None, "x"]}) == {"a": [1.5, None, "x"]}
    assert "lock" in json.dumps(make_json({"a": threading.Lock()}))


@pytest.mark.parametrize(
    "entry",
    [
        Tool("t", {"x": threading.Lock()}),
        {"tool": "t", "args": {"x": threading.Lock()}},
        {"tool": "t", "args": {"x": 1}, "args_mode": lambda actual, expected: actual == expected},
    ],
)
def test_the_metadata_of_a_fail_are_json_whatever_a_reference_holds(entry: object) -> None:
    """Arguments and rules that have no form as JSON break neither a verdict nor its metadata."""
    outcome = decide([["other"]], [[entry]])
    assert outcome.score is False
    assert json.loads(json.dumps(outcome.metadata)) == outcome.metadata


def test_a_prepared_reference_does_not_change_with_the_arguments_that_were_given() -> None:
    """Arguments are copied when they are written, also those inside of others."""
    args = {"x": {"y": 1}}
    matcher = TrajectoryMatcher([[Tool("t", args)]])
    args["x"]["y"] = 2
    assert matcher.matches([[{"tool": "t", "args": {"x": {"y": 1}}}]])
    assert not matcher.matches([[{"tool": "t", "args": {"x": {"y": 2}}}]])


def test_a_prepared_reference_does_not_change_with_the_results_that_were_given() -> None:
    """Results are copied, so that neither their user nor a callable changes what the other one has."""
    results = {"x": {"y": 1}}
    seen: list[object] = []

    def compare(actual: object, expected: dict[str, dict[str, int]]) -> bool:
        seen.append(expected["x"]["y"])
        expected["x"]["y"] = 3
        return actual == {}

    matcher = TrajectoryMatcher({"steps": [["a"]], "results": results}, results=compare)
    results["x"]["y"] = 2
    matcher({"steps": [["a"]], "results": {}})
    assert (seen, results) == ([1], {"x": {"y": 2}})
