"""Loops that ran more or fewer times than expected.

Supersteps that stand on one side only, in a row, and repeat the supersteps right before or after them on that
side, are rounds of a loop too many or too few. The rounds of the other side are those that the alignment pairs:
where a round is paired in part, or with something else, or something else stands between two rounds, nobody can
say how often the loop was expected, and nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from otel_traj.match.explain.grouping import Finding
from otel_traj.match.names import show_name, show_superstep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.align import Move, Side

__all__ = ["find_loops"]


@dataclass(frozen=True, slots=True)
class _Place:
    """One superstep of the side that has more rounds."""

    at: int
    """Index of its place in the alignment."""
    names: tuple[str, ...]
    is_alone: bool
    """Whether the other side has nothing here."""
    is_met: bool
    """Whether it is paired with what it should be."""


def find_loops(moves: Sequence[Move]) -> list[Finding]:
    """Return the loops of one alignment whose number of rounds differs, rounds too many first."""
    return [*_find_rounds(moves, more="actual"), *_find_rounds(moves, more="expected")]


def _find_rounds(moves: Sequence[Move], *, more: Side) -> list[Finding]:
    side = [
        _Place(at, names, not move.is_pair, _is_met(move))
        for at, move in enumerate(moves)
        if (names := move.names_on(more)) is not None
    ]
    steps = [tuple(sorted(place.names)) for place in side]
    findings: list[Finding] = []
    told = 0
    for first, end in _list_stretches(side):
        period = _find_period(steps, first, end)
        if first < told or not period:
            continue
        low, told = _extend(steps, first, end, period)
        rounds = [side[at : at + period] for at in range(low, told, period)]
        met = _count_met(rounds)
        if met:
            ran, wanted = (len(rounds), met) if more == "actual" else (met, len(rounds))
            loop = " -> ".join(_show_superstep(place.names) for place in side[first : first + period])
            text = f"the loop {loop} ran {ran} {'time' if ran == 1 else 'times'}, expected {wanted}"
            findings.append(Finding(text, _explain(rounds)))
    return findings


def _is_met(move: Move) -> bool:
    """A mode may allow two supersteps that have nothing in common; that makes no round of a loop."""
    difference = move.difference
    is_same = bool(difference.shared) or not (difference.missing or difference.extra)
    return move.is_pair and not move.cost and is_same


def _list_stretches(side: Sequence[_Place]) -> list[tuple[int, int]]:
    """Return first and end of each row of supersteps that stand alone."""
    rows = groupby(range(len(side)), key=lambda index: side[index].is_alone)
    stretches = [list(row) for is_alone, row in rows if is_alone]
    return [(stretch[0], stretch[-1] + 1) for stretch in stretches]


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


def _extend(steps: Sequence[tuple[str, ...]], first: int, end: int, period: int) -> tuple[int, int]:
    """Return first and end of all rounds in a row, those of the stretch and those around it."""
    one_round = steps[first : first + period]
    while first >= period and steps[first - period : first] == one_round:
        first -= period
    while steps[end : end + period] == one_round:
        end += period
    return first, end


def _count_met(rounds: Sequence[Sequence[_Place]]) -> int:
    """Return how many rounds the other side has too; 0 where that can't be said."""
    places = [place for each in rounds for place in each]
    is_clear = places[-1].at - places[0].at == len(places) - 1 and all(
        all(place.is_alone for place in each) or all(place.is_met for place in each) for each in rounds
    )
    return sum(each[0].is_met for each in rounds) if is_clear else 0


def _explain(rounds: Sequence[Sequence[_Place]]) -> frozenset[tuple[int, str]]:
    return frozenset(
        (place.at, name) for each in rounds for place in each if place.is_alone for name in place.names
    )


def _show_superstep(names: tuple[str, ...]) -> str:
    return show_name(names[0]) if len(names) == 1 else show_superstep(names)
