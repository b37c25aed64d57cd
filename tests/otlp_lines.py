"""Span records written as OTLP JSON lines, one span per line, for tests that need a real file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from otel_traj.model import AttributeValue, Span

__all__ = ["encode_line", "write_lines"]

_STATUS_CODES = {"unset": 0, "ok": 1, "error": 2}


def write_lines(path: Path, spans: Iterable[Span], *more: str) -> Path:
    """Write a file of spans, then further lines as they are; return its path."""
    lines = [encode_line(span) for span in spans]
    path.write_text("".join(f"{line}\n" for line in [*lines, *more]), encoding="utf-8")
    return path


def encode_line(span: Span) -> str:
    """Return one span as a line of OTLP JSON, as a file exporter writes it."""
    encoded = {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "parentSpanId": span.parent_span_id,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": str(span.end_ns),
        "attributes": _encode_attributes(span.attributes),
        "links": [{"traceId": link.trace_id, "spanId": link.span_id} for link in span.links],
        "status": {"code": _STATUS_CODES[span.status]},
    }
    scope = {"name": span.scope_name, "version": span.scope_version}
    batch = {
        "resource": {"attributes": _encode_attributes(span.resource)},
        "scopeSpans": [{"scope": scope, "spans": [encoded]}],
    }
    return json.dumps({"resourceSpans": [batch]})


def _encode_attributes(attributes: Mapping[str, AttributeValue]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _encode_value(value)} for key, value in attributes.items()]


def _encode_value(value: AttributeValue) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_encode_value(item) for item in value]}}
    return {"stringValue": str(value)}
