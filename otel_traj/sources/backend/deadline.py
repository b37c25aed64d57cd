"""One end for a whole answer, whatever the server does in the meantime.

httpx times each read by itself: a server that sends a byte of a header now and then, one `102 Processing` after the
other, or chunks in which nothing is packed, would hold a reader for ever. So a timer shuts the connection down from
another thread, at which the read that is under way comes to its end.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING, Any, Final

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Deadline"]

_CONNECTED: Final = (".connect_tcp.complete", ".start_tls.complete")


class Deadline:
    """Ends what one client is answered, one answer at a time."""

    def __init__(self, seconds: float) -> None:
        """Begin with no connection known.

        Args:
            seconds: How long one answer may take in all.
        """
        self._seconds = seconds
        self._sockets: list[socket.socket] = []
        self._is_over = threading.Event()

    def note(self, event: str, info: Mapping[str, Any]) -> None:
        """Take note of a connection: for the `trace` extension of a request.

        Args:
            event: What httpcore did.
            info: The stream that it made, as `return_value`.
        """
        if event.endswith(_CONNECTED):
            still_open = [each for each in self._sockets if each.fileno() >= 0]
            self._sockets = [*still_open, info["return_value"].get_extra_info("socket")]
            if self._is_over.is_set():
                self._shut_down()

    @contextlib.contextmanager
    def watch(self) -> Iterator[None]:
        """End what is asked inside when its time is over.

        Raises:
            httpx.ReadTimeout: It was.
        """
        self._is_over = is_over = threading.Event()
        timer = threading.Timer(self._seconds, self._end, (is_over,))
        timer.daemon = True
        timer.start()
        try:
            yield
        except httpx.RequestError:
            if not is_over.is_set():
                raise
        finally:
            timer.cancel()
        if is_over.is_set():
            raise httpx.ReadTimeout("the answer goes on and on")

    def _end(self, is_over: threading.Event) -> None:
        is_over.set()
        self._shut_down()

    def _shut_down(self) -> None:
        for each in self._sockets:
            # Of the plain socket below TLS: a goodbye would wait for the server's.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(each, socket.SHUT_RDWR)
