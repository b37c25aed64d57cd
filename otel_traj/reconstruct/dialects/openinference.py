"""openinference-instrumentation-langchain: all metadata in one JSON text, `metadata` (seen with 0.1.80).

A limit on the length of values cuts that text, and a limit on the number of attributes drops the oldest ones, which
are the messages. A tool with a single argument has only its value as input: its arguments are then not known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from otel_traj.model import ChosenTool
from otel_traj.reconstruct.content import decode_content, read_content
from otel_traj.reconstruct.dialects.callback_run import Call, CallbackRun, Kind, encode_text, make_run
from otel_traj.reconstruct.dialects.messages import read_tool_names, step_into
from otel_traj.reconstruct.dialects.metadata import decode_metadata, read_metadata
from otel_traj.reconstruct.typed_attributes import read_int, read_name, read_str

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.model import AttributeValue, Span

__all__ = ["read_openinference"]

_KINDS: Final[dict[str | None, Kind]] = {
    "CHAIN": "chain",
    "AGENT": "chain",  # a node too, where its name has the word
    "LLM": "model",
    "TOOL": "tool",
    None: "chain",
}
_JSON: Final = "application/json"
_HIDDEN: Final = "__REDACTED__"
"""In place of content where OPENINFERENCE_HIDE_INPUTS or OPENINFERENCE_HIDE_OUTPUTS is set."""
_TOOL_CALL: Final = re.compile(
    r"(llm\.output_messages\.\d+\.message\.tool_calls\.\d+\.tool_call)\.function\.name\Z"
)
_ANSWER: Final = "llm.output_messages."
_OFFERED: Final = re.compile(r"llm\.tools\.\d+\.tool\.json_schema\Z")


def read_openinference(span: Span) -> CallbackRun:
    """Return the callback run that a span of openinference stands for."""
    attributes = span.attributes
    values, is_cut = decode_metadata(read_str(attributes, "metadata"))
    kind = _KINDS.get(read_str(attributes, "openinference.span.kind"), "other")
    inputs, outputs = (_read_content(attributes, side) for side in ("input", "output"))
    call = None
    if kind == "model":
        call = _read_model(attributes)
    elif kind == "tool":
        call = _read_tool(attributes, outputs)
    thread = read_name(attributes, "session.id")
    metadata = read_metadata(values, "metadata", is_cut=is_cut, thread_id=thread)
    return make_run(span, "openinference", kind, metadata, inputs=inputs, outputs=outputs, call=call)


def _read_content(attributes: Mapping[str, AttributeValue], side: str) -> str | None:
    """Return what was put in or came out as JSON text: plain text but for objects, lists and nothing at all."""
    text = read_str(attributes, f"{side}.value")
    if text == _HIDDEN:
        return None
    return text if attributes.get(f"{side}.mime_type") == _JSON or text == "null" else encode_text(text)


def _read_model(attributes: Mapping[str, AttributeValue]) -> Call:
    finish = read_str(attributes, "llm.finish_reason")
    return Call(
        name=read_name(attributes, "llm.model_name"),
        usage=(
            read_int(attributes, "llm.token_count.prompt"),
            read_int(attributes, "llm.token_count.completion"),
            read_int(attributes, "llm.token_count.prompt_details.cache_read"),
            read_int(attributes, "llm.token_count.prompt_details.cache_write"),
            read_int(attributes, "llm.token_count.completion_details.reasoning"),
        ),
        finish_reasons=(finish,) if finish else (),
        tools=read_tool_names([read_content(attributes[key]) for key in attributes if _OFFERED.match(key)])
        or None,
        chosen=_read_chosen(attributes),
    )


def _read_chosen(attributes: Mapping[str, AttributeValue]) -> tuple[ChosenTool, ...] | None:
    """Return the calls in the answer's messages; None where no message is recorded."""
    if not any(key.startswith(_ANSWER) for key in attributes):
        return None
    found = (match[1] for key in attributes if (match := _TOOL_CALL.match(key)))
    return tuple(
        ChosenTool(
            name=read_str(attributes, f"{call}.function.name") or "",
            id=read_str(attributes, f"{call}.id"),
            args=read_content(attributes.get(f"{call}.function.arguments")),
        )
        for call in found
    )


def _read_tool(attributes: Mapping[str, AttributeValue], outputs: str | None) -> Call:
    message = decode_content(outputs)[0]
    ids = (step_into(message, *keys, "tool_call_id") for keys in ((), ("data",), ("kwargs",)))
    text = read_str(attributes, "input.value")
    return Call(
        name=read_name(attributes, "tool.name"),
        call_id=next((found for found in ids if isinstance(found, str)), None),
        arguments=text if text is not None and text.startswith("{") else None,
    )
