"""Records with a length of four bytes in front (big-endian), as the collector's file exporter writes them.

So it writes protobuf (`format: proto`), and everything that it compresses message by message, JSON too (contrib
0.161.0; collector-contrib#49328 reports lengths before JSON without compression). Each record is told by its own
first bytes. A length that leads nowhere is what a killed process left in a file that was written on: reading goes
on at the next record that can be decoded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.sources.files.bombs import BombError, RatioGuard
from otel_traj.sources.files.codecs import PackingError, tell_packing
from otel_traj.sources.files.json_text import NotJsonError
from otel_traj.sources.files.record_search import RECORD_HEAD_BYTES, RecordSearch
from otel_traj.sources.files.sniffing import LENGTH_BYTES, is_json_record, may_be_framed, tell_form
from otel_traj.sources.files.unpacking import OversizedError, unpack_whole
from otel_traj.sources.otlp.protobuf import NotProtobufError
from otel_traj.sources.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otel_traj.model import Span
    from otel_traj.sources.files.byte_stream import ByteStream
    from otel_traj.sources.files.record_decoder import RecordDecoder
    from otel_traj.sources.problems import ProblemLog

__all__ = ["FramedReader"]

_SKIP_BYTES: Final = 2**16


class FramedReader:
    """Reads the sections of one place that are records with their lengths in front."""

    def __init__(self, decoder: RecordDecoder, log: ProblemLog, guard: RatioGuard, max_bytes: int) -> None:
        """Begin with no record read.

        Args:
            decoder: Decodes the records.
            log: Where problems are reported.
            guard: Counts what packed records unpack to.
            max_bytes: Records of more bytes are not read.
        """
        self._decoder = decoder
        self._log = log
        self._guard = guard
        self._max_bytes = max_bytes
        self._search = RecordSearch(decoder, guard, max_bytes)

    def read(self, stream: ByteStream, *, is_unpacked: bool) -> Iterator[Span]:
        """Yield the spans of a section.

        Args:
            stream: At the beginning of a record; afterwards where something else begins.
            is_unpacked: The stream is what something unpacks to.
        """
        form = "framed"
        while form == "framed":
            at = Position(offset=stream.position, is_unpacked=is_unpacked)
            yield from self._read_record(stream, at)
            form = self._find_form(stream, is_unpacked=is_unpacked)

    def _find_form(self, stream: ByteStream, *, is_unpacked: bool) -> str:
        """Return what stands next, after zeros that say nothing and what can't be made out."""
        at = Position(offset=stream.position, is_unpacked=is_unpacked)
        has_zeros = False
        while not stream.is_over and (head := stream.peek(RECORD_HEAD_BYTES)):
            if not any(head[:LENGTH_BYTES]):
                # An empty message, or the zeros of a file that was copied and truncated.
                stream.read(LENGTH_BYTES)
                has_zeros = True
            elif len(head) < LENGTH_BYTES:
                self._report_unfinished(at)
                stream.read(len(head))
            elif (form := tell_form(head)) not in ("text", "message") or head[:1] in b"{[":
                return form
            else:
                if has_zeros:
                    # The last of them may belong to the next length.
                    stream.give_back(bytes(LENGTH_BYTES - 1))
                self._go_on_behind(stream, at, "no record begins there")
        return ""

    def _read_record(self, stream: ByteStream, at: Position) -> Iterator[Span]:
        prefix = stream.read(LENGTH_BYTES)
        length = int.from_bytes(prefix)
        if length > self._max_bytes:
            self._skip(stream, length, at)
            return
        payload = stream.read(length)
        spans: Iterable[Span] = ()
        damage = ""
        try:
            if len(payload) == length:
                spans = self._decode(payload, at)
        except OversizedError:
            self._report_overlong(at)
        except (BombError, NotJsonError, NotProtobufError, PackingError) as error:
            damage = str(error)
        if len(payload) < length:
            stream.give_back((prefix + payload)[1:])
            self._go_on_behind(stream, at, damage)
        elif damage or not self._seems_right(stream):
            yield from self._read_doubtful(stream, prefix + payload, at, damage, spans)
        else:
            yield from spans

    def _read_doubtful(
        self, stream: ByteStream, record: bytes, at: Position, damage: str, spans: Iterable[Span]
    ) -> Iterable[Span]:
        """Return the spans of a record that is damaged or does not lead to another, unless one begins inside it.

        A message may still look like one where a killed process left its first part and another record stands behind.
        """
        end = stream.position
        # What is packed in a whole one begins behind its length, and is no other.
        stream.give_back(record[1 if damage else LENGTH_BYTES + 1 :])
        if self._search.find(stream, end):
            self._report_going_on(stream, at, damage)
            return ()
        if damage and self._search.is_beginning(stream):
            self._report_damaged(at, damage, "the others are read")
        elif damage:
            self._go_on_behind(stream, at, damage)
        return spans

    def _seems_right(self, stream: ByteStream) -> bool:
        """Return whether something begins next in a stream, by its first bytes, or nothing stands there."""
        head = stream.peek(RECORD_HEAD_BYTES)
        form = tell_form(head)
        if form == "framed":
            return may_be_framed(head)
        return form in ("gzip", "zstd") or not any(head[:LENGTH_BYTES]) or head[:1] in b"{["

    def _decode(self, payload: bytes, at: Position) -> Iterable[Span]:
        packing = tell_packing(payload)
        data = unpack_whole(payload, packing, self._max_bytes, self._guard) if packing else payload
        if is_json_record(data):
            spans = self._decoder.decode_strictly(data, offset=at.offset)
            return self._decoder.decode_json(data, at) if spans is None else spans
        return self._decoder.decode_protobuf(data, at)

    def _go_on_behind(self, stream: ByteStream, at: Position, damage: str) -> None:
        """Move to the next record that can be decoded, or to the end; say which."""
        if self._search.find(stream):
            self._report_going_on(stream, at, damage)
        elif damage:
            self._report_damaged(at, damage, "nothing behind it can be made out")
        else:
            self._report_unfinished(at)

    def _skip(self, stream: ByteStream, length: int, at: Position) -> None:
        self._report_overlong(at)
        while length > 0 and (piece := stream.read_some(min(length, _SKIP_BYTES))):
            length -= len(piece)

    def _report_overlong(self, at: Position) -> None:
        self._log.report_at(
            at,
            "unreadable_line",
            f"it is longer than {self._max_bytes:,} bytes; it is not read, so that memory stays bounded; let the exporter "
            "write smaller batches",
        )

    def _report_damaged(self, at: Position, damage: str, consequence: str) -> None:
        self._log.report_at(
            at,
            "unreadable_line",
            f"it can't be decoded ({damage}); its spans are not used, {consequence}; a process that was killed while it "
            "wrote leaves this",
        )

    def _report_going_on(self, stream: ByteStream, at: Position, damage: str) -> None:
        self._report_damaged(
            at, damage or "another record begins in it", f"reading goes on at byte {stream.position:,}"
        )

    def _report_unfinished(self, at: Position) -> None:
        self._log.report_at(
            at,
            "unfinished_line",
            "it is not finished, the input ends before it does; the spans in it are not used; if it is still being "
            "written, read it again later",
        )
