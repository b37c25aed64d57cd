"""langfuse's callback handler: a key each, every value as JSON text, no exception events (seen with 5.0.4).

How a callback ended says `langfuse.observation.level` with the exception's message beside it: ERROR for errors, and
DEFAULT for LangGraph's control flow. The type of an error is not written; a closed stream and a cancelled task read
as errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.reconstruct.content import decode_content
from otel_traj.reconstruct.dialects.callback_run import Call, CallbackRun, Kind, encode_text, make_run
from otel_traj.reconstruct.dialects.endings import end_with
from otel_traj.reconstruct.dialects.messages import read_tool_calls, read_tool_names, step_into
from otel_traj.reconstruct.dialects.metadata import pick_metadata, read_metadata
from otel_traj.reconstruct.typed_attributes import read_int, read_name, read_str

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.model import AttributeValue, Span
    from otel_traj.reconstruct.dialects.endings import Ending

__all__ = ["read_langfuse"]

_OWN: Final = "langfuse.observation."
_PREFIX: Final = "langfuse.observation.metadata."
_KINDS: Final[dict[str | None, Kind]] = {
    "chain": "chain",
    "agent": "chain",
    "span": "chain",
    "generation": "model",
    "tool": "tool",
    None: "chain",
}
_INTERRUPT: Final = "(Interrupt("
_ERRORS: Final = {
    "Recursion limit of ": "GraphRecursionError",
    "Received no input for ": "EmptyInputError",
}
"""How the messages of LangGraph's own errors begin (langgraph 1.2.22)."""


def read_langfuse(span: Span) -> CallbackRun:
    """Return the callback run that a span of langfuse stands for."""
    attributes = span.attributes
    values = {key: _decode(value) for key, value in pick_metadata(attributes, _PREFIX).items()}
    kind = _KINDS.get(read_str(attributes, _OWN + "type"), "other")
    inputs, outputs = (_read_content(attributes, _OWN + side) for side in ("input", "output"))
    call = None
    if kind == "model":
        call = _read_model(attributes, inputs, outputs)
    elif kind == "tool":
        call_id = _decode(attributes.get(_PREFIX + "tool_call_id"))
        call = Call(name=span.name, call_id=call_id if isinstance(call_id, str) else None, arguments=inputs)
    metadata = read_metadata(values, _PREFIX)
    ending = _read_ending(span)
    return make_run(
        span, "langfuse", kind, metadata, ending=ending, inputs=inputs, outputs=outputs, call=call
    )


def _decode(value: AttributeValue) -> AttributeValue:
    """Return the value that its JSON text stands for; a text that is none stands for itself."""
    if not isinstance(value, str):
        return value
    decoded, is_cut = decode_content(value)
    return value if is_cut else decoded


def _read_content(attributes: Mapping[str, AttributeValue], key: str) -> str | None:
    text = read_str(attributes, key)
    return text if text is None or text[0] in "{[" else encode_text(text)


def _read_ending(span: Span) -> Ending:
    message = read_str(span.attributes, _OWN + "status_message") or ""
    if message.startswith(_INTERRUPT) and span.status != "error":
        error_type: str | None = "GraphInterrupt"
    else:
        error_type = next((name for begin, name in _ERRORS.items() if message.startswith(begin)), None)
    return end_with(span, error_type, message)


def _read_model(attributes: Mapping[str, AttributeValue], inputs: str | None, outputs: str | None) -> Call:
    usage = _decode(attributes.get(_OWN + "usage_details"))
    counts = usage if isinstance(usage, dict) else {}
    answer = decode_content(outputs)[0]
    return Call(
        name=read_name(attributes, _OWN + "model.name"),
        usage=(
            read_int(counts, "input"),
            read_int(counts, "output"),
            read_int(counts, "input_cache_read"),
            read_int(counts, "input_cache_creation"),
            read_int(counts, "output_reasoning"),
        ),
        tools=_read_offered(decode_content(inputs)[0]),
        chosen=read_tool_calls(answer.get("tool_calls")) if isinstance(answer, dict) else None,
    )


def _read_offered(messages: AttributeValue) -> tuple[str, ...] | None:
    """Return the tools that stand among the messages, as messages of the role `tool` whose content is a definition."""
    if not isinstance(messages, list):
        return None
    definitions = [step_into(message, "content") for message in messages]
    return read_tool_names([each for each in definitions if step_into(each, "function") is not None]) or None
