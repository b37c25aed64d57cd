"""The user's own spans: below the node, tool or model call they were opened in, and nothing left behind."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor
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
from tests.record.graphs import Graph, Node, State, build_chain, new_chain
from tests.record.recording import Recording, get_id, get_parent_id, read, read_steps

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from langchain_core.callbacks import CallbackManagerForLLMRun
    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import ChatResult


def open_span(recording: Recording, name: str) -> Node:
    """Return a node in whose body the user opens a span."""

    def node(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        with recording.tracer.start_as_current_span(name):
            return {"nodes": [name]}

    return node


def open_span_async(recording: Recording, name: str) -> Node:
    """Return an async node in whose body the user opens a span, after giving way to others."""

    async def node(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        await asyncio.sleep(0)
        with recording.tracer.start_as_current_span(name):
            await asyncio.sleep(0)
            return {"nodes": [name]}

    return node


def build_diamond(recording: Recording, opener: Any) -> Graph:  # noqa: ANN401 - one of the two above
    """Return start, then left and right side by side, then end; each node opens a span of its own name."""
    builder = StateGraph(State)
    for name in ("start", "left", "right", "end"):
        builder.add_node(name, opener(recording, f"http {name}"))
    builder.add_edge(START, "start")
    builder.add_edge("start", "left")
    builder.add_edge("start", "right")
    builder.add_edge(["left", "right"], "end")
    return builder.compile(name="diamond")


def check_nesting(recording: Recording) -> None:
    """Each span `http x` lies directly below `invoke_node x`."""
    opened = [span for span in recording.spans if span.name.startswith("http ")]
    assert opened
    for span in opened:
        parent = recording.get_parent(span)
        assert parent is not None
        assert parent.name == span.name.replace("http", "invoke_node")


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


def test_t02_run_under_the_callers_span(recording: Recording) -> None:
    """A graph run inside the caller's span lies below it, in its trace."""
    with recording.tracer.start_as_current_span("pipeline") as pipeline:
        build_chain("a").invoke({}, recording.config())
        assert trace.get_current_span() is pipeline
    assert recording.name_parent("invoke_workflow chain") == "pipeline"
    assert len({span.context.trace_id for span in recording.spans}) == 1


def test_t02_deferred_run_keeps_the_callers_span(recording: Recording) -> None:
    """So does one that is only revealed in a worker thread, by its first node task."""
    from langchain_core.runnables import RunnableLambda

    chain = RunnableLambda(lambda value: value) | build_diamond(recording, open_span)
    with recording.tracer.start_as_current_span("pipeline"):
        chain.invoke({}, recording.config())
    assert recording.name_parent("invoke_workflow diamond") == "pipeline"
    check_nesting(recording)


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


def test_t01_concurrent_async_runs_do_not_mix(recording: Recording) -> None:
    """Twenty runs at once through one handler are twenty traces with the same trajectory each."""
    graph = build_diamond(recording, open_span_async)

    async def run() -> None:
        await asyncio.gather(*(graph.ainvoke({}, recording.config(f"t{number}")) for number in range(20)))

    asyncio.run(run())
    check_twenty(recording)


def test_t01_concurrent_threads_do_not_mix(recording: Recording) -> None:
    """So are twenty runs in threads."""
    graph = build_diamond(recording, open_span)
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda number: graph.invoke({}, recording.config(f"t{number}")), range(20)))
    check_twenty(recording)


def check_twenty(recording: Recording) -> None:
    """Twenty roots, twenty traces, one trajectory, every span below its own root."""
    assert len({root.context.trace_id for root in recording.roots}) == len(recording.roots) == 20
    for root in recording.roots:
        below = recording.list_below(root)
        assert read_steps(root) == [["start"], ["left", "right"], ["end"]]
        assert {span.context.trace_id for span in below} == {root.context.trace_id}
        assert len(below) == 8
    check_nesting(recording)
    assert recording.is_empty()


