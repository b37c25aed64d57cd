"""opentelemetry-instrumentation-genai-langchain: graph runs, models and tools, but no nodes (seen with 1.3b0).

It writes none of LangGraph's metadata, so its runs have no trajectory; they are there to be named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj import semconv as sc
from otel_traj.reconstruct.dialects.callback_run import CallbackRun, Kind, make_run
from otel_traj.reconstruct.dialects.genai import read_genai_call
from otel_traj.reconstruct.dialects.metadata import read_metadata
from otel_traj.reconstruct.typed_attributes import read_name, read_str

if TYPE_CHECKING:
    from otel_traj.model import Span

__all__ = ["read_otel_genai"]

_KINDS: Final[dict[str | None, Kind]] = {
    sc.INVOKE_WORKFLOW: "graph",
    sc.INVOKE_AGENT: "graph",
    sc.CHAT: "model",
    sc.TEXT_COMPLETION: "model",
    sc.EXECUTE_TOOL: "tool",
}


def read_otel_genai(span: Span) -> CallbackRun:
    """Return the callback run that a span of the GenAI instrumentation stands for."""
    attributes = span.attributes
    kind = _KINDS.get(read_str(attributes, sc.OPERATION_NAME), "other")
    name = read_name(attributes, sc.WORKFLOW_NAME) or read_name(attributes, sc.AGENT_NAME)
    metadata = read_metadata({}, "", thread_id=read_name(attributes, sc.CONVERSATION_ID))
    call = read_genai_call(attributes) if kind in ("model", "tool") else None
    return make_run(span, "otel-genai", kind, metadata, name=name if kind == "graph" else None, call=call)
