"""Comparisons without an order, written from the specification alone, by trying everything; only for small inputs."""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from otel_traj.match.reference.name_patterns import Entry

__all__ = [
    "assignments",
    "begins_some_order",
    "fits",
    "has_common_order",
    "is_subsequence_of_some_order",
    "superstep_passes",
]

_Place = TypeVar("_Place")
_Member = TypeVar("_Member")


def fits(entry: Entry, name: str) -> bool:
    """Return whether an entry accepts a name."""
    return entry == name if isinstance(entry, str) else entry.accepts(name)


def assignments(
    places: Sequence[_Place], members: Sequence[_Member], may: Callable[[_Place, _Member], bool]
) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
    """Yield, for every way to give members a place of their own, the places and the members that have one."""
    if not members:
        yield frozenset(), frozenset()
        return
    last = len(members) - 1
    for taken, placed in assignments(places, members[:last], may):
        yield taken, placed
        for at, place in enumerate(places):
            if at not in taken and may(place, members[last]):
                yield taken | {at}, placed | {last}


def superstep_passes(entries: Sequence[Entry], names: Sequence[str], mode: str) -> bool:
    """Return whether a superstep meets one of the reference."""
    if mode == "exact":
        return len(entries) == len(names) and all(map(fits, entries, names))
    for taken, placed in assignments(entries, names, fits):
        all_taken, all_placed = len(taken) == len(entries), len(placed) == len(names)
        if {"unordered": all_taken and all_placed, "subset": all_placed, "superset": all_taken}[mode]:
            return True
    return False


def has_common_order(expected: Iterable[Sequence[Entry]], actual: Iterable[Sequence[str]]) -> bool:
    """Return whether some order of one side is some order of the other."""
    return any(
        len(entries) == len(names) and all(map(fits, entries, names))
        for entries, names in product(list(_orders(expected)), list(_orders(actual)))
    )


def begins_some_order(expected: Iterable[Sequence[Entry]], actual: Iterable[Sequence[str]]) -> bool:
    """Return whether some order of the run is the beginning of one of the reference."""
    return any(
        len(entries) >= len(names)
        and all(fits(entry, name) for entry, name in zip(entries, names, strict=False))
        for entries, names in product(list(_orders(expected)), list(_orders(actual)))
    )


def is_subsequence_of_some_order(
    expected: Iterable[Sequence[Entry]], actual: Iterable[Sequence[str]]
) -> bool:
    """Return whether some order of the reference comes in some order of the run, others between."""
    return any(
        _is_subsequence(entries, names)
        for entries, names in product(list(_orders(expected)), list(_orders(actual)))
    )


def _is_subsequence(entries: Sequence[Entry], names: Sequence[str]) -> bool:
    if not entries:
        return True
    if not names:
        return False
    if fits(entries[0], names[0]) and _is_subsequence(entries[1:], names[1:]):
        return True
    return _is_subsequence(entries, names[1:])


def _orders(supersteps: Iterable[Sequence[_Member]]) -> Iterator[list[_Member]]:
    for row in product(*(permutations(superstep) for superstep in supersteps)):
        yield [member for superstep in row for member in superstep]
