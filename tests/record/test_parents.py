"""Under what a span stands: its caller by callback run id, and what is current only for a root."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from langchain_core.language_models import FakeListChatModel
from langchain_core.tools import tool
from opentelemetry import trace

from otel_traj import semconv as sc
from tests.record.graphs import State, build_chain
from tests.record.recording import Recording, get_id, get_parent_id, read, read_steps
from tests.record.spanning import build_diamond, check_nesting, open_span, open_span_async

if TYPE_CHECKING:
    from otel_traj import RunEnd


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


def test_ids_of_runs_at_once_are_each_their_own() -> None:
    """What `on_run_end` is told of twenty runs at once, in coroutines and in threads, are the ids of each root."""
    told: list[RunEnd] = []
    recording = Recording(on_run_end=told.append)
    graph, awaited = build_diamond(recording, open_span), build_diamond(recording, open_span_async)

    async def run() -> None:
        await asyncio.gather(*(awaited.ainvoke({}, recording.config(f"a{number}")) for number in range(20)))

    asyncio.run(run())
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda number: graph.invoke({}, recording.config(f"t{number}")), range(20)))
    shown = {(end.thread_id, end.run_id, end.trace_id, end.span_id, end.outcome) for end in told}
    assert len(told) == len(shown) == 40
    assert shown == {
        (
            read(root)[sc.THREAD_ID],
            read(root)[sc.RUN_ID],
            trace.format_trace_id(root.context.trace_id),
            trace.format_span_id(root.context.span_id),
            "ok",
        )
        for root in recording.roots
    }


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
