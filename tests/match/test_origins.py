from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from otel_traj import (
    GraphRunReferenceTrajectory,
    GraphRunTrajectory,
    MatchResult,
    ReferenceStep,
    graph_trajectory_match,
    graph_trajectory_match_async,
)
from tests.match.judging import score

if TYPE_CHECKING:
    from otel_traj import GraphTrajectoryMatchMode

FOO_BAR_BAZ = ["foo", "bar", "baz"]

LONG_RUN: GraphRunTrajectory = {
    "inputs": {"__start__": {"shortcut": False, "nodes": []}},
    "results": {"shortcut": False, "nodes": ["node1", "node3", "node4", "node5", "node6", "node7"]},
    "steps": [["__start__"], ["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]],
}
SHORTCUT_RUN: GraphRunTrajectory = {
    "inputs": {"__start__": {"shortcut": True, "nodes": []}},
    "results": {"shortcut": True, "nodes": ["node1", "node2", "node7"]},
    "steps": [["__start__"], ["node1"], ["node2"], ["node7"]],
}
REFERENCE: GraphRunReferenceTrajectory = {
    "inputs": None,
    "results": None,
    "steps": [
        ["__start__"],
        ["node1"],
        ["node3"],
        ReferenceStep(["node4", "node5"], "unordered"),
        ["node6"],
        ["node7"],
    ],
}


@pytest.mark.parametrize("where", ["call", "reference step"])
@pytest.mark.parametrize(
    ("mode", "actual", "passes"),
    [
        ("exact", ["foo", "bar", "baz"], True),
        ("exact", ["bar", "baz", "foo"], False),
        ("unordered", ["foo", "bar", "baz"], True),
        ("unordered", ["bar", "baz", "foo"], True),
        ("unordered", ["foo", "bar"], False),
        ("subset", ["foo", "bar"], True),
        ("subset", ["bar", "baz"], True),
        ("subset", ["baz", "qux"], False),
        ("superset", ["foo", "bar", "baz", "qux"], True),
        ("superset", ["foo", "bar", "baz", "quux"], True),
        ("superset", ["foo", "bar"], False),
        ("at_most", ["bar", "baz"], True),
        ("at_most", ["baz", "qux"], False),
        ("at_least", ["foo", "bar", "baz", "quux"], True),
        ("at_least", ["foo", "bar"], False),
    ],
)
def test_each_mode_between_start_and_end(
    mode: GraphTrajectoryMatchMode, actual: list[str], *, passes: bool, where: str
) -> None:
    """A middle superstep is judged by its mode, set for the call or for the superstep alone."""
    on_step = where == "reference step"
    middle = ReferenceStep(FOO_BAR_BAZ, mode if on_step else None)
    result = graph_trajectory_match(
        outputs=[{"inputs": None, "results": None, "steps": [["__start__"], actual, ["__end__"]]}],
        reference_outputs=[
            {"inputs": None, "results": None, "steps": [["__start__"], middle, ["__end__"]]},
        ],
        step_mode="unordered" if on_step else mode,
    )
    assert result["score"] is passes


def test_the_long_path_matches_its_reference() -> None:
    """The long path of the seven nodes passes, without comment or metadata."""
    result = graph_trajectory_match(outputs=[LONG_RUN], reference_outputs=[REFERENCE])
    assert result == {"key": "graph_trajectory_match", "score": True, "comment": None, "metadata": None}


def test_the_shortcut_fails_and_says_why() -> None:
    """The shortcut fails against the long path; the comment says where, and both trajectories are at hand."""
    result = graph_trajectory_match(outputs=[SHORTCUT_RUN], reference_outputs=[REFERENCE])
    assert result["key"] == "graph_trajectory_match"
    assert result["score"] is False
    assert result["comment"] == (
        "superstep 2: expected {node3}, got {node2}; missing node3; extra node2\n"
        "superstep 3: expected {node4, node5}, got nothing; missing node4, node5\n"
        "superstep 4: expected {node6}, got nothing; missing node6\n"
        "hint: another branch was taken at superstep 2: {node2}, expected {node3}"
    )
    assert result["metadata"] is not None
    assert result["metadata"]["actual"] == [SHORTCUT_RUN["steps"]]
    assert result["metadata"]["expected"] == [LONG_RUN["steps"]]


def test_node_order_inside_a_superstep_is_no_ones_choice() -> None:
    """The long path passes with its parallel nodes in the other order."""
    turned: GraphRunTrajectory = {
        **LONG_RUN,
        "steps": [["__start__"], ["node1"], ["node3"], ["node5", "node4"], ["node6"], ["node7"]],
    }
    assert graph_trajectory_match(outputs=[turned], reference_outputs=[REFERENCE])["score"] is True


def test_results_are_ignored() -> None:
    """Inputs and results of the reference are not compared."""
    reference: GraphRunReferenceTrajectory = {**REFERENCE, "results": {"other": 1}, "inputs": {"x": 2}}
    assert graph_trajectory_match(outputs=[LONG_RUN], reference_outputs=[reference])["score"] is True


@pytest.mark.parametrize("mode", ["exact", "unordered", "superset", "subset"])
def test_duplicates_count_unless_told_otherwise(mode: GraphTrajectoryMatchMode) -> None:
    """Two workers are not one; duplicates="ignore" compares sets, in every mode."""
    two, one = [["w", "w"]], [["w"]]
    expected, actual = (one, two) if mode == "subset" else (two, one)
    assert score(expected, actual, mode) is False
    assert score(expected, actual, mode, duplicates="ignore") is True


def test_the_async_twin_gives_the_same() -> None:
    """`graph_trajectory_match_async` answers as its twin, for a pass, a fail and another key."""

    async def both(run: GraphRunTrajectory) -> tuple[MatchResult, MatchResult]:
        twin = await graph_trajectory_match_async(outputs=[run], reference_outputs=[REFERENCE], key="k")
        return twin, graph_trajectory_match(outputs=[run], reference_outputs=[REFERENCE], key="k")

    for run in (LONG_RUN, SHORTCUT_RUN):
        twin, plain = asyncio.run(both(run))
        assert twin == plain
        assert twin["key"] == "k"


def test_two_runs_of_a_thread_in_order() -> None:
    """Runs are compared one against one, in order."""
    shortcut: GraphRunReferenceTrajectory = {
        "steps": [["__start__"], ["node1"], ["node2"], ["node7"]],
    }
    both = [SHORTCUT_RUN, LONG_RUN]
    assert graph_trajectory_match(outputs=both, reference_outputs=[shortcut, REFERENCE])["score"] is True
    assert graph_trajectory_match(outputs=both, reference_outputs=[REFERENCE, shortcut])["score"] is False