def test_t25_each_thread_keeps_its_own_parent(recording: Recording) -> None:
    """Thirty threads that each run a graph under a span of their own are thirty runs below thirty parents."""
    graph = build_chain("a", "b")
    barrier = threading.Barrier(30)

    def work(number: int) -> None:
        with recording.tracer.start_as_current_span(f"job {number}"):
            barrier.wait(30)
            graph.invoke({}, recording.config(f"t{number}"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for root in recording.roots:
        parent = recording.get_parent(root)
        assert parent is not None
        assert parent.name == f"job {read(root)[sc.THREAD_ID][1:]}"
    assert len(recording.roots) == 30


def test_t31_model_called_with_a_config_of_its_own_finds_its_place(recording: Recording) -> None:
    """A model called in a node with the handler in a fresh config lies below the node, with the node's keys."""
    model = FakeListChatModel(responses=["hi"])

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        model.invoke("hi", config={"callbacks": [recording.handler]})
        with recording.tracer.start_as_current_span("mine"):
            model.invoke("hi", config={"callbacks": [recording.handler]})
        return {"nodes": ["call"]}

    build_chain("call", call=call).invoke({}, recording.config("t1"))
    (root,) = recording.roots
    task = recording.get("invoke_node call")
    first, second = recording.list_operation(sc.CHAT)
    assert get_parent_id(first) == get_id(task)
    assert get_parent_id(second) == get_id(recording.get("mine"))
    for key in (sc.STEP, sc.NODE, sc.TASK_ID, sc.RUN_ID, sc.THREAD_ID):
        assert read(first)[key] == read(second)[key] == read(task)[key]
    assert read(root)[sc.SPAN_COUNT] == 3


def test_t31_async_twin(recording: Recording) -> None:
    """So does the second of two such calls in an async node, where the first left its context behind."""
    model = FakeListChatModel(responses=["hi"])

    async def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        await model.ainvoke("hi")
        await model.ainvoke("hi", config={"callbacks": [recording.handler]})
        return {"nodes": ["call"]}

    asyncio.run(build_chain("call", call=call).ainvoke({}, recording.config("t1")))
    parents = {get_parent_id(span) for span in recording.list_operation(sc.CHAT)}
    assert parents == {get_id(recording.get("invoke_node call"))}
    assert all(read(span)[sc.NODE] == "call" for span in recording.list_operation(sc.CHAT))


def test_graph_called_in_a_node_with_a_config_of_its_own_is_a_subgraph_run(recording: Recording) -> None:
    """A graph called in a node with the handler in a fresh config is a run below that node's."""
    inner = build_chain("s1", graph_name="inner")

    def call(state: State) -> State:
        inner.invoke(state, config={"callbacks": [recording.handler]})
        return {"nodes": ["call"]}

    build_chain("call", graph_name="outer", call=call).invoke({}, recording.config())
    assert recording.name_parent("invoke_workflow inner") == "invoke_node call"
    assert [root.name for root in recording.roots] == ["invoke_workflow outer"]


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


def test_parallel_graph_without_models_keeps_tools_in_place() -> None:
    """With `models=False` and `tools=False` those spans are missing and what they call hangs under the node."""
    recording = Recording(models=False, tools=False)
    inner = build_chain("s1", graph_name="inner")

    @tool
    def delegate(city: str) -> str:
        """Ask the inner graph."""
        inner.invoke({})
        return city

    model = FakeListChatModel(responses=["hi"])

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        model.invoke("hi")
        delegate.invoke({"city": "Rome"})
        return {"nodes": ["call"]}

    build_chain("call", graph_name="outer", call=call).invoke({}, recording.config())
    assert [span.name for span in recording.spans] == [
        "invoke_workflow outer",
        "invoke_node call",
        "invoke_workflow inner",
        "invoke_node s1",
    ]
    assert recording.name_parent("invoke_workflow inner") == "invoke_node call"
    assert read(recording.get("invoke_workflow outer"))[sc.SPAN_COUNT] == 3
