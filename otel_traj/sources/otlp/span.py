"""One span message in any spelling to a `Span`.

A span with usable ids is never lost: each other field that can't be decoded takes its default and is named in
`Span.unreadable`, under the attribute's key or the field's own name, so that nobody takes the default for the
truth. Numbers of enums that nobody knows yet are legal OTLP; an unknown kind keeps its number, an unknown status
is named as unreadable, because a verdict rests on it.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from otel_traj.model import AttributeValue, Span, SpanEvent, SpanLink, SpanStatus
from otel_traj.sources.otlp.ids import SPAN_ID_DIGITS, TRACE_ID_DIGITS, normalise_id
from otel_traj.sources.otlp.values import (
    UnreadableValueError,
    decode_attributes,
    decode_count,
    decode_value,
    get_field,
)

__all__ = ["SpanContext", "decode_span"]

_KINDS: Final = {"UNSPECIFIED": 0, "INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}
_STATUSES: Final[dict[object, SpanStatus]] = {
    0: "unset",
    1: "ok",
    2: "error",
    "UNSET": "unset",
    "OK": "ok",
    "ERROR": "error",
}


class SpanContext(Struct, frozen=True, kw_only=True):
    """What a span's envelope says about it."""

    resource: dict[str, AttributeValue] = {}
    scope_name: str = ""
    scope_version: str = ""
    unreadable: tuple[str, ...] = ()
    """Keys of the resource that could not be decoded."""


def decode_span(message: dict[str, object], context: SpanContext) -> Span | None:
    """Return the span that a message holds.

    Args:
        message: A JSON object that stands where a `Span` message should.
        context: What its envelope says.

    Returns:
        The span, or None where it has no usable trace id and span id.
    """
    trace_id = normalise_id(get_field(message, "traceId"), TRACE_ID_DIGITS)
    span_id = normalise_id(get_field(message, "spanId"), SPAN_ID_DIGITS)
    if not trace_id or not span_id:
        return None
    fields = _FieldReader(message, context.unreadable)
    status, status_message = fields.read_status()
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_span_id=fields.read_parent(),
        name=fields.read_text("name"),
        start_ns=fields.read_count("startTimeUnixNano"),
        end_ns=fields.read_count("endTimeUnixNano"),
        status=status,
        status_message=status_message,
        attributes=fields.read_attributes(message),
        resource=context.resource,
        scope_name=context.scope_name,
        scope_version=context.scope_version,
        events=fields.read_events(),
        links=fields.read_links(),
        kind=_decode_kind(message.get("kind")),
        dropped_attributes=fields.read_count("droppedAttributesCount"),
        unreadable=tuple(fields.unreadable),
    )


class _FieldReader:
    """Reads the fields of one message, and keeps the names of those that it could not."""

    def __init__(self, message: dict[str, object], unreadable: tuple[str, ...]) -> None:
        self._message = message
        self.unreadable = dict.fromkeys(unreadable)

    def read_parent(self) -> str:
        parent = normalise_id(get_field(self._message, "parentSpanId"), SPAN_ID_DIGITS)
        if parent is None:
            self.unreadable["parentSpanId"] = None
        return parent or ""

    def read_text(self, name: str) -> str:
        value = self._message.get(name)
        if value is not None and not isinstance(value, str):
            self.unreadable[name] = None
            return ""
        return value or ""

    def read_count(self, name: str) -> int:
        try:
            return decode_count(get_field(self._message, name))
        except UnreadableValueError:
            self.unreadable[name] = None
            return 0

    def read_attributes(self, message: dict[str, object]) -> dict[str, AttributeValue]:
        attributes, unreadable = decode_attributes(message.get("attributes"))
        self.unreadable.update(dict.fromkeys(unreadable))
        return attributes

    def read_status(self) -> tuple[SpanStatus, str]:
        status = self._message.get("status")
        code, text = (status.get("code"), status.get("message")) if isinstance(status, dict) else (status, "")
        known = _STATUSES.get(_decode_enum(code, "STATUS_CODE_"))
        if known is None or (isinstance(status, dict) and code is None and _names_other_code(status)):
            self.unreadable["status"] = None
        return known or "unset", text if isinstance(text, str) else ""

    def read_events(self) -> tuple[SpanEvent, ...]:
        return tuple(
            SpanEvent(
                name=_text_or_empty(event.get("name")),
                time_ns=_count_or_zero(get_field(event, "timeUnixNano")),
                attributes=self.read_attributes(event),
            )
            for event in self._read_messages("events")
        )

    def read_links(self) -> tuple[SpanLink, ...]:
        links = []
        for link in self._read_messages("links"):
            trace_id = normalise_id(get_field(link, "traceId"), TRACE_ID_DIGITS)
            span_id = normalise_id(get_field(link, "spanId"), SPAN_ID_DIGITS)
            # A link that points nowhere is nothing lost; some backends keep empty ones.
            if trace_id and span_id:
                links.append(
                    SpanLink(trace_id=trace_id, span_id=span_id, attributes=self.read_attributes(link))
                )
        return tuple(links)

    def _read_messages(self, name: str) -> list[dict[str, object]]:
        value = self._message.get(name)
        items = value if isinstance(value, list) else []
        messages = [item for item in items if isinstance(item, dict)]
        if len(messages) < len(items) or (value is not None and not isinstance(value, list)):
            self.unreadable[name] = None
        return messages


def _names_other_code(status: dict[str, object]) -> bool:
    """Return whether a status without a code says something under a name like it, such as `deprecatedCode`."""
    return any("code" in key.lower() and value not in (None, "", 0) for key, value in status.items())


def _decode_kind(value: object) -> int:
    kind = _decode_enum(value, "SPAN_KIND_")
    return kind if isinstance(kind, int) else _KINDS.get(kind, 0)


def _decode_enum(value: object, prefix: str) -> int | str:
    """Return an enum's number, or its name in capitals without the prefix; 0 where there is none."""
    if value is None:
        return 0
    try:
        number = decode_value({"intValue": value})
    except UnreadableValueError:
        return value.upper().removeprefix(prefix) if isinstance(value, str) else ""
    return number if isinstance(number, int) else ""


def _text_or_empty(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count_or_zero(value: object) -> int:
    try:
        return decode_count(value)
    except UnreadableValueError:
        return 0
