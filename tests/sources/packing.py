"""Span records to OTLP protobuf, and bytes packed as the collector's file exporter packs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import zstandard
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, TracesData
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from otel_traj.model import AttributeValue, Span

__all__ = ["encode_message", "frame", "pack_zstd"]

_STATUS_CODES = {"unset": 0, "ok": 1, "error": 2}


def encode_message(spans: Iterable[Span]) -> bytes:
    """Return one `TracesData` message, each span in an envelope of its own."""
    return TracesData(resource_spans=[_encode_batch(span) for span in spans]).SerializeToString()


def frame(data: bytes) -> bytes:
    """Return a record with its length of four bytes in front."""
    return len(data).to_bytes(4, "big") + data


def pack_zstd(data: bytes) -> bytes:
    """Return one zstd frame."""
    return zstandard.ZstdCompressor().compress(data)


def _encode_batch(span: Span) -> ResourceSpans:
    batch = ResourceSpans()
    batch.resource.attributes.extend(_encode_attributes(span.resource))
    group = batch.scope_spans.add()
    group.scope.name, group.scope.version = span.scope_name, span.scope_version
    message = group.spans.add(
        trace_id=bytes.fromhex(span.trace_id),
        span_id=bytes.fromhex(span.span_id),
        parent_span_id=bytes.fromhex(span.parent_span_id),
        name=span.name,
        kind=span.kind,
        start_time_unix_nano=span.start_ns,
        end_time_unix_nano=span.end_ns,
        attributes=_encode_attributes(span.attributes),
        dropped_attributes_count=span.dropped_attributes,
    )
    message.status.code = _STATUS_CODES[span.status]  # type: ignore[assignment]  # a number of the enum
    message.status.message = span.status_message
    message.events.extend(
        SpanMessage.Event(
            name=event.name, time_unix_nano=event.time_ns, attributes=_encode_attributes(event.attributes)
        )
        for event in span.events
    )
    message.links.extend(
        SpanMessage.Link(
            trace_id=bytes.fromhex(link.trace_id),
            span_id=bytes.fromhex(link.span_id),
            attributes=_encode_attributes(link.attributes),
        )
        for link in span.links
    )
    return batch


def _encode_attributes(attributes: Mapping[str, AttributeValue]) -> list[KeyValue]:
    return [KeyValue(key=key, value=_encode_value(value)) for key, value in attributes.items()]


def _encode_value(value: AttributeValue) -> AnyValue:
    message = AnyValue()
    if isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, int):
        message.int_value = value
    elif isinstance(value, float):
        message.double_value = value
    elif isinstance(value, str):
        message.string_value = value
    elif isinstance(value, bytes):
        message.bytes_value = value
    elif isinstance(value, list):
        message.array_value.SetInParent()
        message.array_value.values.extend(map(_encode_value, value))
    elif isinstance(value, dict):
        message.kvlist_value.SetInParent()
        message.kvlist_value.values.extend(_encode_attributes(value))
    return message
