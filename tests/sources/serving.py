"""A real HTTP server on a free port that answers what a function says, for the length of a `with` block."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["Reply", "Request", "Served", "serve"]


class Request(NamedTuple):
    """What was asked."""

    path: str
    parameters: dict[str, list[str]]
    headers: dict[str, str]
    """Names in lower case."""

    def get(self, key: str) -> str:
        """Return the first value of a parameter; empty where it is not given."""
        return self.parameters.get(key, [""])[0]


class Reply(NamedTuple):
    """What is answered."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = {}


class Served(NamedTuple):
    """A server that runs."""

    place: str
    """Host and port."""
    requests: list[Request]
    """All that was asked so far."""


@contextmanager
def serve(app: Callable[[Request], Reply], *, tls: ssl.SSLContext | None = None) -> Iterator[Served]:
    """Run a server.

    Args:
        app: Answers; it may be called from several threads.
        tls: Serve HTTPS with it.

    Yields:
        Where it runs, and what it was asked.
    """
    requests: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            split = urlsplit(self.path)
            request = Request(
                unquote(split.path),
                parse_qs(split.query, keep_blank_values=True),
                {name.lower(): value for name, value in self.headers.items()},
            )
            requests.append(request)
            reply = app(request)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield Served(f"127.0.0.1:{server.server_port}", requests)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
