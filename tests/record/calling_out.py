"""User code that calls a real HTTP server with an instrumented client, and the check of where its spans stand.

The path of each call says below which span it was made: `/{place}/{run}`. The server keeps the `traceparent` that it
was sent, so that what another process would continue is held to what was recorded here.
"""

from __future__ import annotations

import http.server
import threading
from collections import Counter, defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx
from opentelemetry import trace

from otel_traj import semconv as sc
from tests.record.recording import get_id, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from opentelemetry.sdk.trace import ReadableSpan

    from tests.record.recording import Recording

__all__ = ["Outside", "calling_out"]

SECONDS = 60
MINE = "mine"
"""The name of the span that the user's own code opens around every second call."""


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[tuple[str, str]] = []


class _Handler(http.server.BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        """Keep the path and the `traceparent`."""
        self.server.seen.append((self.path, self.headers.get("traceparent", "")))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


class Outside:
    """A server on the loopback, and the user's ways of calling it."""

    def __init__(self, recording: Recording, server: _Server) -> None:
        """Instrument clients of its own; others stay as they are."""
        from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor

        self._recording = recording
        self._seen = server.seen
        self._url = f"http://127.0.0.1:{server.server_port}"
        self._client = httpx.Client(trust_env=False, timeout=SECONDS)
        HTTPXClientInstrumentor.instrument_client(self._client, tracer_provider=recording.provider)
        self._instrument: Callable[[httpx.AsyncClient], None] = lambda client: (
            HTTPXClientInstrumentor.instrument_client(client, tracer_provider=recording.provider)
        )

    def call(self, place: str, run: object) -> None:
        """Call twice: as it is, and inside a span of the user's own."""
        self._client.get(f"{self._url}/{place}/{run}").raise_for_status()
        with self._recording.tracer.start_as_current_span(MINE):
            self._client.get(f"{self._url}/{place}/{run}").raise_for_status()

    async def acall(self, place: str, run: object) -> None:
        """Do the same by an asynchronous client, which belongs to its event loop."""
        async with httpx.AsyncClient(trust_env=False, timeout=SECONDS) as client:
            self._instrument(client)
            (await client.get(f"{self._url}/{place}/{run}")).raise_for_status()
            with self._recording.tracer.start_as_current_span(MINE):
                (await client.get(f"{self._url}/{place}/{run}")).raise_for_status()

    @property
    def traceparents(self) -> list[str]:
        """What the server was sent."""
        return [traceparent for _, traceparent in self._seen]

    def close(self) -> None:
        """Close the client."""
        self._client.close()

    def check(
        self, expected: Counter[tuple[str, str]], *, of_threads: bool = True, parents: int | None = None
    ) -> None:
        """Hold every call to its place.

        Args:
            expected: How many pairs of calls were made, by place and run. A place is the name of the span below
                which it is made, and after a `~` what tells it from another of this name: the node of its task, or
                the id of its tool call.
            of_threads: The run of a call is the thread of its graph run.
            parents: How many spans of one place and run there are; if None, one for each pair of calls.
        """
        found = Counter((place, run) for _, place, run in (path.split("/") for path, _ in self._seen))
        assert found == Counter({call: 2 * count for call, count in expected.items()})
        spans = {get_id(span): span for span in self._recording.spans}
        below: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        for path, traceparent in self._seen:
            _, place, run = path.split("/")
            _, trace_id, span_id, flags = traceparent.split("-")
            client_span = spans[int(span_id, 16)]
            assert (client_span.name, int(flags, 16) & trace.TraceFlags.SAMPLED) == ("GET", 1), flags
            assert f"{client_span.context.trace_id:032x}" == trace_id
            parent = _find_parent(spans, client_span)
            if parent.name == MINE:
                parent = _find_parent(spans, parent)
            name, _, mark = place.partition("~")
            assert parent.name == name.replace("+", " "), (path, parent.name)
            if mark:
                assert mark in (read(parent).get(sc.NODE), read(parent).get(sc.TOOL_CALL_ID)), path
            if of_threads:
                assert read(parent)[sc.THREAD_ID] == run, path
            below[place, run].add(get_id(parent))
        counts = {call: parents or count for call, count in expected.items()}
        assert {call: len(each) for call, each in below.items()} == counts


@contextmanager
def calling_out(recording: Recording) -> Iterator[Outside]:
    """Serve on the loopback for the length of a `with` block."""
    server = _Server()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    outside = Outside(recording, server)
    try:
        yield outside
    finally:
        outside.close()
        server.shutdown()
        server.server_close()
        thread.join()


def _find_parent(spans: dict[int, ReadableSpan], span: ReadableSpan) -> ReadableSpan:
    assert span.parent is not None
    return spans[span.parent.span_id]
