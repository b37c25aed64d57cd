"""Where values differ, as a line that says nothing of what they hold.

Arguments and results are content, and a comment travels further than the content it is about. So a reason shows
the keys that lead to a difference, and types. Keys are data: one that is no plain word stands in double quotes,
escaped. A path is shown by its first and last parts, and a reason is at most 1,024 bytes of UTF-8, half of what a
comment may hold.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from otel_traj.match.names import escape, quote
from otel_traj.rendering import name_value

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MAX_REASON_BYTES", "shorten_reason", "show_key", "show_path"]

MAX_REASON_BYTES: Final = 1_024
"""Bytes of UTF-8 in a reason at most."""

_PLAIN_KEY: Final = re.compile(r"[\w$@-]+")
_MAX_KEY: Final = 80
_MAX_ENDS: Final = 3


def show_key(key: object) -> str:
    """Return a key for a line of text, at most 80 characters before escaping."""
    text = key if isinstance(key, str) else name_value(key)
    shown = text if len(text) <= _MAX_KEY else text[: _MAX_KEY - 3] + "..."
    return shown if _PLAIN_KEY.fullmatch(shown) else quote(shown)


def show_path(parts: Sequence[object]) -> str:
    """Return `query.cities[2].name`: keys after dots, positions of a list in brackets.

    Args:
        parts: Keys are strings, positions integers from 0. Of more than six, the first and last three are shown.
    """
    if len(parts) > 2 * _MAX_ENDS:
        return f"{show_path(parts[:_MAX_ENDS])}...{show_path(parts[-_MAX_ENDS:])}"
    shown = "".join(f"[{part}]" if isinstance(part, int) else f".{show_key(part)}" for part in parts)
    return shown.removeprefix(".")


def shorten_reason(text: str) -> str:
    """Return a text on one line, escaped, of at most `MAX_REASON_BYTES`."""
    encoded = escape(text).encode()
    if len(encoded) <= MAX_REASON_BYTES:
        return encoded.decode()
    return encoded[: MAX_REASON_BYTES - 3].decode(errors="ignore") + "..."
