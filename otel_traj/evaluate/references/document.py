"""The tree of a parsed reference file, every node with its place.

A complaint about a reference names file, line and column, so the parsers keep the places that plain lists and
dicts lose. YAML and JSON end in the same tree; what may stand in it is decided elsewhere (`reference_schema`).
"""

from __future__ import annotations

import re
from typing import TypeAlias

from msgspec import Struct

from otel_traj.errors import InvalidReferenceError

__all__ = [
    "MAX_DEPTH",
    "ListNode",
    "MapNode",
    "Node",
    "Place",
    "Scalar",
    "ScalarNode",
    "check_text",
    "complain",
    "is_number",
    "parse_number",
]

MAX_DEPTH = 50
"""Nesting beyond which a file is refused; a reference needs fewer than ten levels."""

Scalar: TypeAlias = str | int | float | bool | None

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<fraction>\.[0-9]+)?(?P<exponent>[eE][+-]?[0-9]+)?\Z")
_MAX_NUMBER_LENGTH = 40
_HALF = re.compile("[\ud800-\udfff]")


class Place(Struct, frozen=True):
    """Where something stands in a file."""

    path: str
    """The file as the user named it."""
    line: int
    """From 1."""
    column: int
    """From 1."""


class ScalarNode(Struct, frozen=True, kw_only=True):
    """A text, number, boolean or null."""

    value: Scalar
    place: Place


class ListNode(Struct, frozen=True, kw_only=True):
    """A list."""

    items: list[Node]
    place: Place


class MapNode(Struct, frozen=True, kw_only=True):
    """A map from distinct texts, in the order written."""

    entries: dict[str, Node]
    key_places: dict[str, Place]
    place: Place


Node: TypeAlias = ScalarNode | ListNode | MapNode


def complain(place: Place, message: str) -> InvalidReferenceError:
    """Return (not raise) the error for something wrong at a place.

    Args:
        place: Where it stands.
        message: What was found, why it can't be used, what is allowed.
    """
    return InvalidReferenceError(
        f"{place.path}:{place.line}:{place.column}: {message}",
        path=place.path,
        line=place.line,
        column=place.column,
    )


def check_text(text: str, place: Place) -> None:
    """Refuse a text that an escape gave half of a character: no name has one, and nothing could print it.

    Raises:
        InvalidReferenceError: At the place of the text.
    """
    half = _HALF.search(text)
    if half is not None:
        raise complain(place, f"the escape of {half[0]!r} is half of a character; write the character itself")


def is_number(text: str) -> bool:
    """Return whether a text is a number in JSON's grammar, of whatever size."""
    return _NUMBER.match(text) is not None


def parse_number(text: str) -> int | float | None:
    """Return the number that a text is in JSON's grammar, or None for any other text.

    Numbers of more than 40 characters are none: no attribute of a span can hold them exactly.
    """
    match = _NUMBER.match(text)
    if match is None or len(text) > _MAX_NUMBER_LENGTH:
        return None
    if match["fraction"] is None and match["exponent"] is None:
        return int(text)
    number = float(text)
    return number if abs(number) != float("inf") else None
