"""Names as a person may safely read them in a line of text.

A node's name is data from a trace: it may hold a terminal's escape sequence, a line break or a character that
turns the direction of text. A plain name is shown as it is. Any other stands in double quotes with the
offending characters escaped, and so does one that holds the punctuation of our own sentences, or looks like
their `w x40`, `30 more` and `a and b`, which it could forge. Long names and wide supersteps are shortened; the
metadata has them whole.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["escape", "fold_names", "join_names", "list_names", "quote", "show_name", "show_superstep"]

_MAX_NAME: Final = 80
_MAX_NAMES: Final = 10
_MAX_APART: Final = 3
_PUNCTUATION: Final = frozenset('{},;"\\')
_OUR_WORDS: Final = re.compile(
    r".* x[0-9]+|[0-9]+ more|.*: .*|and|(?=.* )(?:.* )?(?:and|expected|got|hint:|missing|ran|superstep)(?: .*)?"
)


def escape(text: str) -> str:
    """Return a text on one line in which every character that is not printable is a Python escape.

    Printable is what `str.isprintable` says: not Unicode's "other" and "separator" classes, the plain space
    excepted.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode("ascii")
        for char in text
    )


def quote(name: str) -> str:
    """Return a name in double quotes, with escapes; different names stay different."""
    return '"' + escape(name.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def show_name(name: str) -> str:
    """Return a name for a line of text, at most 80 characters before escaping."""
    shown = name if len(name) <= _MAX_NAME else name[: _MAX_NAME - 3] + "..."
    is_plain = shown.isprintable() and _PUNCTUATION.isdisjoint(shown) and shown == shown.strip()
    return shown if is_plain and not _OUR_WORDS.fullmatch(shown) else quote(shown)


def fold_names(names: Iterable[str]) -> list[tuple[str, int]]:
    """Return names in their order with how many of each are meant: 1, or a whole row of more than three alike."""
    folded: list[tuple[str, int]] = []
    for name, same in groupby(names):
        number = len(list(same))
        folded += [(name, number)] if number > _MAX_APART else [(name, 1)] * number
    return folded


def list_names(names: Sequence[str]) -> str:
    """Return `a, b, c`; four and more alike in a row are `w x4`; of many, the first ten and how many more."""
    return ", ".join(_shorten(names))


def join_names(names: Sequence[str]) -> str:
    """Return `a, b and c`, shortened alike."""
    shown = _shorten(names)
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def show_superstep(names: Sequence[str]) -> str:
    """Return `{a, b}`."""
    return "{" + list_names(names) + "}"


def _shorten(names: Sequence[str]) -> list[str]:
    kept = fold_names(names)[:_MAX_NAMES]
    shown = [show_name(name) if number == 1 else f"{show_name(name)} x{number}" for name, number in kept]
    hidden = len(names) - sum(number for _, number in kept)
    return [*shown, f"{hidden} more"] if hidden else shown
