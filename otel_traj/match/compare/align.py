"""The cheapest way to lay an actual trajectory beside its reference, superstep by superstep.

A dynamic program over the states of the compiled reference and the supersteps that ran. Pairing costs what
`step_match` says, a superstep that stands alone the number of its names; what a gap takes, an optional superstep
that was left out and a round of a loop within its bounds cost nothing. The choice among the cheapest alignments is
the same every time: the fewest differing places, then the fewest pairs of an interrupt marker with nodes, then from
left to right a pair before an extra superstep before a missing one. A common beginning or end is not trimmed first:
where extra or missing names are free, trimming is not always cheapest (reference `[[]]` in superset mode against
`[[], [d, c]]` costs 1, trimmed 2).

The program is quadratic, so it has bounds; no verdict ever depends on it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from otel_traj.match.compare.step_match import StepDifference, compare_step, pair_cost, whole_cost
from otel_traj.match.levels import CalledTool
from otel_traj.match.supersteps import Bounds, is_interrupt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otel_traj.match.compare.program import Edge, Program
    from otel_traj.match.reference.name_patterns import Entry
    from otel_traj.match.supersteps import ActualStep, ExpectedStep

__all__ = [
    "MAX_COMPARISONS",
    "MAX_SUPERSTEPS",
    "Move",
    "Side",
    "align",
    "is_too_large",
    "move_of",
    "shortest_cost",
]

Side: TypeAlias = Literal["expected", "actual"]

MAX_SUPERSTEPS: Final = 300
"""Supersteps on either side above which no alignment is made."""

MAX_COMPARISONS: Final = 4_000_000
"""Comparisons of names above which no alignment is made: wide supersteps cost as much as long runs."""

_MAX_CELLS: Final = 250_000
"""States of a reference times supersteps above which no alignment is made: bounds unfold to many states."""

_NONE: Final = StepDifference((), (), 0)
_ONCE: Final = Bounds()


@dataclass(frozen=True, slots=True)
class Move:
    """One place of an alignment: a pair, or a superstep that stands on one side only."""

    expected: ExpectedStep | None
    actual: ActualStep | None
    difference: StepDifference
    cost: int
    """0 where the pair matches, or a gap takes the superstep."""
    bounds: Bounds = _ONCE
    """How often the loop may run that the reference's superstep belongs to."""
    is_excess: bool = False
    """Whether it is one round more than a loop of the reference allows; the bounds are then the loop's."""

    @property
    def is_pair(self) -> bool:
        """Whether both sides have a superstep here."""
        return self.expected is not None and self.actual is not None

    @property
    def is_gap(self) -> bool:
        """Whether a gap takes the superstep."""
        return self.expected is None and not self.cost

    @property
    def is_replaced(self) -> bool:
        """Whether the pair has no name in common, though both sides have names."""
        difference = self.difference
        return self.is_pair and not difference.shared and bool(difference.missing) and bool(difference.extra)

    def names_on(self, side: Side) -> tuple[str, ...] | None:
        """Return the names of one side's superstep; None where that side has none here."""
        step = self.expected if side == "expected" else self.actual
        return None if step is None else step.names


def is_too_large(program: Program, expected: Sequence[ExpectedStep], actual: Sequence[ActualStep]) -> bool:
    """Return whether an alignment of the two would go over the bounds.

    Args:
        program: The compiled reference.
        expected: Its supersteps as they are written, a loop's once.
        actual: Supersteps that ran.
    """
    if max(len(expected), len(actual)) > MAX_SUPERSTEPS:
        return True
    expected_width = sum(len(set(step.names)) for step in expected)
    actual_width = sum(len(set(step.names)) for step in actual)
    comparisons = min(expected_width * len(actual), actual_width * len(expected))
    # A literal finds its name; a pattern is asked of each of them, which takes some four times as long.
    comparisons += 4 * actual_width * sum(_count_patterns(step) for step in expected)
    return comparisons > MAX_COMPARISONS or len(program.edges) * len(actual) > _MAX_CELLS


def _count_patterns(step: ExpectedStep) -> int:
    return 0 if step.counts is not None else sum(not isinstance(entry, str) for entry in step.entries)


def align(program: Program, actual: Sequence[ActualStep]) -> list[Move]:
    """Return the cheapest alignment, from left to right.

    Args:
        program: The compiled reference.
        actual: Supersteps that ran, in order.

    Returns:
        Every superstep that ran exactly once, in order, beside those of one way through the reference; the sum of
        the moves' costs is minimal.
    """
    weights = _Weights(len(program.edges) + len(actual), actual)
    table = _fill_table(program, weights)
    moves: list[Move] = []
    state = column = 0
    while True:
        choice = _choose(program, weights, table, state, column)
        if choice is None:
            return moves
        move, state, column = choice
        moves.append(move)


def shortest_cost(program: Program) -> int:
    """Return what the supersteps cost that every way through the reference has, if none of them ran."""
    weights = _Weights(len(program.edges), ())
    return weights.cost_in(_fill_table(program, weights)[0][0])


def move_of(
    expected: ExpectedStep | None, actual: ActualStep | None, cost: int, bounds: Bounds = _ONCE
) -> Move:
    """Return one place of an alignment, with its difference in names."""
    if expected is None:
        return Move(None, actual, StepDifference((), () if actual is None else actual.names, 0), cost, bounds)
    names = () if actual is None else actual.names
    return Move(expected, actual, compare_step(expected, names), cost, bounds)


