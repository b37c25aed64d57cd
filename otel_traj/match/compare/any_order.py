"""Supersteps compared in any order, each by its own mode: the trajectory mode `steps_any_order`.

As many supersteps as expected, and each of them beside one of its own. What is required is given a superstep first,
then what is optional; that one assignment covers all that is required and all that ran where either can be covered at
all (Mendelsohn and Dulmage 1958), so it is verdict and explanation in one, and never greedy. Supersteps that are alike
are compared once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.match.compare.align import Move, move_of
from otel_traj.match.compare.any_order_slots import SuperstepKinds, read_slots
from otel_traj.match.compare.bulk_matching import BulkMatching
from otel_traj.match.compare.comparer import Explanation
from otel_traj.match.compare.step_match import StepDifference, whole_cost
from otel_traj.match.explain.comment import say_move
from otel_traj.match.explain.hints import Hint
from otel_traj.match.explain.ops import describe_moves
from otel_traj.match.explain.scores import score_moves
from otel_traj.match.explain.spelling import find_misspelt
from otel_traj.match.explain.tolerated import sum_tolerated

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from otel_traj.match.compare.any_order_slots import Slot
    from otel_traj.match.explain.ops import SpanIndex
    from otel_traj.match.reference.items import Item
    from otel_traj.match.supersteps import ActualStep

__all__ = ["AnyOrderComparer"]


class AnyOrderComparer:
    """A reference ready to compare without an order."""

    def __init__(self, items: Sequence[Item]) -> None:
        """Read a reference.

        Raises:
            InvalidReferenceError: It holds what has no meaning without an order, or needs more than 200,000
                supersteps.
        """
        self.items = items
        self._slots, self._has_gap = read_slots(items)
        self._kinds: dict[Hashable, list[Slot]] = {}
        for slot in self._slots:
            self._kinds.setdefault(slot.key, []).append(slot)

    @property
    def size(self) -> int:
        """How many supersteps the reference has as it is written."""
        return len(self._slots)

    def matches(self, actual: Sequence[ActualStep]) -> bool:
        """Return whether every required superstep and every one that ran has one of its own."""
        found = _Assignment(list(self._kinds.values()), actual)
        return not found.missing and (self._has_gap or found.takes_all)

    def may_go_on(self, actual: Sequence[ActualStep]) -> bool:
        """Return whether every superstep that ran has one of its own."""
        return self._has_gap or _Assignment(list(self._kinds.values()), actual).takes_all

    def worst_cost(self) -> int:
        """Return what the supersteps cost that are required, if none of them ran."""
        return sum(slot.bounds.min * whole_cost(slot.cheapest.names) for slot in self._slots)

    def explain(self, actual: Sequence[ActualStep], run: int, spans: SpanIndex) -> Explanation:
        """Explain how a run differs: what is extra in the run's order, then what is missing in the reference's."""
        moves = self._list_moves(actual)
        return Explanation(
            ops=describe_moves(moves, run, spans),
            lines=[say_move(move) for move in moves if move.cost],
            hints=[Hint("misspelt", finding.text) for finding in find_misspelt(moves)],
            score=score_moves(moves, worst=None),
            tolerated=sum_tolerated(moves),
        )

    def _list_moves(self, actual: Sequence[ActualStep]) -> list[Move]:
        found = _Assignment(list(self._kinds.values()), actual)
        moves: list[Move] = []
        for index, ran in enumerate(actual):
            slot = found.slot_of.get(index)
            if slot is not None:
                moves.append(move_of(slot.choose_for(ran), ran, 0, slot.bounds))
            elif self._has_gap:
                moves.append(Move(None, ran, StepDifference((), (), 0), 0))
            else:
                moves.append(move_of(None, ran, whole_cost(ran.names)))
        for slot in self._slots:
            step = slot.cheapest
            moves += [move_of(step, None, whole_cost(step.names), slot.bounds)] * found.missing.get(
                id(slot), 0
            )
        return moves


class _Assignment:
    """The largest assignment for one run."""

    def __init__(self, kinds: Sequence[Sequence[Slot]], actual: Sequence[ActualStep]) -> None:
        self.slot_of: dict[int, Slot] = {}
        """By index of a superstep, the slot that it fills."""
        self.missing: dict[int, int] = {}
        """By id of a slot, how many supersteps it lacks; of slots alike the last lack some."""
        steps = SuperstepKinds(actual)
        matching = BulkMatching()
        for members in steps.members:
            matching.add_right(len(members))
        partners = [steps.find_acceptable(slots[0]) for slots in kinds]
        waiting = [iter(members) for members in steps.members]
        placed: list[tuple[int, list[tuple[Slot, int]]]] = []
        for count in (_count_required, _count_optional):
            for slots, accepted in zip(kinds, partners, strict=True):
                wanted = [(slot, count(slot, len(actual))) for slot in slots]
                left = matching.add_left(accepted)
                alone = matching.place(left, sum(number for _, number in wanted))
                if count is _count_required:
                    self._note_missing(wanted, alone)
                placed.append((left, wanted))
        self.takes_all = not any(matching.free)
        for left, wanted in placed:
            self._hand_out(wanted, matching.partners_of(left), waiting)

    def _note_missing(self, wanted: Sequence[tuple[Slot, int]], alone: int) -> None:
        for slot, number in reversed(wanted):
            lacking = min(alone, number)
            if lacking:
                self.missing[id(slot)] = lacking
                alone -= lacking

    def _hand_out(
        self,
        wanted: Sequence[tuple[Slot, int]],
        partners: Mapping[int, int],
        waiting: Sequence[Iterator[int]],
    ) -> None:
        indices = sorted(next(waiting[kind]) for kind, number in partners.items() for _ in range(number))
        places = (slot for slot, number in wanted for _ in range(number))
        self.slot_of.update(zip(indices, places, strict=False))


def _count_required(slot: Slot, _: int) -> int:
    return slot.bounds.min


def _count_optional(slot: Slot, most: int) -> int:
    return most if slot.bounds.max is None else min(most, slot.bounds.max - slot.bounds.min)
