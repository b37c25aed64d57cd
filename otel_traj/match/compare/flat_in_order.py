"""Whether the names of a reference come in their order in a run, others between, siblings having no order.

Some order of the reference is a subsequence of one of the run where every entry has a name of its own, and no entry
of a superstep has one from an earlier superstep of the run than an entry of the superstep before. So the reference
is laid over the run from the left, each of its supersteps ending as early as it can: if the first i supersteps fit
into the run up to superstep h, a way that ends them later can be exchanged for one that does not, because what follows
then lies behind h or shares it. Within these windows entries may change their names as long as they like; that is
one assignment that grows, and takes polynomial time whatever the patterns are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from otel_traj.match.compare.alike import EntryKinds, NameKinds, pair_kinds
from otel_traj.match.compare.bulk_matching import BulkMatching
from otel_traj.match.reference.name_patterns import accepts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.reference.name_patterns import Entry
    from otel_traj.match.supersteps import ActualStep, ExpectedStep

__all__ = ["OrderFault", "find_order_fault"]


@dataclass(frozen=True, slots=True)
class OrderFault:
    """Where the order of a reference breaks off."""

    step: ExpectedStep
    """The first of its supersteps that does not come to its end."""
    entries: tuple[Entry, ...]
    """What is still to come of it when the run ends."""
    begins: int
    """Index of the actual superstep in which the one before it came to its end."""

    def find_early(self, actual: Sequence[ActualStep]) -> ActualStep | None:
        """Return the last superstep before that in which one of the entries ran, too early; None if there is none."""
        for step in reversed(actual[: self.begins + 1]):
            if any(accepts(entry, name) for entry in self.entries for name in step.names):
                return step
        return None


def find_order_fault(steps: Sequence[ExpectedStep], actual: Sequence[ActualStep]) -> OrderFault | None:
    """Return where a run leaves the order of a reference; None if it keeps it.

    Args:
        steps: Supersteps of the reference that have to come, none empty.
        actual: Supersteps that ran.
    """
    if all(step.counts is not None for step in steps):
        return _follow_literals(steps, actual)
    return _Follower(actual).follow(steps)


def _follow_literals(steps: Sequence[ExpectedStep], actual: Sequence[ActualStep]) -> OrderFault | None:
    """Follow names alone: who takes what is then no choice, and time is linear."""
    at, begins = 0, 0
    wanted = Counter(steps[0].names) if steps else Counter()
    for index, step in enumerate(actual):
        free = Counter(step.names)
        while at < len(steps):
            _strike_out(wanted, free)
            if wanted:
                break
            at, begins = at + 1, index
            wanted = Counter(steps[at].names) if at < len(steps) else Counter()
    if at == len(steps):
        return None
    return OrderFault(steps[at], _take(steps[at].entries, wanted), begins)


def _strike_out(wanted: Counter[str], free: Counter[str]) -> None:
    """Take from both what they have in common, in time of the smaller one."""
    for name in list(wanted if len(wanted) < len(free) else free):
        taken = min(wanted.get(name, 0), free.get(name, 0))
        if taken:
            wanted[name] -= taken
            free[name] -= taken
            if not wanted[name]:
                del wanted[name]


def _take(entries: Sequence[Entry], left: Counter[str]) -> tuple[Entry, ...]:
    """Return the last of the entries that so many are left of."""
    kept: list[Entry] = []
    for entry in reversed(entries):
        if isinstance(entry, str) and left[entry]:
            left[entry] -= 1
            kept.append(entry)
    return tuple(reversed(kept))


class _Follower:
    """Lays a reference with patterns over a run."""

    def __init__(self, actual: Sequence[ActualStep]) -> None:
        self._names = [NameKinds(step.names) for step in actual]
        self._matching = BulkMatching()
        self._rights = [[self._matching.add_right(count) for count in row.counts] for row in self._names]
        self._at = 0

    def follow(self, steps: Sequence[ExpectedStep]) -> OrderFault | None:
        for step in steps:
            begins = self._at
            kinds = EntryKinds(step.entries)
            left = self._lay(kinds)
            if left is not None:
                entries = [
                    entry for entry, count in zip(kinds.entries, left, strict=True) for _ in range(count)
                ]
                return OrderFault(step, tuple(entries), begins)
        return None

    def _lay(self, kinds: EntryKinds) -> list[int] | None:
        """Find names for one superstep, the earliest there are, and return how many found none; None for none."""
        lefts = [self._matching.add_left() for _ in kinds.entries]
        self._matching.first_open = lefts[0]
        left = list(kinds.counts)
        while self._at < len(self._names):
            is_connected = False
            for entry, name in pair_kinds(kinds, self._names[self._at]):
                self._matching.connect(lefts[entry], self._rights[self._at][name])
                is_connected = True
            if is_connected:
                left = [
                    self._matching.place(at, count) if count else 0
                    for at, count in zip(lefts, left, strict=True)
                ]
            if not any(left):
                return None
            self._at += 1
        self._at = max(0, len(self._names) - 1)
        return left
