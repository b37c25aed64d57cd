"""Bytes to lines, each of bounded length, with a way to give lines back.

Files are read as bytes: decoding them as text first costs more than the JSON, and one bad byte would end the
whole file instead of its line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

    from otel_traj.sources.files.byte_stream import ByteStream

__all__ = ["MAX_RECORD_BYTES", "Line", "LineReader"]

MAX_RECORD_BYTES: Final = 256 * 2**20
"""A line, or a document over several lines, of more bytes is not read."""

_SKIP_BYTES: Final = 2**20
_BLANK_BYTES: Final = 2**16
_BLANK_LINES: Final = (b"\n", b"\r\n")


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
    """Reads a stream line by line."""

    def __init__(self, stream: ByteStream, max_bytes: int = MAX_RECORD_BYTES, number: int = 0) -> None:
        """Take a stream that the caller closes.

        Args:
            stream: At the beginning of a line.
            max_bytes: Lines of more bytes are cut and marked.
            number: How many lines were there before.
        """
        self._stream = stream
        self._max_bytes = max_bytes
        self._given_back: list[Line] = []
        self.number = number
        """Number of the last line that was taken from the stream."""

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines that are left."""
        while (line := self.read_line()) is not None:
            yield line

    def read_line(self) -> Line | None:
        """Return the next line, or None at the end.

        Raises:
            SourceError: The stream breaks off.
        """
        if self._given_back:
            return self._given_back.pop()
        data = self._stream.begin_line(self._max_bytes + 1)
        if not data:
            return None
        self.number += 1
        if len(data) <= 2 and data in _BLANK_LINES:
            number = self.number
            self._skip_blank_lines()
            return Line(data=data, number=number)
        if data.endswith(b"\n"):
            return Line(data=data, number=self.number)
        if len(data) <= self._max_bytes:
            return Line(data=data, number=self.number, is_last=True)
        self._skip_rest()
        return Line(data=data[:100], number=self.number, overlong=True)

    def read_block(self, size: int) -> Line | None:
        """Return the next lines in one, as many as are there without waiting.

        Args:
            size: About how many bytes.

        Returns:
            One line or more; None at the end, and where a line was given back or is overlong.

        Raises:
            SourceError: The stream breaks off.
        """
        if self._given_back or self._stream.is_over:
            return None
        data = self._stream.read_some(size)
        if not data:
            return None
        rest = b"" if data.endswith(b"\n") else self._stream.read_line(self._max_bytes + 1)
        overlong = len(rest) > self._max_bytes and not rest.endswith(b"\n")
        if overlong:
            self._skip_rest()
        block = Line(
            data=data + rest,
            number=self.number + 1,
            overlong=overlong,
            is_last=not overlong and not (rest or data).endswith(b"\n"),
        )
        self.number = block.last_number
        return block

    def read_run(self, pattern: re.Pattern[bytes]) -> Line | None:
        """Return the lines in one that stand next and meet a pattern, some of them where there are many.

        Args:
            pattern: Meets whole lines, any number of them.

        Returns:
            One line or more; None where the next does not meet it, or was given back.

        Raises:
            SourceError: The stream breaks off.
        """
        if self._given_back or self._stream.is_over:
            return None
        match = pattern.match(self._stream.peek_some(_BLANK_BYTES))
        if match is None:
            return None
        run = Line(data=self._stream.read_some(match.end()), number=self.number + 1)
        self.number = run.last_number
        return run

    def give_back(self, lines: Sequence[Line]) -> None:
        """Make lines the next to be read.

        Args:
            lines: Lines or blocks, in their order.
        """
        for block in reversed(lines):
            self._given_back.extend(reversed(block.split()))

    def look(self, line: Line, size: int) -> bytes:
        """Return the first bytes of a line, and what follows them where the line is short.

        Args:
            line: The last that was read.
            size: How many at most.
        """
        if len(line.data) >= size or self._given_back or line.is_last:
            return line.data[:size]
        return line.data + self._stream.peek_some(size - len(line.data))

    def leave(self, line: Line, begin: int = 0) -> None:
        """Give a line back to the stream, with all that were given back here: somebody else reads on.

        Args:
            line: The last that was read, and not overlong.
            begin: So many bytes of it are kept.
        """
        rest = b"".join(given.data for given in reversed(self._given_back))
        self._stream.give_back(line.data[begin:] + rest)
        self._given_back.clear()
        self.number = line.number - 1

    def _skip_blank_lines(self) -> None:
        """Pass over blank lines many at a time: a few packed bytes can hold millions of them."""
        while head := self._stream.peek_some(_BLANK_BYTES):
            blank = head[: len(head) - len(head.lstrip())]
            end = blank.rfind(b"\n") + 1
            if not end:
                return
            self.number += blank.count(b"\n")
            self._stream.read_some(end)

    def _skip_rest(self) -> None:
        while (piece := self._stream.read_line(_SKIP_BYTES)) and not piece.endswith(b"\n"):
            pass
