"""Lines of text to spans: the strict decoder first, then patience.

A section of lines ends where the place does, or where a line turns out to be the beginning of packed or binary
records: a collector that was restarted with another setting writes on in the same file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.sources.files.json_documents import BrokenPart, DocumentSplitter, JsonText
from otel_traj.sources.files.json_text import NotJsonError
from otel_traj.sources.files.lines import Line, LineReader
from otel_traj.sources.files.sniffing import HEAD_BYTES, tell_form
from otel_traj.sources.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.model import Span
    from otel_traj.sources.files.byte_stream import ByteStream
    from otel_traj.sources.files.record_decoder import RecordDecoder
    from otel_traj.sources.problems import ProblemLog

__all__ = ["TextReader"]


class TextReader:
    """Reads the sections of one place that are lines."""

    def __init__(self, decoder: RecordDecoder, log: ProblemLog, max_bytes: int) -> None:
        """Begin with no line read.

        Args:
            decoder: Decodes the documents.
            log: Where problems are reported.
            max_bytes: Lines and documents of more bytes are not read.
        """
        self._decoder = decoder
        self._log = log
        self._max_bytes = max_bytes
        self._number = 0

    def read(self, stream: ByteStream) -> Iterator[Span]:
        """Yield the spans of a section.

        Args:
            stream: At the beginning of a line that is text; afterwards where something else begins.
        """
        lines = LineReader(stream, self._max_bytes, self._number)
        splitter = DocumentSplitter(lines, self._max_bytes)
        is_first = True
        for line in lines:
            spans = self._decoder.decode_strictly(line.data, line=line.number)
            if spans is not None:
                yield from spans
            elif not line.data.strip():
                continue
            elif not is_first and not line.overlong and _ends_text(lines.look(line, HEAD_BYTES)):
                lines.leave(line)
                break
            else:
                yield from self._read_slowly(line, splitter)
            is_first = False
        self._number = lines.number

    def _read_slowly(self, line: Line, splitter: DocumentSplitter) -> Iterator[Span]:
        if line.overlong:
            self._report_overlong(line.number)
            return
        try:
            spans = self._decoder.decode_json(line.data, Position(line=line.number))
        except NotJsonError:
            for part in splitter.split(line):
                yield from self._read_part(part)
        else:
            yield from spans

    def _read_part(self, part: JsonText | BrokenPart) -> Iterator[Span]:
        if isinstance(part, BrokenPart):
            self._report_broken(part)
            return
        at = Position(line=part.line)
        strict = self._decoder.decode_strictly(part.data, line=part.line)
        if strict is not None:
            yield from strict
            return
        try:
            spans = self._decoder.decode_json(part.data, at)
        except NotJsonError as error:
            self._log.report(
                "unreadable_line",
                f"line {part.line} is no JSON ({error}); the spans in it are not used, those of other "
                "lines are; look for what damaged the line, or remove it",
                line=part.line,
            )
        else:
            yield from spans

    def _report_broken(self, part: BrokenPart) -> None:
        place = _name_lines(part)
        if part.is_large:
            self._report_overlong(part.line)
        elif part.is_end:
            self._log.report(
                "unfinished_line",
                f"{place} is not finished: it begins {_show(part.beginning)!r}, and the input ends before it does; the spans "
                "in it are not used; if it is still being written, read it again later",
                line=part.line,
            )
        else:
            self._log.report(
                "unreadable_line",
                f"{place} is no whole JSON: it begins {_show(part.beginning)!r}; the spans in it are not used, those of "
                "other lines are; look for what cut or damaged the line, or remove it",
                line=part.line,
            )

    def _report_overlong(self, line: int) -> None:
        self._log.report(
            "unreadable_line",
            f"line {line} is longer than {self._max_bytes:,} bytes; it is not read, so that memory stays "
            "bounded; write smaller batches, one document per line",
            line=line,
        )


def _ends_text(head: bytes) -> bool:
    return tell_form(head) not in ("text", "message")


def _show(data: bytes) -> str:
    return data.decode(errors="replace").rstrip()


def _name_lines(part: BrokenPart) -> str:
    if part.last_line == part.line:
        return f"line {part.line}"
    return f"what begins in line {part.line} and reaches line {part.last_line}"
