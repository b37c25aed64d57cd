r"""Bytes of one JSON document to Python objects, with patience for what real writers write.

msgspec reads what RFC 8259 allows. Python's own `json.dumps` writes more: bare `NaN` and `Infinity`, and halves
of surrogate pairs (`"\\ud800"`); the standard library reads these back. Numbers of thousands of digits become
text, so that one of them does not end a document.
"""

from __future__ import annotations

import json

import msgspec

__all__ = ["NotJsonError", "parse_json"]


class NotJsonError(ValueError):
    """The bytes are no JSON document; the message says where and why."""


def parse_json(data: bytes) -> object:
    """Return the document that bytes hold.

    Args:
        data: UTF-8 of one document, blanks around it allowed.

    Raises:
        NotJsonError: It is none.
    """
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
