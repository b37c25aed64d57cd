"""A Tempo as a source of spans: a search gives ids, and each trace is then read whole by its id."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import structs

from otel_traj.sources.backend.address import parse_address
from otel_traj.sources.backend.client import MAX_ANSWER_BYTES, TIMEOUT_SECONDS, BackendClient
from otel_traj.sources.backend.credentials import read_credentials
from otel_traj.sources.backend.paging import find_newest
from otel_traj.sources.backend.whole_traces import read_named, read_searched, report_limit
from otel_traj.sources.backend.window import describe_defaults, find_scope
from otel_traj.sources.otlp.ids import TRACE_ID_DIGITS, normalise_id
from otel_traj.sources.problems import ProblemLog
from otel_traj.sources.protocol import ALL_SPANS, Capabilities
from otel_traj.sources.tempo.api import LONGEST_SEARCH_NS, TempoApi
from otel_traj.sources.tempo.traceql import make_traceql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from otel_traj.model import Span
    from otel_traj.sources.backend.credentials import Credentials
    from otel_traj.sources.backend.paging import Page
    from otel_traj.sources.backend.window import Window
    from otel_traj.sources.protocol import OnProblem, SpanQuery

__all__ = ["TempoSource"]

_PARAMETERS: Final = (
    *("query", "service", "trace", "limit", "since", "until", "lookback"),
    *("tenant", "insecure"),
)
_TENANT: Final = "x-scope-orgid"


class TempoSource:
    """The traces of a Tempo, over HTTP."""

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
            name: `tempo+http://host:3200` or `tempo+https://...`, with a base path and parameters.
            max_bytes: Answers of more bytes are not read.
            seconds: How long to wait for the next bytes of an answer.
            sleep: Waits so many seconds between two tries of a request.

        Raises:
            SourceError: The name can't be used.
        """
        self._address = parse_address(name, allowed=_PARAMETERS, repeatable=("trace",))
        self._make_client = partial(BackendClient, max_bytes=max_bytes, seconds=seconds, sleep=sleep)
        self._trace_ids = tuple(map(self._read_trace_id, self._address.get_all("trace")))
        # What is wrong with a name is said at once, and not by the first reading.
        find_scope(self._address, ALL_SPANS)
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
        with self._make_client(self._address, self._make_credentials()) as client:
            api = TempoApi(client, log)
            named = query.traces or (() if query.completes else self._trace_ids)
            if named:
                yield from read_named(named, api.fetch, log)
            else:
                yield from self._read_found(api, query, log)
        log.close()

    def _read_found(self, api: TempoApi, query: SpanQuery, log: ProblemLog) -> Iterator[Span]:
        scope = find_scope(self._address, query)
        own = None if query.completes else self._address.get("query")
        service = None if query.completes else self._address.get("service")
        traceql = make_traceql(query, own, service)

        def ask(window: Window, size: int) -> Page:
            return api.find(traceql, window, size)

        found, is_cut = find_newest(ask, scope, longest_ns=LONGEST_SEARCH_NS)
        if is_cut:
            report_limit(log, scope)
        yield from read_searched([each.trace_id for each in found], api.fetch, log, scope)

    def _make_credentials(self) -> Credentials:
        credentials = read_credentials(self._address)
        tenant = self._address.get("tenant")
        if tenant is None:
            return credentials
        return structs.replace(credentials, headers={**credentials.headers, _TENANT: tenant})

    def _read_trace_id(self, text: str) -> str:
        trace_id = normalise_id(text, TRACE_ID_DIGITS)
        if not trace_id:
            raise self._address.refuse(f"trace={text!r} is no trace id; give up to 32 hex digits")
        return trace_id
