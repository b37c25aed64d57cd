from __future__ import annotations

import json
import logging
import threading
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanLimits

from otel_traj import ContentPolicy, read_runs
from otel_traj import semconv as sc
from otel_traj.record.content_policy import CONTENT_KINDS, ContentKind
from otel_traj.record.content_writer import ContentWriter
from otel_traj.record.counters import Counters
from otel_traj.rendering import CUT_MARK
from tests.record.graphs import State, build_chain
from tests.record.leaks import PLANTED, record_everything
from tests.record.recording import Recording, read, read_steps

if TYPE_CHECKING:
    from otel_traj.rendering import JsonValue

KEYS_OF: dict[ContentKind, set[str]] = {
    "events": {sc.EVENT_DATA},
    "exceptions": {sc.EXCEPTION_MESSAGE, sc.EXCEPTION_STACKTRACE, "description"},
    "inputs": {sc.INPUTS},
    "messages": {sc.INPUT_MESSAGES, sc.OUTPUT_MESSAGES},
    "outputs": {sc.RESULTS},
    "retriever_documents": {sc.RETRIEVAL_DOCUMENTS},
    "retriever_queries": {sc.RETRIEVAL_QUERY_TEXT},
    "state": {sc.TASK_INPUTS, sc.TASK_OUTPUTS},
    "tool_arguments": {sc.TOOL_CALL_ARGUMENTS},
    "tool_definitions": {sc.TOOL_DEFINITIONS, sc.TOOL_DESCRIPTION},
    "tool_results": {sc.TOOL_CALL_RESULT},
}


def make_writer(**choices: Any) -> tuple[ContentWriter, Counters]:  # noqa: ANN401 - the policy's own
    """Return a writer and what it counts."""
    counters = Counters()
    return ContentWriter(ContentPolicy(**choices), counters), counters


def list_leaking_keys(recording: Recording) -> set[str]:
    """Return the keys of the attributes, of spans and their events, that hold the secret."""
    shown = [read(span) for span in recording.spans]
    shown += [dict(event.attributes or {}) for span in recording.spans for event in span.events]
    shown += [{"description": span.status.description} for span in recording.spans]
    return {key for attributes in shown for key, value in attributes.items() if PLANTED in str(value)}


@pytest.mark.parametrize("kind", CONTENT_KINDS)
def test_each_kind_is_recorded_alone(kind: ContentKind) -> None:
    """A policy of one kind writes that kind's attributes and no other content."""
    recording = Recording(content=ContentPolicy(kinds=[kind], max_bytes=None))
    record_everything(recording, "invoke")
    assert list_leaking_keys(recording) == KEYS_OF[kind]


def test_all_kinds_are_all_content_there_is() -> None:
    """With every kind the secret stands in the attributes of the table above and nowhere else."""
    recording = Recording(content=ContentPolicy(max_bytes=None))
    record_everything(recording, "invoke")
    assert list_leaking_keys(recording) == set().union(*KEYS_OF.values())


def test_redaction_is_given_each_kind_and_has_the_last_word() -> None:
    """It sees masked JSON data and texts, changes them in place or anew, and None leaves a value out."""
    seen: dict[ContentKind, list[JsonValue]] = {}

    def redact(kind: ContentKind, value: JsonValue) -> JsonValue:
        seen.setdefault(kind, []).append(value)
        return None if kind == "state" else "redacted"

    policy = ContentPolicy(redact=redact, mask_patterns=[PLANTED])
    recording = Recording(content=policy)
    record_everything(recording, "invoke")
    assert set(seen) == set(CONTENT_KINDS)
    assert PLANTED not in repr(seen)
    assert seen["tool_arguments"][0] == {"name": "[masked]"}
    assert all(isinstance(value, str) for value in seen["exceptions"])
    assert list_leaking_keys(recording) == set()
    assert not any(sc.TASK_INPUTS in read(span) or sc.TASK_OUTPUTS in read(span) for span in recording.spans)
    (tool, *_) = recording.list_named("execute_tool look_up")
    assert read(tool)[sc.TOOL_CALL_RESULT] == '"redacted"'
    assert read(tool)[sc.TOOL_DESCRIPTION] == "redacted"
    assert recording.get("invoke_node fail").status.description == "redacted"
    assert recording.handler.counters == dict.fromkeys(recording.handler.counters, 0)


