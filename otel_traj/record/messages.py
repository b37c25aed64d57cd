"""LangChain messages in the JSON form of the GenAI semantic conventions (development, 1.42.0-dev).

A message is `{"role", "parts", "name"?}`; parts are `text`, `reasoning`, `tool_call`, `tool_call_response`,
`uri`, `blob`, and what has no form of its own keeps its type and all it holds. Messages are told by what they
offer (`type`, `content`, `tool_calls`), not by class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.record.model_spans import read_finish_reason
from otel_traj.rendering import JsonValue, render, render_json

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["encode_answers", "encode_messages", "encode_prompts"]

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


def encode_messages(batches: object) -> str:
    """Return the input messages of a chat call as JSON.

    Args:
        batches: What `on_chat_model_start` shows: a list with one list of messages.
    """
    listed = batches if isinstance(batches, (list, tuple)) else []
    messages = [
        message for batch in listed for message in (batch if isinstance(batch, (list, tuple)) else [batch])
    ]
    return render_json([_make_message(message) for message in messages])


def encode_prompts(prompts: object) -> str:
    """Return the prompts of a text completion as JSON messages of the user."""
    texts = prompts if isinstance(prompts, (list, tuple)) else [prompts]
    return render_json([{"role": "user", "parts": _make_parts(text)} for text in texts])


def encode_answers(generations: Iterable[object]) -> str:
    """Return the answers of a model as JSON.

    Args:
        generations: LangChain's generations.

    Returns:
        One message per generation, each with its `finish_reason` where it is known.
    """
    answers = []
    for generation in generations:
        message = getattr(generation, "message", None)
        if message is None:
            parts = _make_parts(getattr(generation, "text", None))
            answer: dict[str, JsonValue] = {"role": "assistant", "parts": parts}
        else:
            answer = _make_message(message)
        reason = read_finish_reason(generation)
        if reason is not None:
            answer["finish_reason"] = reason
        answers.append(answer)
    return render_json(answers)


def _make_message(message: object) -> dict[str, JsonValue]:
    kind = getattr(message, "type", None)
    if not isinstance(kind, str):
        return {"role": "user", "parts": _make_parts(message)}
    role = getattr(message, "role", None) if kind in ("chat", "ChatMessageChunk") else _ROLES.get(kind, kind)
    content = getattr(message, "content", None)
    made: dict[str, JsonValue] = {"role": role if isinstance(role, str) else kind}
    if made["role"] == "tool":
        answered = getattr(message, "tool_call_id", None)
        made["parts"] = [{"type": "tool_call_response", "id": render(answered), "response": render(content)}]
    else:
        made["parts"] = _make_parts(content) + _make_calls(message)
    name = getattr(message, "name", None)
    if isinstance(name, str) and name:
        made["name"] = name
    return made


def _make_parts(content: object) -> list[JsonValue]:
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [{"type": "text", "content": content}]
    if isinstance(content, (list, tuple)):
        return [part for block in content if (part := _make_part(block)) is not None]
    return [{"type": "text", "content": render(content)}]


def _make_part(block: object) -> JsonValue:
    if isinstance(block, str):
        return {"type": "text", "content": block} if block else None
    if not isinstance(block, dict):
        return {"type": "generic", "content": render(block)}
    kind = block.get("type")
    if kind in _TEXT_BLOCKS:
        return {"type": "text", "content": render(block.get("text"))}
    if kind in _REASONING_BLOCKS:
        return {"type": "reasoning", "content": render(block.get(str(kind), block.get("summary")))}
    if kind in ("tool_use", "tool_call", "function_call", "input_json_delta"):
        # Providers repeat in their content what LangChain lists as `tool_calls`.
        return None
    image = block.get("image_url")
    if kind == "image_url":
        uri = image.get("url") if isinstance(image, dict) else image
        return {"type": "uri", "modality": "image", "uri": render(uri)}
    return render(block)


def _make_calls(message: object) -> list[JsonValue]:
    calls = getattr(message, "tool_calls", None)
    return [
        {
            "type": "tool_call",
            "id": render(call.get("id")),
            "name": render(call.get("name")),
            "arguments": render(call.get("args")),
        }
        for call in (calls if isinstance(calls, (list, tuple)) else ())
        if isinstance(call, dict)
    ]
