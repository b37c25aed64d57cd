"""The checkpoint from which a superstep began."""

from __future__ import annotations

import asyncio
import operator
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from otel_traj import (
    HistoryError,
    TrajectoryTypeError,
    TrajectoryValueError,
    read_runs,
    state_before,
    state_before_async,
)
from tests.oracles import ALL, by_number
from tests.record.recording import Recording

if TYPE_CHECKING:
    from otel_traj import Run
    from tests.oracles.scenario import Scenario


class _State(TypedDict):
    seen: Annotated[list[str], operator.add]


def _build(checkpointer: InMemorySaver | None) -> Any:  # noqa: ANN401 - a compiled graph
    """Return a, then b and c side by side, then a question."""
    builder = StateGraph(_State)
    for name in ("a", "b", "c"):
        builder.add_node(name, lambda _, name=name: {"seen": [name]})
    builder.add_node("ask", lambda _: {"seen": [interrupt("go on?")]})
    builder.add_edge(START, "a")
    builder.add_edge("a", "b")
    builder.add_edge("a", "c")
    builder.add_edge(["b", "c"], "ask")
    return builder.compile(checkpointer=checkpointer, name="g")


def _run_twice() -> tuple[Any, Recording, list[Run]]:
    recording = Recording()
    graph = _build(InMemorySaver())
    for number in (1, 2):
        graph.invoke({"seen": [f"input {number}"]}, recording.config("t1"))
        graph.invoke(Command(resume="yes"), recording.config("t1"))
    return graph, recording, list(read_runs(recording.exporter))


def test_each_superstep_of_each_run_has_its_state() -> None:
    """The state is that before the superstep, of the right run of a thread that had several, resumes among them."""
    graph, _, runs = _run_twice()
    rest = ["input 1", "a", "b", "c", "yes"]
    assert [state_before(graph, runs[0], number).values["seen"] for number in range(4)] == [
        [],
        rest[:1],
        rest[:2],
        rest[:4],
    ]
    assert [state_before(graph, runs[1], number).values["seen"] for number in (0, 1, 2)] == [
        rest,
        [*rest, "input 2"],
        [*rest, "input 2", "a"],
    ]


def test_an_asynchronous_history_gives_the_same() -> None:
    """`state_before_async` finds the same checkpoint."""
    graph, _, runs = _run_twice()
    assert asyncio.run(state_before_async(graph, runs[1], 2)).config == state_before(graph, runs[1], 2).config


def test_a_superstep_can_be_run_again_from_there() -> None:
    """The config of the snapshot starts the run at that superstep; the branch is told from the first way."""
    graph, recording, (first, _) = _run_twice()
    before = state_before(graph, first, 2)
    graph.invoke(None, {**before.config, "callbacks": [recording.handler]})
    assert set(before.next) == {"b", "c"}
    again = list(read_runs(recording.exporter))
    assert state_before(graph, again[0], 2).config == before.config


@pytest.mark.parametrize("number", [-1, 4, 99])
def test_a_superstep_that_the_run_lacks_is_refused(number: int) -> None:
    """The message says which is the last."""
    graph, _, (run, _) = _run_twice()
    with pytest.raises(TrajectoryValueError, match="last one is 3"):
        state_before(graph, run, number)


@pytest.mark.parametrize(
    "scenario",
    [pytest.param(each, id=str(each.number)) for each in ALL if "sync" in each.modes and not each.missing],
)
def test_the_state_is_never_that_of_another_superstep(scenario: Scenario) -> None:
    """A conditional entry, cached nodes, time travel, forks: what follows the checkpoint is what the superstep ran.

    Where the history does not hold it (`Command(goto=...)`, `durability="exit"`), or there is no superstep of the
    number (a functional API has no `__start__`), that is an error.
    """
    recording = Recording()
    graph = scenario.run([recording.handler]).graph
    found = 0
    for run in read_runs(recording.exporter):
        ran = [names for names in run.steps if names not in (["__start__"], ["__interrupt__"])]
        for number, names in enumerate([["__start__"], *ran]):
            try:
                snapshot = state_before(graph, run, number)
            except (HistoryError, TrajectoryValueError):
                continue
            found += 1
            follow = {task.name for task in snapshot.tasks}
            # A node that a `Command(goto=...)` added to a superstep that waited is in no history.
            assert set(names) <= follow or (scenario.number == 33 and follow == {"ask"})
    assert found or scenario.number in (34, 36)


def test_a_run_without_start_has_no_superstep_0() -> None:
    """A run of the functional API has none; the message says where its numbers begin."""
    recording = Recording()
    graph = by_number(35).run([recording.handler]).graph
    run = next(iter(read_runs(recording.exporter)))
    with pytest.raises(TrajectoryValueError, match="Pass a number from 1"):
        state_before(graph, run, 0)


def test_what_is_no_number_or_no_run_is_refused() -> None:
    """A plain trajectory names no tasks."""
    graph, _, (run, _) = _run_twice()
    with pytest.raises(TrajectoryTypeError, match="whole number"):
        state_before(graph, run, "2")  # type: ignore[arg-type]
    with pytest.raises(TrajectoryTypeError, match="read_runs"):
        state_before(graph, {"steps": [["a"]]}, 1)  # type: ignore[arg-type]


def test_another_checkpointer_does_not_hold_it() -> None:
    """The history is another one: an error, and not the wrong state."""
    _, _, (run, _) = _run_twice()
    other = _build(InMemorySaver())
    other.invoke({"seen": ["input 1"]}, {"configurable": {"thread_id": "t1"}})
    with pytest.raises(HistoryError, match="holds no checkpoint"):
        state_before(other, run, 2)


def test_a_run_without_a_thread_kept_nothing() -> None:
    """There is no thread whose history could be read."""
    recording = Recording()
    graph = _build(None)
    builder = StateGraph(_State)
    builder.add_node("a", lambda _: {"seen": ["a"]})
    builder.add_edge(START, "a")
    builder.compile(name="g").invoke({"seen": []}, recording.config())
    (run,) = read_runs(recording.exporter)
    with pytest.raises(HistoryError, match="no thread"):
        state_before(graph, run, 1)
