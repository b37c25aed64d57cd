"""Names of a run against names of a reference, both as multisets without supersteps.

As many names as possible are given an entry of their own, those that are required first, so that one assignment
tells what is missing and what is too many: where all that is required can be covered and all that ran can be covered,
one assignment does both (Mendelsohn and Dulmage 1958). Names that the same entries accept are one kind with a number,
so literals take linear time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from otel_traj.match.compare.alike import key_of
from otel_traj.match.compare.bulk_matching import BulkMatching
from otel_traj.match.reference.name_patterns import accepts, show_entry

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from otel_traj.match.compare.flat_items import FlatReference
    from otel_traj.match.reference.name_patterns import Entry
    from otel_traj.match.supersteps import ActualStep, ExpectedStep

__all__ = ["FlatDifference", "NameCounts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatDifference:
    """What differs between the names of a run and those of a reference, whether the mode objects to it or not."""

    missing: list[tuple[ExpectedStep, tuple[str, ...]]]
    """Required names that nothing stands for, by superstep of the reference; of equal ones the last are missing."""
    extra: list[tuple[ActualStep, tuple[str, ...]]]
    """Names that no entry and no gap takes, by superstep of the run; of equal ones the last are extra."""
    shared: int
    """How many names have an entry."""
    expected: int
    """How many entries are required or were used."""
    in_gap: list[tuple[ActualStep, tuple[str, ...]]]
    """Names that a gap takes, by superstep of the run."""


class NameCounts:
    """A reference ready to compare with the names of runs."""

    def __init__(self, reference: FlatReference) -> None:
        self._reference = reference
        self._entries: list[Entry] = []
        self._least: list[int] = []
        self._most: list[int | None] = []
        self._kinds: dict[Hashable, int] = {}
        for flat in reference.steps:
            for entry in flat.step.entries:
                self._add(entry, flat.bounds.min, flat.bounds.max)
        self._literals = {entry: kind for kind, entry in enumerate(self._entries) if isinstance(entry, str)}
        self._patterns = [kind for kind, entry in enumerate(self._entries) if not isinstance(entry, str)]

    def has_all_required(self, actual: Sequence[ActualStep]) -> bool:
        """Return whether every required entry can have a name of its own."""
        return not any(_Assignment(self, actual).missing)

    def takes_all(self, actual: Sequence[ActualStep]) -> bool:
        """Return whether every name can have an entry of its own, or a gap takes it."""
        return self._reference.has_gap or not any(_Assignment(self, actual).left)

    def fit(self, actual: Sequence[ActualStep]) -> bool:
        """Return whether both hold."""
        found = _Assignment(self, actual)
        return not any(found.missing) and (self._reference.has_gap or not any(found.left))

    def compare(self, actual: Sequence[ActualStep]) -> FlatDifference:
        """Return what differs."""
        found = _Assignment(self, actual)
        beside = list(found.list_left(actual))
        has_gap = self._reference.has_gap
        return FlatDifference(
            missing=list(self._list_missing(found.missing)),
            extra=[] if has_gap else beside,
            shared=found.shared,
            expected=sum(self._least) + found.optional,
            in_gap=beside if has_gap else [],
        )

    def _add(self, entry: Entry, least: int, most: int | None) -> None:
        kind = self._kinds.setdefault(key_of(entry), len(self._entries))
        if kind == len(self._entries):
            self._entries.append(entry)
            self._least.append(0)
            self._most.append(0)
        so_far = self._most[kind]
        self._least[kind] += least
        self._most[kind] = None if so_far is None or most is None else so_far + most

    def _list_missing(self, missing: Sequence[int]) -> Iterator[tuple[ExpectedStep, tuple[str, ...]]]:
        left = list(missing)
        found: list[tuple[ExpectedStep, tuple[str, ...]]] = []
        for flat in reversed(self._reference.steps):
            names: list[str] = []
            for entry in reversed(flat.step.entries):
                kind = self._kinds[key_of(entry)]
                gone = min(left[kind], flat.bounds.min)
                left[kind] -= gone
                names += [show_entry(entry)] * gone
            if names:
                found.append((flat.step, tuple(reversed(names))))
        return reversed(found)

    def accepted_by(self, name: str) -> tuple[int, ...]:
        """Return the kinds of entries that accept a name, literals first."""
        patterns = [kind for kind in self._patterns if accepts(self._entries[kind], name)]
        literal = self._literals.get(name)
        return tuple(patterns if literal is None else [literal, *patterns])

    def list_supplies(self, names: int) -> Iterator[tuple[int, int, bool]]:
        """Yield kinds of entries with how many there are: what is required before what is not, literals first.

        Args:
            names: How many names ran; of what has no bound there are as many.
        """
        kinds = [*self._literals.values(), *self._patterns]
        for kind in kinds:
            yield kind, self._least[kind], True
        for kind in kinds:
            most = self._most[kind]
            yield kind, names if most is None else min(names, most - self._least[kind]), False

    def __len__(self) -> int:
        return len(self._entries)


class _Assignment:
    """The largest assignment for one run."""

    def __init__(self, counts: NameCounts, actual: Sequence[ActualStep]) -> None:
        self._kinds: list[list[int]] = []
        amounts, acceptors = self._sort_names(counts, actual)
        partners: list[list[int]] = [[] for _ in range(len(counts))]
        matching = BulkMatching()
        for name_kind, accepted in enumerate(acceptors):
            matching.add_right(amounts[name_kind])
            for kind in accepted:
                partners[kind].append(name_kind)
        self.missing = [0] * len(counts)
        self.optional = 0
        self.shared = 0
        for kind, amount, is_required in counts.list_supplies(amounts.total()):
            alone = matching.place(matching.add_left(partners[kind]), amount)
            self.shared += amount - alone
            if is_required:
                self.missing[kind] = alone
            else:
                self.optional += amount - alone
        self.left = matching.free

    def list_left(self, actual: Sequence[ActualStep]) -> Iterator[tuple[ActualStep, tuple[str, ...]]]:
        """Yield names without an entry by superstep; of one kind the last."""
        left = list(self.left)
        found: list[tuple[ActualStep, tuple[str, ...]]] = []
        for step, kinds in zip(reversed(actual), reversed(self._kinds), strict=True):
            names: list[str] = []
            for name, kind in zip(reversed(step.names), reversed(kinds), strict=True):
                if left[kind]:
                    left[kind] -= 1
                    names.append(name)
            if names:
                found.append((step, tuple(reversed(names))))
        return reversed(found)

    def _sort_names(
        self, counts: NameCounts, actual: Sequence[ActualStep]
    ) -> tuple[Counter[int], list[tuple[int, ...]]]:
        """Return how many names there are of each kind, and who accepts it."""
        acceptors: list[tuple[int, ...]] = []
        known: dict[str, int] = {}
        numbers: dict[tuple[str, tuple[int, ...]], int] = {}
        for step in actual:
            kinds: list[int] = []
            for name in step.names:
                # Calls of one tool are equal as text and differ in their arguments.
                kind = known.get(name) if type(name) is str else None
                if kind is None:
                    accepted = counts.accepted_by(name)
                    kind = numbers.setdefault((str(name), accepted), len(numbers))
                    if kind == len(acceptors):
                        acceptors.append(accepted)
                    if type(name) is str:
                        known[name] = kind
                kinds.append(kind)
            self._kinds.append(kinds)
        return Counter(kind for kinds in self._kinds for kind in kinds), acceptors
