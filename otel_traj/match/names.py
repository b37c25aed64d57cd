"""Names as a person may safely read them in a line of text.

A node's name is data from a trace: it may hold a terminal's escape sequence, a line break or a character that
turns the direction of text. A plain name is shown as it is. Any other stands in double quotes with the
offending characters escaped, and so does one that holds the punctuation of our own sentences, which it could
forge. Long names and wide supersteps are shortened; the metadata has them whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["join_names", "list_names", "show_name", "show_superstep"]

_MAX_NAME: Final = 80
_MAX_NAMES: Final = 10
_PUNCTUATION: Final = frozenset('{},;"\\')


def show_name(name: str) -> str:
    """Return a name for a line of text, at most 80 characters before escaping."""
    shown = name if len(name) <= _MAX_NAME else name[: _MAX_NAME - 3] + "..."
    plain = shown.isprintable() and _PUNCTUATION.isdisjoint(shown) and shown == shown.strip()
    return shown if plain else '"' + "".join(map(_escape, shown)) + '"'


def list_names(names: Sequence[str]) -> str:
    """Return `a, b, c`; of many names the first ten and how many more there are."""
    return ", ".join(_shorten(names))


def join_names(names: Sequence[str]) -> str:
    """Return `a, b and c`, shortened alike."""
    shown = _shorten(names)
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def show_superstep(names: Sequence[str]) -> str:
    """Return `{a, b}`."""
    return "{" + list_names(names) + "}"


def _shorten(names: Sequence[str]) -> list[str]:
    shown = [show_name(name) for name in names[:_MAX_NAMES]]
    hidden = len(names) - len(shown)
    return [*shown, f"{hidden} more"] if hidden else shown


def _escape(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
