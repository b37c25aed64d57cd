"""Trajectories from a checkpointer's history."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import (
    HistoryError,
    OtelTrajError,
    TrajectoryCallbackHandler,
    extract_trajectories,
    extract_trajectory,
    extract_trajectory_async,
    extract_trajectory_from_snapshots,
    read_runs,
)
from otel_traj.record.samples import build_approval, build_seven_nodes
from tests.oracles import ALL, sort_names

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.runnables import RunnableConfig

    from tests.oracles.driver import Mode
    from tests.oracles.scenario import Scenario

TWO_RUNS = [
    {
        "inputs": {"__start__": {"shortcut": True, "nodes": []}},
        "results": {"shortcut": True, "nodes": ["node1", "node2", "node7"]},
        "steps": [["__start__"], ["node1"], ["node2"], ["node7"]],
    },
    {
        "inputs": {"__start__": {"shortcut": False, "nodes": []}},
        "results": {
            "shortcut": False,
            "nodes": ["node1", "node2", "node7", "node1", "node3", "node4", "node5", "node6", "node7"],
        },
        "steps": [["__start__"], ["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]],
    },
]


def thread(name: str, *callbacks: BaseCallbackHandler) -> RunnableConfig:
    """Return a config that names a thread."""
    return {"configurable": {"thread_id": name}, "callbacks": list(callbacks)}


def test_two_runs_of_the_seven_nodes_from_history_and_from_spans() -> None:
    """The two trajectories, inputs and results included, come from history and, with content on, from spans."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider, content=True)
    graph = build_seven_nodes(InMemorySaver())
    for shortcut in (True, False):
        graph.invoke({"shortcut": shortcut, "nodes": []}, config=thread("t", handler))
    assert extract_trajectory(graph, thread("t")) == TWO_RUNS
    assert asyncio.run(extract_trajectory_async(graph, thread("t"))) == TWO_RUNS
    assert extract_trajectory_from_snapshots(graph.get_state_history(thread("t"))) == TWO_RUNS
    assert extract_trajectories(exporter) == TWO_RUNS


@pytest.mark.parametrize(
    ("scenario", "mode"),
    [pytest.param(each, mode, id=f"{each.number}-{mode}") for each in ALL for mode in each.modes],
)
def test_history_shows_what_the_oracle_says(scenario: Scenario, mode: Mode) -> None:
    """The history of every oracle is walked to the trajectories that the oracle gives for it."""
    if scenario.missing:
        pytest.skip(f"the installed langgraph lacks {', '.join(scenario.missing)}")

    async def walk() -> list[list[list[str]]]:
        driven = await scenario.arun([])
        return [each["steps"] for each in await extract_trajectory_async(driven.graph, driven.config)]

    if mode == "sync":
        driven = scenario.run([])
        found = [each["steps"] for each in extract_trajectory(driven.graph, driven.config)]
    else:
        found = asyncio.run(walk())
    assert sort_names(found) == sort_names(scenario.history)
    place = {name: number for number, name in enumerate(scenario.declared_nodes)}
    for steps in found:
        for names in steps:
            if len(set(names)) == len(names) and set(names) <= set(place):
                assert names == sorted(names, key=place.__getitem__)


def test_each_run_has_its_own_results() -> None:
    """An interrupted run has the results {}; finished after a resume it has its own, not the next run's."""
    graph = build_approval(InMemorySaver())
    graph.invoke({"topic": "lunch"}, config=thread("t"))
    [waiting] = extract_trajectory(graph, thread("t"))
    assert waiting["results"] == {}
    assert waiting["steps"] == [["__start__"], ["draft"], ["ask"], ["__interrupt__"]]
    graph.invoke(Command(resume=True), config=thread("t"))
    graph.invoke({"topic": "dinner"}, config=thread("t"))
    first, second = extract_trajectory(graph, thread("t"))
    assert first["results"] is not None
    assert first["results"]["outcome"] == "sent"
    assert first["results"]["topic"] == "lunch"
    assert second["results"] == {}


def test_two_runs_at_once_on_one_thread_are_told_apart() -> None:
    """Snapshots of concurrent runs interleave; each follows its own parent."""

    class FakeTask:
        def __init__(self, name: str) -> None:
            self.name = name
            self.result: dict[str, object] = {}
            self.interrupts = ()

    class FakeSnapshot:
        def __init__(self, number: str, parent: str, source: str, names: list[str]) -> None:
            self.values: dict[str, object] = {"last": number}
            self.next = tuple(names)
            self.config = {"configurable": {"checkpoint_id": number}}
            self.parent_config = {"configurable": {"checkpoint_id": parent}} if parent else None
            self.metadata = {"source": source}
            self.tasks = [FakeTask(name) for name in names]

    newest_first = [
        FakeSnapshot("8", "6", "loop", []),
        FakeSnapshot("7", "5", "loop", []),
        FakeSnapshot("6", "4", "loop", ["b2"]),
        FakeSnapshot("5", "3", "loop", ["b1"]),
        FakeSnapshot("4", "2", "loop", ["a2"]),
        FakeSnapshot("3", "1", "loop", ["a1"]),
        FakeSnapshot("2", "", "input", ["__start__"]),
        FakeSnapshot("1", "", "input", ["__start__"]),
    ]
    one, two = extract_trajectory_from_snapshots(newest_first)
    assert (one["steps"], one["results"]) == ([["__start__"], ["a1"], ["b1"]], {"last": "7"})
    assert (two["steps"], two["results"]) == ([["__start__"], ["a2"], ["b2"]], {"last": "8"})


def test_no_checkpointer_is_said_with_what_to_do() -> None:
    """A graph without a checkpointer gets an error of ours that says how to get one, in both ways."""
    graph = build_seven_nodes()
    with pytest.raises(HistoryError, match="InMemorySaver") as raised:
        extract_trajectory(graph, thread("t"))
    assert isinstance(raised.value, OtelTrajError)
    assert isinstance(raised.value, ValueError)
    with pytest.raises(HistoryError, match="TrajectoryCallbackHandler"):
        asyncio.run(extract_trajectory_async(graph, thread("t")))


def test_other_mistakes_are_said() -> None:
    """A config without a thread, and something that is no graph, are refused with what to pass."""
    with pytest.raises(HistoryError, match="thread_id"):
        extract_trajectory(build_seven_nodes(InMemorySaver()), {"configurable": {}})
    with pytest.raises(HistoryError, match="compiled LangGraph graph"):
        extract_trajectory(object(), thread("t"))  # type: ignore[arg-type]


def test_an_unknown_thread_has_no_runs() -> None:
    """A thread without history gives an empty list."""
    assert extract_trajectory(build_seven_nodes(InMemorySaver()), thread("nobody")) == []


def test_spans_and_history_give_the_same_dicts_whatever_way_runs_end() -> None:
    """Steps of runs read from spans equal those of history, for a run that waits as well."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    graph = build_approval(InMemorySaver())
    graph.invoke({"topic": "lunch"}, config=thread("t", handler))
    [run] = read_runs(exporter)
    assert run.steps == extract_trajectory(graph, thread("t"))[0]["steps"]
