"""Messages of a chat, reduced to what was said and called.

Ids, token counts and what a provider adds are new with every run, so messages are compared by type, content and
tool calls (names and arguments) alone. Nothing but the shape tells a message here: recorded content and history
have both been rendered, and so has a message that was dumped to JSON. It is taken for one only where its type is
one of LangChain's and it holds nothing that a message does not (langchain-core 1.8.3): a record of the user's own
that happens to have `type` and `content` is compared whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from otel_traj.rendering import JsonValue

__all__ = ["reduce_messages"]

_TYPES: Final = {
    "human": "human",
    "HumanMessageChunk": "human",
    "ai": "ai",
    "AIMessageChunk": "ai",
    "system": "system",
    "SystemMessageChunk": "system",
    "tool": "tool",
    "ToolMessageChunk": "tool",
    "function": "function",
    "FunctionMessageChunk": "function",
    "chat": "chat",
    "ChatMessageChunk": "chat",
}
_CALLS: Final = ("tool_calls", "invalid_tool_calls")
_LEFT_OUT: Final = (
    "additional_kwargs",
    "artifact",
    "chunk_position",
    "example",
    "id",
    "name",
    "response_metadata",
    "status",
    "tool_call_chunks",
    "tool_call_id",
    "usage_metadata",
)
_FIELDS: Final = frozenset({"type", "content", *_CALLS, *_LEFT_OUT})
_CALL_FIELDS: Final = ("name", "args")
_BLOCK_IDS: Final = ("id", "index")


def reduce_messages(value: JsonValue) -> JsonValue:
    """Return a rendered value in which each message is its type, content and tool calls.

    Args:
        value: As `render` returned it; it is not changed.

    Returns:
        Messages as `{"type", "content", "tool_calls"?, "invalid_tool_calls"?}`: a chunk has the type of a whole
        message, content blocks have lost their ids, calls are `{"name", "args"}`, and no empty list of calls is
        left. Anything else as it is.
    """
    if isinstance(value, list):
        return [reduce_messages(item) for item in value]
    if not isinstance(value, dict):
        return value
    inner = {key: reduce_messages(item) for key, item in value.items()}
    return _reduce_message(inner) if _is_message(value) else inner


def _is_message(value: dict[str, JsonValue]) -> bool:
    kind = value.get("type")
    has_something = "content" in value or "tool_calls" in value
    return isinstance(kind, str) and kind in _TYPES and has_something and value.keys() <= _FIELDS


def _reduce_message(message: dict[str, JsonValue]) -> dict[str, JsonValue]:
    reduced: dict[str, JsonValue] = {"type": _TYPES[str(message["type"])]}
    if "content" in message:
        content = message["content"]
        reduced["content"] = (
            [_leave_out(block, _BLOCK_IDS) for block in content] if isinstance(content, list) else content
        )
    for field in _CALLS:
        calls = message.get(field)
        if calls:
            reduced[field] = [_keep(call) for call in calls] if isinstance(calls, list) else calls
    return reduced


def _leave_out(block: JsonValue, keys: tuple[str, ...]) -> JsonValue:
    return {key: item for key, item in block.items() if key not in keys} if isinstance(block, dict) else block


def _keep(call: JsonValue) -> JsonValue:
    return {key: call[key] for key in _CALL_FIELDS if key in call} if isinstance(call, dict) else call
