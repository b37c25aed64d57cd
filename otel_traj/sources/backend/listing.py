"""The entries of a search's answer one by one: a single one that can't be read does not cost the others.

What could not be read of an answer, and what it says itself went wrong, is told: traces may be missing for it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import Raw, Struct

from otel_traj.sources.backend.paging import Found

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.sources.problems import ProblemLog

__all__ = ["Listing", "decode_answer", "decode_entries", "read_number", "report_gaps"]

_Entry = TypeVar("_Entry")


class Listing(Struct, frozen=True, kw_only=True):
    """What one answer of a search holds."""

    found: tuple[Found, ...]
    unusable: int = 0
    """How many entries can't be read."""
    error: str = ""
    """What the answer says went wrong, beside what it gives."""


def decode_answer(decoder: msgspec.json.Decoder[_Entry], body: bytes | Raw) -> _Entry:
    """Return what an answer, or an entry of one, holds.

    Args:
        decoder: Decodes it.
        body: Its bytes.

    Raises:
        ValueError: It is no such answer.
    """
    # Before 0.20 what msgspec raises is no ValueError.
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(str(error)) from error


def decode_entries(
    decoder: msgspec.json.Decoder[_Entry], entries: Iterable[Raw] | None
) -> tuple[list[_Entry], int]:
    """Return the entries that can be read, and how many can't.

    Args:
        decoder: Decodes one.
        entries: As they stand in the answer.
    """
    decoded = []
    unusable = 0
    for entry in entries or ():
        try:
            decoded.append(decode_answer(decoder, entry))
        except ValueError:
            unusable += 1
    return decoded, unusable


def read_number(value: object) -> int:
    """Return a time or a count, which answers write as a number or as a text; 0 where it is neither.

    Args:
        value: What stands in the answer.
    """
    if isinstance(value, str) and len(value) <= 30:
        try:
            value = int(value) if value.isdecimal() else float(value)
        except ValueError:
            return 0
    if isinstance(value, float) and math.isfinite(value):
        value = int(value)
    return max(value, 0) if isinstance(value, int) else 0


def report_gaps(log: ProblemLog, listing: Listing) -> None:
    """Report that an answer may lack traces, where it does.

    Args:
        log: Where to.
        listing: What the answer holds.
    """
    if listing.error:
        log.report(
            "partial_response",
            f"the answer to a search holds an error ({listing.error!r}); traces may be missing from it, what it gives "
            "is used; look at the log of the place, and read again later",
        )
    if listing.unusable:
        log.report(
            "not_spans",
            f"entries of the answer to a search can't be read ({listing.unusable:,}); the traces that they stand for are not "
            "seen, the others are used; look for what changed the answer on the way",
        )
