"""Span records as spans of the real SDK, for sources that keep those."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, cast

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import ConsoleSpanExporter
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.model import Span

__all__ = ["export_to_memory", "print_to_console", "to_sdk_span"]

_STATUS_CODES = {"unset": StatusCode.UNSET, "ok": StatusCode.OK, "error": StatusCode.ERROR}


def to_sdk_span(span: Span) -> ReadableSpan:
    """Return the SDK span that would have been recorded as this one; its kind must not be unspecified."""
    return ReadableSpan(
        span.name,
        context=_context(span.trace_id, span.span_id),
        parent=_context(span.trace_id, span.parent_span_id) if span.parent_span_id else None,
        resource=_resource(span),
        attributes=cast("Any", span.attributes),
        events=[Event(event.name, cast("Any", event.attributes), event.time_ns) for event in span.events],
        links=[
            Link(_context(link.trace_id, link.span_id), cast("Any", link.attributes)) for link in span.links
        ],
        kind=SpanKind(span.kind - 1),
        status=Status(_STATUS_CODES[span.status], span.status_message or None),
        start_time=span.start_ns,
        end_time=span.end_ns or None,
        instrumentation_scope=InstrumentationScope(span.scope_name, span.scope_version),
    )


def export_to_memory(spans: Iterable[Span]) -> InMemorySpanExporter:
    """Return an in-memory exporter of the SDK that these spans were exported to."""
    exporter = InMemorySpanExporter()
    exporter.export([to_sdk_span(span) for span in spans])
    return exporter


def print_to_console(spans: Iterable[Span]) -> bytes:
    """Return what the SDK's console exporter prints of these spans."""
    out = io.StringIO()
    ConsoleSpanExporter(out=out).export([to_sdk_span(span) for span in spans])
    return out.getvalue().encode()


_resources: dict[str, Resource] = {}


def _resource(span: Span) -> Resource:
    # A provider has one resource, and all its spans share it.
    return _resources.setdefault(repr(span.resource), Resource(cast("Any", span.resource)))


def _context(trace_id: str, span_id: str) -> SpanContext:
    return SpanContext(int(trace_id, 16), int(span_id, 16), is_remote=False, trace_flags=TraceFlags(1))
