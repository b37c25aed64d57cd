"""What the Python SDK's `ConsoleSpanExporter` prints, to spans.

It prints one pretty-printed JSON object per span (`ReadableSpan.to_json`, opentelemetry-sdk 1.33 to 1.45). Times
are cut to microseconds, and the instrumentation scope is not printed: a dialect has to be told by the attributes.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from otel_traj.model import AttributeValue, Span, SpanEvent, SpanLink, SpanStatus
from otel_traj.sources.otlp.ids import SPAN_ID_DIGITS, TRACE_ID_DIGITS, normalise_id
from otel_traj.sources.sdk_spans import convert_attributes

if TYPE_CHECKING:
    from otel_traj.sources.shared_resource import SharedResource

__all__ = ["decode_console_span", "is_console_span"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_KINDS: Final = {"INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}
_STATUSES: Final[dict[object, SpanStatus]] = {"UNSET": "unset", "OK": "ok", "ERROR": "error"}


def is_console_span(document: object) -> bool:
    """Return whether a document is a span as the console exporter prints it.

    Args:
        document: A decoded JSON document.
    """
    if not isinstance(document, dict) or "start_time" not in document:
        return False
    context = document.get("context")
    return isinstance(context, dict) and "trace_id" in context and "span_id" in context


def decode_console_span(document: dict[str, object], resources: SharedResource) -> Span | None:
    """Return the span that a document is.

    Args:
        document: One that `is_console_span` accepts.
        resources: Those of the place; each span prints its own.

    Returns:
        The span, or None where it has no usable trace id and span id.
    """
    ids = _read_ids(document)
    return _SpanReader(document, resources).read(*ids) if ids else None


def _read_ids(holder: dict[str, object]) -> tuple[str, str] | None:
    context = holder.get("context")
    if not isinstance(context, dict):
        return None
    trace_id = normalise_id(context.get("trace_id"), TRACE_ID_DIGITS)
    span_id = normalise_id(context.get("span_id"), SPAN_ID_DIGITS)
    return (trace_id, span_id) if trace_id and span_id else None


def _parse_time(text: str) -> int | None:
    try:
        microseconds = (datetime.fromisoformat(text) - _EPOCH) // _MICROSECOND
    except (ValueError, TypeError, OverflowError):
        return None
    return microseconds * 1_000 if microseconds >= 0 else None


class _SpanReader:
    """Reads the fields of one document, and keeps the names of those that it could not."""

    def __init__(self, document: dict[str, object], resources: SharedResource) -> None:
        self._document = document
        self._resources = resources
        self.unreadable: dict[str, None] = {}

    def read(self, trace_id: str, span_id: str) -> Span:
        status, status_message = self._read_status()
        parent = normalise_id(self._document.get("parent_id"), SPAN_ID_DIGITS)
        if parent is None:
            self.unreadable["parent_id"] = None
        name = self._document.get("name")
        resource = self._document.get("resource")
        return Span(
            trace_id=trace_id,
            span_id=span_id,
            parent_span_id=parent or "",
            name=name if isinstance(name, str) else "",
            start_ns=self._read_time(self._document, "start_time"),
            end_ns=self._read_time(self._document, "end_time"),
            status=status,
            status_message=status_message,
            attributes=self._read_attributes(self._document, "attributes"),
            resource=self._resources.share(
                self._read_attributes(resource, "resource") if isinstance(resource, dict) else {}
            ),
            events=self._read_events(),
            links=self._read_links(),
            kind=_KINDS.get(str(self._document.get("kind")).rpartition(".")[2], 0),
            unreadable=tuple(self.unreadable),
        )

    def _read_status(self) -> tuple[SpanStatus, str]:
        status = self._document.get("status")
        if status is None:
            return "unset", ""
        code = status.get("status_code") if isinstance(status, dict) else None
        known = _STATUSES.get(code) if isinstance(code, str) else None
        if known is None:
            self.unreadable["status"] = None
        description = status.get("description") if isinstance(status, dict) else None
        return known or "unset", description if isinstance(description, str) else ""

    def _read_attributes(self, holder: dict[str, object], place: str) -> dict[str, AttributeValue]:
        attributes, unreadable = convert_attributes(holder.get("attributes"), place)
        self.unreadable |= dict.fromkeys(unreadable)
        return attributes

    def _read_time(self, holder: dict[str, object], name: str) -> int:
        value = holder.get(name)
        if value is None:
            return 0
        time_ns = _parse_time(value) if isinstance(value, str) else None
        if time_ns is None:
            self.unreadable[name] = None
        return time_ns or 0

    def _read_events(self) -> tuple[SpanEvent, ...]:
        return tuple(
            SpanEvent(
                name=name if isinstance(name := event.get("name"), str) else "",
                time_ns=self._read_time(event, "timestamp"),
                attributes=self._read_attributes(event, "events"),
            )
            for event in self._read_objects("events")
        )

    def _read_links(self) -> tuple[SpanLink, ...]:
        links = []
        for link in self._read_objects("links"):
            ids = _read_ids(link)
            if ids:
                attributes = self._read_attributes(link, "links")
                links.append(SpanLink(trace_id=ids[0], span_id=ids[1], attributes=attributes))
        return tuple(links)

    def _read_objects(self, name: str) -> list[dict[str, object]]:
        value = self._document.get(name)
        items = value if isinstance(value, list) else []
        objects = [item for item in items if isinstance(item, dict)]
        if len(objects) < len(items) or not isinstance(value, list | None):
            self.unreadable[name] = None
        return objects
