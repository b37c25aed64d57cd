"""What an application is told when a top-level graph run has ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from opentelemetry import trace

if TYPE_CHECKING:
    from opentelemetry.trace import SpanContext

    from otel_traj.record.graph_run import GraphRun
    from otel_traj.record.outcome import RunOutcome

__all__ = ["RunEnd", "make_run_end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """The ids of one finished invocation of a graph, to log or to attach feedback to."""

    run_id: str
    """Callback run id, dashed UUID: `langgraph.run_id` on the wire."""
    trace_id: str
    """32 lower-case hex digits; empty where there is no trace (no SDK, or a disabled one)."""
    span_id: str
    """16 lower-case hex digits of the graph-run span; empty without a trace."""
    thread_id: str | None
    graph: str
    outcome: RunOutcome


def make_run_end(run: GraphRun, span_context: SpanContext | None, outcome: RunOutcome) -> RunEnd:
    """Return the record of a run that has ended."""
    context = span_context or trace.INVALID_SPAN_CONTEXT
    return RunEnd(
        run_id=run.run_id,
        trace_id=trace.format_trace_id(context.trace_id) if context.is_valid else "",
        span_id=trace.format_span_id(context.span_id) if context.is_valid else "",
        thread_id=run.thread_id,
        graph=run.name,
        outcome=outcome,
    )
