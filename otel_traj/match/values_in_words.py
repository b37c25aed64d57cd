"""Values that are no names, in words for an error or a reason: short, whatever they hold."""

from __future__ import annotations

from typing import Final

__all__ = ["describe_value", "show_value"]

_MAX_SHOWN: Final = 80


def show_value(value: object) -> str:
    """Return the repr of a value, at most 80 characters of it."""
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."


def describe_value(value: object) -> str:
    """Return `3 of type int`, or `None`, whose type says nothing more."""
    return "None" if value is None else f"{show_value(value)} of type {type(value).__name__}"
