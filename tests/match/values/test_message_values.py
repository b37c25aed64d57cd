from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)

from otel_traj.match.values.message_values import reduce_messages
from otel_traj.rendering import JsonValue, render

CALL = {"name": "f", "args": {"a": 1}, "id": "c1"}


@pytest.mark.parametrize(
    ("message", "reduced"),
    [
        (HumanMessage("q", id="1", name="ann"), {"type": "human", "content": "q"}),
        (HumanMessageChunk(content="q"), {"type": "human", "content": "q"}),
        (SystemMessage("s"), {"type": "system", "content": "s"}),
        (ChatMessage(content="c", role="r"), {"type": "chat", "content": "c"}),
        (FunctionMessage(content="f", name="g"), {"type": "function", "content": "f"}),
        (
            AIMessage(
                "",
                tool_calls=[CALL],
                id="2",
                response_metadata={"model": "m"},
                usage_metadata={"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
            ),
            {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": {"a": 1}}]},
        ),
        (
            AIMessageChunk(
                content="", tool_call_chunks=[{"name": "f", "args": '{"a":1}', "id": "9", "index": 0}]
            ),
            {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": {"a": 1}}]},
        ),
        (
            AIMessage("x", invalid_tool_calls=[{"name": "f", "args": "{", "id": "c", "error": "e"}]),
            {"type": "ai", "content": "x", "invalid_tool_calls": [{"name": "f", "args": "{"}]},
        ),
        (
            ToolMessage("ok", tool_call_id="c1", name="f", artifact=[1]),
            {"type": "tool", "content": "ok"},
        ),
        (
            AIMessage([{"type": "text", "text": "u", "id": "b1", "index": 0}, "plain"]),
            {"type": "ai", "content": [{"type": "text", "text": "u"}, "plain"]},
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseMessage) else "",
)
def test_messages_are_type_content_and_calls(message: BaseMessage, reduced: JsonValue) -> None:
    """Each kind of message, rendered or dumped, at any depth, loses its ids and what a provider adds."""
    assert reduce_messages(render(message)) == reduced
    assert reduce_messages(render({"a": [message]})) == {"a": [reduced]}
    assert reduce_messages(render(message.model_dump(exclude={"role"}))) == reduced
    assert reduce_messages(reduced) == reduced


@pytest.mark.parametrize(
    "value",
    [
        {"type": "pdf", "content": "x", "id": "7"},
        {"type": "human", "content": "x", "pages": 3},
        {"type": "human", "id": "7"},
        {"type": ["ai"], "content": "x"},
        {"content": "x", "id": "7"},
        {"type": "text", "text": "x", "id": "7"},
        {"role": "user", "content": "x", "id": "7"},
        None,
        [1, "x"],
    ],
)
def test_records_of_the_users_own_stay_whole(value: Any) -> None:  # noqa: ANN401 - any JSON
    """What is of another type, or holds what no message does, keeps all it has."""
    assert reduce_messages(value) == value


def test_an_order_to_remove_a_message_keeps_its_id() -> None:
    """The id is all that it says."""
    assert reduce_messages(render(RemoveMessage(id="m1"))) == {"type": "remove", "content": "", "id": "m1"}
