"""langsmith's OpenTelemetry exporter: a key each, exceptions as texts (seen with 0.15.1).

It loses spans, and cuts some off from their trace, where nodes are short; a cancelled run ends OK. Input or output
that is no object is wrapped into one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from otel_traj.reconstruct.content import decode_content
from otel_traj.reconstruct.dialects.callback_run import CallbackRun, Kind, make_run
from otel_traj.reconstruct.dialects.genai import read_genai_call
from otel_traj.reconstruct.dialects.messages import read_tool_calls, step_into
from otel_traj.reconstruct.dialects.metadata import pick_metadata, read_metadata
from otel_traj.reconstruct.typed_attributes import read_str

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.model import AttributeValue, Span
    from otel_traj.reconstruct.dialects.callback_run import Call

__all__ = ["read_langsmith"]

_PREFIX: Final = "langsmith.metadata."
_KINDS: Final[dict[str | None, Kind]] = {"chain": "chain", "llm": "model", "tool": "tool", None: "chain"}
_INPUTS: Final = "gen_ai.prompt"
_OUTPUTS: Final = "gen_ai.completion"


def read_langsmith(span: Span) -> CallbackRun:
    """Return the callback run that a span of langsmith stands for."""
    attributes = span.attributes
    metadata = read_metadata(pick_metadata(attributes, _PREFIX), _PREFIX)
    kind = _KINDS.get(read_str(attributes, "langsmith.span.kind"), "other")
    inputs, outputs = read_str(attributes, _INPUTS), read_str(attributes, _OUTPUTS)
    call = None
    if kind == "tool":
        call = msgspec.structs.replace(read_genai_call(attributes), arguments=inputs)
    elif kind == "model":
        call = _read_model(attributes, outputs)
    return make_run(span, "langsmith", kind, metadata, inputs=inputs, outputs=outputs, call=call)


def _read_model(attributes: Mapping[str, AttributeValue], outputs: str | None) -> Call:
    message = step_into(decode_content(outputs)[0], "generations", 0, 0, "message", "kwargs")
    finish = step_into(message, "response_metadata", "finish_reason")
    return msgspec.structs.replace(
        read_genai_call(attributes),
        finish_reasons=(finish,) if isinstance(finish, str) else (),
        chosen=None if message is None else read_tool_calls(step_into(message, "tool_calls")),
    )
