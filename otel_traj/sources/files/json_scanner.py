"""Where JSON values end in bytes that hold several, or parts of one: brackets and strings, nothing more.

Needed for documents over many lines, for documents one behind the other, and to tell these from a line that
broke off. A regular expression finds strings and brackets; whether what is between them is JSON, the parser
decides afterwards.
"""

from __future__ import annotations

import re
from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BrokenJsonError", "JsonScanner", "shorten_strings"]

# Strings do not go over a line's end; a quotation mark that stays alone begins a broken one.
_STRING = re.compile(rb'"(?:[^"\\\n]|\\[^\n])*+"')
_NEXT_MARK = re.compile(rb'(?:[^"\[\]{}]|' + _STRING.pattern + rb')*+([\[\]{}"])')
_TOKENS = re.compile(rb'(?:[^"]++|' + _STRING.pattern + rb"){1,65536}+")
_OPENING: Final = b"{["
_CLOSING: Final = b"}]"
_DELTAS: Final = bytes.maketrans(b"{[}]", b"\x01\x01\xff\xff")
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"{[}]"))
_BLANKS: Final = b" \t\r\n"
# After each string became one quotation mark: two values side by side, or an object that begins with no key.
_COLLISION = re.compile(rb'["\]}\w]["\[{]|["\]}]\w|\{[\[{]')


def shorten_strings(data: bytes) -> Iterator[bytes]:
    """Yield bytes piece by piece, in which each string became one quotation mark.

    In pieces, because a substitution holds two objects for each string until it has all of them.

    Args:
        data: Lines of JSON, perhaps.
    """
    position = 0
    while position < len(data):
        match = _TOKENS.match(data, position)
        # A quotation mark that stays alone is a token of its own.
        end = match.end() if match and match.end() > position else position + 1
        yield _STRING.sub(b'"', data[position:end])
        position = end


class BrokenJsonError(ValueError):
    """The bytes can't be the beginning of a JSON value."""


class JsonScanner:
    """Follows one JSON object or array over pieces of bytes that end where a line ends."""

    def __init__(self) -> None:
        """Begin before the first bracket."""
        self.depth = 0
        """How many brackets are open."""
        self._tail = b""

    def find_end(self, data: bytes, start: int = 0, stop: int | None = None) -> int | None:
        """Return where the value ends.

        Args:
            data: The next line.
            start: Where in it to go on.
            stop: Where the value has to have ended, if not at the line's end.

        Returns:
            The offset behind its last bracket, or None where the line does not hold it.

        Raises:
            BrokenJsonError: No bracket opens, a string does not end in its line, two values stand side by side
                without a comma, or the value goes on at `stop`.
        """
        stop = len(data) if stop is None else stop
        is_under_way = self.depth > 0
        if is_under_way and self.follow(data):
            return None
        if not is_under_way and data[start] not in _OPENING:
            raise BrokenJsonError
        end = self._find_last_bracket(data, start, stop)
        if end is None:
            if stop < len(data):
                raise BrokenJsonError
            structure = _reduce(data[start:])
            if is_under_way or _COLLISION.search(structure):
                raise BrokenJsonError
            self._tail = structure[-1:]
        return end

    def follow(self, data: bytes) -> bool:
        """Go over lines inside the value; nothing is gone over where it ends in them, or breaks.

        Args:
            data: One line or several.

        Returns:
            Whether the lines lie inside the value.
        """
        structure = _reduce(data)
        deltas = array("b", structure.translate(_DELTAS, _NO_BRACKETS))
        if self.depth + min(accumulate(deltas), default=0) <= 0 or _COLLISION.search(self._tail + structure):
            return False
        self.depth += sum(deltas)
        self._tail = structure[-1:] or self._tail
        return True

    def _find_last_bracket(self, data: bytes, start: int, stop: int) -> int | None:
        depth = self.depth
        position = start
        while match := _NEXT_MARK.match(data, position, stop):
            position = match.end()
            mark = data[position - 1]
            if mark in _OPENING:
                depth += 1
            elif mark in _CLOSING:
                depth -= 1
                if depth <= 0:
                    return position
            else:
                raise BrokenJsonError
        self.depth = depth
        return None


def _reduce(data: bytes) -> bytes:
    return b"".join(piece.translate(None, _BLANKS) for piece in shorten_strings(data))
