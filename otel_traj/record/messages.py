"""LangChain messages in the JSON form of the GenAI semantic conventions (development, 1.42.0-dev).

A message is `{"role", "parts", "name"?}`; parts are `text`, `reasoning`, `tool_call`, `tool_call_response`,
`uri`, `blob`, and what has no form of its own keeps its type and all it holds. Messages are told by what they
offer (`type`, `content`, `tool_calls`), not by class. What was said goes through `show`, which masks it; roles,
types, the names and ids of calls are the form's own, and tell a reader what belongs together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.record.model_spans import read_finish_reason
from otel_traj.rendering import render

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.record.content_writer import Show
    from otel_traj.rendering import JsonValue

__all__ = ["list_answers", "list_messages", "list_prompts"]

_ROLES = {
    "human": "user",
    "HumanMessageChunk": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}
_TEXT_BLOCKS = ("text", "output_text", "input_text")
_REASONING_BLOCKS = ("reasoning", "thinking")


def list_messages(batches: object, show: Show) -> list[JsonValue]:
    """Return the input messages of a chat call.

    Args:
        batches: What `on_chat_model_start` shows: a list with one list of messages.
        show: Renders what people and models said.
    """
    listed = batches if isinstance(batches, (list, tuple)) else []
    messages = [
        message for batch in listed for message in (batch if isinstance(batch, (list, tuple)) else [batch])
    ]
    return [_make_any_message(message, show) for message in messages]


def list_prompts(prompts: object, show: Show) -> list[JsonValue]:
    """Return the prompts of a text completion as messages of the user."""
    texts = prompts if isinstance(prompts, (list, tuple)) else [prompts]
    return [{"role": "user", "parts": _make_parts(text, show)} for text in texts]


def list_answers(generations: Iterable[object], show: Show) -> list[JsonValue]:
    """Return the answers of a model.

    Args:
        generations: LangChain's generations.
        show: Renders what the model said.

    Returns:
        One message per generation, each with its `finish_reason` where it is known.
    """
    answers: list[JsonValue] = []
    for generation in generations:
        message = getattr(generation, "message", None)
        if message is None:
            parts = _make_parts(getattr(generation, "text", None), show)
            answer: dict[str, JsonValue] = {"role": "assistant", "parts": parts}
        else:
            answer = _make_any_message(message, show)
        reason = read_finish_reason(generation)
        if reason is not None:
            answer["finish_reason"] = reason
        answers.append(answer)
    return answers


def _make_any_message(message: object, show: Show) -> dict[str, JsonValue]:
    """Return a message, or where it can't be read, what rendering makes of it: the others are not lost for it."""
    try:
        return _make_message(message, show)
    except Exception:  # noqa: BLE001 - messages are foreign objects
        return {"role": "user", "parts": [{"type": "generic", "content": show(message)}]}


def _make_message(message: object, show: Show) -> dict[str, JsonValue]:
    kind = getattr(message, "type", None)
    if not isinstance(kind, str):
        return {"role": "user", "parts": _make_parts(message, show)}
    role = getattr(message, "role", None) if kind in ("chat", "ChatMessageChunk") else _ROLES.get(kind, kind)
    content = getattr(message, "content", None)
    made: dict[str, JsonValue] = {"role": role if isinstance(role, str) else kind}
    if made["role"] == "tool":
        answered = getattr(message, "tool_call_id", None)
        made["parts"] = [{"type": "tool_call_response", "id": render(answered), "response": show(content)}]
    else:
        made["parts"] = _make_parts(content, show) + _make_calls(message, show)
    name = getattr(message, "name", None)
    if isinstance(name, str) and name:
        made["name"] = show(name)
    return made


def _make_parts(content: object, show: Show) -> list[JsonValue]:
    if content is None or content == "":
        return []
    if isinstance(content, (list, tuple)):
        return [part for block in content if (part := _make_part(block, show)) is not None]
    return [{"type": "text", "content": show(content)}]


def _make_part(block: object, show: Show) -> JsonValue:
    if isinstance(block, str):
        return {"type": "text", "content": show(block)} if block else None
    if not isinstance(block, dict):
        return {"type": "generic", "content": show(block)}
    kind = block.get("type")
    if kind in _TEXT_BLOCKS:
        return {"type": "text", "content": show(block.get("text"))}
    if kind in _REASONING_BLOCKS:
        return {"type": "reasoning", "content": show(block.get(str(kind), block.get("summary")))}
    if kind in ("tool_use", "tool_call", "function_call", "input_json_delta"):
        # Providers repeat in their content what LangChain lists as `tool_calls`.
        return None
    image = block.get("image_url")
    if kind == "image_url":
        uri = image.get("url") if isinstance(image, dict) else image
        return {"type": "uri", "modality": "image", "uri": show(uri)}
    return show(block)


def _make_calls(message: object, show: Show) -> list[JsonValue]:
    calls = getattr(message, "tool_calls", None)
    return [
        {
            "type": "tool_call",
            "id": render(call.get("id")),
            "name": render(call.get("name")),
            "arguments": show(call.get("args")),
        }
        for call in (calls if isinstance(calls, (list, tuple)) else ())
        if isinstance(call, dict)
    ]
