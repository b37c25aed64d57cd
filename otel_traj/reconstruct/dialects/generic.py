"""Any emitter that carries LangGraph's metadata: under a prefix of its own, or inside a JSON text.

What kind of callback it was say the GenAI conventions, where the emitter follows them; its name is the span's, with or
without the operation before it. Content is not read, because nobody knows where it stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj import semconv as sc
from otel_traj.reconstruct.dialects.callback_run import CallbackRun, Kind, make_run
from otel_traj.reconstruct.dialects.genai import read_genai_call
from otel_traj.reconstruct.dialects.metadata import decode_metadata, pick_metadata, read_metadata
from otel_traj.reconstruct.typed_attributes import read_str

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.model import AttributeValue, Span
    from otel_traj.reconstruct.dialects.metadata import Metadata

__all__ = ["read_generic"]

_MARKS: Final = ("langgraph_node", "langgraph_checkpoint_ns", "ls_integration")
"""What no other metadata has: the first stands in every task's, the last in that of every graph's run."""
_IN_TEXT: Final = tuple(f'"{mark}"' for mark in _MARKS)
_KINDS: Final[dict[str | None, Kind]] = {
    sc.CHAT: "model",
    sc.TEXT_COMPLETION: "model",
    sc.EXECUTE_TOOL: "tool",
    sc.RETRIEVAL: "other",
}


def read_generic(span: Span) -> CallbackRun | None:
    """Return the callback run that a span stands for, None where it carries no metadata of LangGraph."""
    metadata = _find_metadata(span.attributes)
    if metadata is None:
        return None
    kind = _KINDS.get(read_str(span.attributes, sc.OPERATION_NAME), "chain")
    operation, _, rest = span.name.partition(" ")
    name = rest if rest and operation.isidentifier() and rest == metadata.node else span.name
    call = read_genai_call(span.attributes) if kind in ("model", "tool") else None
    emitter = span.scope_name or "an unknown emitter"
    return make_run(span, emitter, kind, metadata, name=name, call=call)


def _find_metadata(attributes: Mapping[str, AttributeValue]) -> Metadata | None:
    for key, value in attributes.items():
        for mark in _MARKS:
            if key.endswith(mark):
                prefix = key.removesuffix(mark)
                return read_metadata(pick_metadata(attributes, prefix), prefix)
        if isinstance(value, str) and value.startswith("{") and any(mark in value for mark in _IN_TEXT):
            values, is_cut = decode_metadata(value)
            inner = values.get("metadata")
            return read_metadata(inner if isinstance(inner, dict) else values, key, is_cut=is_cut)
    return None
