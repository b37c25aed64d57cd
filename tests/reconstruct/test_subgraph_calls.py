"""Which call of a subgraph went on with an earlier one, on every LangGraph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import TrajectoryCallbackHandler, read_runs
from tests.record.graphs import new_chain

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.runnables import Runnable, RunnableConfig

    from otel_traj import Run
    from tests.record.graphs import Graph, State


def call_twice(graph: Runnable[Any, Any], answer: Command[str] | None) -> Run:
    """Invoke a graph that pauses and go on with it; return the one run that its spans make."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    config: RunnableConfig = {"configurable": {"thread_id": "t"}, "callbacks": [handler]}
    graph.invoke({}, config)
    graph.invoke(answer, config)
    [run] = read_runs(exporter)
    assert run.verified, run.problems
    return run


@pytest.mark.parametrize(
    ("place", "node"),
    [
        ("interrupt_before", "s1"),
        ("interrupt_before", "s2"),
        ("interrupt_after", "s1"),
        ("interrupt_after", "s2"),
    ],
)
def test_a_subgraph_that_paused_is_one_run(place: str, node: str) -> None:
    """A static interrupt inside a subgraph parts its run in two calls that are joined, `__start__` first."""
    compile_inner: Callable[..., Graph] = new_chain("s1", "s2", "s3").compile
    inner = compile_inner(**{place: [node]})
    run = call_twice(new_chain("sub", "z", sub=inner).compile(checkpointer=InMemorySaver()), None)
    assert [child.steps for child in run.children] == [[["__start__"], ["s1"], ["s2"], ["s3"]]]
    assert [child.status for child in run.children] == ["ok"]


def test_two_calls_in_one_node_stay_apart() -> None:
    """Of two calls of one subgraph in a node the one that was interrupted goes on, the other is left as it was."""

    def ask(state: State) -> State:
        return {"nodes": [interrupt("go on?") if "second" in state["nodes"] else "asked"]}

    inner = new_chain("s1", "ask", ask=ask).compile(name="inner")

    def call(_state: State) -> State:
        for name in ("first", "second"):
            inner.invoke({"nodes": [name]})
        return {"nodes": ["call"]}

    graph = new_chain("call", "z", call=call).compile(checkpointer=InMemorySaver())
    run = call_twice(graph, Command(resume="yes"))
    whole = [["__start__"], ["s1"], ["ask"]]
    assert [child.steps for child in run.children] == [whole, [*whole, ["__interrupt__"]]]
    assert [child.status for child in run.children] == ["ok", "ok"]


def test_a_subgraph_without_memory_is_called_anew() -> None:
    """A subgraph that keeps no checkpoints begins again when its caller is run again: a second run."""
    inner = new_chain("s1", "s2").compile(name="inner", checkpointer=False)

    def call(_state: State) -> State:
        inner.invoke({"nodes": []})
        return {"nodes": [interrupt("go on?")]}

    graph = new_chain("call", "z", call=call).compile(checkpointer=InMemorySaver())
    run = call_twice(graph, Command(resume="yes"))
    assert [child.steps for child in run.children] == [[["__start__"], ["s1"], ["s2"]]] * 2
