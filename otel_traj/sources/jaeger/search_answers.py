"""Which traces an answer of Jaeger's search holds; of whole traces only the ids and times are decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import Struct

from otel_traj.sources.backend.paging import Found
from otel_traj.sources.otlp.ids import TRACE_ID_DIGITS, normalise_id

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["find_in_legacy", "find_in_summaries", "find_in_traces", "read_services"]


class _Span(Struct, rename="camel", gc=False):
    trace_id: str = ""
    start_time_unix_nano: int = 0


class _ScopeSpans(Struct, rename="camel", gc=False):
    spans: list[_Span] | None = None


class _ResourceSpans(Struct, rename="camel", gc=False):
    scope_spans: list[_ScopeSpans] | None = None


class _Traces(Struct, rename="camel", gc=False):
    resource_spans: list[_ResourceSpans] | None = None


class _TracesAnswer(Struct):
    result: _Traces


class _Summary(Struct, rename="camel"):
    trace_id: str
    min_start_time_unix_nano: int = 0
    span_count: int = 0


class _SummariesAnswer(Struct):
    summaries: list[_Summary] | None = None


class _LegacySpan(Struct, rename={"start_time": "startTime"}, gc=False):
    start_time: int = 0


class _LegacyTrace(Struct, rename={"trace_id": "traceID"}, gc=False):
    trace_id: str
    spans: list[_LegacySpan] | None = None


class _LegacyAnswer(Struct):
    data: list[_LegacyTrace] | None


class _Services(Struct):
    services: list[str] | None = None
    data: list[str] | None = None


_Answer = TypeVar("_Answer")

_TRACES = msgspec.json.Decoder(_TracesAnswer, strict=False)
_SUMMARIES = msgspec.json.Decoder(_SummariesAnswer, strict=False)
_LEGACY = msgspec.json.Decoder(_LegacyAnswer, strict=False)
_SERVICES = msgspec.json.Decoder(_Services)


def find_in_traces(body: bytes) -> list[Found]:
    """Return the traces in an answer of `/api/v3/traces`: one document, or one a line as a gateway streams them.

    Args:
        body: The answer.

    Raises:
        ValueError: It is no such answer.
    """
    try:
        documents = [_decode(_TRACES, body)]
    except ValueError:
        lines = [line for line in body.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
        documents = [_decode(_TRACES, line) for line in lines]
    return _collect(
        (span.trace_id, span.start_time_unix_nano)
        for document in documents
        for batch in document.result.resource_spans or ()
        for group in batch.scope_spans or ()
        for span in group.spans or ()
    )


def find_in_summaries(body: bytes) -> list[Found]:
    """Return the traces in an answer of `/api/v3/trace-summaries`.

    A summary counts all spans of a trace as they are stored, whatever was searched for, and not after the changes that
    `raw_traces` leaves out (source of 2026-08; its Elasticsearch once counted only what matched, which is less).

    Args:
        body: The answer.

    Raises:
        ValueError: It is no such answer.
    """
    summaries = _decode(_SUMMARIES, body).summaries or ()
    found = {}
    for summary in summaries:
        trace_id = normalise_id(summary.trace_id, TRACE_ID_DIGITS)
        if trace_id:
            found[trace_id] = Found(
                trace_id=trace_id, start_ns=summary.min_start_time_unix_nano, span_count=summary.span_count
            )
    return list(found.values())


def find_in_legacy(body: bytes) -> list[Found]:
    """Return the traces in an answer of the legacy search.

    Args:
        body: The answer.

    Raises:
        ValueError: It is no such answer.
    """
    traces = _decode(_LEGACY, body).data or ()
    return _collect(
        (trace.trace_id, span.start_time * 1_000) for trace in traces for span in trace.spans or ()
    )


def read_services(body: bytes) -> list[str]:
    """Return the names of services, of either API.

    Args:
        body: The answer.

    Raises:
        ValueError: It is no such answer.
    """
    answer = _decode(_SERVICES, body)
    return answer.services or answer.data or []


def _collect(spans: Iterable[tuple[str, int]]) -> list[Found]:
    starts: dict[str, int] = {}
    for text, start_ns in spans:
        trace_id = normalise_id(text, TRACE_ID_DIGITS)
        if trace_id:
            starts[trace_id] = min(starts.get(trace_id, start_ns), start_ns)
    return [Found(trace_id=trace_id, start_ns=start_ns) for trace_id, start_ns in starts.items()]


def _decode(decoder: msgspec.json.Decoder[_Answer], body: bytes) -> _Answer:
    # Before 0.20 what msgspec raises is no ValueError.
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(str(error)) from error
