"""Where reading goes on behind a record that is broken: at the next beginning that proves to be one.

A killed process leaves a length that leads into the middle of something, and the next one writes on behind it, in
the same form or, restarted with another setting, in another. Four bytes that could be a length stand everywhere by
chance, so a record is believed where all of it can be decoded, a frame where it unpacks to such, a line where it is
JSON.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Final

from otel_traj.sources.files.bombs import BombError, RatioGuard
from otel_traj.sources.files.codecs import PackingError, make_codec, tell_packing
from otel_traj.sources.files.sniffing import FRAME, LENGTH_BYTES, may_be_framed, tell_form
from otel_traj.sources.files.unpacking import OversizedError, unpack_whole

if TYPE_CHECKING:
    from otel_traj.sources.files.byte_stream import ByteStream
    from otel_traj.sources.files.record_decoder import RecordDecoder

__all__ = ["RECORD_HEAD_BYTES", "RecordSearch"]

RECORD_HEAD_BYTES: Final = 64
"""How many first bytes of a record are looked at."""

# A record with its length, a frame alone, or a line of the form that collectors write.
_BEGINNING = re.compile(rb"(?:" + FRAME.pattern + rb'|\x28\xb5\x2f\xfd|\{"resourceSpans":)', re.DOTALL)
_OVERLAP_BYTES: Final = 16
_SEARCH_BYTES: Final = 2**16
_MAX_LINE_BYTES: Final = 2**20
# The search stops after so many tries, or so many bytes read for them.
_MAX_TRIALS: Final = 10_000
_MAX_TRIED_BYTES: Final = 2**28


class RecordSearch:
    """Looks for beginnings in the broken places of one source; all of them together may cost only so much."""

    def __init__(self, decoder: RecordDecoder, guard: RatioGuard, max_bytes: int) -> None:
        """Begin with nothing looked for.

        Args:
            decoder: Tells whether bytes are a record.
            guard: Counts what packed records unpack to.
            max_bytes: Records of more bytes are not believed.
        """
        self._decoder = decoder
        self._guard = guard
        self._max_bytes = max_bytes
        self._trials = _MAX_TRIALS
        self._tried_bytes = 0

    def find(self, stream: ByteStream, end: int = sys.maxsize) -> bool:
        """Move a stream to the next beginning; to the end, and return False, where there is none.

        Args:
            stream: Behind the first byte of what is broken.
            end: The position before which something has to begin; by default the stream's end.
        """
        while self._trials > 0 and self._tried_bytes < _MAX_TRIED_BYTES and stream.position < end:
            window = stream.peek(_SEARCH_BYTES)
            found = _BEGINNING.search(window)
            if found is None:
                is_last = len(window) < _SEARCH_BYTES
                stream.read(min(len(window) - (0 if is_last else _OVERLAP_BYTES), end - stream.position))
                if is_last:
                    return False
                continue
            stream.read(min(found.start(), end - stream.position))
            if stream.position < end and self.is_beginning(stream):
                return True
            stream.read(min(1, end - stream.position))
        while stream.position < end and stream.read(min(_SEARCH_BYTES, end - stream.position)):
            pass
        return False

    def is_beginning(self, stream: ByteStream) -> bool:
        """Return whether something that can be read begins next in a stream, or nothing stands there any more.

        Args:
            stream: Where the beginning may be.
        """
        head = stream.peek(RECORD_HEAD_BYTES)
        if not head:
            return True
        form = tell_form(head)
        if form == "framed":
            return may_be_framed(head) and self._holds_record(stream)
        if form == "zstd":
            return self._holds_frame(stream)
        return form == "gzip" or (head.startswith(b"{") and self._holds_line(stream))

    def _holds_record(self, stream: ByteStream) -> bool:
        length = int.from_bytes(stream.peek(LENGTH_BYTES))
        record = self._try(stream, LENGTH_BYTES + min(length, self._max_bytes))
        payload = record[LENGTH_BYTES:]
        if len(payload) < length:
            return False
        try:
            packing = tell_packing(payload)
            data = unpack_whole(payload, packing, self._max_bytes, self._guard) if packing else payload
        except (BombError, OversizedError, PackingError):
            return False
        return self._decoder.can_decode(data)

    def _holds_frame(self, stream: ByteStream) -> bool:
        codec = make_codec("zstd")
        packed = self._try(stream, _MAX_LINE_BYTES)
        pieces = []
        at = size = 0
        while at < len(packed) and size <= self._max_bytes and not codec.is_done:
            try:
                pieces.append(codec.unpack(packed[at : at + codec.input_bytes]))
            except PackingError:
                return False
            at += codec.input_bytes
            size += len(pieces[-1])
        data = b"".join(pieces)
        if not codec.is_done:
            return len(packed) == _MAX_LINE_BYTES
        return self._decoder.can_decode(data) or self._is_json(data.partition(b"\n")[0])

    def _holds_line(self, stream: ByteStream) -> bool:
        line = stream.read_line(_MAX_LINE_BYTES)
        stream.give_back(line)
        self._trials -= 1
        self._tried_bytes += len(line)
        return self._is_json(line)

    def _is_json(self, line: bytes) -> bool:
        return line.startswith(b"{") and self._decoder.can_decode(line)

    def _try(self, stream: ByteStream, size: int) -> bytes:
        data = stream.peek(size)
        self._trials -= 1
        self._tried_bytes += len(data)
        return data
