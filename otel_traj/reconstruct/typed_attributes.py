"""Typed reads of attributes, as lenient as stores are careless.

Some stores turn every value into text (ClickHouse's map columns, Jaeger's legacy JSON): an integer, a bool or
an array may come back as its text. What does not fit the asked type counts as not there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from otel_traj.reconstruct.content import decode_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.model import AttributeValue

__all__ = ["read_bool", "read_flag", "read_int", "read_name", "read_names", "read_str", "read_str_tuple"]

_MAX_INT_DIGITS = 20
_FLAGS = {"true": True, "1": True, "false": False, "0": False}
_MASK = re.compile(
    r"\*{3}|\A(?:REDACTED|[\[<{(]\s*(?:(?i:redacted|filtered|masked|removed|scrubbed))\s*[\]>})])\Z"
)


def read_str(attributes: Mapping[str, AttributeValue], key: str) -> str | None:
    """Return a non-empty text, else None."""
    value = attributes.get(key)
    return value if isinstance(value, str) and value else None


def read_int(attributes: Mapping[str, AttributeValue], key: str) -> int | None:
    """Return an integer that may have come as text or as a whole float, else None."""
    value = attributes.get(key)
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) <= _MAX_INT_DIGITS:
        try:
            return int(value)
        except ValueError:
            return None
    return None


def read_name(attributes: Mapping[str, AttributeValue], key: str) -> str | None:
    """Return a non-empty text that no redaction put in the place of another, else None.

    What is masked alike is not the same: two threads whose ids became `****` are two threads. The collector's
    redaction processor writes `****` for what it blocks, in the middle of a text too.
    """
    value = read_str(attributes, key)
    return None if value is None or _MASK.search(value) else value


def read_names(attributes: Mapping[str, AttributeValue], key: str) -> tuple[str, ...] | None:
    """Return the texts of an array, or None where a redaction put something in the place of one."""
    names = read_str_tuple(attributes, key)
    return None if any(_MASK.search(name) for name in names) else names


def read_flag(attributes: Mapping[str, AttributeValue], key: str) -> bool | None:
    """Return a bool that may have come as its text or as 0 or 1; None for anything else and nothing."""
    value = attributes.get(key)
    if isinstance(value, str):
        return _FLAGS.get(value.lower())
    return bool(value) if isinstance(value, int) and value in (0, 1) else None


def read_bool(attributes: Mapping[str, AttributeValue], key: str) -> bool:
    """Return True for what `read_flag` reads as true, False for anything else and nothing."""
    return read_flag(attributes, key) is True


def read_str_tuple(attributes: Mapping[str, AttributeValue], key: str) -> tuple[str, ...]:
    """Return the texts of an array, or of its JSON text; of anything else, nothing."""
    value: object = attributes.get(key)
    if isinstance(value, str) and value.startswith("["):
        value = decode_content(value)[0]
    if not isinstance(value, list):
        return ()
    return tuple(item for item in value if isinstance(item, str))
