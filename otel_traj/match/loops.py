"""Loops that ran more or fewer times than expected.

Supersteps that stand on one side only, in a row, and repeat the supersteps right before or after them on that
side, are rounds of a loop too many or too few.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from otel_traj.match.grouping import Finding
from otel_traj.match.names import show_name, show_superstep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.align import Move

__all__ = ["find_loops"]


def find_loops(moves: Sequence[Move]) -> list[Finding]:
    """Return the loops of one alignment whose number of rounds differs, rounds too many first."""
    actual = [
        (at, move.actual.names, move.expected is None)
        for at, move in enumerate(moves)
        if move.actual is not None
    ]
    expected = [
        (at, move.expected.names, move.actual is None)
        for at, move in enumerate(moves)
        if move.expected is not None
    ]
    return [*_find_rounds(actual, are_extra=True), *_find_rounds(expected, are_extra=False)]


def _find_rounds(side: Sequence[tuple[int, tuple[str, ...], bool]], *, are_extra: bool) -> list[Finding]:
    steps = [tuple(sorted(names)) for _, names, _ in side]
    findings: list[Finding] = []
    for alone, group in groupby(range(len(side)), key=lambda index: side[index][2]):
        stretch = list(group)
        if not alone:
            continue
        first, end = stretch[0], stretch[-1] + 1
        period = _find_period(steps, first, end)
        if period:
            here = _count_rounds(steps, first, end, period)
            there = here - (end - first) // period
            ran, wanted = (here, there) if are_extra else (there, here)
            loop = " -> ".join(_show_round([names for _, names, _ in side[first : first + period]]))
            times = "time" if ran == 1 else "times"
            explained = frozenset((side[index][0], name) for index in stretch for name in side[index][1])
            findings.append(Finding(f"the loop {loop} ran {ran} {times}, expected {wanted}", explained))
    return findings


def _find_period(steps: Sequence[tuple[str, ...]], first: int, end: int) -> int:
    """Return the length of the shortest round that the stretch repeats and a neighbour has too; 0 for none."""
    stretch = steps[first:end]
    for period in range(1, len(stretch) + 1):
        one_round = stretch[:period]
        if len(stretch) % period or list(stretch) != list(one_round) * (len(stretch) // period):
            continue
        if one_round in (steps[max(0, first - period) : first], steps[end : end + period]):
            return period
    return 0


def _count_rounds(steps: Sequence[tuple[str, ...]], first: int, end: int, period: int) -> int:
    """Return how many rounds stand in a row, those of the stretch and its neighbours."""
    one_round = steps[first : first + period]
    while first >= period and steps[first - period : first] == one_round:
        first -= period
    while steps[end : end + period] == one_round:
        end += period
    return (end - first) // period


def _show_round(supersteps: Sequence[tuple[str, ...]]) -> list[str]:
    return [show_name(names[0]) if len(names) == 1 else show_superstep(names) for names in supersteps]
