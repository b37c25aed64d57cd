from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import ToolException, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from opentelemetry.trace import SpanKind, StatusCode

from otel_traj import semconv as sc
from otel_traj.record import samples
from tests.record.graphs import State, build_chain
from tests.record.recording import Recording, read, read_steps

if TYPE_CHECKING:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun


@tool
def weather(city: str) -> str:
    """Tell the weather."""
    if city == "Atlantis":
        raise ToolException("planted: no such city")
    return f"sunny in {city}"


def run_tools(recording: Recording, *cities: str, mode: str = "sync") -> None:
    """Run a ToolNode over calls of `weather`."""
    builder = StateGraph(MessagesState)
    builder.add_node("tools", ToolNode([weather], handle_tool_errors=True))
    builder.add_edge(START, "tools")
    calls = [{"name": "weather", "args": {"city": city}, "id": f"call-{city}"} for city in cities]
    inputs: Any = {"messages": [AIMessage("", tool_calls=calls)]}
    if mode == "sync":
        builder.compile().invoke(inputs, recording.config("t1"))
    else:
        asyncio.run(builder.compile().ainvoke(inputs, recording.config("t1")))


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_tool_span(recording: Recording, mode: str) -> None:
    """A tool span says name, call id and type, and where it ran; no arguments, result or description."""
    run_tools(recording, "Rome", mode=mode)
    span = recording.get("execute_tool weather")
    task = read(recording.get("invoke_node tools"))
    assert span.kind is SpanKind.INTERNAL
    place = (sc.STEP, sc.NODE, sc.TASK_ID, sc.RUN_ID, sc.THREAD_ID)
    assert read(span) == {key: task[key] for key in place} | {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "weather",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call-Rome",
    }
    assert span.status.status_code is StatusCode.UNSET


def test_tool_that_raises_is_an_error(recording: Recording) -> None:
    """A tool whose exception ToolNode turned into an answer is ERROR, its node is not."""
    run_tools(recording, "Rome", "Atlantis")
    spans = {read(span).get(sc.ERROR_TYPE): span for span in recording.list_named("execute_tool weather")}
    assert spans[None].status.status_code is StatusCode.UNSET
    assert read(spans[None])[sc.TOOL_CALL_ID] == "call-Rome"
    failed = spans["ToolException"]
    assert failed.status.status_code is StatusCode.ERROR
    # Before langchain-core 1.1 a tool that raises never tells its call's id.
    assert read(failed).get(sc.TOOL_CALL_ID, "call-Atlantis") == "call-Atlantis"
    assert "planted" not in failed.to_json()
    assert recording.get("invoke_node tools").status.status_code is StatusCode.UNSET


def test_tool_that_answers_with_an_error_is_an_error(recording: Recording) -> None:
    """A tool that handles its own exception ends as if all were well; the status of its answer counts."""
    handled = weather.model_copy(update={"handle_tool_error": True})
    call = {"name": "weather", "args": {"city": "Atlantis"}, "id": "call-1", "type": "tool_call"}
    handled.invoke(call, config=recording.config())
    span = recording.get("execute_tool weather")
    assert span.status.status_code is StatusCode.ERROR
    assert read(span)[sc.ERROR_TYPE] == "tool_error"
    assert read(span)[sc.TOOL_CALL_ID] == "call-1"


def test_tool_called_directly_has_no_call_id(recording: Recording) -> None:
    """A tool that no model chose has a span without a call id."""
    weather.invoke({"city": "Rome"}, config=recording.config())
    assert sc.TOOL_CALL_ID not in read(recording.get("execute_tool weather"))


class Library(BaseRetriever):
    """A retriever that always finds the same."""

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - LangChain's
    ) -> list[Document]:
        if not query:
            raise LookupError("planted")
        return [Document("planted page")]


def test_retriever_span(recording: Recording) -> None:
    """A retrieval is a CLIENT span that says where it ran."""
    library = Library()

    def look(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        library.invoke("planted query")
        return {"nodes": ["look"]}

    build_chain("look", look=look).invoke({}, recording.config("t1"))
    (span,) = recording.list_operation(sc.RETRIEVAL)
    assert span.name == "retrieval library"
    assert span.kind is SpanKind.CLIENT
    assert read(span)[sc.NODE] == "look"
    assert "planted" not in span.to_json()


def test_failed_retrieval_is_an_error(recording: Recording) -> None:
    """A retriever that raises is ERROR with its type."""
    with pytest.raises(LookupError):
        Library().invoke("", config=recording.config())
    (span,) = recording.list_operation(sc.RETRIEVAL)
    assert read(span)[sc.ERROR_TYPE] == "LookupError"
    assert recording.is_empty()


def test_agent_with_two_parallel_tools(recording: Recording) -> None:
    """An agent's loop is listed by superstep; each span below says in which it ran; all are counted."""
    samples.build_tool_agent().invoke({"messages": [HumanMessage("rain?")]}, recording.config("t1"))
    (root,) = recording.roots
    assert read_steps(root) == [["model"], ["tools"], ["model"]]
    below = [(span.name.split()[0], read(span)[sc.STEP]) for span in recording.spans if span is not root]
    assert sorted(below) == [
        ("chat", 1),
        ("chat", 3),
        ("execute_tool", 2),
        ("execute_tool", 2),
        ("invoke_node", 1),
        ("invoke_node", 2),
        ("invoke_node", 3),
    ]
    assert read(root)[sc.SPAN_COUNT] == 7
