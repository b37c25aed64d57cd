"""An instrumented HTTP client in nodes, tools and models: its spans, and what it sends on, are below the right one."""

from __future__ import annotations

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.types import Send

from otel_traj.record.scripted_chat import ScriptedChat
from tests.missing_api import needs
from tests.record.calling_out import Outside, calling_out

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import ChatGenerationChunk, ChatResult
    from langchain_core.runnables import Runnable

    from tests.record.recording import Recording

pytestmark = needs("instrumented servers and clients")

RUNS = 3
CITIES = ("Rome", "Oslo")
PARTS = 3


def take_last(before: str, after: str) -> str:  # noqa: ARG001 - a reducer is given both
    """Let parallel tasks write what they all know."""
    return after


class Trip(TypedDict, total=False):
    """A run's number, and the messages of its agent."""

    run: Annotated[str, take_last]
    messages: Annotated[list[AnyMessage], add_messages]


@pytest.fixture
def outside(recording: Recording) -> Iterator[Outside]:
    """A server that nodes, tools and models call."""
    with calling_out(recording) as found:
        yield found


class CallingChat(ScriptedChat):
    """A model that asks a server, as one of a provider does; the last word of the user says for which run."""

    outside: Any

    def _generate(
        self,
        messages: list[BaseMessage],
        *args: Any,  # noqa: ANN401 - LangChain's
        **kwargs: Any,  # noqa: ANN401 - LangChain's
    ) -> ChatResult:
        self.outside.call("chat+scripted-1", messages[-1].content)
        return super()._generate(messages, *args, **kwargs)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        *args: Any,  # noqa: ANN401 - LangChain's
        **kwargs: Any,  # noqa: ANN401 - LangChain's
    ) -> ChatResult:
        await self.outside.acall("chat+scripted-1", messages[-1].content)
        return super()._generate(messages, *args, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        *args: Any,  # noqa: ANN401 - LangChain's
        **kwargs: Any,  # noqa: ANN401 - LangChain's
    ) -> Iterator[ChatGenerationChunk]:
        self.outside.call("chat+scripted-1", messages[-1].content)
        yield from super()._stream(messages, *args, **kwargs)

    async def _astream(
        self,
        messages: list[BaseMessage],
        *args: Any,  # noqa: ANN401 - LangChain's
        **kwargs: Any,  # noqa: ANN401 - LangChain's
    ) -> AsyncIterator[ChatGenerationChunk]:
        await self.outside.acall("chat+scripted-1", messages[-1].content)
        for chunk in super()._stream(messages, *args, **kwargs):
            yield chunk


def build_sync(outside: Outside) -> Runnable[Any, Any]:
    """Return ask, then two tools at once, then three subgraphs at once; everything calls out, nothing awaits."""

    def ask(state: Trip) -> Trip:
        outside.call("invoke_node+ask", state["run"])
        return {"messages": [build_model(outside, state["run"]).invoke(state["run"])]}

    @tool
    def visit(city: str, run: str) -> str:
        """Visit a city."""
        outside.call(f"execute_tool+visit~{city}-{run}", run)
        return city

    def work(state: Trip) -> Trip:
        outside.call("invoke_node+work~work", state["run"])
        return {}

    return build_trip(ask, ToolNode([visit]), work)


def build_async(outside: Outside) -> Runnable[Any, Any]:
    """Return the same graph of coroutines."""

    async def ask(state: Trip) -> Trip:
        await outside.acall("invoke_node+ask", state["run"])
        return {"messages": [await build_model(outside, state["run"]).ainvoke(state["run"])]}

    @tool
    async def visit(city: str, run: str) -> str:
        """Visit a city."""
        await outside.acall(f"execute_tool+visit~{city}-{run}", run)
        return city

    async def work(state: Trip) -> Trip:
        await outside.acall("invoke_node+work~work", state["run"])
        return {}

    return build_trip(ask, ToolNode([visit]), work)


def build_model(outside: Outside, run: str) -> CallingChat:
    """Return a model that chooses both cities."""
    calls = [{"name": "visit", "args": {"city": city, "run": run}, "id": f"{city}-{run}"} for city in CITIES]
    return CallingChat(turns=[AIMessage("on the way", tool_calls=calls)], outside=outside)


def build_trip(ask: Any, tools: ToolNode, work: Any) -> Runnable[Any, Any]:  # noqa: ANN401 - nodes of either kind
    """Return the graph of these nodes."""
    inner = StateGraph(Trip)
    inner.add_node("work", work)
    inner.add_edge(START, "work")
    builder = StateGraph(Trip)
    builder.add_node("ask", ask)
    builder.add_node("tools", tools)
    builder.add_node("each", inner.compile(name="inner"))
    builder.add_edge(START, "ask")
    builder.add_edge("ask", "tools")
    builder.add_conditional_edges(
        "tools", lambda state: [Send("each", {"run": state["run"]})] * PARTS, ["each"]
    )
    return builder.compile(name="trip")


