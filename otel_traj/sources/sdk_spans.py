"""Spans of the OpenTelemetry Python SDK to `Span`, by their shape alone.

The SDK is not imported: a `ReadableSpan` of any version (1.33 to 1.45 seen), a live span and what another
package builds in its likeness read the same. What comes out equals what the SDK's OTLP exporter would have
written: tuples are lists, and kinds are numbered as OTLP does (the SDK's enum starts one lower).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from otel_traj.model import AttributeValue, Span, SpanEvent, SpanLink, SpanStatus
from otel_traj.sources.otlp.values import MAX_VALUE_DEPTH

__all__ = ["SdkSpanConverter", "convert_attributes", "is_sdk_span"]

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
        ids = _read_context(span)
        if ids is None:
            return None
        self._convert_resource(getattr(span, "resource", None))
        parent = _ids_of(getattr(span, "parent", None))
        fields = _FieldReader(span, self._resource_unreadable)
        scope_name, scope_version = fields.read_scope()
        status, status_message = fields.read_status()
        return Span(
            trace_id=ids[0],
            span_id=ids[1],
            parent_span_id=parent[1] if parent else "",
            name=fields.read_text(span, "name", "name"),
            start_ns=fields.read_count("start_time"),
            end_ns=fields.read_count("end_time"),
            status=status,
            status_message=status_message,
            attributes=fields.read_attributes(span, "attributes"),
            resource=self._resource_attributes,
            scope_name=scope_name,
            scope_version=scope_version,
            events=fields.read_events(),
            links=fields.read_links(),
            kind=_read_kind(span),
            dropped_attributes=fields.read_count("dropped_attributes"),
            unreadable=tuple(fields.unreadable),
        )

    def _convert_resource(self, resource: object) -> None:
        if resource is not self._resource:
            self._resource = resource
            attributes, unreadable = convert_attributes(getattr(resource, "attributes", None), "resource")
            self._resource_attributes, self._resource_unreadable = attributes, tuple(unreadable)


class _FieldReader:
    """Reads the fields of one span, and keeps the names of those that it could not."""

    def __init__(self, span: object, unreadable: Sequence[str]) -> None:
        self._span = span
        self.unreadable = dict.fromkeys(unreadable)

    def read_text(self, holder: object, name: str, place: str) -> str:
        value = getattr(holder, name, None)
        if value is not None and not isinstance(value, str):
            self.unreadable[place] = None
            return ""
        return value or ""

    def read_count(self, name: str) -> int:
        value = getattr(self._span, name, None)
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.unreadable[name] = None
            return 0
        return int(value)

    def read_attributes(self, holder: object, place: str) -> dict[str, AttributeValue]:
        attributes, unreadable = convert_attributes(getattr(holder, "attributes", None), place)
        self.unreadable |= dict.fromkeys(unreadable)
        return attributes

    def read_scope(self) -> tuple[str, str]:
        scope = getattr(self._span, "instrumentation_scope", None)
        place = "instrumentation_scope"
        return self.read_text(scope, "name", place), self.read_text(scope, "version", place)

    def read_status(self) -> tuple[SpanStatus, str]:
        status = getattr(self._span, "status", None)
        code = getattr(getattr(status, "status_code", None), "name", "UNSET")
        known = _STATUSES.get(code) if isinstance(code, str) else None
        if known is None:
            self.unreadable["status"] = None
        return known or "unset", self.read_text(status, "description", "status")

    def read_events(self) -> tuple[SpanEvent, ...]:
        events = []
        for event in self._read_items("events"):
            time_ns = getattr(event, "timestamp", None) or 0
            if event is None or not isinstance(time_ns, int):
                self.unreadable["events"] = None
                continue
            attributes, _ = convert_attributes(getattr(event, "attributes", None), "events")
            name = self.read_text(event, "name", "events")
            events.append(SpanEvent(name=name, time_ns=time_ns, attributes=attributes))
        return tuple(events)

    def read_links(self) -> tuple[SpanLink, ...]:
        links = []
        for link in self._read_items("links"):
            # A link that points nowhere is nothing lost.
            ids = _ids_of(getattr(link, "context", None))
            if ids:
                attributes = self.read_attributes(link, "links")
                links.append(SpanLink(trace_id=ids[0], span_id=ids[1], attributes=attributes))
        return tuple(links)

    def _read_items(self, name: str) -> Sequence[object]:
        items = getattr(self._span, name, None)
        if items is not None and not isinstance(items, Sequence):
            self.unreadable[name] = None
            return ()
        return items or ()


def _read_context(span: Any) -> tuple[str, str] | None:  # noqa: ANN401 - told by its shape
    try:
        return _ids_of(span.get_span_context())
    except Exception:  # noqa: BLE001 - a stranger's method; without ids the span belongs nowhere
        return None


def _ids_of(context: object) -> tuple[str, str] | None:
    trace_id, span_id = getattr(context, "trace_id", 0), getattr(context, "span_id", 0)
    if not (isinstance(trace_id, int) and isinstance(span_id, int)):
        return None
    if not (0 < trace_id < 1 << 128 and 0 < span_id < 1 << 64):
        return None
    return f"{trace_id:032x}", f"{span_id:016x}"


def _read_kind(span: object) -> int:
    name = getattr(getattr(span, "kind", None), "name", None)
    return _KINDS.get(name, 0) if isinstance(name, str) else 0


def convert_attributes(values: object, place: str) -> tuple[dict[str, AttributeValue], list[str]]:
    """Return attributes, and the keys of those left out.

    Args:
        values: A mapping of plain values; None is an empty one.
        place: What stands for values that are no mapping.
    """
    if values is not None and not isinstance(values, Mapping):
        return {}, [place]
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
