"""The spans that every source is tried with."""

from __future__ import annotations

from otel_traj.model import Span, SpanEvent

__all__ = ["BAD", "OTHER_TRACE", "SPANS", "TRACE", "make_span"]

TRACE = "0af7651916cd43dd8448eb211c80319c"
OTHER_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
RESOURCE = {"service.name": "shop", "cores": 2}


def make_span(number: int, **changes: object) -> Span:
    """Return the span of a number; children come before their parents, as they end."""
    fields: dict[str, object] = {
        "trace_id": TRACE if number % 2 else OTHER_TRACE,
        "span_id": f"{number:016x}",
        "parent_span_id": f"{number + 2:016x}" if number < 5 else "",
        "name": f"span {number}",
        "start_ns": 10**18 - number,
        "end_ns": 10**18 + number,
        "status": ("unset", "ok", "error")[number % 3],
        "attributes": {"langgraph.step": number, "tags": ["a", "b"], "half": 0.5, "on": True, "grüße": "✓"},
        "resource": RESOURCE,
        "scope_name": "otel_traj",
        "scope_version": "0.1.0",
        "events": (SpanEvent(name="exception", time_ns=10**18, attributes={"exception.type": "E"}),),
        "kind": 1,
    }
    return Span(**(fields | changes))  # type: ignore[arg-type]  # fields of a Span, by name


SPANS = [make_span(number) for number in range(1, 8)]
BAD = make_span(9, span_id="0" * 16)