def _fill_table(program: Program, weights: _Weights) -> list[list[int]]:
    """Return, by column and state, the weight of the best way from there to the end."""
    last = len(weights.actual)
    column = [0 if program.may_stop_anywhere else weights.endless] * len(program.edges)
    column[program.end] = 0
    _settle(program, weights, column)
    table = [column]
    for at in range(last - 1, -1, -1):
        after = table[-1]
        extra = weights.extra[at]
        pairs = weights.of_pairs(program, at)
        column = [after[state] + (0 if program.free[state] else extra) for state in range(len(after))]
        for state, ways in enumerate(pairs):
            for weight, target in ways:
                column[state] = min(column[state], weight + after[target])
        _settle(program, weights, column)
        table.append(column)
    table.reverse()
    return table


def _settle(program: Program, weights: _Weights, column: list[int]) -> None:
    """Take the ways into account that use no superstep of the run, until nothing gets better."""
    changed = True
    while changed:
        changed = False
        for state in range(len(column) - 1, -1, -1):
            best = column[state]
            for edge in program.edges[state]:
                weight = column[edge.target] + weights.of_missing(edge.step)
                best = min(best, weight)
            if best < column[state]:
                column[state] = best
                changed = program.has_joins


def _choose(
    program: Program, weights: _Weights, table: Sequence[Sequence[int]], state: int, column: int
) -> tuple[Move, int, int] | None:
    """Return the next move of the best way, with the state and column behind it; None at its end."""
    best, last = table[column][state], len(weights.actual)
    here = [each for each in program.closures[state] if table[column][each] == best]
    if column < last:
        actual, after = weights.actual[column], table[column + 1]
        for each in here:
            for edge in _step_edges(program, each):
                weight = weights.of_pair(edge.step, column)
                if weight + after[edge.target] == best:
                    move = move_of(edge.step, actual, weights.cost_in(weight), edge.bounds)
                    return move, edge.target, column + 1
        for each in here:
            if program.free[each] and after[each] == best:
                return Move(None, actual, _NONE, 0), each, column + 1
            if weights.extra[column] + after[each] == best:
                return move_of(None, actual, weights.cost_in(weights.extra[column])), each, column + 1
    elif best == 0:
        return None
    for each in here:
        for edge in _step_edges(program, each):
            weight = weights.of_missing(edge.step)
            if weight + table[column][edge.target] == best:
                return move_of(edge.step, None, weights.cost_in(weight), edge.bounds), edge.target, column
    raise AssertionError("every state leads to the end")


def _step_edges(program: Program, state: int) -> Iterable[Edge]:
    return (edge for edge in program.edges[state] if edge.step is not None)


class _Weights:
    """What moves weigh: cost, then differing places, then markers paired with nodes, in one whole number.

    One unit of an aim weighs more than all that an alignment can gather of the lesser ones.
    """

    def __init__(self, most_places: int, actual: Sequence[ActualStep]) -> None:
        self.actual = actual
        self._scale = most_places + 1
        self.extra = [self.of_cost(whole_cost(step.names)) for step in actual]
        self.endless = self._scale**4 * 10**9
        self._counts: dict[tuple[str, ...], Counter[str]] = {}
        self._kinds: dict[tuple[str, tuple[Entry, ...]], int] = {}
        self._kind_of: dict[int, int] = {}
        self._pairs: dict[tuple[int, int], int] = {}
        known: dict[tuple[str, ...], int] = {}
        # Tool calls of one name are equal texts, whatever their arguments are.
        self._names_of = [
            at
            if any(isinstance(name, CalledTool) for name in step.names)
            else known.setdefault(step.names, at)
            for at, step in enumerate(actual)
        ]

    def of_cost(self, cost: int) -> int:
        return (cost * self._scale + 1) * self._scale if cost else 0

    def cost_in(self, weight: int) -> int:
        return weight // (self._scale * self._scale)

    def of_missing(self, step: ExpectedStep | None) -> int:
        return 0 if step is None else self.of_cost(whole_cost(step.names))

    def of_pairs(self, program: Program, at: int) -> list[list[tuple[int, int]]]:
        return [
            [(self.of_pair(edge.step, at), edge.target) for edge in edges if edge.step is not None]
            for edges in program.edges
        ]

    def of_pair(self, expected: ExpectedStep | None, at: int) -> int:
        """Weigh a pair; equal supersteps, which loops are full of, are compared once."""
        if expected is None:
            return self.endless
        names = self.actual[at].names
        kind = self._kind_of.get(id(expected))
        if kind is None:
            kind = self._kinds.setdefault((expected.mode, expected.entries), len(self._kinds))
            self._kind_of[id(expected)] = kind
        key = (kind, self._names_of[at])
        known = self._pairs.get(key)
        if known is None:
            known = self._pairs[key] = self._weigh(expected, names)
        return known

    def _weigh(self, expected: ExpectedStep, names: tuple[str, ...]) -> int:
        counts = self._counts.setdefault(names, Counter(names))
        cost = pair_cost(expected, names, counts)
        is_mixed = cost > 0 and is_interrupt(expected.names) != is_interrupt(names)
        return self.of_cost(cost) + is_mixed