class Answer(dict[str, str]):
    """A dict that may show anything when it is asked."""


def give_up(kind: ContentKind, value: JsonValue) -> NoReturn:
    """Fail, with the secret in the message."""
    raise ValueError(kind, value)


def make_loop(kind: ContentKind, value: JsonValue) -> JsonValue:  # noqa: ARG001 - what redactions are given
    """Return a list inside itself."""
    loop: list[JsonValue] = []
    loop.append(loop)
    return loop


@pytest.mark.parametrize(
    "redact",
    [
        give_up,
        make_loop,
        lambda _, __: object(),
        lambda _, value: [{"a": (value,)}],
        lambda _, __: {1: "a"},
        lambda _, __: Answer(),
        lambda _: None,
    ],
)
def test_redaction_that_fails_drops_the_value(redact: Any, caplog: pytest.LogCaptureFixture) -> None:  # noqa: ANN401
    """What raises or returns no JSON data costs the values, counted, and one line of log without them, nothing else."""
    recording = Recording(content=ContentPolicy(redact=redact))
    with caplog.at_level(logging.WARNING, "otel_traj"):
        record_everything(recording, "invoke")
    counters = recording.handler.counters
    assert counters.pop("content_dropped") > 20
    assert counters == dict.fromkeys(counters, 0)
    assert list_leaking_keys(recording) == set()
    assert len([each for each in caplog.records if each.name == "otel_traj"]) == 1
    assert PLANTED not in caplog.text
    assert read_steps(recording.roots[0]) == [["leak"], ["leak_keys"], ["spread"], ["worker", "ask"]]
    assert sc.EXCEPTION_STACKTRACE in dict(recording.get("invoke_node fail").events[0].attributes or {})


def test_text_that_is_redacted_to_no_text_is_dropped() -> None:
    """An exception's message, redacted to a number, is left out and counted."""
    writer, counters = make_writer(redact=lambda _, __: 5)
    assert writer.write_text("exceptions", "oops") is None
    assert writer.write("state", "oops") == "5"
    assert counters.read()["content_dropped"] == 1


@pytest.mark.parametrize("kind", ["state", "exceptions"])
def test_redaction_comes_after_the_masks_and_before_the_cap(kind: ContentKind) -> None:
    """It is given the whole masked value, and what it returns is cut."""
    given: list[JsonValue] = []

    def redact(_: ContentKind, value: JsonValue) -> JsonValue:
        given.append(value)
        return "äö" * 500

    writer, _ = make_writer(mask_patterns=["secret"], max_bytes=100, redact=redact)
    write = writer.write_text if kind == "exceptions" else writer.write
    text = write(kind, "secret" + "x" * 10_000)
    assert given == ["[masked]" + "x" * 10_000]
    assert text is not None
    assert CUT_MARK in text
    assert len(text.encode()) <= 100


def test_values_are_cut_to_8_kib_by_default() -> None:
    """A state of megabytes with its secret in the middle costs 8,192 bytes an attribute, on every span."""
    recording = Recording(content=True)
    value = {"head": "h" * 50, "big": ["ü" * 90_000] * 20, "tail": "t" * 50}
    build_chain("a", "b", a=lambda _: {"value": value}).invoke({}, recording.config())
    sizes = [
        len(text.encode())
        for span in recording.spans
        for key, text in read(span).items()
        if key in (sc.TASK_INPUTS, sc.TASK_OUTPUTS, sc.RESULTS)
    ]
    assert max(sizes) <= 8_192
    cut = read(recording.get("invoke_node a"))[sc.TASK_OUTPUTS]
    assert cut.startswith('{"value":{"head":"hhh')
    assert cut.endswith('tt"}}')
    assert " bytes]" in cut


