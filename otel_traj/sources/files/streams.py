"""A stream of bytes to spans: the way of every file and of stdin.

Line by line: the strict decoder first, then patience. Nothing here knows where the bytes come from, so that
another place (an unpacked file, an answer of a backend) reads the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.sources.files.json_documents import BrokenPart, DocumentSplitter, JsonText
from otel_traj.sources.files.json_text import NotJsonError, parse_json
from otel_traj.sources.files.lines import MAX_RECORD_BYTES, Line, LineReader
from otel_traj.sources.files.sniffing import BLANKS, HEAD_BYTES, describe_binary, describe_text, is_text
from otel_traj.sources.otlp.lenient import LenientDecoder
from otel_traj.sources.otlp.strict import StrictDecoder
from otel_traj.sources.problems import ProblemLog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader

    from otel_traj.model import Span
    from otel_traj.sources.protocol import OnProblem

__all__ = ["read_stream"]


def read_stream(
    stream: BufferedReader,
    source: str,
    on_problem: OnProblem,
    *,
    max_bytes: int = MAX_RECORD_BYTES,
    size: int | None = None,
) -> Iterator[Span]:
    """Yield the spans of a stream of OTLP JSON.

    Args:
        stream: A buffered binary stream, at its beginning; the caller closes it.
        source: The place, as it stands in problems.
        on_problem: Called with each thing that could not be used.
        max_bytes: Lines and documents of more bytes are not read.
        size: No line is begun after so many bytes; None reads to the end.

    Returns:
        An iterator over spans, decoded record by record.

    Raises:
        SourceError: The stream breaks off.
    """
    log = ProblemLog(source, on_problem, hold=True)
    return _StreamReader(LineReader(stream, source, max_bytes, size), log, max_bytes).read()


class _StreamReader:
    def __init__(self, lines: LineReader, log: ProblemLog, max_bytes: int) -> None:
        self._log = log
        self._max_bytes = max_bytes
        self._lines = lines
        self._splitter = DocumentSplitter(self._lines, max_bytes)
        self._strict = StrictDecoder()
        self._lenient = LenientDecoder(log)
        self._has_otlp = False

    def read(self) -> Iterator[Span]:
        head = self._lines.peek(HEAD_BYTES)
        binary = describe_binary(head)
        if binary and not is_text(head):
            self._report_other_kind(*binary)
            return
        has_spans = False
        for line in self._lines:
            spans = self._strict.decode(line.data)
            for span in self._read_slowly(line) if spans is None else self._accept(spans):
                has_spans = True
                yield span
        other_kind = None if self._has_otlp else binary or describe_text(head)
        if other_kind:
            self._report_other_kind(*other_kind)
        elif not has_spans:
            self._report_empty(is_blank=not head.strip(BLANKS))
        self._log.close()

    def _accept(self, spans: list[Span]) -> list[Span]:
        if not self._has_otlp:
            self._has_otlp = True
            self._log.release()
        return spans

    def _read_slowly(self, line: Line) -> Iterator[Span]:
        if line.overlong:
            self._report_overlong(line.number)
            return
        try:
            document = parse_json(line.data)
        except NotJsonError:
            for part in self._splitter.split(line):
                yield from self._read_part(part)
        else:
            yield from self._read_document(document, line.number)

    def _read_part(self, part: JsonText | BrokenPart) -> Iterator[Span]:
        if isinstance(part, BrokenPart):
            self._report_broken(part)
            return
        spans = self._strict.decode(part.data)
        if spans is not None:
            yield from self._accept(spans)
            return
        try:
            document = parse_json(part.data)
        except NotJsonError as error:
            self._log.report(
                "unreadable_line",
                f"line {part.line} is no JSON ({error}); the spans in it are not used, those of other "
                "lines are; look for what damaged the line, or remove it",
                line=part.line,
            )
        else:
            yield from self._read_document(document, part.line)

    def _read_document(self, document: object, line: int) -> Iterator[Span]:
        yield from self._lenient.decode(document, line)
        if self._lenient.has_otlp:
            self._accept([])

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

    def _report_other_kind(self, kind: str, advice: str) -> None:
        self._log.discard()
        self._log.report(
            "not_spans",
            f"this is {kind}, not OTLP JSON; no spans are read from it; {advice}",
        )

    def _report_empty(self, *, is_blank: bool) -> None:
        if is_blank:
            found = "is empty"
        elif self._lenient.other_signals:
            found = f"holds {' and '.join(sorted(self._lenient.other_signals))}, not spans"
        else:
            found = "holds not a single span that can be read"
        self._log.report(
            "empty_source",
            f"the source {found}; there is nothing to rebuild a run from; check that the recording program "
            "flushed its spans before it ended, and that this is where they went",
        )


def _show(data: bytes) -> str:
    return data.decode(errors="replace").rstrip()


def _name_lines(part: BrokenPart) -> str:
    if part.last_line == part.line:
        return f"line {part.line}"
    return f"what begins in line {part.line} and reaches line {part.last_line}"
