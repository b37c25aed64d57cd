"""Trajectories from a checkpointer's history."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

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
from otel_traj.errors import TrajectoryTypeError
from otel_traj.reconstruct.extract import to_trajectory
from otel_traj.record.samples import build_approval, build_seven_nodes
from tests.oracles import ALL, sort_names
from tests.record.graphs import new_chain

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.runnables import RunnableConfig

    from otel_traj import GraphRunTrajectory
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


class PlainTask:
    """What is read of a task."""

    def __init__(self, name: str) -> None:
        """Name it."""
        self.name = name
        self.result: dict[str, object] = {}
        self.interrupts = ()


class PlainSnapshot:
    """What is read of a snapshot."""

    def __init__(self, number: str, parent: str, source: str, names: list[str]) -> None:
        """Number it."""
        self.values: dict[str, object] = {"last": number}
        self.next = tuple(names)
        self.config = {"configurable": {"checkpoint_id": number}}
        self.parent_config = {"configurable": {"checkpoint_id": parent}} if parent else None
        self.metadata = {"source": source}
        self.tasks = [PlainTask(name) for name in names]


def test_two_runs_at_once_on_one_thread_are_told_apart() -> None:
    """Snapshots of concurrent runs interleave; each follows its own parent."""
    newest_first = [
        PlainSnapshot("8", "6", "loop", []),
        PlainSnapshot("7", "5", "loop", []),
        PlainSnapshot("6", "4", "loop", ["b2"]),
        PlainSnapshot("5", "3", "loop", ["b1"]),
        PlainSnapshot("4", "2", "loop", ["a2"]),
        PlainSnapshot("3", "1", "loop", ["a1"]),
        PlainSnapshot("2", "", "input", ["__start__"]),
        PlainSnapshot("1", "", "input", ["__start__"]),
    ]
    one, two = extract_trajectory_from_snapshots(newest_first)
    assert (one["steps"], one["results"]) == ([["__start__"], ["a1"], ["b1"]], {"last": "7"})
    assert (two["steps"], two["results"]) == ([["__start__"], ["a2"], ["b2"]], {"last": "8"})


def test_a_run_goes_on_beside_one_that_began_at_its_snapshot() -> None:
    """New input while a run is going comes of that run's snapshot, and takes nothing from it."""
    newest_first = [
        PlainSnapshot("7", "6", "loop", []),
        PlainSnapshot("6", "4", "loop", ["b2"]),
        PlainSnapshot("5", "3", "loop", []),
        PlainSnapshot("4", "2", "input", ["__start__"]),
        PlainSnapshot("3", "2", "loop", ["b1"]),
        PlainSnapshot("2", "1", "loop", ["a1"]),
        PlainSnapshot("1", "", "input", ["__start__"]),
    ]
    swapped = [*newest_first[:3], newest_first[4], newest_first[3], *newest_first[5:]]
    for snapshots in (newest_first, swapped):
        one, two = extract_trajectory_from_snapshots(snapshots)
        assert (one["steps"], one["results"]) == ([["__start__"], ["a1"], ["b1"]], {"last": "5"})
        assert (two["steps"], two["results"]) == ([["__start__"], ["b2"]], {"last": "7"})


def test_runs_at_once_have_the_history_that_their_spans_have() -> None:
    """Three inputs at once on one thread: three runs, whichever way they interleave."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    graph = build_seven_nodes(InMemorySaver())

    async def run(number: int) -> None:
        for _ in range(number):
            await asyncio.sleep(0)
        await graph.ainvoke({"shortcut": number == 2, "nodes": []}, config=thread("t", handler))

    async def run_all() -> None:
        await asyncio.gather(run(0), run(2), run(5))

    asyncio.run(run_all())
    runs = list(read_runs(exporter))
    assert len(runs) == 3
    assert all(each.complete and each.verified for each in runs)
    history = extract_trajectory(graph, thread("t"))
    assert sorted(each["steps"] for each in history) == sorted(each.steps for each in runs)


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


@pytest.mark.parametrize("config", [None, "t", [], {"configurable": "t"}, {"configurable": {"thread_id": 0}}])
def test_a_config_that_is_none_is_refused(config: Any) -> None:  # noqa: ANN401 - what people pass
    """What is no config, or names its thread by no mapping, gets the form of one, in both ways."""
    graph = build_seven_nodes(InMemorySaver())
    with pytest.raises(OtelTrajError, match="thread_id"):
        extract_trajectory(graph, config)
    with pytest.raises(OtelTrajError, match="thread_id"):
        asyncio.run(extract_trajectory_async(graph, config))


@pytest.mark.parametrize("snapshots", [None, 7, [1], [{"values": {}}]])
def test_what_are_no_snapshots_is_refused(snapshots: Any) -> None:  # noqa: ANN401 - what people pass
    """The error says what was passed and where snapshots come from."""
    with pytest.raises(TrajectoryTypeError, match="get_state_history"):
        extract_trajectory_from_snapshots(snapshots)


def test_one_snapshot_is_not_taken_for_many() -> None:
    """A snapshot is a tuple, and no history."""
    graph = build_seven_nodes(InMemorySaver())
    graph.invoke({"shortcut": True, "nodes": []}, config=thread("t"))
    with pytest.raises(TrajectoryTypeError, match="get_state_history"):
        extract_trajectory_from_snapshots(graph.get_state(thread("t")))  # type: ignore[arg-type]


def test_snapshots_oldest_first_are_refused() -> None:
    """In the wrong order every run would be another one: the error says how to turn them round."""
    graph = build_seven_nodes(InMemorySaver())
    graph.invoke({"shortcut": True, "nodes": []}, config=thread("t"))
    oldest_first = list(graph.get_state_history(thread("t")))[::-1]
    with pytest.raises(HistoryError, match="newest first"):
        extract_trajectory_from_snapshots(oldest_first)


@pytest.mark.parametrize("has_memory", [False, True])
def test_a_subgraph_has_a_history_of_its_own(has_memory: bool) -> None:
    """With a namespace, the runs of a subgraph: as spans tell them, inputs and results included."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider, content=True)
    inner = new_chain("s1", "s2").compile(checkpointer=True if has_memory else None)
    graph = new_chain("a", "sg", sg=inner).compile(checkpointer=InMemorySaver())
    for _ in range(2):
        graph.invoke({"nodes": []}, config=thread("t", handler))
    runs = list(read_runs(exporter))
    told = [to_trajectory(child) for run in runs for child in run.children]
    assert [each["steps"] for each in told] == [[["__start__"], ["s1"], ["s2"]]] * 2
    namespaces = ["sg"] if has_memory else [f"sg:{run.tasks[1].task_id}" for run in runs]
    read: list[GraphRunTrajectory] = []
    read_async: list[GraphRunTrajectory] = []
    for namespace in namespaces:
        config: RunnableConfig = {"configurable": {"thread_id": "t", "checkpoint_ns": namespace}}
        read += extract_trajectory(graph, config)
        read_async += asyncio.run(extract_trajectory_async(graph, config))
    assert read == read_async == told


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
