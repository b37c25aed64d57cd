"""Recording: LangGraph callbacks become OpenTelemetry spans, spans become OTLP.

The only package that imports langchain and langgraph, and its names load on first use: `configure` needs
neither.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from otel_traj.record.configure import configure
    from otel_traj.record.content_policy import ContentPolicy
    from otel_traj.record.feedback import record_feedback
    from otel_traj.record.handler import TrajectoryCallbackHandler
    from otel_traj.record.instrumentor import LangGraphInstrumentor
    from otel_traj.record.otlp_lines import JsonLinesSpanExporter
    from otel_traj.record.run_end import RunEnd

__all__ = [
    "ContentPolicy",
    "JsonLinesSpanExporter",
    "LangGraphInstrumentor",
    "RunEnd",
    "TrajectoryCallbackHandler",
    "configure",
    "record_feedback",
]

_MODULE_OF = {
    "ContentPolicy": "otel_traj.record.content_policy",
    "JsonLinesSpanExporter": "otel_traj.record.otlp_lines",
    "LangGraphInstrumentor": "otel_traj.record.instrumentor",
    "RunEnd": "otel_traj.record.run_end",
    "TrajectoryCallbackHandler": "otel_traj.record.handler",
    "configure": "otel_traj.record.configure",
    "record_feedback": "otel_traj.record.feedback",
}


def __getattr__(name: str) -> object:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
