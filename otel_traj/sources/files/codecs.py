"""One gzip member or zstd frame, unpacked piece by piece, so that no piece can grow without bound.

zlib takes a bound itself. zstandard's decompressor unpacks all it is given: a block of 4 bytes can hold 128 KiB, so
it is given 1 KiB at a time (RFC 8878, 3.1.1.2). Its one-call form reads only the first frame, and its stream reader
does not tell a cut frame from the end (seen with zstandard 0.25), so neither is used.
"""

from __future__ import annotations

import re
import zlib
from typing import Final, Literal, Protocol, TypeAlias

__all__ = [
    "Codec",
    "Packing",
    "PackingError",
    "find_signature",
    "make_codec",
    "measure_stub",
    "tell_packing",
]

Packing: TypeAlias = Literal["gzip", "zstd"]

_GZIP: Final = b"\x1f\x8b\x08"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
# Frames that a reader passes over (RFC 8878, 3.1.2).
_SKIPPABLE: Final = frozenset(bytes([0x50 + number, 0x2A, 0x4D, 0x18]) for number in range(16))
_STUBS: Final = {
    signature[:size] + signature: size for signature in (_GZIP, _ZSTD) for size in range(1, len(signature))
}
# Behind gzip's signature stand flags, a time, and which program of which system wrote it (RFC 1952, 2.3).
_SIGNATURE = re.compile(
    rb"\x1f\x8b\x08[\x00-\x1f].{4}[\x00\x02\x04][\x00-\x0d\xff]|\x28\xb5\x2f\xfd", re.DOTALL
)
_PIECE: Final = 2**20


class PackingError(ValueError):
    """The bytes are not what they should be packed as."""


class Codec(Protocol):
    """Unpacks one member or frame."""

    input_bytes: int
    """How many bytes it takes at a time."""

    @property
    def is_done(self) -> bool:
        """The member or frame has ended."""
        ...

    @property
    def rest(self) -> bytes:
        """What of the last bytes is to be read again: what stands behind the end, or was not yet unpacked."""
        ...

    def unpack(self, data: bytes) -> bytes:
        """Return what bytes unpack to.

        Args:
            data: The next `input_bytes` or fewer.

        Raises:
            PackingError: They are damaged.
        """
        ...


def tell_packing(head: bytes) -> Packing | None:
    """Return how what begins with these bytes is packed.

    Args:
        head: Four bytes or more.
    """
    if head.startswith(_GZIP):
        return "gzip"
    return "zstd" if head.startswith(_ZSTD) or head[:4] in _SKIPPABLE else None


def measure_stub(head: bytes) -> int:
    """Return how many bytes of a signature stand before a whole one: what a process left that was killed over them.

    Args:
        head: Eight bytes or more.
    """
    return next((size for stub, size in _STUBS.items() if head.startswith(stub)), 0)


def find_signature(line: bytes) -> int:
    """Return where something packed begins in a line, behind its first byte; 0 where nothing does.

    Args:
        line: Bytes that are no JSON: no text in UTF-8 holds a signature.
    """
    found = _SIGNATURE.search(line, 1)
    return found.start() if found else 0


def make_codec(packing: Packing) -> Codec:
    """Return what unpacks the next member or frame.

    Args:
        packing: How it is packed.
    """
    return _Gzip() if packing == "gzip" else _Zstd()


class _Gzip:
    input_bytes = 2**14

    def __init__(self) -> None:
        self._member = zlib.decompressobj(wbits=31)

    @property
    def is_done(self) -> bool:
        return self._member.eof

    @property
    def rest(self) -> bytes:
        return self._member.unused_data if self._member.eof else self._member.unconsumed_tail

    def unpack(self, data: bytes) -> bytes:
        try:
            return self._member.decompress(data, _PIECE)
        except zlib.error as error:
            raise PackingError(str(error)) from error


class _Zstd:
    input_bytes = 2**10

    def __init__(self) -> None:
        import zstandard

        self._error = zstandard.ZstdError
        self._frame = zstandard.ZstdDecompressor().decompressobj()

    @property
    def is_done(self) -> bool:
        return self._frame.eof

    @property
    def rest(self) -> bytes:
        return self._frame.unused_data

    def unpack(self, data: bytes) -> bytes:
        try:
            return self._frame.decompress(data)
        except self._error as error:
            raise PackingError(str(error)) from error
