"""Where in a place something stands: a line of text, a byte of a binary form, or just the answer as a whole."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Position"]


class Position(Struct, frozen=True, kw_only=True):
    """Where a record begins; neither line nor offset where the place is one record."""

    line: int | None = None
    """From 1, for text."""
    offset: int | None = None
    """Of its first byte, for binary forms."""
    is_unpacked: bool = False
    """The offset counts in what was unpacked, not in the file."""

    def __str__(self) -> str:
        """Return words for a message."""
        if self.line is not None:
            return f"line {self.line}"
        if self.offset is not None:
            return f"the message at byte {self.offset:,}" + (" of the unpacked data" * self.is_unpacked)
        return "the answer"
