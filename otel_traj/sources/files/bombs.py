"""How much packed bytes may unpack to before they are taken for an attack.

Telemetry is repetitive and packs ten to a hundred times smaller; a decompression bomb a thousand times (gzip's
limit) to thirty thousand times. A little may unpack to anything: the bound counts once enough has come out.
"""

from __future__ import annotations

from typing import Final

__all__ = ["MAX_RATIO", "BombError", "RatioGuard"]

MAX_RATIO: Final = 500
"""How many bytes one packed byte may stand for."""

_FREE_BYTES: Final = 64 * 2**20


class BombError(ValueError):
    """Packed bytes unpack to far more than telemetry does."""


class RatioGuard:
    """Counts what goes in and what comes out, over a whole place."""

    def __init__(self, free_bytes: int = _FREE_BYTES) -> None:
        """Begin with nothing counted.

        Args:
            free_bytes: So much may come out, whatever went in.
        """
        self._free_bytes = free_bytes
        self._packed = 0
        self._unpacked = 0

    def count(self, packed: int, unpacked: int) -> None:
        """Count a piece.

        Args:
            packed: Its bytes.
            unpacked: What they unpacked to.

        Raises:
            BombError: Too much came out of too little.
        """
        self._packed += packed
        self._unpacked += unpacked
        if self._unpacked > self._free_bytes and self._unpacked > MAX_RATIO * self._packed:
            raise BombError(
                f"{self._packed:,} packed bytes unpack to more than {self._unpacked:,}, over {MAX_RATIO} times as much"
            )