def expect(*runs: str) -> Counter[tuple[str, str]]:
    """Return the calls of these runs."""
    calls: Counter[tuple[str, str]] = Counter()
    for run in runs:
        calls.update({("invoke_node+ask", run): 1, ("chat+scripted-1", run): 1})
        calls.update({(f"execute_tool+visit~{city}-{run}", run): 1 for city in CITIES})
        calls["invoke_node+work~work", run] += PARTS
    return calls


def stream(graph: Any, run: str, config: Any, **options: Any) -> None:  # noqa: ANN401 - LangGraph's
    """Read a stream to its end."""
    list(graph.stream({"run": run}, config, **options))


async def astream(graph: Any, run: str, config: Any, **options: Any) -> None:  # noqa: ANN401 - LangGraph's
    """Read an asynchronous stream to its end."""
    _ = [chunk async for chunk in graph.astream({"run": run}, config, **options)]


async def astream_events(graph: Any, run: str, config: Any) -> None:  # noqa: ANN401 - LangGraph's
    """Read all events to the end."""
    _ = [event async for event in graph.astream_events({"run": run}, config, version="v2")]


SYNC: dict[str, Callable[..., object]] = {
    "invoke": lambda graph, run, config: graph.invoke({"run": run}, config),
    "stream": stream,
    "stream values": lambda *given: stream(*given, stream_mode="values"),
    "stream messages": lambda *given: stream(*given, stream_mode="messages"),
    "stream subgraphs": lambda *given: stream(
        *given, stream_mode=["updates", "debug", "custom"], subgraphs=True
    ),
}
ASYNC: dict[str, Callable[..., Awaitable[object]]] = {
    "ainvoke": lambda graph, run, config: graph.ainvoke({"run": run}, config),
    "astream": astream,
    "astream values": lambda *given: astream(*given, stream_mode="values"),
    "astream messages": lambda *given: astream(*given, stream_mode="messages"),
    "astream subgraphs": lambda *given: astream(
        *given, stream_mode=["updates", "debug", "custom"], subgraphs=True
    ),
    "astream_events": astream_events,
}


@pytest.mark.parametrize("way", SYNC)
def test_calls_of_threads_are_in_their_place(recording: Recording, outside: Outside, way: str) -> None:
    """In sync graphs, parallel tasks in threads of their own: below the node, the tool call and the model call."""
    SYNC[way](build_sync(outside), "1", recording.config("1"))
    outside.check(expect("1"))


@pytest.mark.parametrize("build", [build_sync, build_async], ids=["sync nodes", "async nodes"])
@pytest.mark.parametrize("way", ASYNC)
def test_calls_of_coroutines_are_in_their_place(
    recording: Recording, outside: Outside, way: str, build: Callable[[Outside], Runnable[Any, Any]]
) -> None:
    """In async graphs, of coroutines and of functions that run in threads: in the same places."""
    asyncio.run(ASYNC[way](build(outside), "1", recording.config("1")))  # type: ignore[arg-type]  # a coroutine
    outside.check(expect("1"))


@pytest.mark.parametrize("way", ["batch", "threads"])
def test_calls_of_runs_in_threads_do_not_mix(recording: Recording, outside: Outside, way: str) -> None:
    """Runs at once, by `batch` or in threads of the caller's, through one handler: each call in its own run."""
    graph = build_sync(outside)
    numbers = [str(number) for number in range(RUNS)]
    if way == "batch":
        graph.batch([{"run": number} for number in numbers], [recording.config(number) for number in numbers])
    else:
        with ThreadPoolExecutor(RUNS) as pool:
            list(pool.map(lambda number: graph.invoke({"run": number}, recording.config(number)), numbers))
    outside.check(expect(*numbers))
    assert len({root.context.trace_id for root in recording.roots}) == RUNS


@pytest.mark.parametrize("build", [build_sync, build_async], ids=["sync nodes", "async nodes"])
@pytest.mark.parametrize("way", ["abatch", "gather", "streams in turn"])
def test_calls_of_concurrent_coroutines_do_not_mix(
    recording: Recording, outside: Outside, way: str, build: Callable[[Outside], Runnable[Any, Any]]
) -> None:
    """Runs at once in one event loop, by `abatch`, `gather`, or streams read in turn: each call in its own run."""
    graph = build(outside)
    numbers = [str(number) for number in range(RUNS)]
    inputs = [{"run": number} for number in numbers]
    configs = [recording.config(number) for number in numbers]

    async def run() -> None:
        if way == "abatch":
            await graph.abatch(inputs, configs)
        elif way == "gather":
            await asyncio.gather(*map(graph.ainvoke, inputs, configs))
        else:
            streams = [graph.astream(each, config) for each, config in zip(inputs, configs, strict=True)]
            while streams:
                streams = [each for each in streams if await anext(each, None) is not None]

    asyncio.run(run())
    outside.check(expect(*numbers))
    assert len({root.context.trace_id for root in recording.roots}) == RUNS
