"""Lines to JSON documents, where a line is not one document: pretty-printed, concatenated, cut, interleaved.

A line that broke off looks like the first line of a pretty-printed document until the next lines are seen. The
rule: follow the brackets; when two values collide without a comma, the beginning was a broken line, and reading
goes on at the next line that begins a document. A process that died in the middle of a line and one that wrote
on behind it leave a document inside a broken line: it is found again by its first key.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from otel_traj.sources.files.json_scanner import BrokenJsonError, JsonScanner
from otel_traj.sources.files.lines import MAX_RECORD_BYTES, Line, LineReader

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BrokenPart", "DocumentSplitter", "JsonText"]

# What stands between documents: blanks, byte order marks, the zero bytes of a copied-and-truncated file, the
# record separator of RFC 7464, and the commas of a list that was cut into lines.
_BETWEEN = re.compile(rb"(?:[\s\x00\x1e,]|\xef\xbb\xbf)*+")
_WRAPPER: Final = rb'\{\s*+"(?:result|trace)"\s*+:\s*+'
_BEGINNING = re.compile(rb"(?:" + _WRAPPER + rb')?\{\s*+"(?:resourceSpans|resource_spans|batches)"\s*+:')
_KEYS: Final = rb"resourceSpans|resource_spans|batches|result|trace"
_FIRST_OF_DOCUMENT = re.compile(rb'\{|\s*+\{\s*+"(?:' + _KEYS + rb')"')
_FIRST_IN_BLOCK = re.compile(rb'^(?:\{|[ \t]*+\{\s*+"(?:' + _KEYS + rb')")', re.MULTILINE)
_BLOCK_BYTES: Final = 2**16
# Lines are looked at again when a document turns out not to end. After so much of that (bytes, and a sum for each
# line), no document may hold more than a few lines that look like the first of another: work stays linear.
_MAX_WASTE: Final = 2 * 2**20
_WASTE_PER_LINE: Final = 64
_MAX_FIRST_LINES: Final = 8


class JsonText(Struct, frozen=True, kw_only=True):
    """Bytes that are one JSON document, as far as brackets tell."""

    data: bytes
    line: int
    """Where it begins."""


class BrokenPart(Struct, frozen=True, kw_only=True):
    """Bytes that are no JSON document, nor a part of one that goes on."""

    line: int
    last_line: int
    is_end: bool
    """The place ends in it, so that it may only be unfinished."""
    beginning: bytes
    """Its first bytes."""
    is_large: bool = False
    """It is longer than what is read of a document."""


class DocumentSplitter:
    """Takes lines from a reader as it needs them."""

    def __init__(self, lines: LineReader, max_bytes: int = MAX_RECORD_BYTES) -> None:
        """Begin anywhere in the lines.

        Args:
            lines: Where further lines are taken from, and given back to.
            max_bytes: Documents of more bytes are refused.
        """
        self._lines = lines
        self._max_bytes = max_bytes
        self._waste = 0

    def split(self, line: Line) -> Iterator[JsonText | BrokenPart]:
        """Yield what a line holds, and the following lines where its last document goes on in them.

        Args:
            line: A line that is not one document.
        """
        start = first = _skip_between(line.data, 0)
        beginnings = _find_beginnings(line.data)
        while start < len(line.data):
            index = bisect_right(beginnings, start)
            next_beginning = beginnings[index] if index < len(beginnings) else len(line.data)
            part, last, start = self._take(line, start, next_beginning, is_first=start == first)
            if last is not line:
                line, first = last, -1
                beginnings = _find_beginnings(line.data)
            yield part

    def _take(
        self, line: Line, start: int, next_beginning: int, *, is_first: bool
    ) -> tuple[JsonText | BrokenPart, Line, int]:
        """Return one part, the line it ends in, and where the next part begins there."""
        scanner = JsonScanner()
        # No document but a list holds another, so what has not ended where one begins is broken.
        may_hold_documents = is_first and line.data[start : start + 1] == b"["
        stop = len(line.data) if may_hold_documents else next_beginning
        try:
            end = scanner.find_end(line.data, start, stop)
        except BrokenJsonError:
            is_end = line.is_last and next_beginning == len(line.data)
            return _make_broken(line, start, is_end=is_end), line, next_beginning
        if end is None:
            return self._join(line, start, scanner)
        text = JsonText(data=line.data[start:end], line=line.number)
        return text, line, _skip_between(line.data, end)

    def _join(self, line: Line, start: int, scanner: JsonScanner) -> tuple[JsonText | BrokenPart, Line, int]:
        following = self._skim(scanner)
        parts = [line.data[start:], *(block.data for block in following)]
        size = sum(map(len, parts))
        first_lines = 0
        while size <= self._max_bytes and (first_lines <= _MAX_FIRST_LINES or self._waste <= _MAX_WASTE):
            further = self._lines.read_line()
            if further is None:
                return self._give_up(line, start, following, is_end=True)
            following.append(further)
            try:
                end = None if further.overlong else scanner.find_end(further.data)
            except BrokenJsonError:
                # A string that was cut at the end is no damage.
                return self._give_up(line, start, following, is_end=further.is_last)
            if further.overlong:
                break
            if end is not None:
                data = b"".join(parts) + further.data[:end]
                return JsonText(data=data, line=line.number), further, _skip_between(further.data, end)
            parts.append(further.data)
            size += len(further.data)
            first_lines += _FIRST_OF_DOCUMENT.match(further.data) is not None
        return self._give_up(line, start, following, is_large=size > self._max_bytes)

    def _skim(self, scanner: JsonScanner) -> list[Line]:
        """Return blocks of lines that lie inside a document; a line at a time would take ten times as long."""
        blocks: list[Line] = []
        size = 0
        while size <= self._max_bytes and (block := self._lines.read_block(_BLOCK_BYTES)):
            if _FIRST_IN_BLOCK.search(block.data) or not scanner.follow(block.data):
                self._lines.give_back([block])
                break
            blocks.append(block)
            size += len(block.data)
        return blocks

    def _give_up(
        self, line: Line, start: int, following: list[Line], *, is_end: bool = False, is_large: bool = False
    ) -> tuple[BrokenPart, Line, int]:
        """Find where reading goes on after a document that does not end; give the lines from there back."""
        self._waste += sum(len(further.data) + _WASTE_PER_LINE for further in following)
        last = line
        while True:
            for index, further in enumerate(following):
                if _FIRST_OF_DOCUMENT.match(further.data):
                    self._lines.give_back(following[index:])
                    return _make_broken(line, start, last, is_large=is_large), line, len(line.data)
                if further.data.strip():
                    last = further
            following = list(islice(self._lines, 1))
            if not following:
                is_end = is_end and (last is not line or line.is_last)
                return _make_broken(line, start, last, is_end=is_end, is_large=is_large), line, len(line.data)


def _make_broken(
    line: Line, start: int, last: Line | None = None, *, is_end: bool = False, is_large: bool = False
) -> BrokenPart:
    return BrokenPart(
        line=line.number,
        last_line=last.last_number if last else line.number,
        is_end=is_end,
        is_large=is_large,
        beginning=line.data[start : start + 60],
    )


def _skip_between(data: bytes, start: int) -> int:
    match = _BETWEEN.match(data, start)
    return match.end() if match else start


def _find_beginnings(data: bytes) -> list[int]:
    return [match.start() for match in _BEGINNING.finditer(data)]
