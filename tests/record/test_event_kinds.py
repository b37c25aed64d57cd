"""The table of docs/by-hand.md, row by row: each kind of event is recorded, and found where the page says."""

from __future__ import annotations

import json
import logging
import re
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from langchain_core.callbacks import dispatch_custom_event
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, RetryPolicy, interrupt
from opentelemetry.trace import StatusCode

from otel_traj import RunEnd, read_runs
from otel_traj import semconv as sc
from otel_traj.record import samples
from otel_traj.record.scripted_chat import ScriptedChat
from tests.missing_api import needs
from tests.record.graphs import State, build_chain, new_chain
from tests.record.recording import Recording, get_id, read
from tests.record.test_feedback import Feedbacks

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

PAGE = (Path(__file__).parents[2] / "docs" / "by-hand.md").read_text("utf-8")
PROVED: list[str] = []


def proves(row: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Note that a test is the proof of a row."""

    def note(test: Callable[..., None]) -> Callable[..., None]:
        PROVED.append(row)
        return test

    return note


@pytest.fixture
def full() -> Recording:
    """A recording with content."""
    return Recording(content=True)


def ask_agent(recording: Recording) -> None:
    """Run the agent with tools."""
    question = HumanMessage("Weather and time?")
    samples.build_tool_agent().invoke({"messages": [question]}, recording.config())


@proves("a node runs")
def test_node(full: Recording) -> None:
    """A node is a span with its superstep and, as content, its state."""
    build_chain("a").invoke({"value": 7}, full.config())
    said = read(full.get("invoke_node a"))
    assert said[sc.STEP] == 1
    assert json.loads(said[sc.TASK_INPUTS])["value"] == 7


@proves("the state is updated")
def test_update(full: Recording) -> None:
    """The update of the state is the output of the node."""
    build_chain("a").invoke({"value": 7}, full.config())
    assert json.loads(read(full.get("invoke_node a"))[sc.TASK_OUTPUTS]) == {"nodes": ["a"]}


@proves("a plan is made")
@proves("memory is read or written")
def test_events_by_hand(full: Recording) -> None:
    """A custom event stands on the span it happened in, its data beside its name; a span of one's own below it."""

    def act(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        dispatch_custom_event("plan_made", {"queries": ["rain"]})
        with full.tracer.start_as_current_span("memory put"):
            return {"nodes": ["act"]}

    build_chain("act", act=act).invoke({}, full.config())
    (event,) = full.get("invoke_node act").events
    assert (event.name, dict(event.attributes or {})) == (
        "plan_made",
        {sc.EVENT_DATA: '{"queries":["rain"]}'},
    )
    assert full.name_parent("memory put") == "invoke_node act"


def test_event_stands_on_the_node_or_the_tool(recording: Recording) -> None:
    """An event of a tool stands on the tool; one of a chain or a model inside a node, which is no span, on the node."""

    @tool
    def act_as_tool(city: str) -> str:
        """Say so."""
        dispatch_custom_event("in_tool", city)
        return city

    def tell(number: int) -> None:
        dispatch_custom_event("in_chain", number)

    class TellingChat(ScriptedChat):
        def _generate(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - LangChain's own
            dispatch_custom_event("in_model", 1)
            return super()._generate(*args, **kwargs)

    def act(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        act_as_tool.invoke({"city": "Oslo"})
        TellingChat(turns=[AIMessage("hi")]).invoke("hi")
        RunnableLambda(tell).invoke(1)
        return {"nodes": ["act"]}

    build_chain("act", act=act).invoke({}, recording.config())
    events = {span.name: [event.name for event in span.events] for span in recording.spans}
    assert events == {
        "invoke_workflow chain": [],
        "invoke_node act": ["in_model", "in_chain"],
        "execute_tool act_as_tool": ["in_tool"],
        "chat scripted-1": [],
    }
    with pytest.raises(RuntimeError, match="parent run id"):
        dispatch_custom_event("nowhere", 1)


@proves("a model is called")
@proves("a model chooses tools")
@proves("a tool is called")
def test_models_and_tools(full: Recording) -> None:
    """A model call says what it chose and used, a tool call which choice it answers."""
    ask_agent(full)
    chooser, answerer = full.list_operation(sc.CHAT)
    said = read(chooser)
    assert set(said[sc.MODEL_TOOL_CALLS]) == {"get_weather", "get_local_time"}
    assert read(answerer)[sc.MODEL_TOOL_CALL_COUNT] == 0
    assert sc.INPUT_MESSAGES in said
    tools = full.list_operation(sc.EXECUTE_TOOL)
    assert {read(span)[sc.TOOL_CALL_ID] for span in tools} == set(said[sc.MODEL_TOOL_CALL_IDS])
    assert all({sc.TOOL_CALL_ARGUMENTS, sc.TOOL_CALL_RESULT} <= read(span).keys() for span in tools)


@tool
def refuse(city: str) -> str:
    """Fail for every city."""
    raise LookupError(city)


def build_refused(**options: Any) -> Any:  # noqa: ANN401 - ToolNode's own options, LangGraph's own graph type
    """Return a graph whose tool fails."""
    calls = [{"name": "refuse", "args": {"city": "Oslo"}, "id": "call-1"}]
    builder = StateGraph(MessagesState)
    builder.add_node("tools", ToolNode([refuse], **options))
    builder.add_edge(START, "tools")
    return builder.compile(), {"messages": [AIMessage("", tool_calls=calls)]}


@proves("a tool fails")
def test_tool_that_fails(full: Recording) -> None:
    """The type of the exception is the error's, or `tool_error` where the tool's answer says that it failed."""
    graph, state = build_refused(handle_tool_errors=False)
    with pytest.raises(LookupError):
        graph.invoke(state, full.config())
    span = full.get("execute_tool refuse")
    assert span.status.status_code is StatusCode.ERROR
    assert read(span)[sc.ERROR_TYPE] == "LookupError"
    assert [dict(event.attributes or {})[sc.EXCEPTION_MESSAGE] for event in span.events] == ["Oslo"]

    @tool
    def answer(city: str) -> Any:  # noqa: ANN401 - a tool may answer with a message
        """Answer that it failed."""
        return ToolMessage(city, tool_call_id="call-2", status="error")

    answering = Recording()
    answer.invoke(
        {"name": "answer", "args": {"city": "Oslo"}, "id": "call-2", "type": "tool_call"}, answering.config()
    )
    assert read(answering.get("execute_tool answer"))[sc.ERROR_TYPE] == "tool_error"


@proves("a tool is tried again")
@needs("agent spans")
def test_tool_that_is_tried_again(recording: Recording) -> None:
    """Each try of a tool by the agent's middleware is a span, all with the id of the one call."""
    create_agent = import_module("langchain.agents").create_agent
    middleware = import_module("langchain.agents.middleware").ToolRetryMiddleware
    calls = [{"name": "refuse", "args": {"city": "Oslo"}, "id": "call-1"}]
    model = ScriptedChat(turns=[AIMessage("", tool_calls=calls), AIMessage("none")])
    retry = middleware(max_retries=2, initial_delay=0.0, on_failure="continue")
    agent = create_agent(model, [refuse], middleware=[retry])
    agent.invoke({"messages": [("user", "weather?")]}, recording.config())
    tries = recording.list_named("execute_tool refuse")
    assert [read(span)[sc.TOOL_CALL_ID] for span in tries] == ["call-1"] * 3
    assert {read(span)[sc.ERROR_TYPE] for span in tries} == {"LookupError"}


@proves("a node is tried again")
def test_node_that_is_tried_again(recording: Recording) -> None:
    """Each try of a node is a span with its number."""
    left = [ValueError(), ValueError()]

    def act(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        if left:
            raise left.pop()
        return {"nodes": ["act"]}

    builder = StateGraph(State)
    retry = RetryPolicy(max_attempts=3, initial_interval=0.01, retry_on=ValueError)
    builder.add_node("act", act, retry_policy=retry)
    builder.add_edge(START, "act")
    builder.compile().invoke({}, recording.config())
    assert [read(span)[sc.ATTEMPT] for span in recording.list_named("invoke_node act")] == [1, 2, 3]


@proves("a person is asked")
@proves("a person answers")
def test_question_and_answer(full: Recording) -> None:
    """Question and answer are content of the two calls, which are one run on reading."""

    def ask(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        return {"nodes": [interrupt("how many?")]}

    graph = new_chain("ask", ask=ask).compile(checkpointer=InMemorySaver())
    graph.invoke({}, full.config("t-1"))
    graph.invoke(Command(resume="three"), full.config("t-1"))
    asked, answered = full.roots
    task, _ = full.list_named("invoke_node ask")
    assert (read(asked)[sc.OUTCOME], read(task)[sc.INTERRUPTED]) == ("interrupted", True)
    assert "how many?" in read(task)[sc.TASK_OUTPUTS]
    assert (read(answered)[sc.RESUMED], json.loads(read(answered)[sc.INPUTS])["resume"]) == (True, "three")
    (run,) = read_runs(full.exporter)
    assert run.steps == [["__start__"], ["ask"], ["__interrupt__"]]


class BudgetExceededError(Exception):
    """What a program raises that has spent enough."""


@proves("a node fails")
@proves("a loop is detected, a budget exceeded")
def test_node_that_fails(full: Recording) -> None:
    """The type of an exception, one's own too, is the error of node and run; its message is content."""

    def act(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        dispatch_custom_event("budget_low", 1)
        raise BudgetExceededError("7 of 5 calls")

    with pytest.raises(BudgetExceededError):
        build_chain("act", act=act).invoke({}, full.config())
    for span in (full.get("invoke_node act"), full.roots[0]):
        assert span.status.status_code is StatusCode.ERROR
        assert read(span)[sc.ERROR_TYPE].endswith("BudgetExceededError")
        (exception,) = [event for event in span.events if event.name == sc.EXCEPTION_EVENT]
        assert dict(exception.attributes or {})[sc.EXCEPTION_MESSAGE] == "7 of 5 calls"
    assert read(full.roots[0])[sc.OUTCOME] == "error"
    assert "budget_low" in [event.name for event in full.get("invoke_node act").events]


@proves("the most supersteps are reached")
def test_most_supersteps(recording: Recording) -> None:
    """A run that LangGraph ends for its length has that as its error."""
    builder = new_chain("again")
    builder.add_edge("again", "again")
    with pytest.raises(GraphRecursionError):
        builder.compile().invoke({}, recording.config(recursion_limit=4))
    assert read(recording.roots[0])[sc.ERROR_TYPE] == "GraphRecursionError"
    (run,) = read_runs(recording.exporter)
    assert run.steps == [["__start__"], ["again"], ["again"], ["again"], ["again"]]


@proves("a run is cancelled")
def test_cancelled(recording: Recording) -> None:
    """A stream that is left is a cancelled run, and no error."""
    stream = build_chain("a", "b").stream({}, recording.config())
    with closing(cast("Generator[Any]", stream)):
        next(stream)
    assert read(recording.roots[0])[sc.OUTCOME] == "cancelled"
    assert recording.roots[0].status.status_code is StatusCode.UNSET


@proves("a log line is written")
@needs("instrumented servers and clients")
def test_log_line(recording: Recording, caplog: pytest.LogCaptureFixture) -> None:
    """A line that a node logs has the ids of the node's span, by the logging instrumentation."""
    instrumentor = import_module("opentelemetry.instrumentation.logging").LoggingInstrumentor()

    def act(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        logging.getLogger("shop").warning("low on stock")
        return {"nodes": ["act"]}

    instrumentor.instrument(
        tracer_provider=recording.provider, inject_trace_context=True, enable_log_auto_instrumentation=False
    )
    try:
        build_chain("act", act=act).invoke({}, recording.config())
    finally:
        instrumentor.uninstrument()
    (line,) = [vars(record) for record in caplog.records if record.name == "shop"]
    assert line["otelSpanID"] == f"{get_id(recording.get('invoke_node act')):016x}"


@proves("a run ends")
@proves("a person judges a run")
def test_end_and_judgement() -> None:
    """The end of a run gives the ids by which a judgement stands under its span."""
    ends: list[RunEnd] = []
    recording = Recording(content=True, on_run_end=ends.append)
    build_chain("a").invoke({}, recording.config())
    (end,) = ends
    assert end.span_id == f"{get_id(recording.roots[0]):016x}"
    assert json.loads(read(recording.roots[0])[sc.RESULTS]) == {"nodes": ["a"]}
    feedbacks = Feedbacks()
    assert feedbacks.give(end, True, "thanks")
    assert feedbacks.records[0].span_id == get_id(recording.roots[0])
    assert feedbacks.read_one()[sc.EVALUATION_EXPLANATION] == "thanks"


def test_every_row_is_proved() -> None:
    """The page's table has no row that no test here is about, and none is missing."""
    table = PAGE.partition("|---|")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| ([^`|]+?) \|", table, re.MULTILINE)) == sorted(PROVED)
