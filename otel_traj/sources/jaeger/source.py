"""A Jaeger as a source of spans: which traces are meant, found by search or named, each then read whole.

The traces of a search are asked for by id once more: what a search gives may be cut by its time window, and one trace
at a time is all that is held in memory.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final

from otel_traj.sources.backend.address import parse_address
from otel_traj.sources.backend.client import MAX_ANSWER_BYTES, TIMEOUT_SECONDS, BackendClient
from otel_traj.sources.backend.credentials import read_credentials
from otel_traj.sources.backend.paging import find_newest
from otel_traj.sources.backend.whole_traces import read_named, read_searched, report_limit
from otel_traj.sources.backend.window import describe_defaults, find_scope
from otel_traj.sources.jaeger.api import JaegerApi
from otel_traj.sources.jaeger.search import list_searches
from otel_traj.sources.otlp.ids import TRACE_ID_DIGITS, normalise_id
from otel_traj.sources.problems import ProblemLog
from otel_traj.sources.protocol import ALL_SPANS, Capabilities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from otel_traj.model import Span
    from otel_traj.sources.backend.paging import Page
    from otel_traj.sources.backend.window import Window
    from otel_traj.sources.jaeger.search import Search
    from otel_traj.sources.protocol import OnProblem, SpanQuery

__all__ = ["JaegerSource"]

_PARAMETERS: Final = (
    *("service", "operation", "tag", "trace", "limit", "since", "until", "lookback"),
    *("api", "insecure"),
)
_REPEATABLE: Final = ("tag", "trace")
_APIS: Final = ("auto", "legacy")


class JaegerSource:
    """The traces of a Jaeger, over HTTP."""

    capabilities = Capabilities(
        rereads=True,
        lags=True,
        selects=frozenset(
            {"graph", "service", "thread", "run", "traces", "since_ns", "until_ns", "attributes"}
        ),
        reads_threads=True,
    )
    """What the place can do."""

    def __init__(
        self,
        name: str,
        *,
        max_bytes: int = MAX_ANSWER_BYTES,
        seconds: float = TIMEOUT_SECONDS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Take the name apart; nothing is asked yet.

        Args:
            name: `jaeger+http://host:16686` or `jaeger+https://...`, with a base path and parameters.
            max_bytes: Answers of more bytes are not read.
            seconds: How long to wait for the next bytes of an answer.
            sleep: Waits so many seconds between two tries of a request.

        Raises:
            SourceError: The name can't be used.
        """
        self._address = parse_address(name, allowed=_PARAMETERS, repeatable=_REPEATABLE)
        self._make_client = partial(BackendClient, max_bytes=max_bytes, seconds=seconds, sleep=sleep)
        self._trace_ids = tuple(map(self._read_trace_id, self._address.get_all("trace")))
        self._is_legacy = self._read_api() == "legacy"
        # What is wrong with a name is said at once, and not by the first reading.
        find_scope(self._address, ALL_SPANS)
        list_searches(self._address, ALL_SPANS)
        self._address.read_flag("insecure")
        self.name = self._address.name
        """The place as it stands in problems and reports: without user and password."""

    @property
    def defaults(self) -> str:
        """What is read, in words, where the name leaves it open; empty where it says it."""
        return describe_defaults(self._address, all_of="all services")

    def read_spans(self, on_problem: OnProblem, query: SpanQuery = ALL_SPANS) -> Iterator[Span]:
        """Yield the spans of the place; see `Source`."""
        log = ProblemLog(self.name, on_problem)
        with self._make_client(self._address, read_credentials(self._address)) as client:
            api = JaegerApi(client, log, is_legacy=self._is_legacy)
            named = query.traces or (() if query.completes else self._trace_ids)
            if named:
                yield from read_named(named, api.fetch, log)
            else:
                yield from self._read_found(api, query, log)
        log.close()

    def _read_found(self, api: JaegerApi, query: SpanQuery, log: ProblemLog) -> Iterator[Span]:
        scope = find_scope(self._address, query)
        trace_ids: dict[str, None] = {}
        is_cut = False
        for search in list_searches(self._address, query):

            def ask(window: Window, size: int, search: Search = search) -> Page:
                return api.find(search, window, size)

            found, is_full = find_newest(ask, scope)
            is_cut = is_cut or is_full
            trace_ids |= dict.fromkeys(each.trace_id for each in found)
        if is_cut:
            report_limit(log, scope)
        yield from read_searched(list(trace_ids), api.fetch, log, scope)

    def _read_trace_id(self, text: str) -> str:
        trace_id = normalise_id(text, TRACE_ID_DIGITS)
        if not trace_id:
            raise self._address.refuse(f"trace={text!r} is no trace id; give up to 32 hex digits")
        return trace_id

    def _read_api(self) -> str:
        api = self._address.get("api") or "auto"
        if api not in _APIS:
            raise self._address.refuse(
                f"api={api!r} is none; give one of {', '.join(_APIS)}, or leave it out"
            )
        return api
