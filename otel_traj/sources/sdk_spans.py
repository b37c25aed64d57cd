"""Spans of the OpenTelemetry Python SDK to `Span`, by their shape alone.

The SDK is not imported: a `ReadableSpan` of any version (1.33 to 1.45 seen), a live span and what another
package builds in its likeness read the same. What comes out equals what the SDK's OTLP exporter would have
written: tuples are lists, and kinds are numbered as OTLP does (the SDK's enum starts one lower).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from otel_traj.model import AttributeValue, Span, SpanEvent, SpanLink, SpanStatus
from otel_traj.sources.otlp_values import MAX_VALUE_DEPTH

__all__ = ["SdkSpanConverter", "is_sdk_span"]

_KINDS: Final = {"INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}
_STATUSES: Final[dict[str, SpanStatus]] = {"UNSET": "unset", "OK": "ok", "ERROR": "error"}


def is_sdk_span(value: object) -> bool:
    """Return whether an object has the shape of a readable SDK span.

    Args:
        value: Any object.
    """
    return hasattr(value, "get_span_context") and hasattr(value, "attributes")


class SdkSpanConverter:
    """Converts the spans of one place; those of one resource share its dict."""

    def __init__(self) -> None:
        self._resource: object = None
        self._resource_attributes: dict[str, AttributeValue] = {}
        self._resource_unreadable: tuple[str, ...] = ()

    def convert(self, span: Any) -> Span | None:  # noqa: ANN401 - told by its shape
        """Return the record of an SDK span.

        Args:
            span: An object that `is_sdk_span` accepts.

        Returns:
            The span, open where it has no end time; None where it has no valid ids.
        """
        ids = _ids_of(span.get_span_context())
        if ids is None:
            return None
        self._convert_resource(getattr(span, "resource", None))
        attributes, unreadable = _convert_attributes(span.attributes)
        parent = _ids_of(getattr(span, "parent", None))
        scope = getattr(span, "instrumentation_scope", None)
        status, status_message = _convert_status(getattr(span, "status", None))
        return Span(
            trace_id=ids[0],
            span_id=ids[1],
            parent_span_id=parent[1] if parent else "",
            name=str(getattr(span, "name", None) or ""),
            start_ns=getattr(span, "start_time", None) or 0,
            end_ns=getattr(span, "end_time", None) or 0,
            status=status,
            status_message=status_message,
            attributes=attributes,
            resource=self._resource_attributes,
            scope_name=getattr(scope, "name", None) or "",
            scope_version=getattr(scope, "version", None) or "",
            events=tuple(_convert_event(event) for event in getattr(span, "events", None) or ()),
            links=_convert_links(getattr(span, "links", None) or ()),
            kind=_KINDS.get(getattr(getattr(span, "kind", None), "name", ""), 0),
            dropped_attributes=getattr(span, "dropped_attributes", None) or 0,
            unreadable=tuple(dict.fromkeys((*self._resource_unreadable, *unreadable))),
        )

    def _convert_resource(self, resource: object) -> None:
        if resource is not self._resource:
            self._resource = resource
            self._resource_attributes, unreadable = _convert_attributes(getattr(resource, "attributes", None))
            self._resource_unreadable = tuple(unreadable)


def _ids_of(context: Any) -> tuple[str, str] | None:  # noqa: ANN401 - told by its shape
    trace_id, span_id = getattr(context, "trace_id", 0), getattr(context, "span_id", 0)
    if not (isinstance(trace_id, int) and isinstance(span_id, int)):
        return None
    if not (0 < trace_id < 1 << 128 and 0 < span_id < 1 << 64):
        return None
    return f"{trace_id:032x}", f"{span_id:016x}"


def _convert_status(status: object) -> tuple[SpanStatus, str]:
    code = getattr(getattr(status, "status_code", None), "name", "UNSET")
    return _STATUSES.get(code, "unset"), getattr(status, "description", None) or ""


def _convert_event(event: Any) -> SpanEvent:  # noqa: ANN401 - told by its shape
    attributes, _ = _convert_attributes(event.attributes)
    return SpanEvent(name=event.name, time_ns=event.timestamp or 0, attributes=attributes)


def _convert_links(links: Sequence[Any]) -> tuple[SpanLink, ...]:
    converted = []
    for link in links:
        ids = _ids_of(link.context)
        if ids:
            attributes, _ = _convert_attributes(link.attributes)
            converted.append(SpanLink(trace_id=ids[0], span_id=ids[1], attributes=attributes))
    return tuple(converted)


def _convert_attributes(values: Mapping[str, object] | None) -> tuple[dict[str, AttributeValue], list[str]]:
    attributes: dict[str, AttributeValue] = {}
    unreadable = []
    for key, value in (values or {}).items():
        try:
            attributes[str(key)] = _convert_value(value, 0)
        except TypeError:
            unreadable.append(str(key))
    return attributes, unreadable


def _convert_value(value: object, depth: int) -> AttributeValue:
    if value is None or isinstance(value, bool | bytes):
        return value
    # The plain value of an enum that is a string or a number, as the exporter writes it.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if depth == MAX_VALUE_DEPTH:
        raise TypeError("nested too deeply")
    if isinstance(value, Mapping):
        return {str(key): _convert_value(item, depth + 1) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_convert_value(item, depth + 1) for item in value]
    raise TypeError(f"no attribute value: {type(value).__name__}")