def test_slow_pattern_is_counted_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """Its values are hidden, the agent goes on."""
    recording = Recording(content=ContentPolicy(mask_patterns=["(a|aa)+$"], kinds=["state"]))
    value = "a" * 60 + "b"
    with caplog.at_level(logging.WARNING, "otel_traj"):
        build_chain("a").invoke({"value": value}, recording.config())
    assert json.loads(read(recording.get("invoke_node a"))[sc.TASK_INPUTS])["value"] == "[masked]"
    assert recording.handler.counters["mask_timeouts"] == 1
    assert ["took too long" in each.getMessage() for each in caplog.records if each.name == "otel_traj"] == [
        True
    ]


def test_names_that_tie_calls_together_are_not_masked() -> None:
    """Roles, types, tool names and call ids of messages stay, whatever is masked; what was said does not."""

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        from tests.record.leaks import leak

        return leak({})

    recording = Recording(content=ContentPolicy(mask_keys=["*"], mask_patterns=[".+"], mask="#"))
    build_chain("call", call=call).invoke({}, recording.config())
    chat = read(recording.list_operation("chat")[0])
    (message,) = json.loads(chat[sc.OUTPUT_MESSAGES])
    assert message == {
        "role": "assistant",
        "parts": [
            {"type": "text", "content": "#"},
            {"type": "tool_call", "id": "call-1", "name": "look_up", "arguments": {"#": "#"}},
        ],
        "finish_reason": "tool_calls",
    }
    assert chat[sc.MODEL_TOOL_CALLS] == ("look_up",)
    assert read_steps(recording.roots[0]) == [["call"]]


def test_redaction_runs_outside_of_the_recorders_locks() -> None:
    """It may wait for another thread that is being recorded, for the input of a subgraph too."""
    free: list[bool] = []

    def redact(kind: ContentKind, value: JsonValue) -> JsonValue:  # noqa: ARG001 - what redactions are given
        lock = recording.handler._table.lock

        def take() -> None:
            free.append(lock.acquire(timeout=5))
            lock.release()

        other = threading.Thread(target=take)
        other.start()
        other.join()
        return value

    recording = Recording(content=ContentPolicy(redact=redact))
    build_chain("a", "inner", inner=build_chain("b", graph_name="below")).invoke(
        {"value": 1}, recording.config()
    )
    assert [sc.INPUTS in read(span) for span in recording.graph_runs] == [True, True]
    assert len(free) == 10
    assert all(free)


@pytest.mark.parametrize("choices", [{}, {"max_bytes": 64}, {"mask_keys": ["*"], "mask_patterns": [".+"]}])
@pytest.mark.parametrize("limit", [128, 40])
def test_keys_survive_content_and_the_limit_of_attributes(
    limit: int, choices: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user who writes more attributes than the SDK keeps loses some of his own; the run is whole and verified."""

    def write(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        for number in range(3 * limit):
            trace.get_current_span().set_attribute(f"mine.{number}", "x" * 100)
        return {"nodes": ["write"], "value": "x" * 10_000}

    monkeypatch.setattr(logging.getLogger("opentelemetry.attributes"), "disabled", True)
    recording = Recording(content=ContentPolicy(**choices), limits=SpanLimits(max_span_attributes=limit))
    build_chain("write", "b", write=write).invoke({"value": "x" * 10_000}, recording.config("t1"))
    (run,) = read_runs(recording.spans)
    assert (run.steps, run.verified, run.status) == ([["__start__"], ["write"], ["b"]], True, "ok")
    assert {problem.code for problem in run.problems} <= {"content_cut"}
    assert ("content_cut" in {problem.code for problem in run.problems}) == ("mask_keys" not in choices)
    assert getattr(recording.get("invoke_node write"), "dropped_attributes", 0) > 0
