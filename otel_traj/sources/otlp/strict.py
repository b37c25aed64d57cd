"""OTLP JSON in its strict form to spans: the fast path, taken by nearly every line.

A line is taken whole or refused whole. It is refused where its types are not the strict ones (`otlp_types`) or
an id is not lower-case hex of full length; `otlp_lenient` then reads the same line with patience. Both give the
same spans for what both can read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import UNSET

from otel_traj.model import AttributeValue, Span, SpanEvent, SpanLink, SpanStatus
from otel_traj.sources.otlp.ids import SPAN_ID_DIGITS, TRACE_ID_DIGITS
from otel_traj.sources.otlp.types import (
    AnyValueMessage,
    KeyValueMessage,
    LinkMessage,
    ScopeSpansMessage,
    SpanMessage,
    TracesMessage,
)
from otel_traj.sources.otlp.values import MAX_VALUE_DEPTH
from otel_traj.sources.shared_resource import SharedResource

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["StrictDecoder"]

_STATUSES: Final[tuple[SpanStatus, ...]] = ("unset", "ok", "error")
_MAX_KEYS: Final = 4_096
_LOWER_HEX = re.compile(r"[0-9a-f]*")


class _RefusedError(Exception):
    """The line needs the lenient decoder."""


class StrictDecoder:
    """Decodes lines of one place; equal keys and resources become one object."""

    def __init__(self) -> None:
        self._decoder = msgspec.json.Decoder(TracesMessage, strict=False)
        self.keys: dict[str, str] = {}
        """Keys of the attributes of the last document, and of some before it."""
        self._resource = SharedResource()

    def decode(self, text: bytes) -> list[Span] | None:
        """Return the spans of one document.

        Args:
            text: One JSON document.

        Returns:
            Its spans in order, or None where it is not in strict form (or no JSON at all).
        """
        if len(self.keys) > _MAX_KEYS:
            self.keys.clear()
        spans: list[Span] = []
        try:
            for batch in self._decoder.decode(text).resource_spans:
                resource = self._resource.share(
                    self._attributes(batch.resource.attributes if batch.resource else ())
                )
                for scope_spans in batch.scope_spans:
                    _check_ids(scope_spans.spans)
                    self._append_spans(spans, scope_spans, resource)
        except (msgspec.MsgspecError, ValueError, RecursionError, _RefusedError):
            return None
        return spans

    def _append_spans(
        self, spans: list[Span], scope_spans: ScopeSpansMessage, resource: dict[str, AttributeValue]
    ) -> None:
        scope = scope_spans.scope
        scope_name, scope_version = (scope.name, scope.version) if scope else ("", "")
        for message in scope_spans.spans:
            status = message.status
            spans.append(
                Span(
                    trace_id=message.trace_id,
                    span_id=message.span_id,
                    parent_span_id=message.parent_span_id,
                    name=message.name,
                    start_ns=message.start_time_unix_nano,
                    end_ns=message.end_time_unix_nano,
                    status=_STATUSES[status.code] if status else "unset",
                    status_message=status.message if status else "",
                    attributes=self._attributes(message.attributes),
                    resource=resource,
                    scope_name=scope_name,
                    scope_version=scope_version,
                    events=self._events(message) if message.events else (),
                    links=self._links(message.links) if message.links else (),
                    kind=message.kind,
                    dropped_attributes=message.dropped_attributes_count,
                )
            )

    def _attributes(self, pairs: Iterable[KeyValueMessage]) -> dict[str, AttributeValue]:
        share_key = self.keys.setdefault
        attributes: dict[str, AttributeValue] = {}
        for pair in pairs:
            key = pair.key
            value = pair.value
            # Most values are strings; asking for them here saves a call for each.
            if value is not None and value.string_value is not None:
                attributes[share_key(key, key)] = value.string_value
            else:
                attributes[share_key(key, key)] = _value_of(value, 0)
        return attributes

    def _events(self, message: SpanMessage) -> tuple[SpanEvent, ...]:
        return tuple(
            SpanEvent(
                name=event.name, time_ns=event.time_unix_nano, attributes=self._attributes(event.attributes)
            )
            for event in message.events
        )

    def _links(self, links: Sequence[LinkMessage]) -> tuple[SpanLink, ...]:
        _check_hex([link.trace_id for link in links], TRACE_ID_DIGITS)
        _check_hex([link.span_id for link in links], SPAN_ID_DIGITS)
        return tuple(
            SpanLink(
                trace_id=link.trace_id, span_id=link.span_id, attributes=self._attributes(link.attributes)
            )
            for link in links
        )


def _value_of(message: AnyValueMessage | None, depth: int) -> AttributeValue:
    if message is None:
        return None
    if message.string_value is not None:
        return message.string_value
    if message.int_value is not UNSET:
        return message.int_value
    if message.bool_value is not UNSET:
        return message.bool_value
    if message.double_value is not UNSET:
        return message.double_value
    if message.bytes_value is not UNSET:
        return message.bytes_value
    if depth == MAX_VALUE_DEPTH:
        raise _RefusedError
    if message.array_value is not UNSET:
        return [_value_of(item, depth + 1) for item in message.array_value.values]
    if message.kvlist_value is not UNSET:
        return {pair.key: _value_of(pair.value, depth + 1) for pair in message.kvlist_value.values}
    return None


def _check_ids(spans: Sequence[SpanMessage]) -> None:
    """Refuse ids that are not what they should be; all of a batch at once, which costs a tenth of one by one."""
    _check_hex([span.span_id for span in spans], SPAN_ID_DIGITS)
    _check_hex({span.trace_id for span in spans}, TRACE_ID_DIGITS)
    _check_hex({span.parent_span_id for span in spans} - {""}, SPAN_ID_DIGITS)


def _check_hex(ids: Sequence[str] | set[str], digits: int) -> None:
    if not set(map(len, ids)) <= {digits} or not _LOWER_HEX.fullmatch("".join(ids)) or "0" * digits in ids:
        raise _RefusedError
