"""The gzip members or zstd frames of a stream as one stream of what they hold, unpacked as it is read.

A collector ends a frame at each flush or write, and a record may go over frames, so frames that stand one behind
the other are one stream. A frame that has not ended is perhaps still being written: what it holds so far is read,
and that it goes on is said. A frame that a killed process left, with another one behind it, costs what of it can't
be unpacked.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from otel_traj.sources.files.bombs import BombError, RatioGuard
from otel_traj.sources.files.codecs import Codec, Packing, PackingError, make_codec, tell_packing
from otel_traj.sources.files.next_frame import find_next_frame

if TYPE_CHECKING:
    from otel_traj.sources.files.byte_stream import ByteStream
    from otel_traj.sources.problems import ProblemLog

__all__ = ["OversizedError", "UnpackedStream", "unpack_whole"]

_RECENT_BYTES: Final = 2**20
_MAX_KEPT_BYTES: Final = 2**20
# Damaged frames without number are given up: each costs a search for the next.
_MAX_DAMAGED: Final = 100_000


class OversizedError(ValueError):
    """A record unpacks to more bytes than are read of one."""


class UnpackedStream(io.RawIOBase):
    """What the members or frames of one kind hold that stand next in a stream; ends before what is none of them."""

    def __init__(self, packed: ByteStream, packing: Packing, log: ProblemLog, guard: RatioGuard) -> None:
        """Take a stream at the beginning of the first.

        Args:
            packed: Where they stand.
            packing: How they are packed.
            log: Where problems are reported.
            guard: Counts what comes out.
        """
        self._packed = packed
        self._packing = packing
        self._log = log
        self._guard = guard
        self._codec: Codec | None = None
        self._start = 0
        self._recent = bytearray()
        self._given = 0
        self._ready = b""
        self._ready_start = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # the buffer that BufferedReader gives
        """Write the next bytes into a buffer, and return how many; 0 at the end."""
        while self._ready_start == len(self._ready):
            piece = self._unpack_piece()
            if piece is None:
                return 0
            self._ready, self._ready_start = piece, 0
        piece = self._ready[self._ready_start : self._ready_start + len(buffer)]
        buffer[: len(piece)] = piece
        self._ready_start += len(piece)
        return len(piece)

    def _unpack_piece(self) -> bytes | None:
        """Return what the next bytes unpack to, perhaps nothing; None at the end."""
        if self._codec is None:
            if self._packed.is_over or tell_packing(self._packed.peek(4)) != self._packing:
                return None
            self._codec = make_codec(self._packing)
            self._start = self._packed.position
            self._recent.clear()
            self._given = 0
        data = self._packed.read_some(self._codec.input_bytes)
        if not data:
            self._codec = None
            self._report_unfinished()
            return None
        return self._unpack(self._codec, data)

    def _unpack(self, codec: Codec, data: bytes) -> bytes | None:
        self._recent += data
        del self._recent[:-_RECENT_BYTES]
        try:
            piece = codec.unpack(data)
        except PackingError as error:
            return self._go_on_behind(error, len(data))
        rest = codec.rest
        if rest:
            self._packed.give_back(rest)
            del self._recent[-len(rest) :]
        if codec.is_done:
            self._codec = None
        try:
            self._guard.count(len(data) - len(rest), len(piece))
        except BombError as error:
            self._report_bomb(error)
            return None
        self._given += len(piece)
        return piece

    def _go_on_behind(self, error: PackingError, size: int) -> bytes:
        """Find the next frame behind a damaged one; a line feed ends the line that was cut."""
        self._codec = None
        recent = bytes(self._recent)
        is_whole = self._packed.position - self._start == len(recent)
        before: int | None = None
        if self._packing == "zstd" and self._log.count("unreadable_line") < _MAX_DAMAGED:
            before = find_next_frame(self._packed, recent, 1 if is_whole else 0)
        piece = self._unpack_again(recent[:before], len(recent) - size) if is_whole else b""
        if before is None:
            self._packed.abandon()
        if self._log.count("unreadable_line") >= _MAX_DAMAGED:
            self._log.report(
                "not_spans",
                f"up to byte {self._start:,} {_MAX_DAMAGED:,} frames and more are damaged; what follows is not read, so "
                "that reading ends; remove them, or name another file",
                offset=self._start,
            )
        consequence = (
            "what follows is not read"
            if before is None
            else f"reading goes on at byte {self._packed.position:,}"
        )
        self._log.report(
            "unreadable_line",
            f"the {self._packing} data that begin at byte {self._start:,} are damaged ({error}); what they hold behind "
            f"the damage is lost, and {consequence}; a process that was killed while it wrote leaves this",
            offset=self._start,
        )
        return piece if before is None else piece + b"\n"

    def _unpack_again(self, data: bytes, safe: int) -> bytes:
        """Return what a frame holds before its damage, without what was given already: what fails gives nothing.

        Args:
            data: The frame, as far as it may reach.
            safe: So many bytes unpack without an error; what follows is tried byte by byte.
        """
        codec = make_codec(self._packing)
        kept = bytearray()
        given = at = 0
        while at < len(data) and not codec.is_done and len(kept) <= _MAX_KEPT_BYTES:
            step = min(codec.input_bytes, safe - at) if at < safe else 1
            try:
                piece = codec.unpack(data[at : at + step])
            except PackingError:
                break
            at += step - len(codec.rest)
            kept += piece[max(0, self._given - given) :]
            given += len(piece)
        return bytes(kept)

    def _report_unfinished(self) -> None:
        self._log.report(
            "unfinished_line",
            f"the {self._packing} data that begin at byte {self._start:,} are not finished; what they hold up to there is "
            "read, the rest is missing; if they are still being written, read them again later",
            offset=self._start,
        )

    def _report_bomb(self, error: BombError) -> None:
        self._codec = None
        self._packed.abandon()
        self._log.report(
            "unreadable_line",
            f"the {self._packing} data at byte {self._start:,} look like a decompression bomb ({error}); reading ends "
            "here, so that it ends at all; unpack them yourself if they are what they should be",
            offset=self._start,
        )


def unpack_whole(data: bytes, packing: Packing, max_bytes: int, guard: RatioGuard) -> bytes:
    """Return what one record unpacks to.

    Args:
        data: All bytes of it.
        packing: How it is packed.
        max_bytes: Records of more bytes are refused.
        guard: Counts what comes out.

    Raises:
        BombError: It unpacks to far more than telemetry does.
        OversizedError: It unpacks to more than `max_bytes`.
        PackingError: It is damaged, or cut.
    """
    pieces: list[bytes] = []
    size = at = 0
    codec: Codec | None = None
    while at < len(data):
        codec = codec or make_codec(packing)
        chunk = data[at : at + codec.input_bytes]
        piece = codec.unpack(chunk)
        taken = len(chunk) - len(codec.rest)
        at += taken
        size += len(piece)
        guard.count(taken, len(piece))
        if size > max_bytes:
            raise OversizedError
        pieces.append(piece)
        if codec.is_done:
            codec = None
    if codec is not None:
        raise PackingError("it ends before what is packed in it does")
    return b"".join(pieces)
