from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from otel_traj import (
    TrajectoryTypeError,
    TrajectoryValueError,
    extract_trajectory,
    from_agentevals,
    graph_trajectory_match,
    to_agentevals,
)
from otel_traj.record.samples import build_approval, build_seven_nodes
from tests.match.judging import LONG, SHORTCUT, make_run

if TYPE_CHECKING:
    from otel_traj.match import Outputs

FLAT_LONG = ["__start__", "node1", "node3", "node5", "node4", "node6", "node7"]
"""The long path as agentevals 0.0.9 extracts it: siblings in reversed task order."""

names = st.text("abc", min_size=1, max_size=2)
supersteps = st.lists(st.lists(names, min_size=1, max_size=3), max_size=5)


@st.composite
def threads(draw: st.DrawFn) -> list[list[list[str]]]:
    """Draw runs that begin with an input, some of them interrupted and resumed."""
    runs = []
    for _ in range(draw(st.integers(1, 3))):
        parts = draw(st.lists(supersteps.filter(bool), min_size=1, max_size=3))
        steps = [["__start__"], *parts[0]]
        for part in parts[1:]:
            steps += [["__interrupt__"], *part]
        runs.append(steps)
    return runs


def test_the_long_path_is_written_as_agentevals_extracts_it() -> None:
    """From a history, supersteps are flattened and siblings reversed, inputs and results one per run."""
    graph = build_seven_nodes(InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke({"shortcut": False, "nodes": []}, config)
    graph.invoke({"shortcut": True, "nodes": []}, config)
    flat = to_agentevals(extract_trajectory(graph, config))
    assert flat["steps"] == [FLAT_LONG, ["__start__", "node1", "node2", "node7"]]
    assert flat["inputs"] == [{"__start__": {"shortcut": choice, "nodes": []}} for choice in (False, True)]
    assert [sorted(each) for each in flat["results"] if isinstance(each, dict)] == [["nodes", "shortcut"]] * 2


def test_an_interrupted_run_is_two_segments() -> None:
    """What follows an interrupt is a segment of its own, `__resuming__`; the first one has the result {}."""
    graph = build_approval(InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke({"topic": "rain"}, config)
    waiting = to_agentevals(extract_trajectory(graph, config))
    assert waiting["steps"] == [["__start__", "draft", "ask", "__interrupt__"]]
    graph.invoke(Command(resume=True), config)
    flat = to_agentevals(extract_trajectory(graph, config))
    assert flat["steps"] == [["__start__", "draft", "ask", "__interrupt__"], ["send"]]
    assert flat["inputs"] == [{"__start__": {"topic": "rain"}}, "__resuming__"]
    assert flat["results"][0] == {}
    assert flat["results"][1] == {
        "topic": "rain",
        "mail": "Dear all, a word about rain.",
        "approved": True,
        "outcome": "sent",
    }


def test_what_was_not_recorded_is_none() -> None:
    """Inputs and results that nobody knows are None, never an empty mapping."""
    assert to_agentevals(make_run([["__start__"], *SHORTCUT])) == {
        "inputs": [None],
        "results": [None],
        "steps": [["__start__", "node1", "node2", "node7"]],
    }


@pytest.mark.parametrize(
    ("outputs", "steps"),
    [
        ([["a"], ["b", "c"]], [["a", "c", "b"]]),
        ([[["a"]], [["b"]]], [["a"], ["b"]]),
        ({"steps": [["a"]]}, [["a"]]),
        ({"runs": [{"steps": [["a"]]}, {"steps": []}]}, [["a"], []]),
        ([[]], [[]]),
        ([], []),
        (([["a"]] for _ in "12"), [["a"], ["a"]]),
    ],
)
def test_runs_are_taken_in_every_form(outputs: Outputs, steps: list[list[str]]) -> None:
    """One run or several, as mappings, records and plain lists, as a comparison takes them."""
    assert to_agentevals(outputs)["steps"] == steps


def test_an_incomplete_run_is_refused() -> None:
    """Agentevals has no word for missing spans, so what is left of a run is not handed over as the whole."""
    run = make_run([["__start__"], ["a"]], problems=["root_missing"], complete=False)
    with pytest.raises(
        TrajectoryValueError, match=r"run 0 \('run'\) is incomplete \(root_missing\): .* Pass complete runs"
    ):
        to_agentevals(run)


def test_from_agentevals_has_one_name_per_superstep() -> None:
    """Supersteps do not come back: every name stands in its own, `__start__` too."""
    (run,) = from_agentevals({"results": [], "steps": [FLAT_LONG]})
    assert run == {"inputs": None, "results": None, "steps": [[name] for name in FLAT_LONG]}


def test_a_reference_of_agentevals_is_met_in_a_flat_mode_alone() -> None:
    """Siblings in either order meet it flat; strict takes what ran in parallel for one after another."""
    reference = from_agentevals({"results": [], "steps": [FLAT_LONG]})
    for steps in (LONG, [*LONG[:2], ["node5", "node4"], *LONG[3:]]):
        flat = graph_trajectory_match(
            outputs=steps, reference_outputs=reference, trajectory_mode="flat_exact"
        )
        assert flat["score"] is True
    assert graph_trajectory_match(outputs=LONG, reference_outputs=reference)["score"] is False
    wrong = graph_trajectory_match(
        outputs=SHORTCUT, reference_outputs=reference, trajectory_mode="flat_exact"
    )
    assert wrong["score"] is False


def test_an_extraction_is_taken_whole() -> None:
    """The mapping that agentevals extracts, inputs beside an empty list of its own, needs no unpacking."""
    (run,) = from_agentevals(
        {
            "inputs": [{"__start__": {"q": 1}}, "__resuming__"],
            "outputs": {
                "inputs": [],
                "results": [{}, {"answer": 2}],
                "steps": [["__start__", "ask", "__interrupt__"], ["send"]],
            },
        }
    )
    assert run == {
        "inputs": {"__start__": {"q": 1}},
        "results": {"answer": 2},
        "steps": [["__start__"], ["ask"], ["__interrupt__"], ["send"]],
    }


@pytest.mark.parametrize(
    ("inputs", "second", "count"),
    [
        (None, ["b"], 1),
        (None, ["__start__", "b"], 2),
        (None, [], 2),
        ([{"__start__": 1}, {"__start__": 2}], ["b"], 2),
        ([{"__start__": 1}, "__resuming__"], [], 1),
    ],
)
def test_a_resumed_segment_belongs_to_the_run_before(inputs: object, second: list[str], count: int) -> None:
    """Inputs say which segment was resumed; without them, a missing `__start__` behind an interrupt does."""
    runs = from_agentevals({"inputs": inputs, "steps": [["__start__", "a", "__interrupt__"], second]})
    assert len(runs) == count


def test_several_markers_of_one_segment_are_one() -> None:
    """Agentevals marks each interrupted sibling; a run of ours waits once, after all of the superstep."""
    (run,) = from_agentevals({"steps": [["__start__", "b", "__interrupt__", "a", "__interrupt__"]]})
    assert run["steps"] == [["__start__"], ["b"], ["a"], ["__interrupt__"]]


@given(threads())
def test_there_and_back_keeps_names_and_order(runs: list[list[list[str]]]) -> None:
    """Runs sent to agentevals and back have the same names in the same order, siblings reversed."""
    back = from_agentevals(to_agentevals(runs))
    assert [[name for step in run["steps"] for name in step] for run in back] == [
        [name for step in run for name in reversed(step)] for run in runs
    ]
    assert to_agentevals(back) == to_agentevals(runs)


@given(threads())
def test_flat_modes_see_no_difference(runs: list[list[list[str]]]) -> None:
    """What came back from agentevals matches the runs it was made of, flat."""
    back = from_agentevals(to_agentevals(runs))
    result = graph_trajectory_match(outputs=runs, reference_outputs=back, trajectory_mode="flat_exact")
    assert result["score"] is True


@pytest.mark.parametrize(
    ("trajectory", "words"),
    [
        (None, "trajectory is None: a GraphTrajectory has 'steps'"),
        ([["a"]], "trajectory is [['a']] of type list"),
        ({"step": []}, "trajectory has the keys ['step']"),
        ({"outputs": {"step": []}}, "trajectory has the keys ['outputs']"),
        ({"steps": "a"}, "steps is 'a' of type str"),
        ({"steps": ["a"]}, "steps[0] is 'a' of type str"),
        ({"steps": [[["a"]]]}, "steps[0][0] is ['a'] of type list"),
        ({"steps": [["a", ""]]}, "steps[0][1] is '' of type str"),
        ({"steps": [["a"]], "results": 3}, "results is 3 of type int"),
        ({"steps": [["a"]], "results": ["x"]}, "results[0] is 'x' of type str"),
        ({"steps": [["a"]], "inputs": ["x"]}, "inputs[0] is 'x' of type str"),
    ],
)
def test_what_is_no_graph_trajectory_is_refused(trajectory: object, words: str) -> None:
    """The message says what was found and where, why it stops us, and what to pass."""
    with pytest.raises(TrajectoryTypeError, match=re.escape(words)) as caught:
        from_agentevals(cast("Any", trajectory))
    assert "Pass" in str(caught.value) or "compared without" in str(caught.value)


@pytest.mark.parametrize("key", ["inputs", "results"])
def test_lists_of_different_length_are_refused(key: str) -> None:
    """Nothing tells which entry belongs to which segment; agentevals warns and goes on."""
    with pytest.raises(TrajectoryValueError, match=f"{key} has 2 entries and steps 1: .* Give one per"):
        from_agentevals({"steps": [["a"]], key: [{}, {}]})


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        (None, "outputs: it is None"),
        ("abc", "outputs: it is 'abc' of type str"),
        ({"step": []}, "outputs: the mapping has the keys ['step'] and no 'steps'"),
        ([["a", 1]], "entry 1 (steps[0][1]) is 1 of type int"),
        ([{"steps": [["a"]]}, {"steps": "a"}], "steps of run 1 is 'a' of type str"),
    ],
)
def test_what_is_no_run_is_refused(outputs: object, words: str) -> None:
    """The message is that of a comparison: what was found, which run and superstep, what to pass."""
    with pytest.raises(TrajectoryTypeError, match=re.escape(words)):
        to_agentevals(cast("Any", outputs))
