"""One graph with everything in it, driven by every call that runs a graph: each time the same run."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Send

from otel_traj import read_runs
from otel_traj import semconv as sc
from otel_traj.record.scripted_chat import ScriptedChat
from tests.missing_api import needs
from tests.record.graphs import Graph, State, build_chain, mark
from tests.record.recording import Recording, has_error, read

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from langchain_core.runnables import RunnableConfig

    Way: TypeAlias = Callable[[Any, RunnableConfig], object]
    AsyncWay: TypeAlias = Callable[[Any, RunnableConfig], Awaitable[object]]

# Some ways are deprecated, and people still call them; the third version is on its way, and they call it already.
pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated", "ignore:.*is experimental")

STEPS: Final = [["__start__"], ["first"], ["left", "right"], ["worker", "worker"], ["sub"]]
INNER_STEPS: Final = [["__start__"], ["inner1"], ["inner2"]]
MODES: Final = ("values", "updates", "custom", "messages", "checkpoints", "debug", "tasks")
SAID: Final[State] = {"nodes": ["said"]}


@tool
def look_up(word: str) -> str:
    """Look a word up."""
    return word


def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
    """Call a model and a tool."""
    ScriptedChat(turns=[AIMessage("well")]).invoke("so?")
    look_up.invoke({"word": "well"})
    return {"nodes": ["right"]}


def build_everything() -> Graph:
    """Return a graph with parallel nodes, a fan-out, a subgraph, a model call and a tool call."""
    builder = StateGraph(State)
    builder.add_node("first", mark("first"))
    builder.add_node("left", mark("left"))
    builder.add_node("right", call)
    builder.add_node("worker", mark("worker"))
    builder.add_node("sub", build_chain("inner1", "inner2", graph_name="inner"))
    builder.add_edge(START, "first")
    builder.add_edge("first", "left")
    builder.add_edge("first", "right")
    builder.add_conditional_edges("left", lambda _: [Send("worker", {}), Send("worker", {})], ["worker"])
    builder.add_edge("worker", "sub")
    return builder.compile(checkpointer=InMemorySaver(), name="everything")


def drain(chunks: Iterator[object]) -> None:
    """Take every chunk."""
    for _ in chunks:
        pass


async def adrain(chunks: AsyncIterator[object]) -> None:
    """Take every chunk."""
    async for _ in chunks:
        pass


def enter(chunks: Any) -> None:  # noqa: ANN401 - any stream
    """Take every chunk of a stream that is a context manager."""
    with chunks:
        drain(chunks)


async def feed() -> AsyncIterator[State]:
    """Yield one input."""
    yield {"nodes": ["said"]}


async def follow_events(graph: Any, config: RunnableConfig, **options: Any) -> None:  # noqa: ANN401 - any graph
    """Take every event, where they come from an awaitable too."""
    events = graph.astream_events(SAID, config, **options)
    if inspect.isawaitable(events):
        events = await events
    async with contextlib.AsyncExitStack() as stack:
        if hasattr(events, "__aenter__"):
            events = await stack.enter_async_context(events)
        await adrain(events)


def in_a_thread(graph: Any, config: RunnableConfig) -> None:  # noqa: ANN401 - any graph
    """Run it in a thread that is not the test's."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(graph.invoke, SAID, config).result()


def in_mode(mode: str) -> Way:
    """Return the way that streams in a mode."""
    return lambda graph, config: drain(graph.stream(SAID, config, stream_mode=mode))


def async_in_mode(mode: str) -> AsyncWay:
    """Return the way that streams in a mode."""
    return lambda graph, config: adrain(graph.astream(SAID, config, stream_mode=mode))


def list_ways(ways: dict[str, Any]) -> list[Any]:
    """Return the ways as parameters; what the oldest releases lack is skipped there."""
    return [
        pytest.param(
            way,
            id=name,
            marks=[needs("streams of later versions")] if name.endswith(("v3", "version 2")) else [],
        )
        for name, way in ways.items()
    ]


