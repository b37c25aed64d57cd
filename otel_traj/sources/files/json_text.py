r"""Bytes of one JSON document to Python objects, with patience for what real writers write.

msgspec reads what RFC 8259 allows. Python's own `json.dumps` writes more: bare `NaN` and `Infinity`, and halves
of surrogate pairs (`"\\ud800"`); the standard library reads these back. Numbers of thousands of digits become
text, so that one of them does not end a document.

Three bytes of JSON (`{},`) become a hundred in memory, so the number of values is bounded besides that of bytes.
"""

from __future__ import annotations

import json
from typing import Final

import msgspec

from otel_traj.sources.files.json_scanner import shorten_strings

__all__ = ["MAX_VALUES", "NotJsonError", "TooManyValuesError", "check_size", "parse_json"]

MAX_VALUES: Final = 4_000_000
"""How many values, in lists and objects of any depth, a document may hold."""

_MARKS: Final = (b",", b"{", b"[")


class NotJsonError(ValueError):
    """The bytes are no JSON document; the message says where and why."""


class TooManyValuesError(NotJsonError):
    """The document is not read, so that memory stays bounded."""


def check_size(data: bytes) -> None:
    """Refuse a document of very many values.

    Args:
        data: One document, perhaps.

    Raises:
        TooManyValuesError: It holds more than `MAX_VALUES`.
    """
    if len(data) <= MAX_VALUES or _count_marks(data) <= MAX_VALUES:
        return
    count = 0
    for piece in shorten_strings(data):
        count += _count_marks(piece)
        if count > MAX_VALUES:
            raise TooManyValuesError(f"it holds more than {MAX_VALUES:,} values")


def _count_marks(data: bytes) -> int:
    return sum(map(data.count, _MARKS))


def parse_json(data: bytes) -> object:
    """Return the document that bytes hold.

    Args:
        data: UTF-8 of one document, blanks around it allowed.

    Raises:
        NotJsonError: It is none, or too large.
    """
    check_size(data)
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        return json.loads(data.decode(), parse_int=_parse_int)
    except UnicodeDecodeError as error:
        raise NotJsonError(f"byte {error.start + 1} of it is no UTF-8") from error
    except json.JSONDecodeError as error:
        raise NotJsonError(f"{error.msg} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise NotJsonError("it is nested too deeply") from error


def _parse_int(digits: str) -> int | str:
    try:
        return int(digits)
    except ValueError:
        return digits
