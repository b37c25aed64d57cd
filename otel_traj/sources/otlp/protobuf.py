"""OTLP protobuf to spans: one message, `TracesData` or the same under another name, or Tempo's answer by id.

The messages are opentelemetry-proto's, decoded by protobuf's own C code, so that fields may come in any order (the
collector writes them last first; seen with contrib 0.161.0) and unknown ones are ignored. Ids of another length than
theirs are what happened to them on the way: zeros lost in front, or hex taken for base64 by a JSON parser that
knows only protobuf's rules, which is undone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from otel_traj.model import Span, SpanEvent, SpanLink, SpanStatus
from otel_traj.sources.otlp.ids import SPAN_ID_DIGITS, TRACE_ID_DIGITS, normalise_raw_id
from otel_traj.sources.otlp.lenient import describe_partial
from otel_traj.sources.otlp.protobuf_values import decode_raw_attributes
from otel_traj.sources.otlp.tempo_answer import parse_tempo_answer
from otel_traj.sources.shared_resource import SharedResource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opentelemetry.proto.trace.v1.trace_pb2 import ScopeSpans, Status, TracesData
    from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage

    from otel_traj.model import AttributeValue
    from otel_traj.sources.position import Position
    from otel_traj.sources.problems import ProblemLog

__all__ = ["NotProtobufError", "ProtobufDecoder"]

_STATUSES: Final[tuple[SpanStatus, ...]] = ("unset", "ok", "error")


class NotProtobufError(ValueError):
    """The bytes are no OTLP trace message."""


class ProtobufDecoder:
    """Decodes the messages of one place; equal resources become one object."""

    def __init__(self, log: ProblemLog) -> None:
        """Load protobuf, which nothing else of the reading side does.

        Args:
            log: Where problems are reported.
        """
        from google.protobuf.message import DecodeError
        from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

        self._message_class = TracesData
        self._decode_error = DecodeError
        self._log = log
        self._resource = SharedResource()
        self._keys: dict[str, str] = {}

    def decode(self, data: bytes, at: Position) -> list[Span]:
        """Return the spans of one message.

        Args:
            data: All bytes of the message, without a length in front.
            at: Where it begins.

        Raises:
            NotProtobufError: They are no such message.
        """
        message, partial = self._parse(data)
        spans = [span for batch in message.resource_spans for span in self._decode_batch(batch, at)]
        if partial is not None:
            trace_ids = tuple(dict.fromkeys(span.trace_id for span in spans))
            self._log.report_at(at, *describe_partial(partial), trace_ids=trace_ids)
        return spans

    def can_decode(self, data: bytes) -> bool:
        """Return whether bytes are a message with at least one scope; nothing is reported.

        Args:
            data: Any bytes.
        """
        try:
            message, _ = self._parse(data)
        except NotProtobufError:
            return False
        return any(batch.scope_spans for batch in message.resource_spans)

    def _parse(self, data: bytes) -> tuple[TracesData, str | None]:
        message = self._try_parse(data)
        if data and (message is None or not any(batch.scope_spans for batch in message.resource_spans)):
            answer = parse_tempo_answer(data)
            trace = None if answer is None else self._try_parse(answer.trace)
            if answer is not None and trace is not None:
                return trace, answer.partial
        if message is None:
            raise NotProtobufError("the bytes are no message, or not a whole one")
        if data and not message.resource_spans:
            raise NotProtobufError("none of its fields is one of OTLP's")
        return message, None

    def _try_parse(self, data: bytes) -> TracesData | None:
        try:
            return self._message_class.FromString(data)
        except self._decode_error:
            return None

    def _decode_batch(self, batch: Any, at: Position) -> Iterable[Span]:  # noqa: ANN401 - protobuf's own class
        attributes, unreadable = decode_raw_attributes(batch.resource.attributes, self._keys)
        resource = self._resource.share(attributes)
        for group in batch.scope_spans:
            yield from self._decode_group(group, resource, unreadable, at)

    def _decode_group(
        self, group: ScopeSpans, resource: dict[str, AttributeValue], unreadable: list[str], at: Position
    ) -> Iterable[Span]:
        scope_name, scope_version = group.scope.name, group.scope.version
        for message in group.spans:
            trace_id = normalise_raw_id(message.trace_id, TRACE_ID_DIGITS)
            span_id = normalise_raw_id(message.span_id, SPAN_ID_DIGITS)
            if not trace_id or not span_id:
                self._report_bad_span(message, at)
                continue
            left_out = dict.fromkeys(unreadable)
            attributes = self._read_attributes(message.attributes, left_out)
            parent = normalise_raw_id(message.parent_span_id, SPAN_ID_DIGITS)
            if parent is None:
                left_out["parentSpanId"] = None
            status = _read_status(message.status, left_out)
            yield Span(
                trace_id=trace_id,
                span_id=span_id,
                parent_span_id=parent or "",
                name=message.name,
                start_ns=message.start_time_unix_nano,
                end_ns=message.end_time_unix_nano,
                status=status,
                status_message=message.status.message,
                attributes=attributes,
                resource=resource,
                scope_name=scope_name,
                scope_version=scope_version,
                events=self._read_events(message, left_out) if message.events else (),
                links=self._read_links(message, left_out) if message.links else (),
                kind=message.kind,
                dropped_attributes=message.dropped_attributes_count,
                unreadable=tuple(left_out),
            )

    def _read_attributes(self, pairs: Any, left_out: dict[str, None]) -> dict[str, AttributeValue]:  # noqa: ANN401
        attributes, unreadable = decode_raw_attributes(pairs, self._keys)
        left_out |= dict.fromkeys(unreadable)
        return attributes

    def _read_events(self, message: SpanMessage, left_out: dict[str, None]) -> tuple[SpanEvent, ...]:
        return tuple(
            SpanEvent(
                name=event.name,
                time_ns=event.time_unix_nano,
                attributes=self._read_attributes(event.attributes, left_out),
            )
            for event in message.events
        )

    def _read_links(self, message: SpanMessage, left_out: dict[str, None]) -> tuple[SpanLink, ...]:
        links = []
        for link in message.links:
            trace_id = normalise_raw_id(link.trace_id, TRACE_ID_DIGITS)
            span_id = normalise_raw_id(link.span_id, SPAN_ID_DIGITS)
            # A link that points nowhere is nothing lost; some backends keep empty ones.
            if trace_id and span_id:
                attributes = self._read_attributes(link.attributes, left_out)
                links.append(SpanLink(trace_id=trace_id, span_id=span_id, attributes=attributes))
        return tuple(links)

    def _report_bad_span(self, message: SpanMessage, at: Position) -> None:
        self._log.report_at(
            at,
            "bad_span",
            f"the span {message.name[:100]!r} has the span id {message.span_id.hex()[:100]!r} and the trace id "
            f"{message.trace_id.hex()[:100]!r}, not both usable; it belongs to no trace and is left out, the others are "
            "used; look for what changed the ids on the way",
        )


def _read_status(status: Status, left_out: dict[str, None]) -> SpanStatus:
    code = status.code
    if 0 <= code < len(_STATUSES):
        return _STATUSES[code]
    left_out["status"] = None
    return "unset"
