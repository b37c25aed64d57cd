"""Jaeger's two HTTP APIs: v3 first, which gives OTLP, and the legacy one where v3 can't.

Which of them answers, and what it obeys, differs by release (seen with v1.76.0, which is 2.13.0, and with a build of
2026-08, after 2.20.0):

- v3 takes snake_case parameters everywhere, needs both times, and in the older line `num_traces`.
- The older line ignores attributes in v3, so that only its legacy search (`tags=`) answers such a question. The newer
  line obeys them, has no legacy search any more, and has `/api/v3/trace-summaries`, by which it is told.
- An unknown path answers 200 and a page, or 404 and plain text; a trace that is not there, 404 and JSON.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from otel_traj.sources.backend.client import AnswerTooLargeError, UnusableAnswerError
from otel_traj.sources.backend.decoding import AnswerDecoder, NotJsonError
from otel_traj.sources.backend.listing import report_gaps
from otel_traj.sources.backend.paging import Page
from otel_traj.sources.jaeger.parameters import make_legacy_parameters, make_v3_parameters
from otel_traj.sources.jaeger.search_answers import (
    find_in_legacy,
    find_in_summaries,
    find_in_traces,
    read_services,
)
from otel_traj.sources.jaeger.warnings import describe_cut, find_cut, may_hold_warnings, undo_warnings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from otel_traj.model import Span
    from otel_traj.sources.backend.answer import Answer
    from otel_traj.sources.backend.client import BackendClient
    from otel_traj.sources.backend.listing import Listing
    from otel_traj.sources.backend.window import Window
    from otel_traj.sources.jaeger.search import Search
    from otel_traj.sources.problems import ProblemLog

__all__ = ["JaegerApi", "UnwritableNumberError"]

_NOT_FINITE = re.compile(r"unsupported value|NaN|\bInf\b")
_MAX_SERVICES = 200
_NOT_JAEGER = "look whether this is a Jaeger's query address (port 16686), its base path included"


class UnwritableNumberError(UnusableAnswerError):
    """The legacy API met a number that JSON has no form for."""


class _NeedsServiceError(Exception):
    """The store behind Jaeger searches only inside a service."""


class JaegerApi:
    """Asks one Jaeger; remembers what it can do."""

    def __init__(self, client: BackendClient, log: ProblemLog, *, is_legacy: bool = False) -> None:
        """Take the client, which the caller closes.

        Args:
            client: Asks the address.
            log: Where is reported what of the traces can't be used.
            is_legacy: Use the legacy API alone.
        """
        self._client = client
        self._log = log
        self._decoder = AnswerDecoder(log)
        self._has_v3 = not is_legacy
        self._has_summaries = not is_legacy
        self._needs_service = False

    def find(self, search: Search, window: Window, size: int) -> Page:
        """Return traces that a search finds.

        Args:
            search: What for.
            window: Something that matches began in it.
            size: How many at most (for each service, where they must be asked one by one).

        Raises:
            SourceError: Jaeger does not answer, or not with traces.
        """
        if search.service is None and not self._needs_service:
            try:
                return self._find_in_one(search, window, size)
            except _NeedsServiceError:
                self._needs_service = True
        if search.service is not None:
            return self._find_in_one(search, window, size)
        pages = [
            self._find_in_one(search.in_service(service), window, size) for service in self._list_services()
        ]
        return Page(
            found=tuple(found for page in pages for found in page.found),
            is_full=any(page.is_full for page in pages),
        )

    def fetch(self, trace_id: str) -> Iterator[Span]:
        """Yield the spans of one trace; none where it is not there.

        Args:
            trace_id: 32 hex digits.

        Raises:
            SourceError: Jaeger does not answer, or not with a trace.
        """
        if self._has_v3:
            answer = self._client.get(f"/api/v3/traces/{trace_id}", [("raw_traces", "true")])
            if not answer.is_route_missing:
                yield from self._decode(answer, trace_id)
                return
        answer = self._client.get(f"/api/traces/{trace_id}", [("raw", "true")])
        if answer.is_route_missing:
            raise self._client.refuse(answer, _NOT_JAEGER)
        self._has_v3 = False
        yield from self._decode(answer, trace_id)

    def _decode(self, answer: Answer, trace_id: str) -> Iterator[Span]:
        if answer.status == 404:
            return
        if answer.status != 200:
            raise self._refuse(answer)
        cut_traces: set[str] = set()
        may_warn = may_hold_warnings(answer.body)
        try:
            for span in self._decoder.decode_json(answer.body, trace_id):
                if may_warn and span.trace_id not in cut_traces:
                    self._report_cut(span, cut_traces)
                # Jaeger's own word about the span is nothing that was recorded.
                yield undo_warnings(span) if may_warn else span
        except NotJsonError as error:
            raise self._client.refuse(answer, _NOT_JAEGER) from error

    def _report_cut(self, span: Span, cut_traces: set[str]) -> None:
        said = find_cut(span)
        if said is not None:
            cut_traces.add(span.trace_id)
            self._log.report(*describe_cut(span.trace_id, said), trace_ids=(span.trace_id,))

    def _find_in_one(self, search: Search, window: Window, size: int) -> Page:
        if self._has_summaries:
            page = self._ask("/api/v3/trace-summaries", search, window, size, find_in_summaries)
            if page is not None:
                return page
            self._has_summaries = False
        if self._has_v3 and not search.attributes:
            page = self._ask("/api/v3/traces", search, window, size, find_in_traces)
            if page is not None:
                return page
            self._has_v3 = False
        if search.service is None:
            raise _NeedsServiceError
        try:
            page = self._ask("/api/traces", search, window, size, find_in_legacy)
        except UnwritableNumberError:
            if not self._has_v3:
                raise
            # Unfiltered, which whoever reads makes good: more than was asked for, and not nothing.
            page = self._ask("/api/v3/traces", search, window, size, find_in_traces)
        if page is None:
            answer = self._client.get("/api/traces", make_legacy_parameters(search, window, size))
            raise self._client.refuse(answer, _NOT_JAEGER)
        return page

    def _ask(
        self,
        path: str,
        search: Search,
        window: Window,
        size: int,
        find: Callable[[bytes], Listing],
    ) -> Page | None:
        """Return what is found, or None where there is no such path."""
        make = make_legacy_parameters if find is find_in_legacy else make_v3_parameters
        while True:
            try:
                answer = self._client.get(path, make(search, window, size))
            except AnswerTooLargeError:
                # Without summaries an answer holds the traces themselves: ask for fewer at once.
                if size == 1:
                    raise
                size = max(size // 4, 1)
                continue
            # More than the store keeps at all (memory.max_traces); how much that is it does not say.
            if answer.status in (400, 500) and "search depth" in answer.read_error() and size > 1:
                size = max(size // 2, 1)
                continue
            return self._take(answer, search, size, find)

    def _take(
        self, answer: Answer, search: Search, size: int, find: Callable[[bytes], Listing]
    ) -> Page | None:
        if answer.is_route_missing:
            return None
        if answer.status == 404:
            return Page(found=(), is_full=False)
        if answer.status == 200:
            listing = self._read(answer, find)
            report_gaps(self._log, listing)
            return Page(found=listing.found, is_full=len(listing.found) + listing.unusable >= size)
        if search.service is None and "service" in answer.read_error().lower():
            raise _NeedsServiceError
        raise self._refuse(answer)

    def _read(self, answer: Answer, find: Callable[[bytes], Listing]) -> Listing:
        try:
            return find(answer.body)
        except ValueError as error:
            raise self._client.refuse(answer, _NOT_JAEGER) from error

    def _list_services(self) -> list[str]:
        answer = self._client.get("/api/v3/services" if self._has_v3 else "/api/services")
        if self._has_v3 and answer.is_route_missing:
            answer = self._client.get("/api/services")
        if answer.status != 200 or answer.is_page:
            raise self._client.refuse(answer, _NOT_JAEGER)
        try:
            services = read_services(answer.body)
        except ValueError as error:
            raise self._client.refuse(answer, _NOT_JAEGER) from error
        if len(services) > _MAX_SERVICES:
            advice = f"it searches {len(services):,} services only one by one; name one with ?service="
            raise self._client.refuse(answer, advice)
        return services

    def _refuse(self, answer: Answer) -> UnusableAnswerError:
        said = answer.read_error() or answer.body[:2_000].decode("utf-8", "replace")
        if answer.status == 500 and _NOT_FINITE.search(said):
            error = self._client.refuse(
                answer,
                "its legacy API can't write a number that is NaN or infinite, and some span in what was asked for has "
                "one; ask by trace id, for another time, or the newer API (without api=legacy)",
            )
            return UnwritableNumberError(str(error), source=error.source)
        return self._client.refuse(answer, "look at Jaeger's log for the cause")
