from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    HumanMessage,
    ToolMessage,
    convert_to_openai_messages,
    messages_to_dict,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import (
    TrajectoryCallbackHandler,
    TrajectoryTypeError,
    TrajectoryValueError,
    from_messages,
    graph_trajectory_match,
    read_runs,
    to_messages,
)
from otel_traj.match.levels import CalledTool
from otel_traj.record.samples import build_tool_agent
from tests.match.judging import make_run

if TYPE_CHECKING:
    from otel_traj.match import Outputs

CHAT = [
    HumanMessage("Weather and time in Oslo?"),
    AIMessage(
        "",
        tool_calls=[
            {"name": "weather", "args": {"city": "Oslo"}, "id": "1"},
            {"name": "clock", "args": {}, "id": "2"},
        ],
    ),
    ToolMessage("rain", tool_call_id="1"),
    ToolMessage("07:40", tool_call_id="2"),
    AIMessage("", tool_calls=[{"name": "weather", "args": {"city": "Rome"}, "id": "3"}]),
    ToolMessage("sun", tool_call_id="3"),
    AIMessage("Rain, 07:40, and sun in Rome."),
]
STEPS = [
    [{"tool": "weather", "args": {"city": "Oslo"}}, {"tool": "clock", "args": {}}],
    [{"tool": "weather", "args": {"city": "Rome"}}],
]


def call(name: str, **args: object) -> dict[str, object]:
    """Return a call in OpenAI's form."""
    return {
        "id": "1",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(args)},
    }


def test_messages_of_every_form_give_the_same_trajectory() -> None:
    """Objects, their dumps of three kinds, OpenAI's form and a mapping around them: one superstep per message."""
    openai: Any = convert_to_openai_messages(CHAT)
    forms: list[Any] = [
        CHAT,
        {"messages": CHAT},
        tuple(CHAT),
        messages_to_dict(CHAT),
        [message.model_dump() for message in CHAT],
        [dumpd(message) for message in CHAT],
        openai,
    ]
    for form in forms:
        assert from_messages(form) == {"inputs": None, "results": None, "steps": STEPS}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "tool_calls": [call("weather", city="Oslo")]},
        {"role": "assistant", "content": None, "function_call": call("weather", city="Oslo")["function"]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "hm"},
                {"type": "tool_use", "id": "1", "name": "weather", "input": {"city": "Oslo"}},
            ],
        },
        {
            "type": "ai",
            "content": [{"type": "tool_call", "id": "1", "name": "weather", "args": {"city": "Oslo"}}],
        },
        AIMessageChunk(content="", tool_calls=[{"name": "weather", "args": {"city": "Oslo"}, "id": "1"}]),
        SimpleNamespace(
            role="assistant",
            content=None,
            tool_calls=[
                SimpleNamespace(
                    id="1",
                    type="function",
                    function=SimpleNamespace(name="weather", arguments='{"city": "Oslo"}'),
                )
            ],
        ),
    ],
)
def test_a_call_is_found_wherever_it_stands(message: object) -> None:
    """Tool calls, the single call of old, blocks of the content, chunks, and objects of OpenAI's client."""
    assert from_messages([message])["steps"] == [[{"tool": "weather", "args": {"city": "Oslo"}}]]


@pytest.mark.parametrize(
    ("written", "entry"),
    [
        ({"name": "x", "arguments": ""}, {"tool": "x", "args": {}}),
        ({"name": "x", "arguments": '{"a": 1'}, {"tool": "x", "args": '{"a": 1'}),
        ({"name": "x", "arguments": "[1]"}, {"tool": "x", "args": "[1]"}),
        ({"name": "x", "args": {"a": 1}}, {"tool": "x", "args": {"a": 1}}),
        ({"name": "x"}, {"tool": "x"}),
    ],
)
def test_arguments_are_decoded_or_kept(written: dict[str, object], entry: dict[str, object]) -> None:
    """JSON objects are decoded, other text stays as it is, and what is not there is not known."""
    assert from_messages([{"role": "assistant", "tool_calls": [written]}])["steps"] == [[entry]]


def test_messages_without_calls_are_no_supersteps() -> None:
    """A chat in which nothing was called is one run without supersteps, whatever was said."""
    for chat in ([], [("user", "hi"), ("ai", "hello")], [{"role": "user", "content": "hi"}]):
        assert from_messages(chat)["steps"] == []
    one = graph_trajectory_match(
        outputs=from_messages([]), reference_outputs=from_messages(CHAT), trajectory_mode="flat_subset"
    )
    assert one["score"] is True


def test_arguments_are_compared_unless_left_out() -> None:
    """A chat as reference compares arguments exactly, by the option `args`, or with `with_args` off not at all."""
    rome = from_messages([{"role": "assistant", "tool_calls": [call("weather", city="Rome")]}])
    bare = [{"role": "assistant", "tool_calls": [call("weather")]}]
    judged = {
        "exact": graph_trajectory_match(outputs=rome, reference_outputs=from_messages(bare)),
        "superset": graph_trajectory_match(
            outputs=rome, reference_outputs=from_messages(bare), args="superset"
        ),
        "subset": graph_trajectory_match(outputs=rome, reference_outputs=from_messages(bare), args="subset"),
        "left out": graph_trajectory_match(
            outputs=rome, reference_outputs=from_messages(bare, with_args=False)
        ),
    }
    assert {name: result["score"] for name, result in judged.items()} == {
        "exact": False,
        "superset": True,
        "subset": False,
        "left out": True,
    }


