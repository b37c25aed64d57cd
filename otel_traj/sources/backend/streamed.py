"""The documents of one answer: a gateway streams several, each on a line, glued to the one before, or over many lines."""

from __future__ import annotations

import re
from typing import Final

from otel_traj.sources.files.json_scanner import BrokenJsonError, JsonScanner

__all__ = ["split_documents"]

_BLANKS: Final = re.compile(rb"\s*")


def split_documents(body: bytes) -> list[bytes]:
    """Return the objects and lists that an answer consists of, by their brackets.

    Args:
        body: The answer.

    Raises:
        ValueError: It is something else, or nothing at all, or breaks off.
    """
    documents = []
    start = _skip_blanks(body, 0)
    while start < len(body):
        end = JsonScanner().find_end(body, start)
        if end is None:
            raise BrokenJsonError("the last document does not end")
        documents.append(body[start:end])
        start = _skip_blanks(body, end)
    if not documents:
        raise BrokenJsonError("there is none")
    return documents


def _skip_blanks(body: bytes, start: int) -> int:
    match = _BLANKS.match(body, start)
    return match.end() if match else start
