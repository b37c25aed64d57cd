"""Span records to Jaeger's legacy JSON, as v1.76.0 was seen to write it; what it loses is lost here too."""

from __future__ import annotations

import base64
import json
import math
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from otel_traj.model import AttributeValue, Span

__all__ = ["encode_legacy_trace", "flatten", "holds_no_json_number"]

_KINDS = ("", "internal", "server", "client", "producer", "consumer")


def encode_legacy_trace(spans: Iterable[Span]) -> dict[str, Any]:
    """Return one trace of the `data` of an answer."""
    processes: dict[str, str] = {}
    messages = []
    for span in spans:
        key = json.dumps(span.resource, sort_keys=True, default=str)
        process_id = processes.setdefault(key, f"p{len(processes) + 1}")
        messages.append(_encode_span(span, process_id))
    return {
        "traceID": messages[0]["traceID"] if messages else "",
        "spans": messages,
        "processes": {
            process_id: {
                "serviceName": json.loads(key).get("service.name", "missing-service-name"),
                "tags": _encode_tags(
                    {name: value for name, value in json.loads(key).items() if name != "service.name"}
                ),
            }
            for key, process_id in processes.items()
        },
        "warnings": None,
    }


def flatten(span: Span) -> Span:
    """Return what of a span the form keeps: microseconds, and lists as their JSON."""
    start_ns = span.start_ns // 1_000 * 1_000
    return msgspec.structs.replace(
        span,
        start_ns=start_ns,
        end_ns=start_ns + (span.end_ns - span.start_ns) // 1_000 * 1_000 if span.end_ns else 0,
        attributes={key: _flatten(value) for key, value in span.attributes.items()},
        events=tuple(
            msgspec.structs.replace(event, time_ns=event.time_ns // 1_000 * 1_000) for event in span.events
        ),
    )


def holds_no_json_number(span: Span) -> bool:
    """Return whether some value is a number that JSON can't write."""
    values = [*span.attributes.values(), *span.resource.values()]
    return any(isinstance(value, float) and not math.isfinite(value) for value in values)


def _flatten(value: AttributeValue) -> AttributeValue:
    if isinstance(value, list | dict):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return "" if value is None else value


def _encode_span(span: Span, process_id: str) -> dict[str, Any]:
    tags: dict[str, AttributeValue] = {
        "otel.scope.name": span.scope_name,
        "otel.scope.version": span.scope_version,
        **span.attributes,
    }
    if span.kind:
        tags["span.kind"] = _KINDS[span.kind]
    if span.status != "unset":
        tags["otel.status_code"] = span.status.upper()
    if span.status == "error":
        tags["error"] = True
    if span.status_message:
        tags["otel.status_description"] = span.status_message
    parent = [{"refType": "CHILD_OF", "traceID": span.trace_id, "spanID": span.parent_span_id}]
    return {
        "traceID": span.trace_id,
        "spanID": span.span_id,
        "operationName": span.name,
        "references": (parent if span.parent_span_id else [])
        + [
            {"refType": "FOLLOWS_FROM", "traceID": link.trace_id, "spanID": link.span_id}
            for link in span.links
        ],
        "startTime": span.start_ns // 1_000,
        "duration": (span.end_ns - span.start_ns) // 1_000,
        "tags": _encode_tags(tags),
        "logs": [
            {
                "timestamp": event.time_ns // 1_000,
                "fields": _encode_tags({"event": event.name, **event.attributes}),
            }
            for event in span.events
        ],
        "processID": process_id,
        "warnings": None,
    }


def _encode_tags(attributes: Mapping[str, AttributeValue]) -> list[dict[str, Any]]:
    return [{"key": key, **_encode_value(value)} for key, value in attributes.items()]


def _encode_value(value: AttributeValue) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"type": "bool", "value": value}
    if isinstance(value, int):
        return {"type": "int64", "value": value if abs(value) < 2**53 else str(value)}
    if isinstance(value, float):
        return {"type": "float64", "value": value}
    if isinstance(value, bytes):
        return {"type": "binary", "value": base64.b64encode(value).decode()}
    return {"type": "string", "value": _flatten(value)}
