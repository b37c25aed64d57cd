"""Which traces an answer of Jaeger's search holds; of whole traces only the ids and times are decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw, Struct

from otel_traj.sources.backend.answer import describe_error
from otel_traj.sources.backend.listing import Listing, decode_answer, decode_entries, read_number
from otel_traj.sources.backend.paging import Found
from otel_traj.sources.backend.streamed import split_documents
from otel_traj.sources.otlp.ids import TRACE_ID_DIGITS, normalise_id

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["find_in_legacy", "find_in_summaries", "find_in_traces", "read_services"]


class _Span(Struct, rename="camel", gc=False):
    trace_id: object = None
    start_time_unix_nano: object = 0


class _ScopeSpans(Struct, rename="camel", gc=False):
    spans: list[_Span] | None = None


class _ResourceSpans(Struct, rename="camel", gc=False):
    scope_spans: list[_ScopeSpans] | None = None


class _Traces(Struct, rename="camel"):
    resource_spans: list[Raw] | None = None


class _TracesAnswer(Struct):
    result: _Traces | None = None
    error: object = None


class _Summary(Struct, rename="camel"):
    trace_id: object
    min_start_time_unix_nano: object = 0
    span_count: object = 0


class _SummariesAnswer(Struct):
    summaries: list[Raw] | None = None
    error: object = None


class _LegacySpan(Struct, rename={"start_time": "startTime"}, gc=False):
    start_time: object = 0


class _LegacyTrace(Struct, rename={"trace_id": "traceID"}, gc=False):
    trace_id: object
    spans: list[_LegacySpan] | None = None


class _LegacyAnswer(Struct):
    data: list[Raw] | None
    errors: object = None


class _Services(Struct):
    services: list[str] | None = None
    data: list[str] | None = None


_TRACES = msgspec.json.Decoder(_TracesAnswer)
_RESOURCE_SPANS = msgspec.json.Decoder(_ResourceSpans)
_SUMMARIES = msgspec.json.Decoder(_SummariesAnswer)
_SUMMARY = msgspec.json.Decoder(_Summary)
_LEGACY = msgspec.json.Decoder(_LegacyAnswer)
_LEGACY_TRACE = msgspec.json.Decoder(_LegacyTrace)
_SERVICES = msgspec.json.Decoder(_Services)


def find_in_traces(body: bytes) -> Listing:
    """Return the traces in an answer of `/api/v3/traces`: one document, or several as a gateway streams them.

    Args:
        body: The answer.

    Raises:
        ValueError: It is no such answer.
    """
    try:
        documents = [decode_answer(_TRACES, body)]
    except ValueError:
        documents = [decode_answer(_TRACES, document) for document in split_documents(body)]
    if any(document.result is None and document.error is None for document in documents):
        raise ValueError("it holds neither traces nor an error")
    entries = [
        entry for document in documents if document.result for entry in document.result.resource_spans or ()
    ]
    batches, unusable = decode_entries(_RESOURCE_SPANS, entries)
    return _collect(
        [
            (span.trace_id, read_number(span.start_time_unix_nano))
            for batch in batches
            for group in batch.scope_spans or ()
            for span in group.spans or ()
        ],
        unusable=unusable,
        error=next((said for each in documents if (said := describe_error(each.error))), ""),
    )


def find_in_summaries(body: bytes) -> Listing:
    """Return the traces in an answer of `/api/v3/trace-summaries`.

    A summary counts all spans of a trace as they are stored, whatever was searched for, and not after the changes that
    `raw_traces` leaves out (source of 2026-08; its Elasticsearch once counted only what matched, which is less).

    Args:
        body: The answer.

    Raises:
        ValueError: It is no such answer.
    """
    answer = decode_answer(_SUMMARIES, body)
    summaries, unusable = decode_entries(_SUMMARY, answer.summaries)
    found = {}
    for summary in summaries:
        trace_id = normalise_id(summary.trace_id, TRACE_ID_DIGITS)
        if trace_id:
            found[trace_id] = Found(
                trace_id=trace_id,
                start_ns=read_number(summary.min_start_time_unix_nano),
                span_count=read_number(summary.span_count),
            )
        else:
            unusable += 1
    return Listing(found=tuple(found.values()), unusable=unusable, error=describe_error(answer.error))


def find_in_legacy(body: bytes) -> Listing:
    """Return the traces in an answer of the legacy search.

    Args:
        body: The answer.

    Raises:
        ValueError: It is no such answer.
    """
    answer = decode_answer(_LEGACY, body)
    traces, unusable = decode_entries(_LEGACY_TRACE, answer.data)
    return _collect(
        [
            (trace.trace_id, read_number(span.start_time) * 1_000)
            for trace in traces
            for span in trace.spans or ()
        ],
        unusable=unusable,
        error=describe_error(answer.errors),
    )


def read_services(body: bytes) -> list[str]:
    """Return the names of services, of either API.

    Args:
        body: The answer.

    Raises:
        ValueError: It is no such answer.
    """
    answer = decode_answer(_SERVICES, body)
    return answer.services or answer.data or []


def _collect(spans: Iterable[tuple[object, int]], *, unusable: int, error: str) -> Listing:
    starts: dict[str, int] = {}
    for text, start_ns in spans:
        trace_id = normalise_id(text, TRACE_ID_DIGITS)
        if trace_id:
            starts[trace_id] = min(starts.get(trace_id, start_ns), start_ns)
        else:
            unusable += 1
    found = tuple(Found(trace_id=trace_id, start_ns=start_ns) for trace_id, start_ns in starts.items())
    return Listing(found=found, unusable=unusable, error=error)
