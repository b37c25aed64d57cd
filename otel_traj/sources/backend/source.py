"""What reading any backend shares: a name taken apart at once, traces named or found by a search, each read whole.

The traces of a search are asked for by id once more: what a search gives may be cut by its time window, and one trace
at a time is all that is held in memory.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, Generic, Protocol, TypeVar

from otel_traj.sources.backend.address import parse_address
from otel_traj.sources.backend.client import MAX_ANSWER_BYTES, TIMEOUT_SECONDS, BackendClient
from otel_traj.sources.backend.credentials import read_credentials
from otel_traj.sources.backend.paging import find_newest
from otel_traj.sources.backend.whole_traces import read_named, read_searched, report_limit
from otel_traj.sources.backend.window import describe_defaults, find_scope
from otel_traj.sources.otlp.ids import TRACE_ID_DIGITS, normalise_id
from otel_traj.sources.problems import ProblemLog
from otel_traj.sources.protocol import ALL_SPANS, Capabilities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from otel_traj.model import Span
    from otel_traj.sources.backend.credentials import Credentials
    from otel_traj.sources.backend.paging import Found, Page
    from otel_traj.sources.backend.window import Window
    from otel_traj.sources.protocol import OnProblem, SpanQuery

__all__ = ["BackendSource", "TraceApi"]

_PARAMETERS: Final = ("service", "trace", "limit", "since", "until", "lookback", "insecure")

_Question = TypeVar("_Question")
_Asked = TypeVar("_Asked", contravariant=True)


class TraceApi(Protocol[_Asked]):
    """Asks one backend, for the length of one reading."""

    def find(self, question: _Asked, window: Window, size: int, /) -> Page:
        """Return traces that meet a question.

        Args:
            question: What is searched for.
            window: Something that matches began in it.
            size: How many at most.

        Raises:
            SourceError: The backend does not answer, or not with traces.
        """
        ...

    def fetch(self, trace_id: str, /) -> Iterator[Span]:
        """Yield the spans of one trace; none where it is not there.

        Args:
            trace_id: 32 hex digits.

        Raises:
            SourceError: The backend does not answer, or not with a trace.
        """
        ...


class BackendSource(ABC, Generic[_Question]):
    """The traces of one backend, over HTTP; a kind of backend says what is asked, and how."""

    capabilities = Capabilities(
        rereads=True,
        lags=True,
        selects=frozenset(
            {"graph", "service", "thread", "run", "traces", "since_ns", "until_ns", "attributes"}
        ),
        reads_threads=True,
    )
    """What the place can do."""

    _own_parameters: ClassVar[tuple[str, ...]]
    """Parameters of the name that only this kind of backend knows."""
    _own_repeatable: ClassVar[tuple[str, ...]] = ()
    """Those of them that may be given several times."""
    _longest_ns: ClassVar[int | None] = None
    """The longest stretch of time that can be searched at once; None for any."""

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
            name: Such as `jaeger+http://host:16686` or `tempo+https://host`, with a base path and parameters.
            max_bytes: Answers of more bytes are not read.
            seconds: How long to wait for the next bytes of an answer.
            sleep: Waits so many seconds between two tries of a request.

        Raises:
            SourceError: The name can't be used.
        """
        self._address = parse_address(
            name,
            allowed=(*_PARAMETERS, *self._own_parameters),
            repeatable=("trace", *self._own_repeatable),
        )
        self._make_client = partial(BackendClient, max_bytes=max_bytes, seconds=seconds, sleep=sleep)
        self._trace_ids = tuple(map(self._read_trace_id, self._address.get_all("trace")))
        self._check_name()
        self.name = self._address.name
        """The place as it stands in problems and reports: without user and password."""

    @property
    def defaults(self) -> str:
        """What is read, in words, where the name leaves it open; empty where it says it."""
        return describe_defaults(self._address, all_of="all services")

    def read_spans(self, on_problem: OnProblem, query: SpanQuery = ALL_SPANS) -> Iterator[Span]:
        """Yield the spans of the place; see `Source`."""
        log = ProblemLog(self.name, on_problem)
        with self._make_client(self._address, self._read_credentials()) as client:
            api = self._open(client, log)
            named = query.traces or (() if query.completes else self._trace_ids)
            if named:
                yield from read_named(named, api.fetch, log)
            else:
                yield from self._read_found(api, query, log)
        log.close()

    @abstractmethod
    def _open(self, client: BackendClient, log: ProblemLog) -> TraceApi[_Question]:
        """Return what asks the backend by this client."""

    @abstractmethod
    def _list_questions(self, query: SpanQuery) -> Sequence[_Question]:
        """Return what is searched for: the answers together hold what is wanted."""

    def _check_name(self) -> None:
        """Say at once what is wrong with the name, and not by the first reading."""
        find_scope(self._address, ALL_SPANS)
        self._list_questions(ALL_SPANS)
        self._address.read_flag("insecure")

    def _read_credentials(self) -> Credentials:
        return read_credentials(self._address)

    def _read_found(self, api: TraceApi[_Question], query: SpanQuery, log: ProblemLog) -> Iterator[Span]:
        scope = find_scope(self._address, query)
        found: dict[str, Found] = {}
        is_cut = False
        for question in self._list_questions(query):
            newest, is_full = find_newest(partial(api.find, question), scope, longest_ns=self._longest_ns)
            is_cut = is_cut or is_full
            found |= {each.trace_id: each for each in newest}
        if is_cut:
            report_limit(log, scope)
        yield from read_searched(list(found.values()), api.fetch, log, scope)

    def _read_trace_id(self, text: str) -> str:
        trace_id = normalise_id(text, TRACE_ID_DIGITS)
        if not trace_id:
            raise self._address.refuse(f"trace={text!r} is no trace id; give up to 32 hex digits")
        return trace_id
