from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import InjectedToolCallId, ToolException, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command
from opentelemetry.trace import SpanKind, StatusCode

from otel_traj import semconv as sc
from otel_traj.record import samples
from otel_traj.record.tool_spans import find_failure, find_tool_call_id
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


OTHER = ToolMessage("planted", tool_call_id="call-0", status="error")


@pytest.mark.parametrize(
    ("status", "failure"),
    [("error", "tool_error"), ("success", None)],
)
def test_tool_that_answers_by_a_command(
    recording: Recording, status: Literal["error", "success"], failure: str | None
) -> None:
    """A tool that returns a `Command` failed if its answer in it says so."""

    @tool
    def move(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Move on."""
        mine = ToolMessage("planted", tool_call_id=tool_call_id, status=status)
        return Command(update={"messages": [mine]})

    builder = StateGraph(MessagesState)
    builder.add_node("tools", ToolNode([move]))
    builder.add_edge(START, "tools")
    calls = [{"name": "move", "args": {}, "id": "call-1"}]
    inputs: Any = {"messages": [AIMessage("", tool_calls=calls)]}
    builder.compile().invoke(inputs, recording.config())
    span = recording.get("execute_tool move")
    assert read(span).get(sc.ERROR_TYPE) == failure
    assert (span.status.status_code is StatusCode.ERROR) is (failure is not None)
    assert read(span)[sc.TOOL_CALL_ID] == "call-1"


def test_answers_to_other_calls_do_not_count() -> None:
    """Of the answers in a `Command` the one to the call itself says whether it failed."""
    both: Command[Any] = Command(update={"messages": [OTHER, ToolMessage("fine", tool_call_id="call-1")]})
    assert find_failure(both, "call-1") is None
    assert find_failure(both, "call-0") == "tool_error"


@pytest.mark.parametrize(
    ("output", "named", "failure"),
    [
        (OTHER, "call-0", "tool_error"),
        (Command(update={"messages": [OTHER]}), "call-0", "tool_error"),
        ([Command(update={"messages": [OTHER]}), "text"], "call-0", "tool_error"),
        ([OTHER], "call-0", "tool_error"),
        (Command(update={"last": OTHER, "count": 1}), "call-0", "tool_error"),
        (Command(update=[("messages", [OTHER])]), None, None),
        (Command(update={"messages": [OTHER, ToolMessage("", tool_call_id="call-1")]}), None, None),
        ({"status": "error", "tool_call_id": "call-0"}, None, None),
        (None, None, None),
    ],
)
def test_what_an_answer_says_of_its_call(output: object, named: str | None, failure: str | None) -> None:
    """The one call that is answered is found in messages, lists and commands; of several, none is guessed."""
    assert find_tool_call_id(output) == named
    assert find_failure(output, named) == failure


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
    assert read(span)["otel_traj.retrieval.document_count"] == 1
    assert "planted" not in span.to_json()


@pytest.mark.parametrize(("documents", "count"), [([], 0), ((1, 2), 2), (None, None), ("text", None)])
def test_retrieved_documents_are_counted(recording: Recording, documents: object, count: int | None) -> None:
    """A retrieval says how many documents came, zero included, and nothing where they can't be counted."""
    run_id = uuid.uuid4()
    recording.handler.on_retriever_start({}, "q", run_id=run_id)
    recording.handler.on_retriever_end(documents, run_id=run_id)
    (span,) = recording.list_operation(sc.RETRIEVAL)
    assert read(span).get(sc.DOCUMENT_COUNT) == count


def test_failed_retrieval_is_an_error(recording: Recording) -> None:
    """A retriever that raises is ERROR with its type."""
    with pytest.raises(LookupError):
        Library().invoke("", config=recording.config())
    (span,) = recording.list_operation(sc.RETRIEVAL)
    assert read(span)[sc.ERROR_TYPE] == "LookupError"
    assert sc.DOCUMENT_COUNT not in read(span)
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
