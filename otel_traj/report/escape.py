"""Foreign text made safe to print: names and messages are data, never instructions to a terminal.

A node's name, a thread id or an error message may hold escape sequences that recolour or rewrite the screen,
newlines that forge a line of the report, bidirectional controls that show another order than they hold, or
10 kB of anything. Whatever Python's `str.isprintable` does not call printable (Unicode's "other" and
"separator" classes, the plain space excepted) is written as an escape; what reads as two words is quoted.
"""

from __future__ import annotations

import textwrap

from otel_traj.match.names import escape, quote

__all__ = ["MAX_NAME", "cut", "escape", "shorten", "show_word", "wrap"]

MAX_NAME = 48
"""Characters of a name that a line of text shows; the machine-readable forms never shorten."""

_SPECIAL = frozenset(" ,;\"'\\{}[]")
_MIN_WIDTH = 30


def show_word(name: str) -> str:
    """Return a name as one unmistakable word: bare where it is one, else in double quotes with escapes."""
    return name if name and name.isprintable() and _SPECIAL.isdisjoint(name) else quote(name)


def shorten(name: str) -> str:
    """Return a name as one word; beyond 48 characters, how many more it has."""
    if len(name) <= MAX_NAME:
        return show_word(name)
    return f"{show_word(name[:MAX_NAME])}...(+{len(name) - MAX_NAME})"


def cut(text: str, length: int = 2_000) -> str:
    """Return a text on one line; beyond so many characters, how many more it has."""
    shown = escape(text[:length])
    return shown if len(text) <= length else f"{shown}...(+{len(text) - length})"


def wrap(text: str, *, width: int, indent: str = "", hanging: str | None = None) -> list[str]:
    """Return lines of at most `width` characters; a longer word keeps its line to itself.

    Args:
        text: Already escaped.
        width: Characters per line, indents included; under 30 characters beside the indent nothing is wrapped.
        indent: Before the first line.
        hanging: Before the lines after it; `indent` where it is None.
    """
    after = indent if hanging is None else hanging
    width = max(width, len(indent) + _MIN_WIDTH, len(after) + _MIN_WIDTH)
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=after,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines or [indent.rstrip()]
