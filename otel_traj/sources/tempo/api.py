"""Tempo's HTTP API: a trace by its id (v2, then v1, protobuf asked for), and ids by search.

By its documentation and its source of 2026-08 (3.0); none was run. v2 says whether a trace is whole; what it does not
know it may answer with 404 or with nothing at all, and a Tempo without v2 with 404 too, so v1 has the last word. A
search gives parts of traces, ids without their leading zeros, and no cursor. None of its numbers counts the spans of a
trace: `matched` counts those that the question fits, `serviceStats` the most that any one piece of the trace holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Raw, Struct

from otel_traj.sources.backend.answer import describe_error
from otel_traj.sources.backend.client import AnswerTooLargeError
from otel_traj.sources.backend.decoding import AnswerDecoder, NotJsonError, NotProtobufError
from otel_traj.sources.backend.listing import (
    Listing,
    decode_answer,
    decode_entries,
    read_number,
    report_gaps,
)
from otel_traj.sources.backend.paging import Found, Page
from otel_traj.sources.otlp.ids import TRACE_ID_DIGITS, normalise_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.model import Span
    from otel_traj.sources.backend.answer import Answer
    from otel_traj.sources.backend.client import BackendClient
    from otel_traj.sources.backend.window import Window
    from otel_traj.sources.problems import ProblemLog

__all__ = ["LONGEST_SEARCH_NS", "TempoApi"]

LONGEST_SEARCH_NS: Final = 167 * 3_600 * 10**9
"""Tempo searches 168 hours at most, by default; the seconds that times are widened by must find room."""

_PROTOBUF: Final = "application/protobuf"
_NOT_TEMPO: Final = "look whether this is a Tempo's address (port 3200), its base path included"


class _FoundTrace(Struct, rename={"trace_id": "traceID", "start_time_unix_nano": "startTimeUnixNano"}):
    trace_id: object
    start_time_unix_nano: object = 0


class _SearchAnswer(Struct):
    traces: list[Raw] | None = None
    error: object = None


_SEARCH = msgspec.json.Decoder(_SearchAnswer)
_FOUND_TRACE = msgspec.json.Decoder(_FoundTrace)


class TempoApi:
    """Asks one Tempo."""

    def __init__(self, client: BackendClient, log: ProblemLog) -> None:
        """Take the client, which the caller closes.

        Args:
            client: Asks the address.
            log: Where is reported what of the traces can't be used.
        """
        self._client = client
        self._log = log
        self._decoder = AnswerDecoder(log)

    def find(self, traceql: str, window: Window, size: int) -> Page:
        """Return traces that a search finds.

        Args:
            traceql: What for.
            window: When; Tempo knows whole seconds, so that it is widened to them.
            size: How many at most.

        Raises:
            SourceError: Tempo does not answer, or refuses the search.
        """
        parameters = [
            ("q", traceql),
            ("start", str(window.since_ns // 10**9)),
            ("end", str(window.until_ns // 10**9 + 1)),
            ("limit", str(size)),
            ("spss", "1"),
        ]
        answer = self._client.get("/api/search", parameters)
        if answer.is_page or answer.status == 404:
            raise self._client.refuse(answer, _NOT_TEMPO)
        if answer.status in (400, 422):
            raise self._client.refuse(answer, f"it was asked {traceql!r}; look at ?query= and at the time")
        if answer.status != 200:
            raise self._client.refuse(answer, "look at Tempo's log for the cause")
        try:
            listing = _list_traces(answer.body)
        except ValueError as error:
            raise self._client.refuse(answer, _NOT_TEMPO) from error
        report_gaps(self._log, listing)
        return Page(found=listing.found, is_full=len(listing.found) + listing.unusable >= size)

    def fetch(self, trace_id: str) -> Iterator[Span]:
        """Yield the spans of one trace; none where it is not there.

        No time is given with an id: a wrong one leaves out spans without a word.

        Args:
            trace_id: 32 hex digits.

        Raises:
            SourceError: Tempo does not answer, or not with a trace.
        """
        is_there = False
        for span in self._read(self._ask(f"/api/v2/traces/{trace_id}", span_pruning="false"), trace_id):
            is_there = True
            yield span
        if not is_there:
            yield from self._read(self._ask(f"/api/traces/{trace_id}"), trace_id)

    def _ask(self, path: str, **parameters: str) -> Answer:
        return self._client.get(path, list(parameters.items()), accept=_PROTOBUF)

    def _read(self, answer: Answer, trace_id: str) -> Iterator[Span]:
        if answer.status == 404:
            return
        if answer.is_page:
            raise self._client.refuse(answer, _NOT_TEMPO)
        if answer.status == 422:
            error = self._client.refuse(answer, "raise Tempo's max_bytes_per_trace")
            raise AnswerTooLargeError(str(error), source=error.source)
        if answer.status != 200:
            raise self._client.refuse(answer, "look at Tempo's log for the cause")
        try:
            # What stands between may not know protobuf, and ask for JSON.
            if answer.body[:1] == b"{":
                yield from self._decoder.decode_json(answer.body, trace_id)
            else:
                yield from self._decoder.decode_protobuf(answer.body)
        except (NotJsonError, NotProtobufError) as error:
            raise self._client.refuse(answer, _NOT_TEMPO) from error


def _list_traces(body: bytes) -> Listing:
    answer = decode_answer(_SEARCH, body)
    traces, unusable = decode_entries(_FOUND_TRACE, answer.traces)
    found = []
    for trace in traces:
        trace_id = normalise_id(trace.trace_id, TRACE_ID_DIGITS)
        if trace_id:
            found.append(Found(trace_id=trace_id, start_ns=read_number(trace.start_time_unix_nano)))
        else:
            unusable += 1
    return Listing(found=tuple(found), unusable=unusable, error=describe_error(answer.error))
