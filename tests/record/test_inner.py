"""`inner=True`: what is no node task, no model and no tool gets spans too, and counts nowhere."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import RunnableLambda
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph

from otel_traj import semconv as sc
from tests.missing_api import needs
from tests.record.graphs import State, build_chain, mark, new_chain
from tests.record.recording import Recording, read, read_steps


@task
def square(number: int) -> int:
    """Square a number."""
    FakeListChatModel(responses=["hi"]).invoke("hi")
    return number * number


@entrypoint()
def flow(number: int) -> int:
    """Square a number twice."""
    return square(square(number).result()).result()


@pytest.mark.parametrize("inner", [True, False])
def test_functional_tasks(inner: bool) -> None:
    """Tasks of the functional API are no node tasks; with `inner` they have spans of their own kind."""
    recording = Recording(inner=inner)
    assert flow.invoke(3, recording.config()) == 81
    (root,) = recording.roots
    assert read_steps(root) == [["flow"]]
    assert read(root)[sc.TASK_COUNT] == 1
    spans = recording.list_named("functional_task square")
    assert [read(span)[sc.KIND] for span in spans] == ["functional_task"] * (2 if inner else 0)
    expected = "functional_task square" if inner else "invoke_node flow"
    for call in recording.list_operation(sc.CHAT):
        parent = recording.get_parent(call)
        assert parent is not None
        assert parent.name == expected
        assert read(call)[sc.NODE] == "flow"


def test_conditional_edges_and_runnables() -> None:
    """A conditional edge and a runnable inside a node have spans below the node, each of its kind."""
    recording = Recording(inner=True)
    model = FakeListChatModel(responses=["hi"])

    def route(state: State) -> str:  # noqa: ARG001 - LangGraph passes it
        return "b"

    builder = StateGraph(State)
    chain: Any = (
        RunnableLambda(lambda _: "hello", name="prompt") | model | RunnableLambda(lambda _: {"nodes": ["a"]})
    )
    builder.add_node("a", chain)
    builder.add_node("b", mark("b"))
    builder.add_edge(START, "a")
    builder.add_conditional_edges("a", route, ["b", END])
    builder.compile().invoke({}, recording.config())
    kinds = {span.name: read(span)[sc.KIND] for span in recording.spans if sc.KIND in read(span)}
    assert kinds["runnable prompt"] == "runnable"
    assert kinds["conditional_edge route"] == "conditional_edge"
    for name in ("runnable prompt", "conditional_edge route"):
        assert recording.name_parent(name) == "invoke_node a"
    assert read_steps(recording.roots[0]) == [["a"], ["b"]]


def test_runnable_that_turns_out_to_be_a_graph_is_no_inner_span() -> None:
    """A subgraph run inside a chain inside a node is a graph run below the chain's span."""
    recording = Recording(inner=True)
    inner = build_chain("s1", graph_name="inner")

    def call(state: State) -> Any:  # noqa: ANN401 - whatever the graph returns
        wrapped: Any = RunnableLambda(lambda value: inner.invoke(value), name="wrapper")
        return wrapped.invoke(state)

    build_chain("call", graph_name="outer", call=call).invoke({}, recording.config())
    assert recording.name_parent("invoke_workflow inner") == "runnable wrapper"
    assert recording.name_parent("runnable wrapper") == "invoke_node call"
    assert "runnable inner" not in {span.name for span in recording.spans}
    start = {span.name: span.start_time or 0 for span in recording.spans}
    assert start["invoke_node call"] <= start["runnable wrapper"] <= start["invoke_workflow inner"]


@needs("spans of error handlers")
def test_error_handlers() -> None:
    """The error handler of a node is no node task; with `inner` it has a span of its kind."""

    def boom(state: State) -> State:
        raise ValueError(state)

    def handle(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        return {"nodes": ["handled"]}

    builder = StateGraph(State)
    builder.add_node("boom", boom, error_handler=handle)
    builder.add_edge(START, "boom")
    graph = builder.compile()
    plain, recording = Recording(), Recording(inner=True)
    graph.invoke({}, plain.config())
    graph.invoke({}, recording.config())
    for each in (plain, recording):
        assert read_steps(each.roots[0]) == [["boom"]]
        assert read(each.roots[0])[sc.OUTCOME] == "ok"
    kinds = [read(span).get(sc.KIND) for span in recording.spans]
    assert "error_handler" in kinds
    assert all(sc.KIND not in read(span) for span in plain.spans)


def test_chain_outside_a_graph() -> None:
    """With `inner` a chain without any graph is recorded as what it is."""
    recording = Recording(inner=True)
    chain = RunnableLambda(lambda value: value, name="first") | FakeListChatModel(responses=["hi"])
    chain.invoke("hi", recording.config())
    assert {span.name: getattr(recording.get_parent(span), "name", None) for span in recording.spans} == {
        "runnable RunnableSequence": None,
        "runnable first": "runnable RunnableSequence",
        "chat": "runnable RunnableSequence",
    }
    assert recording.is_empty()


def test_failed_runnable_is_an_error_of_its_own_span() -> None:
    """With `inner` the runnable that raised is ERROR, as the node around it is."""
    recording = Recording(inner=True)

    def fail(value: object) -> object:
        raise ValueError(value)

    graph = new_chain("a", a=RunnableLambda(fail, name="failing")).compile()
    with pytest.raises(ValueError, match="nodes"):
        graph.invoke({}, recording.config())
    assert read(recording.get("runnable failing"))[sc.ERROR_TYPE] == "ValueError"
    assert read(recording.get("invoke_node a"))[sc.ERROR_TYPE] == "ValueError"
