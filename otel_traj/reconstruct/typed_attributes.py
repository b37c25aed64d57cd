"""Typed reads of attributes, as lenient as stores are careless.

Some stores turn every value into text (ClickHouse's map columns, Jaeger's legacy JSON): an integer, a bool or
an array may come back as its text. What does not fit the asked type counts as not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.reconstruct.content import decode_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.model import AttributeValue

__all__ = ["read_bool", "read_int", "read_str", "read_str_tuple"]

_MAX_INT_DIGITS = 20


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


def read_bool(attributes: Mapping[str, AttributeValue], key: str) -> bool:
    """Return True for a true bool or its text, False for anything else and nothing."""
    value = attributes.get(key)
    return value is True or (isinstance(value, str) and value.lower() == "true")


def read_str_tuple(attributes: Mapping[str, AttributeValue], key: str) -> tuple[str, ...]:
    """Return the texts of an array, or of its JSON text; of anything else, nothing."""
    value: object = attributes.get(key)
    if isinstance(value, str) and value.startswith("["):
        value = decode_content(value)[0]
    if not isinstance(value, list):
        return ()
    return tuple(item for item in value if isinstance(item, str))
