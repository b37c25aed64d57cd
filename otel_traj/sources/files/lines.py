"""Bytes to lines, each of bounded length, with a way to give lines back.

Files are read as bytes: decoding them as text first costs more than the JSON, and one bad byte would end the
whole file instead of its line.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from otel_traj.sources.files.io_errors import make_source_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from io import BufferedReader

__all__ = ["MAX_RECORD_BYTES", "Line", "LineReader"]

MAX_RECORD_BYTES: Final = 256 * 2**20
"""A line, or a document over several lines, of more bytes is not read."""

_SKIP_BYTES: Final = 2**20


class Line(Struct, frozen=True, kw_only=True):
    """One line of a place, or a block of them."""

    data: bytes
    """With its line feed, where it has one; of an overlong line the beginning only."""
    number: int
    """Of the first line, from 1."""
    overlong: bool = False
    """It was longer than what is read of a line."""
    is_last: bool = False
    """It ends with the place, not with a line feed: perhaps it is still being written."""

    @property
    def last_number(self) -> int:
        """Number of the last line of a block."""
        return self.number + self.data.count(b"\n", 0, -1)

    def split(self) -> list[Line]:
        """Return the lines of a block one by one."""
        lines = self.data.split(b"\n")
        ended = [
            Line(data=data + b"\n", number=number) for number, data in enumerate(lines[:-1], self.number)
        ]
        if lines[-1]:
            number = self.number + len(ended)
            ended.append(Line(data=lines[-1], number=number, overlong=self.overlong, is_last=self.is_last))
        return ended


class LineReader:
    """Reads a binary stream line by line."""

    def __init__(
        self,
        stream: BufferedReader,
        source: str,
        max_bytes: int = MAX_RECORD_BYTES,
        size: int | None = None,
    ) -> None:
        """Take a stream that the caller closes.

        Args:
            stream: A buffered binary stream.
            source: The place, for errors.
            max_bytes: Lines of more bytes are cut and marked.
            size: No line is begun after so many bytes; None reads to the end.
        """
        self._stream = stream
        self._source = source
        self._max_bytes = max_bytes
        self._left = sys.maxsize if size is None else size
        self._given_back: list[Line] = []
        self._number = 0

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines that are left."""
        while (line := self.read_line()) is not None:
            yield line

    def peek(self, size: int) -> bytes:
        """Return some of the next bytes and leave them there; at least one, but for an empty stream.

        Args:
            size: How many at most.

        Raises:
            SourceError: The stream breaks off.
        """
        try:
            return self._stream.peek(size)[:size]
        except OSError as error:
            raise make_source_error(self._source, error) from error

    def read_line(self) -> Line | None:
        """Return the next line, or None at the end.

        Raises:
            SourceError: The stream breaks off.
        """
        if self._given_back:
            return self._given_back.pop()
        data = self._read(self._max_bytes + 1) if self._left > 0 else b""
        if not data:
            return None
        self._number += 1
        if data.endswith(b"\n"):
            return Line(data=data, number=self._number)
        if len(data) <= self._max_bytes:
            return Line(data=data, number=self._number, is_last=True)
        self._skip_rest()
        return Line(data=data[:100], number=self._number, overlong=True)

    def read_block(self, size: int) -> Line | None:
        """Return the next lines in one, as many as are there without waiting.

        Args:
            size: About how many bytes.

        Returns:
            One line or more; None at the end, and where a line was given back or is overlong.

        Raises:
            SourceError: The stream breaks off.
        """
        if self._given_back or self._left <= 0:
            return None
        try:
            data = self._stream.read1(min(size, self._left))
        except OSError as error:
            raise make_source_error(self._source, error) from error
        if not data:
            return None
        self._left -= len(data)
        rest = b"" if data.endswith(b"\n") else self._read(self._max_bytes + 1)
        overlong = len(rest) > self._max_bytes and not rest.endswith(b"\n")
        if overlong:
            self._skip_rest()
        block = Line(
            data=data + rest,
            number=self._number + 1,
            overlong=overlong,
            is_last=not overlong and not (rest or data).endswith(b"\n"),
        )
        self._number = block.last_number
        return block

    def give_back(self, lines: Sequence[Line]) -> None:
        """Make lines the next to be read.

        Args:
            lines: Lines or blocks, in their order.
        """
        for block in reversed(lines):
            self._given_back.extend(reversed(block.split()))

    def _skip_rest(self) -> None:
        while (piece := self._read(_SKIP_BYTES)) and not piece.endswith(b"\n"):
            pass

    def _read(self, size: int) -> bytes:
        try:
            data = self._stream.readline(size)
        except OSError as error:
            raise make_source_error(self._source, error) from error
        self._left -= len(data)
        return data
