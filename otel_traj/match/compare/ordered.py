"""Trajectories compared in their order: strict, starts_with, so_far, contains, subsequence.

Where both sides are short enough the explanation is that of the cheapest alignment. Otherwise only the first
superstep that differs is named, and how long the two are. Edits and fitness are those of the mode `strict`: in the
others what the mode leaves open would count as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.match.compare.align import MAX_SUPERSTEPS, Move, align, is_too_large, move_of, shortest_cost
from otel_traj.match.compare.comparer import Explanation
from otel_traj.match.compare.excess import mark_excess
from otel_traj.match.compare.follow import find_dead_end, find_furthest, matches, may_go_on
from otel_traj.match.compare.program import compile_items
from otel_traj.match.compare.step_match import whole_cost
from otel_traj.match.explain.comment import say_move
from otel_traj.match.explain.hints import find_hints
from otel_traj.match.explain.ops import describe_moves
from otel_traj.match.explain.scores import RunScore, score_moves, score_run
from otel_traj.match.explain.tolerated import sum_tolerated
from otel_traj.match.reference.items import list_entries, list_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.program import OrderedMode
    from otel_traj.match.explain.ops import SpanIndex
    from otel_traj.match.reference.items import Item
    from otel_traj.match.supersteps import ActualStep

__all__ = ["OrderedComparer"]


class OrderedComparer:
    """A compiled reference."""

    def __init__(self, items: Sequence[Item], mode: OrderedMode) -> None:
        """Compile a reference.

        Raises:
            InvalidReferenceError: It unfolds to too many supersteps.
        """
        self.items = items
        self._mode = mode
        self._program = compile_items(items, mode)
        self._steps = list(list_steps(items))

    @property
    def size(self) -> int:
        """How many states the compiled reference has."""
        return len(self._program.edges)

    def matches(self, actual: Sequence[ActualStep]) -> bool:
        """Return whether a run matches, in time that grows with its length."""
        return matches(self._program, actual)

    def may_go_on(self, actual: Sequence[ActualStep]) -> bool:
        """Return whether a run is a beginning of what matches."""
        return may_go_on(self._program, actual)

    def worst_cost(self) -> int:
        """Return what the shortest way through the reference costs if none of it ran."""
        return shortest_cost(self._program)

    def explain(self, actual: Sequence[ActualStep], run: int, spans: SpanIndex) -> Explanation:
        """Explain how a run differs."""
        if is_too_large(self._program, self._steps, actual):
            return self._explain_first(actual, run, spans)
        moves = mark_excess(align(self._program, actual))
        return Explanation(
            ops=describe_moves(moves, run, spans),
            lines=[say_move(move) for move in moves if move.cost],
            hints=find_hints([move for move in moves if not move.is_gap]),
            score=score_moves(moves, worst=self._worst(actual)),
            tolerated=sum_tolerated(moves),
        )

    def _worst(self, actual: Sequence[ActualStep]) -> int | None:
        if self._mode != "strict":
            return None
        return self.worst_cost() + sum(whole_cost(step.names) for step in actual)

    def _explain_first(self, actual: Sequence[ActualStep], run: int, spans: SpanIndex) -> Explanation:
        moves = self._find_first_difference(actual)
        too_long = max(len(self._steps), len(actual)) > MAX_SUPERSTEPS
        bound = f"over {MAX_SUPERSTEPS} supersteps" if too_long else "supersteps too wide to align"
        note = f"expected {len(self._steps)} supersteps, got {len(actual)}; {bound}: only the first difference is named"
        return Explanation(
            ops=describe_moves(moves, run, spans),
            lines=[say_move(move) for move in moves],
            note=note if moves else None,
            score=self._score_unaligned(actual),
        )

    def _score_unaligned(self, actual: Sequence[ActualStep]) -> RunScore:
        return score_run(
            cost=None,
            worst=0,
            expected=list_entries(self.items),
            actual=[name for step in actual for name in step.names],
        )

    def _find_first_difference(self, actual: Sequence[ActualStep]) -> list[Move]:
        """Return the first superstep that nothing takes, or the one that is missing at the end; none for a match."""
        if self.matches(actual):
            return []
        # A run that may begin anywhere never comes to a dead end: how far it gets is what tells something.
        find = find_furthest if self._mode == "contains" else find_dead_end
        count, states = find(self._program, actual)
        edges = [edge for state in states for edge in self._program.edges[state] if edge.step is not None]
        wanted = edges[-1].step if edges else None
        return [move_of(wanted, actual[count] if count < len(actual) else None, 1)]