def test_parallel_calls_are_not_calls_in_turn() -> None:
    """Two calls of one message do not match the same calls in two messages, but do where boundaries are ignored."""
    together = from_messages([{"role": "assistant", "tool_calls": [call("s"), call("s")]}])
    in_turn = from_messages([{"role": "assistant", "tool_calls": [call("s")]}] * 2)
    assert graph_trajectory_match(outputs=together, reference_outputs=in_turn)["score"] is False
    flat = graph_trajectory_match(
        outputs=together, reference_outputs=in_turn, trajectory_mode="flat_unordered"
    )
    assert flat["score"] is True


def test_a_recorded_run_and_its_messages_agree() -> None:
    """A run at level tools matches what its own chat shows, and turns into the same messages."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider, content=True)
    question = {"messages": [("user", "Oslo?")]}
    state = build_tool_agent().invoke(cast("Any", question), {"callbacks": [handler]})
    (run,) = read_runs(exporter)
    reference = from_messages(state)
    result = graph_trajectory_match(outputs=run, reference_outputs=reference, level="tools", args="exact")
    assert result["score"] is True
    (back,) = from_messages(to_messages(run))["steps"]
    assert sorted(back, key=lambda entry: entry["tool"]) == sorted(
        reference["steps"][0], key=lambda entry: entry["tool"]
    )


whole = st.integers(-(2**63), 2**63)  # what is larger is rendered as text
values = st.recursive(st.none() | st.booleans() | whole | st.text(), st.lists, max_leaves=4)
entries = st.fixed_dictionaries(
    {"tool": st.text("abc_", min_size=1), "args": st.dictionaries(st.text(), values, max_size=3)}
)


@given(st.lists(st.lists(entries, min_size=1, max_size=3), max_size=4))
def test_there_and_back_is_the_same(steps: list[list[dict[str, object]]]) -> None:
    """Calls written as messages and read again are the calls that were there, with their arguments."""
    assert from_messages(to_messages({"steps": steps}))["steps"] == steps


def test_messages_hold_calls_alone() -> None:
    """One assistant message per superstep with calls, ids counted, markers and empty supersteps left out."""
    tool = CalledTool("outer/node>search", tool="search", args='{"q": 1')
    assert to_messages({"steps": [["__start__"], [], [tool], ["__interrupt__"]]}) == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": '{"q": 1'}}
            ],
        }
    ]


@pytest.mark.parametrize(
    ("chat", "words"),
    [
        (None, "messages is None"),
        ("hi", "messages is 'hi' of type str"),
        ({"message": []}, "messages is {'message': []} of type dict"),
        (["hi"], "messages[0] is 'hi' of type str"),
        ([("user", "hi"), {"content": "x"}], "messages[1] is {'content': 'x'} of type dict"),
        ([{"role": "assistant", "tool_calls": 3}], "tool_calls of messages[0] is 3 of type int"),
        (
            [{"role": "assistant", "tool_calls": [{"id": "1"}]}],
            "tool_calls[0] of messages[0] is {'id': '1'} of type dict",
        ),
        (
            [{"role": "assistant", "tool_calls": [{"name": "x", "args": [1]}]}],
            "the arguments of tool_calls[0] of messages[0] are [1] of type list",
        ),
    ],
)
def test_what_is_no_chat_is_refused(chat: object, words: str) -> None:
    """The message says what was found and where, why it stops us, and what to pass."""
    with pytest.raises(TrajectoryTypeError, match=re.escape(words) + r".*: .*\. Pass "):
        from_messages(chat)


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        ([[["a"]], [["b"]]], "outputs: holds 2 runs: .* one run at a time"),
        ([], "outputs: holds 0 runs"),
        ([["search"]], r"the arguments of 'search' in steps\[0\] are not known: .* Record content"),
        (make_run([["a"]], problems=["orphan"], complete=False), r"not all known \(orphan\)"),
        (make_run([["a"]], problems=["spans_missing"]), r"not all known \(.*spans_missing"),
    ],
)
def test_what_messages_can_not_say_is_refused(outputs: Outputs, words: str) -> None:
    """Several runs, unknown arguments and incomplete runs are never written as if they were whole."""
    with pytest.raises(TrajectoryValueError, match=words):
        to_messages(outputs)


def test_arguments_that_json_lacks_are_rendered() -> None:
    """Bytes and whatever else a call was given in Python are written as everywhere, without an error."""
    (message,) = to_messages({"steps": [[{"tool": "x", "args": {"blob": b"a", "at": {1}}}]]})
    assert from_messages([message])["steps"] == [[{"tool": "x", "args": {"blob": "YQ==", "at": [1]}}]]
