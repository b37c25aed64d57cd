"""Where reading goes on behind a zstd frame that is damaged: at the next frame, or at the length in front of it.

A killed process leaves the beginning of a frame, and the next one writes on behind it. Whether four bytes in front
of a frame are its length or the end of the broken one is told by unpacking it: a length says where it ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.sources.files.codecs import PackingError, make_codec

if TYPE_CHECKING:
    from otel_traj.sources.files.byte_stream import ByteStream

__all__ = ["find_next_frame"]

_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_LENGTH_BYTES: Final = 4
_SEARCH_BYTES: Final = 2**16
_OVERLAP_BYTES: Final = 2 * _LENGTH_BYTES - 1
_MAX_CHECKED_BYTES: Final = 2**20


def find_next_frame(stream: ByteStream, recent: bytes, begin: int) -> int | None:
    """Move a stream to the next frame, or to the length in front of it.

    Args:
        stream: Behind what was read of the damaged frame.
        recent: What was read last.
        begin: Where in it the search begins.

    Returns:
        How many of the recent bytes stand before it; None where there is none, and the stream is at its end.
    """
    window, skipped = recent, 0
    while True:
        found = window.find(_MAGIC, begin)
        if found >= 0:
            stream.give_back(window[found:])
            if found >= begin + _LENGTH_BYTES and _is_length(window[found - _LENGTH_BYTES : found], stream):
                found -= _LENGTH_BYTES
                stream.give_back(window[found : found + _LENGTH_BYTES])
            return min(skipped + found, len(recent))
        more = stream.read_some(_SEARCH_BYTES)
        if not more:
            return None
        kept = window[max(begin, len(window) - _OVERLAP_BYTES) :]
        skipped += len(window) - len(kept)
        window, begin = kept + more, 0


def _is_length(prefix: bytes, stream: ByteStream) -> bool:
    """Return whether the frame that stands next in a stream is as long as these bytes say."""
    length = int.from_bytes(prefix)
    if not 0 < length <= _MAX_CHECKED_BYTES:
        return False
    frame = stream.peek(length)
    codec = make_codec("zstd")
    at = 0
    while at < len(frame) and not codec.is_done:
        try:
            codec.unpack(frame[at : at + codec.input_bytes])
        except PackingError:
            return False
        at += codec.input_bytes
    return codec.is_done and not codec.rest and at >= length
