"""Nodes that ran one after another instead of in parallel, and the reverse.

Both are seen around one pair of the alignment: the wide superstep is paired with a part of its names, and the
rest stands right beside it, in supersteps of the other side that are paired with nothing in common. The two
directions are one search with the sides exchanged.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from otel_traj.match.names import join_names, show_superstep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.align import Move, Side

__all__ = ["Finding", "find_merged", "find_serialised"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A hint's sentence, and the differences that it explains."""

    text: str
    explained: frozenset[tuple[int, str]] = field(default_factory=frozenset)
    """Places of the alignment with a name that is missing or extra there."""


@dataclass(frozen=True, slots=True)
class _Place:
    """One superstep of the narrow side, seen from its place in the alignment."""

    at: int
    names: tuple[str, ...]
    is_free: bool
    """Whether nothing on the wide side shares a name with it."""


def find_serialised(moves: Sequence[Move]) -> list[Finding]:
    """Return where one expected superstep ran as several, one after another."""
    how = "ran one after another, expected in parallel"
    return _find(moves, narrow="actual", wide="expected", how=how)


def find_merged(moves: Sequence[Move]) -> list[Finding]:
    """Return where several expected supersteps ran as one."""
    how = "ran in parallel, expected one after another"
    return _find(moves, narrow="expected", wide="actual", how=how)


def _find(moves: Sequence[Move], *, narrow: Side, wide: Side, how: str) -> list[Finding]:
    places: list[_Place] = []
    wholes: dict[int, tuple[str, ...]] = {}
    for at, move in enumerate(moves):
        part, whole = move.names_on(narrow), move.names_on(wide)
        if part is not None:
            places.append(_Place(at, part, whole is None or move.is_replaced))
            if whole is not None:
                wholes[at] = whole
    return [
        Finding(f"{_say_parts(parts)} {how}", _explained(parts, anchor))
        for anchor, parts in _find_blocks(places, wholes)
    ]


def _find_blocks(
    narrow: Sequence[_Place], wide: dict[int, tuple[str, ...]]
) -> list[tuple[int, list[_Place]]]:
    """Return each wide superstep's place with its neighbouring parts, in order; the part in its pair included."""
    blocks: list[tuple[int, list[_Place]]] = []
    taken: set[int] = set()
    for index, place in enumerate(narrow):
        names = wide.get(place.at, ())
        shared = Counter(place.names) & Counter(names)
        if len(names) < 2 or not shared:
            continue
        rest = Counter(names) - shared
        after = _take_parts(narrow[index + 1 :], rest, taken)
        before = _take_parts(narrow[:index][::-1], rest, taken)
        if before or after:
            anchor = _Place(place.at, tuple(shared.elements()), is_free=False)
            parts = [*reversed(before), anchor, *after]
            taken.update(part.at for part in parts)
            blocks.append((place.at, parts))
    return blocks


def _take_parts(places: Sequence[_Place], rest: Counter[str], taken: set[int]) -> list[_Place]:
    """Take free supersteps from the front as long as they are part of what is left; `rest` shrinks by them."""
    parts: list[_Place] = []
    for place in places:
        names = Counter(place.names)
        if not place.is_free or place.at in taken or not names or not names <= rest:
            break
        rest.subtract(names)
        parts.append(place)
    return parts


def _say_parts(parts: Sequence[_Place]) -> str:
    if all(len(part.names) == 1 for part in parts):
        return join_names([part.names[0] for part in parts])
    return " and ".join(show_superstep(part.names) for part in parts)


def _explained(parts: Sequence[_Place], anchor: int) -> frozenset[tuple[int, str]]:
    own = {(part.at, name) for part in parts for name in part.names}
    moved = chain.from_iterable(part.names for part in parts if part.at != anchor)
    return frozenset(own | {(anchor, name) for name in moved})
