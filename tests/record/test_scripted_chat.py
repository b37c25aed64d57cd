"""The scripted model behaves as a provider's model does, in every way LangChain can call it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import add

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolCall, ToolMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.tools import tool

from otel_traj.record.scripted_chat import ScriptedChat

USAGE = UsageMetadata(input_tokens=3, output_tokens=2, total_tokens=5)
CALLS = [
    ToolCall(name="look", args={"at": "sky"}, id="1", type="tool_call"),
    ToolCall(name="hear", args={}, id="2", type="tool_call"),
]
MODEL = ScriptedChat(
    turns=[
        AIMessage(content="", tool_calls=CALLS, usage_metadata=USAGE),
        AIMessage(content="It  will\nrain.", usage_metadata=USAGE),
    ]
)
FIRST = [HumanMessage("Will it rain?")]
SECOND = [*FIRST, AIMessage(content="", tool_calls=CALLS), ToolMessage("grey", tool_call_id="1")]


def test_the_turn_is_chosen_by_the_messages() -> None:
    """The calls after a user's message go through the script; later ones get its last turn."""
    asked_again = [*SECOND, AIMessage(content="It will."), HumanMessage("Really?")]
    assert MODEL.invoke(FIRST).content == ""
    assert MODEL.invoke(SECOND).content == "It  will\nrain."
    assert MODEL.invoke([*SECOND, AIMessage(content="It will.")]).content == "It  will\nrain."
    assert isinstance(again := MODEL.invoke(asked_again), AIMessage)
    assert again.tool_calls == CALLS


def test_awaited_and_called_answers_are_the_same() -> None:
    """The async API gives what the sync API gives: text, calls, usage, model and finish reason."""
    for messages in (FIRST, SECOND):
        called, awaited = MODEL.invoke(messages), asyncio.run(MODEL.ainvoke(messages))
        assert isinstance(called, AIMessage)
        assert isinstance(awaited, AIMessage)
        for name in ("content", "tool_calls", "usage_metadata", "response_metadata"):
            assert getattr(called, name) == getattr(awaited, name)
    assert MODEL.invoke(FIRST).response_metadata["finish_reason"] == "tool_calls"
    assert MODEL.invoke(SECOND).response_metadata["finish_reason"] == "stop"
    assert MODEL.invoke(SECOND).response_metadata["model_name"] == "scripted-1"


@given(content=st.text(), calls=st.sampled_from([[], CALLS[:1], CALLS]))
def test_streamed_chunks_add_up_to_the_message(content: str, calls: list[ToolCall]) -> None:
    """Whatever the turn says, its chunks merge into that turn, with its usage counted once."""
    model = ScriptedChat(turns=[AIMessage(content=content, tool_calls=calls, usage_metadata=USAGE)])
    merged = reduce(add, model.stream(FIRST))
    assert isinstance(merged, AIMessageChunk)
    assert merged.content == content
    assert merged.tool_calls == calls
    assert merged.usage_metadata == USAGE


def test_async_stream_gives_the_same_chunks() -> None:
    """The async stream yields the chunks of the sync stream, one per word."""

    async def collect() -> list[object]:
        return [chunk.content async for chunk in MODEL.astream(SECOND)]

    chunks = [chunk.content for chunk in MODEL.stream(SECOND)]
    assert [chunk for chunk in chunks if chunk] == ["It  ", "will\n", "rain."]
    assert asyncio.run(collect()) == chunks


def test_every_answer_is_a_message_of_its_own() -> None:
    """Two calls give two messages with two ids, so that a thread's messages never replace one another."""
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(MODEL.invoke, [FIRST] * 20))
    assert len({answer.id for answer in answers}) == 20
    assert all(turn.id is None for turn in MODEL.turns)


def test_bound_tools_are_in_the_request() -> None:
    """Tools that are bound travel with the request as schemas, and the script stays the same."""

    @tool
    def look(at: str) -> str:
        """Look at something."""
        return at

    bound = MODEL.bind_tools([look], tool_choice="auto")
    kwargs = getattr(bound, "kwargs", {})
    assert [schema["function"]["name"] for schema in kwargs["tools"]] == ["look"]
    assert kwargs["tool_choice"] == "auto"
    assert bound.invoke(SECOND).content == "It  will\nrain."
