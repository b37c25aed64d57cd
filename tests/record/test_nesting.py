"""The user's own spans: below the node, tool or model call they were opened in, and nothing left behind."""

from __future__ import annotations

import asyncio
import contextvars
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Send
from opentelemetry import context, trace

from otel_traj import semconv as sc
from tests.record.graphs import State, build_chain, new_chain
from tests.record.recording import Recording, get_id, get_parent_id, read
from tests.record.spanning import build_diamond, check_nesting, open_span, open_span_async

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from langchain_core.callbacks import CallbackManagerForLLMRun
    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import ChatResult


@pytest.mark.parametrize("way", ["invoke", "stream", "messages"])
def test_t05_spans_of_sync_and_parallel_nodes_nest(recording: Recording, way: str) -> None:
    """In sync graphs, in the caller's thread and in worker threads alike, the node's span is the parent."""
    graph = build_diamond(recording, open_span)
    if way == "invoke":
        graph.invoke({}, recording.config())
    else:
        list(graph.stream({}, recording.config(), stream_mode="messages" if way == "messages" else "values"))
    check_nesting(recording)


@pytest.mark.parametrize("opener", [open_span, open_span_async], ids=["sync nodes", "async nodes"])
@pytest.mark.parametrize("way", ["ainvoke", "astream", "astream_events"])
def test_t05_spans_of_async_runs_nest(
    recording: Recording, opener: object, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """In async graphs, with async and with sync nodes, the node's span is the parent, and no detach fails."""
    graph = build_diamond(recording, opener)

    async def run() -> None:
        if way == "ainvoke":
            await graph.ainvoke({}, recording.config())
        elif way == "astream":
            _ = [chunk async for chunk in graph.astream({}, recording.config())]
        else:
            _ = [event async for event in graph.astream_events({}, recording.config(), version="v2")]

    asyncio.run(run())
    check_nesting(recording)
    assert not caplog.records


def test_spans_in_fan_out_tasks_of_subgraphs_nest(recording: Recording) -> None:
    """A span in a node of a subgraph that many tasks call at once lies below its own task's node."""
    inner = new_chain("work", work=open_span(recording, "http work")).compile(name="inner")
    builder = new_chain("plan")
    builder.add_node("each", inner)
    builder.add_conditional_edges("plan", lambda _: [Send("each", {}) for _ in range(4)])
    builder.compile().invoke({}, recording.config())
    check_nesting(recording)
    parents = {get_parent_id(span) for span in recording.list_named("http work")}
    assert parents == {get_id(span) for span in recording.list_named("invoke_node work")}
    assert len(parents) == 4


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_t65_span_in_a_tool_is_below_the_tool(recording: Recording, mode: str) -> None:
    """A span that a tool opens lies below the tool's span, for two tools at once in one node."""

    @tool
    def look_up(city: str) -> str:
        """Look a city up."""
        with recording.tracer.start_as_current_span(f"http {city}"):
            return city

    builder = StateGraph(MessagesState)
    builder.add_node("tools", ToolNode([look_up]))
    builder.add_edge(START, "tools")
    graph = builder.compile()
    calls = [{"name": "look_up", "args": {"city": city}, "id": f"call-{city}"} for city in ("Rome", "Oslo")]
    inputs: Any = {"messages": [AIMessage("", tool_calls=calls)]}
    if mode == "sync":
        graph.invoke(inputs, recording.config())
    else:
        asyncio.run(graph.ainvoke(inputs, recording.config()))
    for city in ("Rome", "Oslo"):
        parent = recording.get_parent(recording.get(f"http {city}"))
        assert parent is not None
        assert read(parent)[sc.TOOL_CALL_ID] == f"call-{city}"


class SpanningModel(FakeListChatModel):
    """A chat model that opens a span, as an instrumented HTTP client would."""

    tracer: Any

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:  # noqa: ANN401 - LangChain's
        with self.tracer.start_as_current_span("http model"):
            return super()._generate(*args, **kwargs)

    def _call(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's
    ) -> str:
        return super()._call(messages, stop, run_manager, **kwargs)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_t06_span_in_a_model_call_is_below_the_model(recording: Recording, mode: str) -> None:
    """A span inside a model call lies below the model's span, that below the node, and one trace holds all."""
    model = SpanningModel(responses=["hi"], tracer=recording.tracer)

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        model.invoke("hi")
        return {"nodes": ["call"]}

    async def acall(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        await model.ainvoke("hi")
        await model.ainvoke("hi")
        with recording.tracer.start_as_current_span("http call"):
            return {"nodes": ["call"]}

    if mode == "sync":
        build_chain("call", call=call).invoke({}, recording.config())
    else:
        asyncio.run(build_chain("call", call=acall).ainvoke({}, recording.config()))
        check_named_parent(recording, "http call", "invoke_node call")
    check_named_parent(recording, "http model", "chat")
    check_named_parent(recording, "chat", "invoke_node call")
    assert len({span.context.trace_id for span in recording.spans}) == 1


def check_named_parent(recording: Recording, name: str, parent_name: str) -> None:
    """All spans of a name (or whose name begins so) have a parent of another."""
    spans = [span for span in recording.spans if span.name == name or span.name.startswith(f"{name} ")]
    assert spans
    for span in spans:
        parent = recording.get_parent(span)
        assert parent is not None
        assert parent.name.startswith(parent_name)


def test_t03_async_run_is_one_trace_without_a_complaint(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """Async nodes make one trace, and no context fails to be detached."""
    first, second = open_span_async(recording, "http a"), open_span_async(recording, "http b")
    asyncio.run(build_chain("a", "b", a=first, b=second).ainvoke({}, recording.config()))
    assert len({span.context.trace_id for span in recording.spans}) == 1
    assert not caplog.records


def test_t08_nothing_is_left_in_the_context(recording: Recording) -> None:
    """After a run the context variables of the caller are what they were, and the next run is a new trace."""

    def read_context() -> dict[str, object]:
        return {variable.name: value for variable, value in contextvars.copy_context().items()}

    async def run() -> None:
        before = {"current_context": context.get_current()} | read_context()
        await build_chain("a", a=open_span_async(recording, "http a")).ainvoke({}, recording.config())
        assert {"current_context": context.get_current()} | read_context() == before
        assert trace.get_current_span() is trace.INVALID_SPAN
        with recording.tracer.start_as_current_span("pipeline") as pipeline:
            await build_chain("b", b=open_span_async(recording, "http b")).ainvoke({}, recording.config())
            assert trace.get_current_span() is pipeline

    asyncio.run(run())
    asyncio.run(run())
    build_chain("a", a=open_span(recording, "http a")).invoke({}, recording.config())
    assert context.get_current() == {}
    assert len({span.context.trace_id for span in recording.roots}) == 5


def test_no_context_variable_is_set_that_was_not(recording: Recording) -> None:
    """In a context in which OpenTelemetry's variable was never set it is not set after a sync run either."""

    def run() -> None:
        graph = build_chain("a", "b", a=open_span(recording, "http a"), b=open_span(recording, "http b"))
        graph.invoke({}, recording.config())
        for _ in graph.stream({}, recording.config()):
            assert not list(contextvars.copy_context())
        assert not list(contextvars.copy_context())

    contextvars.Context().run(run)
    check_named_parent(recording, "http a", "invoke_node a")


def test_context_is_restored_after_an_exception(recording: Recording) -> None:
    """A node that raises leaves the caller's span current, as a node that returns does."""

    def fail(state: State) -> State:
        raise ValueError(state)

    with recording.tracer.start_as_current_span("pipeline") as pipeline:
        with pytest.raises(ValueError, match="nodes"):
            build_chain("fail", fail=fail).invoke({}, recording.config())
        assert trace.get_current_span() is pipeline


def test_callers_span_stays_current_between_chunks(recording: Recording) -> None:
    """Between the chunks of a stream the caller's own span is current, not one of the run's."""
    with recording.tracer.start_as_current_span("pipeline") as pipeline:
        for _ in build_chain("a", "b").stream({}, recording.config()):
            assert trace.get_current_span() is pipeline


def test_current_span_in_a_node_takes_what_a_span_takes(recording: Recording) -> None:
    """What a node writes on the current span stands on its node span; ending it is left to the recorder."""

    def write(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        span = trace.get_current_span()
        span.set_attribute("mine", 1)
        span.set_attributes({"mine.too": "yes"})
        span.add_event("seen")
        span.add_link(trace.SpanContext(1, 2, is_remote=False))
        span.update_name("renamed")
        span.record_exception(ValueError("handled"))
        span.set_status(trace.Status(trace.StatusCode.OK))
        assert span.is_recording()
        assert span.name == "renamed"  # type: ignore[attr-defined]  # the SDK's span has it
        with span:
            pass
        span.end()
        return {"nodes": ["write"]}

    build_chain("write", write=write).invoke({}, recording.config())
    span = recording.get("renamed")
    assert (read(span)["mine"], read(span)["mine.too"]) == (1, "yes")
    assert [event.name for event in span.events] == ["seen", "exception"]
    assert len(span.links) == 1
    assert recording.handler.counters["callback_errors"] == 0


def test_t22_nested_async_generators_are_one_trace(recording: Recording) -> None:
    """Spans opened by an async generator inside an async-generator node lie in the run's trace, below the node."""

    async def inner() -> AsyncIterator[int]:
        for number in range(2):
            with recording.tracer.start_as_current_span(f"http {number}"):
                await asyncio.sleep(0)
            yield number

    async def node(state: State) -> AsyncIterator[State]:  # noqa: ARG001 - LangGraph passes it
        with recording.tracer.start_as_current_span("http outer"):
            await asyncio.sleep(0)
        async for number in inner():
            yield {"nodes": [str(number)]}

    async def run() -> None:
        _ = [chunk async for chunk in build_chain("node", node=node).astream({}, recording.config())]

    asyncio.run(run())
    assert len({span.context.trace_id for span in recording.spans}) == 1
    for name in ("http outer", "http 0", "http 1"):
        assert recording.name_parent(name) == "invoke_node node"


def test_hundred_runs_in_one_task_leave_no_chain_of_contexts(recording: Recording) -> None:
    """Models called one after another in one async task do not pile stand-ins onto each other."""
    from otel_traj.record.live_span import LiveSpan

    model = FakeListChatModel(responses=["hi"])

    async def run() -> None:
        for _ in range(100):
            await model.ainvoke("hi", config=recording.config())
        current: object = trace.get_current_span()
        depth = 0
        while isinstance(current, LiveSpan):
            current = current.target
            depth += 1
        assert depth <= 1
        assert not trace.get_current_span().get_span_context().is_valid

    asyncio.run(run())
    assert len({span.context.trace_id for span in recording.spans}) == 100


def test_callers_span_stays_current_between_async_chunks(recording: Recording) -> None:
    """So it is between the chunks of an async stream, the caller's own object even."""

    async def run() -> None:
        graph = build_diamond(recording, open_span_async)
        with recording.tracer.start_as_current_span("pipeline") as pipeline:
            async for _ in graph.astream({}, recording.config()):
                assert trace.get_current_span() is pipeline
            await graph.ainvoke({}, recording.config())
            assert trace.get_current_span() is pipeline

    asyncio.run(run())
    check_nesting(recording)


def test_t09_stream_read_by_a_task_per_chunk_is_whole(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """A server that reads each chunk in a task of its own gets every span, and no context fails to be detached."""

    async def run() -> None:
        chunks = build_diamond(recording, open_span_async).astream({}, recording.config())
        while True:
            try:
                await asyncio.create_task(chunks.__anext__())  # type: ignore[arg-type]  # it is a coroutine
            except StopAsyncIteration:
                break

    asyncio.run(run())
    assert len(recording.roots) == 1
    assert len(recording.list_below(recording.roots[0])) == 8
    check_nesting(recording)
    assert not caplog.records
    assert recording.is_empty()
