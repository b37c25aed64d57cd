"""The cheapest way to lay an actual trajectory beside its reference, superstep by superstep.

A dynamic program over both lists. Pairing costs what `step_match` says, a superstep that stands alone the
number of its names. The choice among the cheapest alignments is the same every time: the fewest differing
places, then the fewest pairs of an interrupt marker with nodes, then from left to right a pair before an extra
superstep before a missing one. A common beginning or end is not trimmed first: where extra or missing names are
free, trimming is not always cheapest (reference `[[]]` in superset mode against `[[], [d, c]]` costs 1, trimmed
2).

The program is quadratic, so it has bounds; no verdict ever depends on it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from otel_traj.match.step_match import (
    StepDifference,
    compare_step,
    pair_cost,
    whole_cost,
)
from otel_traj.match.supersteps import is_interrupt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.supersteps import ActualStep, ExpectedStep

__all__ = ["MAX_COMPARISONS", "MAX_SUPERSTEPS", "Move", "Side", "align", "is_too_large", "move_of"]

Side: TypeAlias = Literal["expected", "actual"]

MAX_SUPERSTEPS: Final = 300
"""Supersteps on either side above which no alignment is made."""

MAX_COMPARISONS: Final = 4_000_000
"""Comparisons of names above which no alignment is made: wide supersteps cost as much as long runs."""


@dataclass(frozen=True, slots=True)
class Move:
    """One place of an alignment: a pair, or a superstep that stands on one side only."""

    expected: ExpectedStep | None
    actual: ActualStep | None
    difference: StepDifference
    cost: int
    """0 where the pair matches."""

    @property
    def is_pair(self) -> bool:
        """Whether both sides have a superstep here."""
        return self.expected is not None and self.actual is not None

    @property
    def is_replaced(self) -> bool:
        """Whether the pair has no name in common, though both sides have names."""
        difference = self.difference
        return self.is_pair and not difference.shared and bool(difference.missing) and bool(difference.extra)

    def names_on(self, side: Side) -> tuple[str, ...] | None:
        """Return the names of one side's superstep; None where that side has none here."""
        step = self.expected if side == "expected" else self.actual
        return None if step is None else step.names


def is_too_large(expected: Sequence[ExpectedStep], actual: Sequence[ActualStep]) -> bool:
    """Return whether an alignment of the two would go over the bounds."""
    if max(len(expected), len(actual)) > MAX_SUPERSTEPS:
        return True
    expected_width = sum(len(set(step.names)) for step in expected)
    actual_width = sum(len(set(step.names)) for step in actual)
    return min(expected_width * len(actual), actual_width * len(expected)) > MAX_COMPARISONS


def align(expected: Sequence[ExpectedStep], actual: Sequence[ActualStep]) -> list[Move]:
    """Return the cheapest alignment, from left to right.

    Args:
        expected: Supersteps of the reference, in order.
        actual: Supersteps that ran, in order.

    Returns:
        Every superstep of both sides exactly once, in order; the sum of the moves' costs is minimal.
    """
    weights = _Weights(len(expected) + len(actual))
    pair = weights.of_pairs(expected, actual)
    missing = [weights.of_cost(whole_cost(step.names)) for step in expected]
    extra = [weights.of_cost(whole_cost(step.names)) for step in actual]
    table = _fill_table(pair, missing, extra)
    moves: list[Move] = []
    row = column = 0
    while row < len(expected) or column < len(actual):
        best = table[row][column]
        both_left = row < len(expected) and column < len(actual)
        if both_left and best == pair[row][column] + table[row + 1][column + 1]:
            moves.append(move_of(expected[row], actual[column], weights.cost_in(pair[row][column])))
            row, column = row + 1, column + 1
        elif column < len(actual) and best == extra[column] + table[row][column + 1]:
            moves.append(move_of(None, actual[column], weights.cost_in(extra[column])))
            column += 1
        else:
            moves.append(move_of(expected[row], None, weights.cost_in(missing[row])))
            row += 1
    return moves


def move_of(expected: ExpectedStep | None, actual: ActualStep | None, cost: int) -> Move:
    """Return one place of an alignment, with its difference in names."""
    difference = compare_step(
        () if expected is None else expected.names, () if actual is None else actual.names
    )
    return Move(expected, actual, difference, cost)


def _fill_table(
    pair: Sequence[Sequence[int]], missing: Sequence[int], extra: Sequence[int]
) -> list[list[int]]:
    """Return the weight of the best alignment of each pair of endings."""
    below = [0] * (len(extra) + 1)
    for column in range(len(extra) - 1, -1, -1):
        below[column] = below[column + 1] + extra[column]
    table = [below]
    for row in range(len(missing) - 1, -1, -1):
        current = [0] * (len(extra) + 1)
        best = current[-1] = below[-1] + missing[row]
        paired = pair[row]
        for column in range(len(extra) - 1, -1, -1):
            best = min(paired[column] + below[column + 1], extra[column] + best, missing[row] + below[column])
            current[column] = best
        table.append(current)
        below = current
    table.reverse()
    return table


class _Weights:
    """What moves weigh: cost, then differing places, then markers paired with nodes, in one whole number.

    One unit of an aim weighs more than all that an alignment can gather of the lesser ones.
    """

    def __init__(self, most_places: int) -> None:
        self._scale = most_places + 1
        self._counts: dict[tuple[str, ...], Counter[str]] = {}

    def of_cost(self, cost: int) -> int:
        return (cost * self._scale + 1) * self._scale if cost else 0

    def cost_in(self, weight: int) -> int:
        return weight // (self._scale * self._scale)

    def of_pairs(self, expected: Sequence[ExpectedStep], actual: Sequence[ActualStep]) -> list[list[int]]:
        """Weigh every pair; equal supersteps, which loops are full of, are compared once."""
        rows: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        for step in expected:
            key = (step.mode, step.names)
            if key not in rows:
                known: dict[tuple[str, ...], int] = {}
                for other in actual:
                    if other.names not in known:
                        known[other.names] = self._of_pair(step, other)
                rows[key] = [known[other.names] for other in actual]
        return [rows[step.mode, step.names] for step in expected]

    def _of_pair(self, expected: ExpectedStep, actual: ActualStep) -> int:
        cost = pair_cost(expected, actual, self._count(expected.names), self._count(actual.names))
        is_mixed = cost > 0 and is_interrupt(expected.names) != is_interrupt(actual.names)
        return self.of_cost(cost) + is_mixed

    def _count(self, names: tuple[str, ...]) -> Counter[str]:
        if names not in self._counts:
            self._counts[names] = Counter(names)
        return self._counts[names]
