"""`Span` records back to OTLP JSON, in the strict form that every reader takes.

What was read comes back the same: an attribute that could not be decoded is written with a value of no kind, so that
whoever reads the copy names it as unreadable too, and a run that was incomplete does not become whole on the way.
Source: OTLP 1.11, JSON encoding; opentelemetry-proto 1.11.0.
"""

from __future__ import annotations

import base64
import json
import math
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from otel_traj.model import AttributeValue, Span, SpanEvent, SpanLink

__all__ = ["encode_lines"]

_Json: TypeAlias = dict[str, Any]

_STATUS_CODES: Final = {"unset": 0, "ok": 1, "error": 2}
_UNREADABLE: Final = {"unreadableValue": True}
_SPANS_PER_LINE: Final = 100


def encode_lines(spans: Iterable[Span]) -> Iterator[str]:
    """Yield documents of OTLP JSON, one to a line, without newlines.

    Args:
        spans: In any order; those of one resource and scope that stand side by side share an envelope.

    Returns:
        ASCII: what is beyond it is escaped, so that lone surrogates can be written at all.
    """
    for _, neighbours in groupby(enumerate(spans), key=lambda numbered: numbered[0] // _SPANS_PER_LINE):
        yield json.dumps(_encode_document(span for _, span in neighbours), separators=(",", ":"))


def _encode_document(spans: Iterable[Span]) -> _Json:
    batches = []
    for _, neighbours in groupby(spans, key=_identify_envelope):
        members = list(neighbours)
        first = members[0]
        scope = {"name": first.scope_name, "version": first.scope_version}
        batches.append(
            {
                "resource": {"attributes": _encode_attributes(first.resource)},
                "scopeSpans": [{"scope": scope, "spans": [_encode_span(span) for span in members]}],
            }
        )
    return {"resourceSpans": batches}


def _identify_envelope(span: Span) -> tuple[str, str, str]:
    # By its written form: true and 1 are equal, and NaN is not itself.
    return repr(span.resource), span.scope_name, span.scope_version


def _encode_span(span: Span) -> _Json:
    attributes = _encode_attributes(span.attributes)
    return {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "parentSpanId": span.parent_span_id,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": str(span.end_ns),
        "attributes": attributes + [{"key": key, "value": _UNREADABLE} for key in span.unreadable],
        "droppedAttributesCount": span.dropped_attributes,
        "events": [_encode_event(event) for event in span.events],
        "links": [_encode_link(link) for link in span.links],
        "status": {"code": _STATUS_CODES[span.status], "message": span.status_message},
    }


def _encode_event(event: SpanEvent) -> _Json:
    return {
        "name": event.name,
        "timeUnixNano": str(event.time_ns),
        "attributes": _encode_attributes(event.attributes),
    }


def _encode_link(link: SpanLink) -> _Json:
    return {
        "traceId": link.trace_id,
        "spanId": link.span_id,
        "attributes": _encode_attributes(link.attributes),
    }


def _encode_attributes(attributes: Mapping[str, AttributeValue]) -> list[_Json]:
    return [{"key": key, "value": _encode_value(value)} for key, value in attributes.items()]


def _encode_value(value: AttributeValue) -> _Json:
    if value is None:
        return {}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value if math.isfinite(value) else _name_float(value)}
    if isinstance(value, bytes):
        return {"bytesValue": base64.b64encode(value).decode()}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_encode_value(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": _encode_attributes(value)}}
    return {"stringValue": value}


def _name_float(value: float) -> str:
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
