"""One span of Jaeger's legacy JSON to a `Span`.

The parent is the first CHILD_OF reference in the span's own trace (`parentSpanID` is older, and left out by newer
ones); other references are links. Where a span has no such reference and links to a span of its own trace, that is
its parent: Jaeger keeps one reference of those to one span, the link (seen with 1.76.0), and a root can't link to
what its trace began with. A process is a resource: its service name is `service.name`.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from otel_traj import semconv as sc
from otel_traj.model import AttributeValue, Span, SpanEvent, SpanLink, SpanStatus
from otel_traj.sources.jaeger.legacy_tags import decode_tags
from otel_traj.sources.jaeger.warnings import WARNINGS
from otel_traj.sources.otlp.ids import SPAN_ID_DIGITS, TRACE_ID_DIGITS, normalise_id
from otel_traj.sources.otlp.values import UnreadableValueError, decode_count

__all__ = ["Process", "decode_legacy_span", "decode_processes"]

_KINDS: Final = {"internal": 1, "server": 2, "client": 3, "producer": 4, "consumer": 5}
_STATUSES: Final[dict[str, SpanStatus]] = {"UNSET": "unset", "OK": "ok", "ERROR": "error"}
_SCOPE_NAMES: Final = ("otel.scope.name", "otel.library.name")
_SCOPE_VERSIONS: Final = ("otel.scope.version", "otel.library.version")
# What the translator of OTLP to Jaeger adds of its own accord.
_ADDED: Final = ("internal.span.format", "w3c.tracestate")
_MAX_NS: Final = 2**64 - 1


class Process(Struct, frozen=True, kw_only=True):
    """What a span's process says about it."""

    resource: dict[str, AttributeValue] = {}
    unreadable: tuple[str, ...] = ()
    """Keys of the resource that could not be decoded."""


def decode_processes(processes: object) -> dict[str, Process]:
    """Return the processes of a trace by their ids.

    Args:
        processes: A JSON object; anything else is an empty one.
    """
    if not isinstance(processes, dict):
        return {}
    return {key: _decode_process(process) for key, process in processes.items()}


def _decode_process(process: object) -> Process:
    if not isinstance(process, dict):
        return Process(unreadable=("process",))
    attributes, unreadable = decode_tags(process.get("tags"), "process")
    service = process.get("serviceName")
    named: dict[str, AttributeValue] = {sc.SERVICE_NAME: service} if isinstance(service, str) else {}
    return Process(resource=named | attributes, unreadable=tuple(unreadable))


def decode_legacy_span(
    message: dict[str, object], processes: dict[str, Process], trace_id_of_all: object = None
) -> Span | None:
    """Return the span that a message holds.

    Args:
        message: A JSON object that stands where a span should.
        processes: The processes of its trace.
        trace_id_of_all: The id of its trace, for a span without one.

    Returns:
        The span, or None where it has no usable trace id and span id.
    """
    written = message.get("traceID")
    trace_id = normalise_id(trace_id_of_all if written is None else written, TRACE_ID_DIGITS)
    span_id = normalise_id(message.get("spanID"), SPAN_ID_DIGITS)
    if not trace_id or not span_id:
        return None
    return _SpanReader(message, trace_id, _find_process(message, processes)).read(span_id)


def _find_process(message: dict[str, object], processes: dict[str, Process]) -> Process:
    if "process" in message:
        return _decode_process(message["process"])
    key = message.get("processID")
    found = processes.get(key) if isinstance(key, str) else None
    return found or (Process(unreadable=("process",)) if key is not None else Process())


