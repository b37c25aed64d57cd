"""Whether the names of a run stand in the order of a reference, where those of one superstep have no order.

Every superstep takes a range of positions, as wide as it has names. An entry of reference superstep i may take a name
of actual superstep j only where the two ranges have a position in common, and a perfect assignment of that kind is an
order that both sides have. For let x(i, j) be how many pairs it makes between i and j: its row sums are the widths of
the i, its column sums those of the j. Because the ranges follow one another on both sides, the pairs (i, j) whose
ranges meet, taken as the edges between the i and the j, form no cycle; and on a graph without cycles such sums have
one solution at most. The number of positions that i and j have in common is one. So x(i, j) is that number, and the
pairs between i and j fill just those positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.match.compare.alike import EntryKinds, NameKinds, pair_kinds
from otel_traj.match.compare.bulk_matching import BulkMatching

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.match.supersteps import ActualStep, ExpectedStep

__all__ = ["OrderAssignment"]


class OrderAssignment:
    """The largest assignment of names to entries whose positions may meet; earlier entries are served first."""

    def __init__(self, steps: Sequence[ExpectedStep], actual: Sequence[ActualStep]) -> None:
        """Assign names.

        Args:
            steps: Supersteps of the reference, each standing once.
            actual: Supersteps that ran.
        """
        self._steps, self._actual = steps, actual
        self._wanted = [len(step.entries) for step in steps]
        self._seen = [len(step.names) for step in actual]
        self._alone = [0] * len(steps)
        self._left_over = [0] * len(actual)
        self._assign()

    @property
    def is_whole(self) -> bool:
        """Whether some order of the reference is one of the run."""
        return sum(self._wanted) == sum(self._seen) and not any(self._left_over)

    @property
    def is_beginning(self) -> bool:
        """Whether some order of the run is the beginning of one of the reference."""
        length = sum(self._seen)
        if length > sum(self._wanted) or any(self._left_over):
            return False
        end = 0
        for width, alone in zip(self._wanted, self._alone, strict=True):
            end += width
            if end <= length and alone:
                return False
        return True

    def find_fault(self) -> tuple[ExpectedStep, ActualStep] | None:
        """Return the first superstep on either side of which a name finds no place; None where one side has none."""
        wanted = next((at for at, alone in enumerate(self._alone) if alone), None)
        seen = next((at for at, left in enumerate(self._left_over) if left), None)
        return None if wanted is None or seen is None else (self._steps[wanted], self._actual[seen])

    def _assign(self) -> None:
        matching = BulkMatching()
        entries = [EntryKinds(step.entries) for step in self._steps]
        names = [NameKinds(step.names) for step in self._actual]
        lefts = [[matching.add_left() for _ in row.entries] for row in entries]
        rights = [[matching.add_right(count) for count in row.counts] for row in names]
        for at, beside in _meet(self._wanted, self._seen):
            for entry, name in pair_kinds(entries[at], names[beside]):
                matching.connect(lefts[at][entry], rights[beside][name])
        for at, row in enumerate(entries):
            self._alone[at] = sum(map(matching.place, lefts[at], row.counts))
        self._left_over = [sum(matching.free[right] for right in row) for row in rights]


def _meet(wanted: Sequence[int], seen: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the indices of ranges that have a position in common, from left to right."""
    beside, start = 0, 0
    begin = 0
    for at, width in enumerate(wanted):
        end = begin + width
        while beside < len(seen) and start < end:
            if start + seen[beside] > begin and seen[beside] and width:
                yield at, beside
            if start + seen[beside] > end:
                break
            start += seen[beside]
            beside += 1
        begin = end
