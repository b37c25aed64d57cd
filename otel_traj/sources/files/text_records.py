"""Lines of text to spans: the strict decoder first, then patience.

Lines that can't begin a document, such as those of a log, are passed over many at a time. Each of the others costs a
search for what it may be the beginning of, so that broken ones without number are given up.

A section of lines ends where the place does, or where a line turns out to be the beginning of packed or binary
records: a collector that was restarted with another setting writes on in the same file.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Final

from otel_traj.sources.files.byte_stream import ByteStream
from otel_traj.sources.files.codecs import find_signature
from otel_traj.sources.files.json_documents import BrokenPart, DocumentSplitter, JsonText
from otel_traj.sources.files.json_text import NotJsonError, TooManyValuesError
from otel_traj.sources.files.lines import Line, LineReader
from otel_traj.sources.files.sniffing import HEAD_BYTES, tell_form
from otel_traj.sources.position import Position
from otel_traj.sources.problems import PROBLEMS_PER_CODE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otel_traj.model import Span
    from otel_traj.sources.files.record_decoder import RecordDecoder
    from otel_traj.sources.problems import ProblemLog

__all__ = ["TextReader"]

_MAX_BROKEN: Final = 100_000
_CONTROL: Final = rb"\x00-\x08\x0b\x0c\x0e-\x1f\xf5-\xff"
_SCALAR: Final = rb'(?:-?[0-9][0-9.eE+-]*+|true|false|null|NaN|-?Infinity|"(?:[^"\\\n]|\\.)*+")[ \t\r]*+\n'
# Lines of text that neither are a JSON value nor hold the beginning of one.
_NO_BEGINNINGS = re.compile(
    rb"(?:(?![ \t]*+" + _SCALAR + rb")[ \t]*+[^\s{\[,\xef" + _CONTROL + rb"][^{\n" + _CONTROL + rb"]*+\n)++"
)


class TextReader:
    """Reads the sections of one place that are lines."""

    def __init__(
        self,
        decoder: RecordDecoder,
        log: ProblemLog,
        max_bytes: int,
        *,
        first_line: int = 1,
        is_member: bool = False,
    ) -> None:
        """Begin with no line read.

        Args:
            decoder: Decodes the documents.
            log: Where problems are reported.
            max_bytes: Lines and documents of more bytes are not read.
            first_line: Number of the first line.
            is_member: The lines stand in a list, and a list among them is not opened.
        """
        self._decoder = decoder
        self._log = log
        self._max_bytes = max_bytes
        self._number = first_line - 1
        self._is_member = is_member
        self._broken = 0

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
                self._broken = 0
                yield from spans
            elif not line.data.strip():
                continue
            elif not is_first and not line.overlong and _ends_text(lines.look(line, HEAD_BYTES)):
                lines.leave(line)
                break
            elif not line.overlong and _NO_BEGINNINGS.fullmatch(line.data):
                self._pass_over(line, lines)
            elif not line.overlong and (begin := find_signature(line.data)):
                lines.leave(line, begin)
                self._number = lines.number
                yield from self.read(_make_stream(line.data[:begin] + b"\n"))
                return
            else:
                yield from self._read_slowly(line, splitter)
                if self._broken > _MAX_BROKEN:
                    self._report_given_up(lines.number)
                    stream.abandon()
                    break
            is_first = False
        self._number = lines.number

    def _read_slowly(self, line: Line, splitter: DocumentSplitter) -> Iterator[Span]:
        if line.overlong:
            self._report_overlong(line.number)
            return
        try:
            spans = self._decoder.decode_json(line.data, Position(line=line.number))
        except TooManyValuesError as error:
            self._broken += 1
            self._report_oversized(line.number, str(error))
        except NotJsonError:
            for part in splitter.split(line):
                yield from self._read_part(part)
        else:
            self._broken = 0
            yield from spans

    def _pass_over(self, line: Line, lines: LineReader) -> None:
        run: Line | None = line
        while run is not None:
            if self._log.count("unreadable_line") < PROBLEMS_PER_CODE:
                for one in run.split():
                    self._report_broken(
                        BrokenPart(
                            line=one.number, last_line=one.number, is_end=False, beginning=one.data[:60]
                        )
                    )
            else:
                self._log.add("unreadable_line", run.data.count(b"\n"), line=run.last_number)
            run = lines.read_run(_NO_BEGINNINGS)

    def _read_part(self, part: JsonText | BrokenPart) -> Iterator[Span]:
        if isinstance(part, BrokenPart):
            self._broken += 1
            self._report_broken(part)
            return
        spans: Iterable[Span] | None = self._decoder.decode_strictly(part.data, line=part.line)
        try:
            if spans is None:
                spans = self._decoder.decode_json(part.data, Position(line=part.line))
        except TooManyValuesError as error:
            self._broken += 1
            self._report_oversized(part.line, str(error))
        except NotJsonError as error:
            if part.data.startswith(b"[") and not self._is_member:
                yield from self._read_members(part)
                return
            self._broken += 1
            self._report_no_json(part.line, str(error))
        else:
            self._broken = 0
            yield from spans

    def _read_members(self, part: JsonText) -> Iterator[Span]:
        """Yield the spans of a list that is no JSON, for a comma too much or a broken member: each by itself."""
        members = TextReader(self._decoder, self._log, self._max_bytes, first_line=part.line, is_member=True)
        yield from members.read(_make_stream(part.data[1:-1] + b"\n"))

    def _report_no_json(self, line: int, why: str) -> None:
        self._log.report(
            "unreadable_line",
            f"line {line} is no JSON ({why}); the spans in it are not used, those of other "
            "lines are; look for what damaged the line, or remove it",
            line=line,
        )

    def _report_oversized(self, line: int, why: str) -> None:
        self._log.report(
            "unreadable_line",
            f"the document in line {line} is not read ({why}), so that memory stays bounded; the spans of other lines are "
            "used; write smaller batches, one document per line",
            line=line,
        )

    def _report_given_up(self, line: int) -> None:
        # Under the code of the broken lines it would only be counted.
        self._log.report(
            "not_spans",
            f"up to line {line} more than {_MAX_BROKEN:,} parts in a row are no whole JSON; what follows is not read, so "
            "that reading ends; remove them, or name a file of OTLP JSON",
            line=line,
        )

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


def _make_stream(data: bytes) -> ByteStream:
    return ByteStream(io.BufferedReader(io.BytesIO(data)), "")


def _ends_text(head: bytes) -> bool:
    return tell_form(head) not in ("text", "message")


def _show(data: bytes) -> str:
    return data.decode(errors="replace").rstrip()


def _name_lines(part: BrokenPart) -> str:
    if part.last_line == part.line:
        return f"line {part.line}"
    return f"what begins in line {part.line} and reaches line {part.last_line}"
