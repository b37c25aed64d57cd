"""Recorded content back to values.

Content stands on spans as JSON text. Backends cut long values without a word (Tempo at 2,048 bytes): text
that is no longer JSON was cut, and a value that is not whole is no value. The recorder's own limits leave a mark
in the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from otel_traj.rendering import CUT_MARK

if TYPE_CHECKING:
    from otel_traj.model import AttributeValue

__all__ = ["decode_content", "read_content"]

_decoder = msgspec.json.Decoder()


def decode_content(text: str | None) -> tuple[AttributeValue, bool]:
    """Return the recorded value, and whether it was cut.

    Args:
        text: JSON text, None where content was not recorded.

    Returns:
        (value, False); (None, False) for None; (None, True) for text that is not whole.
    """
    if text is None:
        return None, False
    if CUT_MARK in text:
        return None, True
    try:
        value: AttributeValue = _decoder.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None, True
    return value, False


def read_content(value: AttributeValue) -> AttributeValue:
    """Return recorded content that stands as JSON text, or as itself; None where it is not there or not whole.

    The GenAI conventions allow both a structured value and its JSON text.
    """
    return decode_content(value)[0] if isinstance(value, str) else value
