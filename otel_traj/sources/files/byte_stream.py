"""Bytes of a place, with a position and a way to give bytes back.

What a place holds is told by its next bytes, again and again: a collector that was restarted with another setting
writes on in another form. Whoever looks too far gives back what is not his.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from otel_traj.errors import SourceError
from otel_traj.sources.files.io_errors import make_source_error

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader

__all__ = ["ByteStream"]


class ByteStream:
    """Reads a buffered binary stream; an error of the operating system becomes a `SourceError`."""

    def __init__(self, stream: BufferedReader, source: str, size: int | None = None) -> None:
        """Take a stream that the caller closes.

        Args:
            stream: At its beginning.
            source: The place, for errors.
            size: No record is to be begun after so many bytes; None reads to the end.
        """
        self._stream = stream
        self._source = source
        self._size = sys.maxsize if size is None else size
        self._back = b""
        self._back_start = 0
        self.position = 0
        """How many bytes were read and not given back."""

    @property
    def is_over(self) -> bool:
        """No record is to be begun any more."""
        return self.position >= self._size

    def abandon(self) -> None:
        """Let no further record begin."""
        self._size = 0

    def begin_line(self, size: int) -> bytes:
        """Return a line as `read_line` does; nothing where no record is to be begun any more.

        Args:
            size: How many bytes at most.

        Raises:
            SourceError: The stream breaks off.
        """
        return b"" if self.is_over else self.read_line(size)

    def read_line(self, size: int) -> bytes:
        """Return bytes up to a line feed, with it.

        Args:
            size: How many at most.

        Raises:
            SourceError: The stream breaks off.
        """
        if not self._back:
            return self._take(self._stream.readline, size)
        end = self._back.find(b"\n", self._back_start) + 1
        piece = self._take_back(min(size, (end or len(self._back)) - self._back_start))
        if end or len(piece) == size:
            return piece
        return piece + self.read_line(size - len(piece))

    def read_some(self, size: int) -> bytes:
        """Return bytes that are there without waiting for more; none at the end.

        Args:
            size: How many at most.

        Raises:
            SourceError: The stream breaks off.
        """
        return self._take_back(size) if self._back else self._take(self._stream.read1, size)

    def read(self, size: int) -> bytes:
        """Return so many bytes, fewer only at the end.

        Args:
            size: How many.

        Raises:
            SourceError: The stream breaks off.
        """
        pieces = []
        while size > 0 and (piece := self.read_some(size)):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def peek_some(self, size: int) -> bytes:
        """Return some of the next bytes and leave them there; at least one, but for an empty stream.

        Args:
            size: How many at most.

        Raises:
            SourceError: The stream breaks off.
        """
        if self._back:
            return self._back[self._back_start : self._back_start + size]
        return self._ask(self._stream.peek, size)[:size]

    def peek(self, size: int) -> bytes:
        """Return so many of the next bytes and leave them there, fewer only at the end.

        Args:
            size: How many.

        Raises:
            SourceError: The stream breaks off.
        """
        head = self.peek_some(size)
        if len(head) < size:
            head = self.read(size)
            self.give_back(head)
        return head

    def give_back(self, data: bytes) -> None:
        """Make bytes the next to be read.

        Args:
            data: What was read last.
        """
        self.position -= len(data)
        start = self._back_start - len(data)
        if start >= 0 and self._back.startswith(data, start):
            self._back_start = start
            return
        self._back = data + self._back[self._back_start :]
        self._back_start = 0

    def _take(self, read: Callable[[int], bytes], size: int) -> bytes:
        data = self._ask(read, size)
        self.position += len(data)
        return data

    def _ask(self, read: Callable[[int], bytes], size: int) -> bytes:
        try:
            return read(size)
        except SourceError:
            # What is unpacked from another stream breaks off with that one's error.
            raise
        except OSError as error:
            raise make_source_error(self._source, error) from error

    def _take_back(self, size: int) -> bytes:
        piece = self._back[self._back_start : self._back_start + size]
        self._back_start += len(piece)
        self.position += len(piece)
        if self._back_start >= len(self._back):
            self._back, self._back_start = b"", 0
        return piece