WAYS: Final[dict[str, Way]] = {
    "invoke": lambda graph, config: graph.invoke(SAID, config),
    "stream": lambda graph, config: drain(graph.stream(SAID, config)),
    **{f"stream {mode}": in_mode(mode) for mode in MODES},
    "stream all modes": lambda graph, config: drain(graph.stream(SAID, config, stream_mode=list(MODES))),
    "stream subgraphs": lambda graph, config: drain(
        graph.stream(SAID, config, stream_mode=["updates", "messages"], subgraphs=True)
    ),
    "durability": lambda graph, config: graph.invoke(SAID, config, durability="exit"),
    "output keys": lambda graph, config: graph.invoke(SAID, config, output_keys=["nodes"]),
    "batch": lambda graph, config: graph.batch([SAID], config),
    "batch as completed": lambda graph, config: drain(graph.batch_as_completed([SAID], config)),
    "transform": lambda graph, config: drain(graph.transform(iter([SAID]), config)),
    "stream of version 2": lambda graph, config: drain(graph.stream(SAID, config, version="v2")),
    "stream_events v3": lambda graph, config: enter(graph.stream_events(SAID, config, version="v3")),
    "with config": lambda graph, config: graph.with_config(config).invoke(SAID),
    "in a chain": lambda graph, config: (RunnableLambda(dict) | graph).invoke(SAID, config),
    "in a thread": in_a_thread,
}

ASYNC_WAYS: Final[dict[str, AsyncWay]] = {
    "ainvoke": lambda graph, config: graph.ainvoke(SAID, config),
    "astream": lambda graph, config: adrain(graph.astream(SAID, config)),
    **{f"astream {mode}": async_in_mode(mode) for mode in MODES},
    "astream all modes": lambda graph, config: adrain(graph.astream(SAID, config, stream_mode=list(MODES))),
    "astream subgraphs": lambda graph, config: adrain(
        graph.astream(SAID, config, stream_mode=["updates", "messages"], subgraphs=True)
    ),
    "abatch": lambda graph, config: graph.abatch([SAID], config),
    "abatch as completed": lambda graph, config: adrain(graph.abatch_as_completed([SAID], config)),
    "atransform": lambda graph, config: adrain(graph.atransform(feed(), config)),
    "astream_events v1": lambda graph, config: follow_events(graph, config, version="v1"),
    "astream_events v2": lambda graph, config: follow_events(graph, config, version="v2"),
    "astream_events v3": lambda graph, config: follow_events(graph, config, version="v3"),
    "astream_log": lambda graph, config: adrain(graph.astream_log(SAID, config)),
    "a task of its own": lambda graph, config: asyncio.create_task(graph.ainvoke(SAID, config)),
    "another thread": lambda graph, config: asyncio.to_thread(graph.invoke, SAID, config),
}


def check(recording: Recording) -> None:
    """Say whether what was recorded is the one run, whole."""
    (run,) = read_runs(recording.exporter)
    assert (run.steps, run.status, run.complete, run.verified) == (STEPS, "ok", True, True)
    assert [child.steps for child in run.children] == [INNER_STEPS]
    (right,) = recording.list_named("invoke_node right")
    assert sorted(read(span)[sc.OPERATION_NAME] for span in recording.list_below(right)) == [
        "chat",
        "execute_tool",
    ]
    assert not has_error(recording.spans)
    assert recording.is_empty()


@pytest.mark.parametrize("way", list_ways(WAYS))
def test_sync_ways(way: Way, recording: Recording) -> None:
    """Whatever call of the sync API runs the graph, one complete run of the same supersteps is recorded."""
    way(build_everything(), recording.config("t1"))
    check(recording)


@pytest.mark.parametrize("way", list_ways(ASYNC_WAYS))
def test_async_ways(way: AsyncWay, recording: Recording) -> None:
    """Whatever call of the async API runs the graph, one complete run of the same supersteps is recorded."""

    async def run() -> None:
        await way(build_everything(), recording.config("t1"))

    asyncio.run(run())
    check(recording)


@pytest.mark.parametrize("api", ["batch", "abatch", "batch_as_completed", "abatch_as_completed"])
def test_batches_are_runs_of_their_own(api: str, recording: Recording) -> None:
    """Each input of a batch is a complete run, on a thread of its own where its config says so."""
    configs = [recording.config(f"t{number}") for number in range(5)]
    inputs = [SAID] * len(configs)

    async def run() -> None:
        graph = build_everything()
        if api == "abatch":
            await graph.abatch(inputs, configs)
        else:
            await adrain(graph.abatch_as_completed(inputs, configs))

    if api.startswith("a"):
        asyncio.run(run())
    elif api == "batch":
        build_everything().batch(inputs, configs)
    else:
        drain(build_everything().batch_as_completed(inputs, configs))
    runs = list(read_runs(recording.exporter))
    assert sorted(run.thread_id or "" for run in runs) == ["t0", "t1", "t2", "t3", "t4"]
    assert all(run.steps == STEPS and run.complete and run.verified for run in runs)
    assert recording.is_empty()
