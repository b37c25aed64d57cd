from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt

from otel_traj import semconv as sc
from otel_traj.record.calling_graph import HEARS_PAUSES
from tests.missing_api import needs
from tests.record.graphs import Graph, State, build_chain, mark, new_chain
from tests.record.recording import Recording, get_id, has_error, read, read_steps

if TYPE_CHECKING:
    from collections.abc import Callable


def ask(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
    """A node that asks a person."""
    return {"nodes": [f"ask:{interrupt('go on?')}"]}


def build_asking() -> Graph:
    """Return hello, human (asks), bye, with a checkpointer."""
    return build_chain("hello", "human", "bye", saved=True, human=ask)


def test_t11_interrupted_node_is_no_failure(recording: Recording) -> None:
    """The node that interrupts is UNSET without an event, says so, and the run's outcome is interrupted."""
    build_asking().invoke({}, recording.config("t1"))
    span = recording.get("invoke_node human")
    assert not has_error(recording.spans)
    assert read(span)[sc.INTERRUPTED] is True
    assert read(span)[sc.INTERRUPT_ORIGIN] is True
    (root,) = recording.roots
    assert read(root)[sc.OUTCOME] == "interrupted"
    assert read_steps(root) == [["hello"], ["human"]]


def test_t12_only_the_innermost_task_is_the_origin(recording: Recording) -> None:
    """An interrupt three levels down leaves no error anywhere; the innermost task alone is its origin."""
    inner = new_chain("deep", deep=ask).compile(name="inner")
    middle = new_chain("mid", mid=inner).compile(name="middle")
    graph = build_chain("top", saved=True, top=middle)
    graph.invoke({}, recording.config("t1"))
    assert not has_error(recording.spans)
    assert {span.name: read(span).get(sc.INTERRUPT_ORIGIN, False) for span in recording.tasks} == {
        "invoke_node top": False,
        "invoke_node mid": False,
        "invoke_node deep": True,
    }
    assert all(read(span)[sc.INTERRUPTED] for span in recording.tasks)
    assert [read(run)[sc.OUTCOME] for run in recording.graph_runs] == ["interrupted"] * 3


def test_interrupt_of_an_independent_graph_is_its_own(recording: Recording) -> None:
    """A node that goes on after a graph of its own paused is not interrupted, and may be an origin itself."""
    inner = build_chain("inner_ask", saved=True, graph_name="inner", inner_ask=ask)

    def call(state: State) -> State:
        inner.invoke({}, {"configurable": {"thread_id": "inner"}})
        return ask(state)

    build_chain("call", saved=True, graph_name="outer", call=call).invoke({}, recording.config("t1"))
    origins = {span.name for span in recording.tasks if read(span).get(sc.INTERRUPT_ORIGIN)}
    assert origins == {"invoke_node call", "invoke_node inner_ask"}
    assert read(recording.get("invoke_workflow outer"))[sc.OUTCOME] == "interrupted"


def test_interrupt_in_a_tool_marks_tool_and_task(recording: Recording) -> None:
    """A tool that asks a person is interrupted, not failed; the task it ran in is the origin."""

    @tool
    def approve(question: str) -> str:
        """Ask a person."""
        return str(interrupt(question))

    builder = StateGraph(MessagesState)
    builder.add_node("tools", ToolNode([approve]))
    builder.add_edge(START, "tools")
    graph = builder.compile(checkpointer=InMemorySaver())
    call = {"name": "approve", "args": {"question": "ok?"}, "id": "call-1"}
    graph.invoke({"messages": [AIMessage("", tool_calls=[call])]}, recording.config("t1"))
    span = recording.get("execute_tool approve")
    assert not has_error(recording.spans)
    assert read(span)[sc.INTERRUPTED] is True
    assert sc.INTERRUPT_ORIGIN not in read(span)
    assert read(recording.get("invoke_node tools"))[sc.INTERRUPT_ORIGIN] is True


@pytest.mark.parametrize("answer", [Command(resume="y"), None], ids=["command", "none"])
def test_t13_resumed_run_links_to_the_one_before(recording: Recording, answer: Command[str] | None) -> None:
    """A resumed invocation says so, shares task and superstep, and links to the root it resumes."""
    graph = build_asking()
    graph.invoke({}, recording.config("t1"))
    graph.invoke(answer, recording.config("t1"))
    first, second = recording.roots
    assert read(first)[sc.RESUMED] is False
    assert read(second)[sc.RESUMED] is True
    assert read(second)[sc.INPUT_TYPE] == type(answer).__name__
    assert not first.links
    assert [link.context for link in second.links] == [first.get_span_context()]
    tasks = recording.list_named("invoke_node human")
    assert len({(read(span)[sc.STEP], read(span)[sc.TASK_ID]) for span in tasks}) == 1
    assert [read(span)[sc.ATTEMPT] for span in tasks] == [1, 1]


def test_new_input_on_a_thread_is_no_resume_and_has_no_link(recording: Recording) -> None:
    """A second input on the thread begins a run of its own."""
    graph = build_asking()
    graph.invoke({}, recording.config("t1"))
    graph.invoke({"nodes": []}, recording.config("t1"))
    second = recording.roots[1]
    assert read(second)[sc.RESUMED] is False
    assert not second.links


def test_other_threads_are_not_linked(recording: Recording) -> None:
    """A resumed run links to the earlier root of its own thread, whatever ran in between elsewhere."""
    graph = build_asking()
    graph.invoke({}, recording.config("t1"))
    graph.invoke({}, recording.config("t2"))
    graph.invoke(Command(resume="y"), recording.config("t1"))
    assert [link.context for link in recording.roots[2].links] == [recording.roots[0].get_span_context()]


def test_goto_on_a_finished_thread_resumes_and_on_an_empty_one_begins(recording: Recording) -> None:
    """A Command without an answer is a resume where its first superstep number is over 1."""
    graph = build_chain("a", "b", "c", saved=True)
    graph.invoke(Command(goto="b"), recording.config("empty"))
    graph.invoke({}, recording.config("t1"))
    graph.invoke(Command(goto="b"), recording.config("t1"))
    assert [read(root)[sc.RESUMED] for root in recording.roots] == [False, False, True]
    assert len(recording.roots[2].links) == 1


@needs("resumed subgraph runs say so")
def test_resumed_subgraph_run_says_so(recording: Recording) -> None:
    """LangGraph tells that a subgraph is resumed, and its span says so."""
    inner = new_chain("deep", deep=ask).compile(name="inner")
    graph = build_chain("top", saved=True, top=inner)
    graph.invoke({}, recording.config("t1"))
    graph.invoke(Command(resume="y"), recording.config("t1"))
    runs = recording.list_named("invoke_workflow inner")
    assert [read(run)[sc.RESUMED] for run in runs] == [False, True]
    assert not runs[1].links


@pytest.mark.parametrize("place", ["interrupt_before", "interrupt_after"])
def test_static_interrupt_is_an_interrupted_run(recording: Recording, place: str) -> None:
    """A static interrupt leaves no interrupted task; the run's outcome says it, or that it is not known."""
    compile_graph: Callable[..., Graph] = new_chain("a", "b").compile
    graph = compile_graph(checkpointer=InMemorySaver(), **{place: ["a"]})
    graph.invoke({}, recording.config("t1"))
    graph.invoke(None, recording.config("t1"))
    first, second = recording.roots
    assert read(first)[sc.OUTCOME] == ("interrupted" if HEARS_PAUSES else "ok")
    assert [sc.PAUSE_UNKNOWN in read(root) for root in (first, second)] == [not HEARS_PAUSES] * 2
    assert read_steps(first) == ([] if place == "interrupt_before" else [["a"]])
    assert read(second)[sc.OUTCOME] == "ok"
    assert not any(sc.INTERRUPTED in read(span) for span in recording.spans)


def test_t18_breaking_out_at_the_interrupt_leaves_an_interrupted_run(recording: Recording) -> None:
    """A caller that leaves the stream at `__interrupt__` closes the root, interrupted."""
    for chunk in build_asking().stream({}, recording.config("t1"), stream_mode="updates"):
        if "__interrupt__" in chunk:
            break
    (root,) = recording.roots
    assert read(root)[sc.OUTCOME] == "interrupted"
    assert not has_error(recording.spans)
    assert read_steps(root) == [["hello"], ["human"]]
    assert recording.is_empty()


def test_t18_async_twin(recording: Recording) -> None:
    """So does a caller of the async stream."""

    async def run() -> None:
        chunks = build_asking().astream({}, recording.config("t1"), stream_mode="updates")
        async for chunk in chunks:
            if "__interrupt__" in chunk:
                break
        await chunks.aclose()  # type: ignore[attr-defined]  # it is an async generator

    asyncio.run(run())
    assert [read(root)[sc.OUTCOME] for root in recording.roots] == ["interrupted"]
    assert recording.is_empty()


def test_parent_command_is_no_error(recording: Recording) -> None:
    """`Command(graph=PARENT)` out of a subgraph leaves node, subgraph run and calling node UNSET."""

    def leave(state: State) -> Command[str]:  # noqa: ARG001 - LangGraph passes it
        return Command(graph=Command.PARENT, goto="after", update={"nodes": ["leave"]})

    inner = new_chain("leave", leave=leave).compile(name="inner")
    builder = StateGraph(State)
    builder.add_node("sub", inner)
    builder.add_node("after", mark("after"))
    builder.add_edge(START, "sub")
    builder.compile(name="outer").invoke({}, recording.config())
    assert not has_error(recording.spans)
    assert read(recording.get("invoke_node leave"))[sc.OUTCOME] == "parent_command"
    assert read(recording.get("invoke_node sub"))[sc.OUTCOME] == "parent_command"
    assert read(recording.get("invoke_workflow inner"))[sc.OUTCOME] == "ok"
    root = recording.get("invoke_workflow outer")
    assert read(root)[sc.OUTCOME] == "ok"
    assert read_steps(root) == [["sub"], ["after"]]


def test_reused_run_id_is_a_run_of_its_own(recording: Recording) -> None:
    """A config that gives two runs the same run id gives two spans, the second linked to the first."""
    graph = build_asking()
    run_id = uuid.uuid4()
    graph.invoke({}, recording.config("t1", run_id=run_id))
    graph.invoke(Command(resume="y"), recording.config("t1", run_id=run_id))
    first, second = recording.roots
    assert get_id(first) != get_id(second)
    assert read(first)[sc.RUN_ID] == read(second)[sc.RUN_ID] == str(run_id)
    assert [link.context for link in second.links] == [first.get_span_context()]
