"""What people said and computed: nowhere unless asked for, whole where it is."""

from __future__ import annotations

import datetime as dt
import json
import threading
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import dispatch_custom_event
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

from otel_traj import semconv as sc
from otel_traj.record import samples
from tests.record.graphs import State, build_chain
from tests.record.leaks import PLANTED, record_secrets
from tests.record.recording import Recording, read

if TYPE_CHECKING:
    import pytest


def test_without_content_no_secret_is_anywhere_in_the_exported_bytes(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """Inputs, outputs, prompts, arguments, results, events, exceptions and reprs leave no trace by default."""
    record_secrets(recording)
    assert {read(span).get(sc.OPERATION_NAME) for span in recording.spans} == {
        "invoke_workflow",
        "invoke_node",
        "chat",
        "text_completion",
        "execute_tool",
        "retrieval",
    }
    assert PLANTED.encode() not in encode_spans(recording.spans).SerializeToString()
    assert PLANTED not in "".join(span.to_json() for span in recording.spans)
    assert PLANTED not in caplog.text


def test_content_false_is_the_same_as_none() -> None:
    """`content=False` records none either."""
    recording = Recording(content=False)
    record_secrets(recording)
    assert PLANTED.encode() not in encode_spans(recording.spans).SerializeToString()


def test_inner_spans_hold_no_content_either() -> None:
    """Nor do the spans of `inner=True`."""
    recording = Recording(inner=True)
    record_secrets(recording)
    assert PLANTED.encode() not in encode_spans(recording.spans).SerializeToString()


def test_with_content_everything_is_there() -> None:
    """`content=True` records inputs, results, messages, arguments, events and exceptions, each in its place."""
    recording = Recording(content=True)
    record_secrets(recording)
    first, second = recording.roots
    assert json.loads(read(first)[sc.INPUTS]) == {"value": PLANTED}
    assert json.loads(read(first)[sc.RESULTS])["nodes"] == [PLANTED]
    assert sc.RESULTS not in read(second)
    leaked, asked, again, failed = recording.tasks
    assert json.loads(read(leaked)[sc.TASK_INPUTS])["value"] == PLANTED
    assert json.loads(read(leaked)[sc.TASK_OUTPUTS]) == {"nodes": [PLANTED], "value": {PLANTED: PLANTED}}
    (event,) = leaked.events
    assert (event.name, json.loads(str((event.attributes or {})[sc.EVENT_DATA]))) == (
        "progress",
        {"note": PLANTED},
    )
    chat = read(recording.list_operation("chat")[0])
    assert json.loads(chat[sc.INPUT_MESSAGES])[0]["parts"][0]["content"] == PLANTED
    assert json.loads(chat[sc.OUTPUT_MESSAGES])[0]["parts"][1]["arguments"] == {"name": PLANTED}
    assert json.loads(chat[sc.OUTPUT_MESSAGES])[0]["finish_reason"] == "tool_calls"
    assert json.loads(chat[sc.TOOL_DEFINITIONS])[0]["function"]["name"] == "look_up"
    completion = read(recording.list_operation("text_completion")[0])
    assert json.loads(completion[sc.INPUT_MESSAGES])[0]["parts"][0]["content"] == PLANTED
    assert json.loads(completion[sc.OUTPUT_MESSAGES])[0]["parts"][0]["content"] == PLANTED
    called = read(recording.list_operation("execute_tool")[0])
    assert json.loads(called[sc.TOOL_CALL_ARGUMENTS]) == {"name": PLANTED}
    assert json.loads(called[sc.TOOL_CALL_RESULT]) == f"{PLANTED} {PLANTED}"
    found = read(recording.list_operation("retrieval")[0])
    assert json.loads(found[sc.RETRIEVAL_QUERY_TEXT]) == PLANTED
    assert PLANTED in found[sc.RETRIEVAL_DOCUMENTS]
    assert sc.TASK_OUTPUTS in read(asked)
    assert json.loads(read(again)[sc.TASK_OUTPUTS]) == {"value": PLANTED}
    assert failed.status.description == PLANTED
    (raised,) = failed.events
    shown = dict(raised.attributes or {})
    assert shown[sc.EXCEPTION_MESSAGE] == PLANTED
    assert "ExceptionGroup" in str(shown[sc.EXCEPTION_STACKTRACE])
    assert 'complain(state, "pl4nted")' in str(shown[sc.EXCEPTION_STACKTRACE])


def test_t17_answer_and_question_of_an_interrupt() -> None:
    """The resumed invocation's input holds the answer, the interrupted task's output the question."""
    recording = Recording(content=True)
    graph = samples.build_approval(InMemorySaver())
    graph.invoke({"topic": "rain"}, recording.config("t1"))
    graph.invoke(Command(resume=True), recording.config("t1"))
    first, second = recording.list_named("invoke_node ask")
    (question,) = json.loads(read(first)[sc.TASK_OUTPUTS])["__interrupt__"]
    assert question["value"]["question"] == "Send this mail?"
    assert json.loads(read(recording.roots[1])[sc.INPUTS])["resume"] is True
    assert sc.TASK_OUTPUTS in read(second)


def test_event_name_is_no_content(recording: Recording) -> None:
    """A custom event stands on the span it happened in by its name; its data are content."""

    def tell(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        dispatch_custom_event("progress", {"note": PLANTED})
        return {"nodes": ["tell"]}

    build_chain("tell", tell=tell).invoke({}, recording.config())
    (event,) = recording.get("invoke_node tell").events
    assert event.name == "progress"
    assert not event.attributes


def test_t41_t81_values_of_any_kind_end_their_spans() -> None:
    """Dates, locks, sets and recursive dicts in the state are rendered without an exception or a copy."""
    recording = Recording(content=True)
    recursive: dict[str, Any] = {}
    recursive["self"] = recursive
    value = {"day": dt.date(2025, 1, 1), "lock": threading.Lock(), "set": {2, 1}, "again": recursive}
    build_chain("a", a=lambda _: {"value": value}).invoke({}, recording.config())
    shown = json.loads(read(recording.get("invoke_node a"))[sc.TASK_OUTPUTS])["value"]
    assert shown["day"] == "2025-01-01"
    assert shown["lock"] == "<_thread.lock>"
    assert shown["set"] == [1, 2]
    assert recording.is_empty()