class _SpanReader:
    """Reads the fields of one message, and keeps the names of those that it could not."""

    def __init__(self, message: dict[str, object], trace_id: str, process: Process) -> None:
        self._message = message
        self._trace_id = trace_id
        self._process = process
        self.unreadable = dict.fromkeys(process.unreadable)

    def read(self, span_id: str) -> Span:
        attributes = self._read_tags(self._message.get("tags"), "tags")
        warnings = self._message.get("warnings")
        if isinstance(warnings, list) and warnings:
            attributes[WARNINGS] = [warning for warning in warnings if isinstance(warning, str)]
        status, status_message = self._take_status(attributes)
        parent, links = self._read_references()
        start_ns, end_ns = self._read_times()
        name = self._message.get("operationName")
        return Span(
            trace_id=self._trace_id,
            span_id=span_id,
            parent_span_id=parent,
            name=name if isinstance(name, str) else "",
            start_ns=start_ns,
            end_ns=end_ns,
            status=status,
            status_message=status_message,
            scope_name=_take_text(attributes, _SCOPE_NAMES),
            scope_version=_take_text(attributes, _SCOPE_VERSIONS),
            kind=_take_kind(attributes),
            attributes=attributes,
            resource=self._process.resource,
            events=self._read_events(),
            links=links,
            unreadable=tuple(self.unreadable),
        )

    def _read_tags(self, tags: object, place: str) -> dict[str, AttributeValue]:
        attributes, unreadable = decode_tags(tags, place)
        self.unreadable |= dict.fromkeys(unreadable)
        for key in _ADDED:
            attributes.pop(key, None)
        return attributes

    def _take_status(self, attributes: dict[str, AttributeValue]) -> tuple[SpanStatus, str]:
        code = attributes.pop("otel.status_code", None)
        message = _take_text(attributes, ("otel.status_description",))
        is_error = attributes.get("error") in (True, "true")
        if code is None:
            # Before OpenTelemetry there was only this tag.
            return ("error" if is_error else "unset"), message
        status = _STATUSES.get(code.upper()) if isinstance(code, str) else None
        if status is None:
            self.unreadable["status"] = None
        if status == "error" and is_error:
            del attributes["error"]
        return status or "unset", message

    def _read_times(self) -> tuple[int, int]:
        """Return start and end; a span that had not ended has a duration of no sense, or none."""
        start = self._read_microseconds("startTime")
        duration = self._message.get("duration")
        if duration is None or (isinstance(duration, int | float) and duration < 0):
            return start, 0
        end = start + self._read_microseconds("duration")
        return start, (end if end <= _MAX_NS and "duration" not in self.unreadable else 0)

    def _read_microseconds(self, name: str) -> int:
        try:
            return decode_count(self._message.get(name)) * 1_000
        except UnreadableValueError:
            self.unreadable[name] = None
            return 0

    def _read_references(self) -> tuple[str, tuple[SpanLink, ...]]:
        parent = linked = ""
        links = []
        for reference in self._read_objects("references"):
            trace_id = self._read_trace_id(reference)
            span_id = normalise_id(reference.get("spanID"), SPAN_ID_DIGITS)
            if trace_id is None or span_id is None:
                self.unreadable["references"] = None
            elif not parent and reference.get("refType") == "CHILD_OF" and trace_id == self._trace_id:
                parent = span_id
            elif trace_id and span_id:
                links.append(SpanLink(trace_id=trace_id, span_id=span_id))
                linked = linked or (span_id if trace_id == self._trace_id else "")
        return parent or self._read_old_parent() or linked, tuple(links)

    def _read_trace_id(self, reference: dict[str, object]) -> str | None:
        """Return the trace that a reference points into; the low 64 bits of the span's own stand for that."""
        trace_id = normalise_id(reference.get("traceID"), TRACE_ID_DIGITS)
        low = TRACE_ID_DIGITS // 2
        is_own = trace_id is not None and trace_id == self._trace_id[low:].zfill(TRACE_ID_DIGITS)
        return self._trace_id if is_own else trace_id

    def _read_objects(self, name: str) -> list[dict[str, object]]:
        value = self._message.get(name)
        items = value if isinstance(value, list) else []
        objects = [item for item in items if isinstance(item, dict)]
        if len(objects) < len(items) or not isinstance(value, list | None):
            self.unreadable[name] = None
        return objects

    def _read_old_parent(self) -> str:
        parent = normalise_id(self._message.get("parentSpanID"), SPAN_ID_DIGITS)
        if parent is None:
            self.unreadable["parentSpanID"] = None
        return parent or ""

    def _read_events(self) -> tuple[SpanEvent, ...]:
        events = []
        for log in self._read_objects("logs"):
            attributes = self._read_tags(log.get("fields"), "logs")
            try:
                time_ns = decode_count(log.get("timestamp")) * 1_000
            except UnreadableValueError:
                time_ns = 0
            name = _take_text(attributes, ("event",))
            events.append(SpanEvent(name=name, time_ns=time_ns, attributes=attributes))
        return tuple(events)


def _take_text(attributes: dict[str, AttributeValue], keys: tuple[str, ...]) -> str:
    found = ""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, str):
            del attributes[key]
            found = found or value
    return found


def _take_kind(attributes: dict[str, AttributeValue]) -> int:
    value = attributes.get("span.kind")
    kind = _KINDS.get(value.lower()) if isinstance(value, str) else None
    if kind is None:
        return 0
    del attributes["span.kind"]
    return kind
