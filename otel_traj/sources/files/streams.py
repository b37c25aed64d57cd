"""A stream of bytes to spans: the way of every file, of stdin, and of answers of backends.

What a stream holds is told by its bytes, never by a name, and told anew wherever a section ends: lines of text,
records with their lengths in front, gzip members, zstd frames, in any order. What is unpacked is read the same way.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from otel_traj.sources.files.bombs import RatioGuard
from otel_traj.sources.files.byte_stream import ByteStream
from otel_traj.sources.files.codecs import measure_stub
from otel_traj.sources.files.framed_records import FramedReader
from otel_traj.sources.files.lines import MAX_RECORD_BYTES
from otel_traj.sources.files.record_decoder import RecordDecoder
from otel_traj.sources.files.sniffing import BLANKS, HEAD_BYTES, describe_binary, describe_text, tell_form
from otel_traj.sources.files.text_records import TextReader
from otel_traj.sources.files.unpacking import UnpackedStream
from otel_traj.sources.otlp.protobuf import NotProtobufError
from otel_traj.sources.position import Position
from otel_traj.sources.problems import ProblemLog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader

    from otel_traj.model import Span
    from otel_traj.sources.files.codecs import Packing
    from otel_traj.sources.protocol import OnProblem

__all__ = ["read_stream"]

_MAX_PACKINGS: Final = 2
_UNPACKED_BYTES: Final = 2**16
_ENOUGH_BYTES: Final = 64


def read_stream(
    stream: BufferedReader,
    source: str,
    on_problem: OnProblem,
    *,
    max_bytes: int = MAX_RECORD_BYTES,
    size: int | None = None,
) -> Iterator[Span]:
    """Yield the spans of a stream: OTLP in JSON or protobuf, in any wrapping and packing that is read.

    Args:
        stream: A buffered binary stream, at its beginning; the caller closes it.
        source: The place, as it stands in problems.
        on_problem: Called with each thing that could not be used.
        max_bytes: Lines, documents and messages of more bytes are not read.
        size: No record is begun after so many bytes; None reads to the end.

    Returns:
        An iterator over spans, decoded record by record.

    Raises:
        SourceError: The stream breaks off.
    """
    log = ProblemLog(source, on_problem, hold=True)
    return _StreamReader(log, max_bytes).read(ByteStream(stream, source, size))


class _StreamReader:
    def __init__(self, log: ProblemLog, max_bytes: int) -> None:
        self._log = log
        self._max_bytes = max_bytes
        self._decoder = RecordDecoder(log)
        self._guard = RatioGuard()
        self._text = TextReader(self._decoder, log, max_bytes)
        self._framed = FramedReader(self._decoder, log, self._guard, max_bytes)
        self._head: bytes | None = None
        """First bytes of the first section that is text."""
        self._other_kind: tuple[str, str] | None = None
        self._is_binary = False
        """Some section was told to be records or packed bytes, so that the place is no text of another kind."""

    def read(self, stream: ByteStream) -> Iterator[Span]:
        yield from self._read_sections(stream, 0)
        other_kind = self._other_kind
        if other_kind is None and not (self._decoder.is_known or self._is_binary):
            other_kind = describe_text(self._head or b"")
        if other_kind:
            self._report_other_kind(*other_kind)
        elif not self._decoder.has_spans:
            self._report_empty()
        self._log.close()

    def _read_sections(self, stream: ByteStream, packings: int) -> Iterator[Span]:
        while not stream.is_over and (head := _look(stream)):
            form = tell_form(head)
            if form in ("gzip", "zstd"):
                self._pass_over_stub(stream, head, form)
                yield from self._read_packed(stream, form, packings)
            elif form == "framed":
                self._is_binary = True
                yield from self._framed.read(stream, is_unpacked=packings > 0)
            elif form == "message" and stream.position == 0:
                self._is_binary = True
                yield from self._read_message(stream, is_unpacked=packings > 0)
            else:
                if stream.position == 0 and not self._decoder.is_known:
                    self._other_kind = describe_binary(head)
                    if self._other_kind:
                        return
                if self._head is None:
                    self._head = head
                yield from self._text.read(stream)

    def _read_packed(self, stream: ByteStream, packing: Packing, packings: int) -> Iterator[Span]:
        start = stream.position
        unpacked = UnpackedStream(stream, packing, self._log, self._guard)
        if packings == _MAX_PACKINGS:
            self._is_binary = True
            self._log.report_at(
                Position(offset=start),
                "unreadable_line",
                f"what was unpacked {packings} times is packed again; it is not read, so that reading ends; unpack it",
            )
            _drain(stream)
            return
        inner = ByteStream(io.BufferedReader(unpacked, _UNPACKED_BYTES), self._log.source)
        yield from self._read_sections(inner, packings + 1)
        # Where that ended early, its rest is not what stands next out here.
        _drain(inner)

    def _pass_over_stub(self, stream: ByteStream, head: bytes, packing: Packing) -> None:
        stub = measure_stub(head)
        if stub:
            self._log.report_at(
                Position(offset=stream.position),
                "unreadable_line",
                f"{packing} data end within their signature, and others begin behind it; what they should hold is lost; a "
                "process that was killed while it wrote leaves this",
            )
            stream.read(stub)

    def _read_message(self, stream: ByteStream, *, is_unpacked: bool) -> Iterator[Span]:
        at = Position(offset=0, is_unpacked=is_unpacked)
        data = stream.read(self._max_bytes + 1)
        if len(data) > self._max_bytes:
            stream.abandon()
            self._log.report_at(
                at,
                "unreadable_line",
                f"it is longer than {self._max_bytes:,} bytes; it is not read, so that memory stays bounded; export "
                "smaller batches",
            )
            return
        try:
            yield from self._decoder.decode_protobuf(data, at)
        except NotProtobufError as error:
            self._log.report_at(
                at,
                "unreadable_line",
                f"it begins like OTLP protobuf and can't be decoded ({error}); no spans are read from it; look whether it "
                "is whole, and whether it is a trace message",
            )

    def _report_other_kind(self, kind: str, advice: str) -> None:
        self._log.discard()
        self._log.report(
            "not_spans",
            f"this is {kind}, not OTLP; no spans are read from it; {advice}",
        )

    def _report_empty(self) -> None:
        if not self._is_binary and not (self._head or b"").strip(BLANKS):
            found = "is empty"
        elif self._decoder.other_signals:
            found = f"holds {' and '.join(sorted(self._decoder.other_signals))}, not spans"
        else:
            found = "holds not a single span that can be read"
        self._log.report(
            "empty_source",
            f"the source {found}; there is nothing to rebuild a run from; check that the recording program "
            "flushed its spans before it ended, and that this is where they went",
        )


def _drain(stream: ByteStream) -> None:
    while stream.read_some(_UNPACKED_BYTES):
        pass


def _look(stream: ByteStream) -> bytes:
    """Return enough of the next bytes to tell what they are; text is not waited for, it tells by its first byte."""
    head = stream.peek_some(HEAD_BYTES)
    if len(head) < _ENOUGH_BYTES and head[:1] not in b"{[":
        head = stream.peek(_ENOUGH_BYTES)
    return head
