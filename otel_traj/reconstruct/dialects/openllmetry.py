"""opentelemetry-instrumentation-langchain (Traceloop): a key each, and a pair of spans per graph (seen with 0.62.4).

A graph's run is an `invoke_agent X` span around `X.workflow` (a subgraph's: beside `execute_task X`); the inner one of
the pair is the callback's. Elements of arrays are written as texts. Content stands beside tags and metadata in one
JSON text. `gen_ai.request.model` is `unknown` for models that it does not know; LangChain's metadata knows better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Raw, Struct

from otel_traj import semconv as sc
from otel_traj.reconstruct.dialects.callback_run import Call, CallbackRun, Kind, make_run
from otel_traj.reconstruct.dialects.genai import read_genai_call
from otel_traj.reconstruct.dialects.metadata import pick_metadata, read_metadata
from otel_traj.reconstruct.typed_attributes import read_name, read_str

if TYPE_CHECKING:
    from otel_traj.model import Span

__all__ = ["read_openllmetry"]

_PREFIX: Final = "traceloop.association.properties."
_KINDS: Final[dict[str | None, Kind]] = {
    "workflow": "graph",
    "task": "chain",
    "agent": "chain",
    "tool": "tool",
}
_MODELS: Final = (sc.CHAT, sc.TEXT_COMPLETION)
_UNKNOWN: Final = "unknown"


class _Kwargs(Struct, frozen=True):
    tool_call_id: str | None = None


class _Content(Struct, frozen=True):
    inputs: Raw = Raw()
    outputs: Raw = Raw()
    kwargs: _Kwargs = _Kwargs()


_decoder = msgspec.json.Decoder(_Content)


def read_openllmetry(span: Span) -> CallbackRun:
    """Return the callback run that a span of openllmetry stands for."""
    attributes = span.attributes
    thread = read_name(attributes, sc.CONVERSATION_ID)
    metadata = read_metadata(pick_metadata(attributes, _PREFIX), _PREFIX, thread_id=thread)
    kind = _KINDS.get(read_str(attributes, "traceloop.span.kind"), "other")
    if kind == "other" and read_str(attributes, sc.OPERATION_NAME) in _MODELS:
        kind = "model"
    inputs, call_id = _read_content(read_str(attributes, "traceloop.entity.input"), "inputs")
    outputs, _ = _read_content(read_str(attributes, "traceloop.entity.output"), "outputs")
    call = None
    if kind == "tool":
        call = Call(name=read_name(attributes, sc.TOOL_NAME), call_id=call_id, arguments=inputs)
    elif kind == "model":
        call = read_genai_call(attributes)
        if call.name in (None, _UNKNOWN):
            call = msgspec.structs.replace(call, name=metadata.model or call.name)
    name = read_name(attributes, "traceloop.entity.name")
    return make_run(span, "openllmetry", kind, metadata, name=name, inputs=inputs, outputs=outputs, call=call)


def _read_content(text: str | None, name: str) -> tuple[str | None, str | None]:
    """Return the inputs or outputs as JSON text, and the id of the tool call; of a text that was cut the text itself."""
    if text is None:
        return None, None
    try:
        content = _decoder.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return text, None
    return bytes(getattr(content, name)).decode() or None, content.kwargs.tool_call_id
