"""A reference whose supersteps have no order, read into slots that a superstep each may fill.

What only means something in an order is refused, with the modes that can compare it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from otel_traj.errors import InvalidReferenceError
from otel_traj.match.compare.alike import key_of
from otel_traj.match.compare.flat_items import ORDERED_MODES, say_place
from otel_traj.match.compare.step_match import step_matches, whole_cost
from otel_traj.match.reference.items import Alternatives, AnySteps, Group, Item
from otel_traj.match.supersteps import Bounds, ExpectedStep

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from otel_traj.match.supersteps import ActualStep

__all__ = ["Slot", "SuperstepKinds", "read_slots"]

_MOST_SUPERSTEPS: Final = 200_000


@dataclass(frozen=True, slots=True)
class Slot:
    """A place of a reference."""

    choices: tuple[ExpectedStep, ...]
    """Supersteps any of which fills it."""
    bounds: Bounds
    """How many supersteps fill it."""

    @property
    def key(self) -> Hashable:
        """What slots have in common that the same supersteps fill."""
        return tuple((step.mode, tuple(map(key_of, step.entries))) for step in self.choices)

    @property
    def cheapest(self) -> ExpectedStep:
        """The choice that has the fewest names, the first of them."""
        return min(self.choices, key=lambda step: whole_cost(step.names))

    def choose_for(self, actual: ActualStep) -> ExpectedStep:
        """Return the first choice that a superstep meets which fills the slot."""
        return next(step for step in self.choices if step_matches(step, actual))


class SuperstepKinds:
    """The supersteps of a run, those that are alike as one kind."""

    def __init__(self, actual: Sequence[ActualStep]) -> None:
        self.members: list[list[int]] = []
        """By kind, the indices of its supersteps, in order."""
        self._actual = actual
        self._by_names: dict[tuple[str, ...], list[int]] = {}
        self._by_name: dict[str, list[int]] = {}
        self._empty: list[int] = []
        for index, step in enumerate(actual):
            alike = self._by_names.setdefault(step.names, [])
            # Calls of one tool are equal as text and differ in their arguments.
            if alike and all(type(name) is str for name in step.names) and self._is_plain(alike[0]):
                self.members[alike[0]].append(index)
                continue
            kind = len(self.members)
            alike.append(kind)
            self.members.append([index])
            for name in dict.fromkeys(step.names):
                self._by_name.setdefault(name, []).append(kind)
            if not step.names:
                self._empty.append(kind)

    def find_acceptable(self, slot: Slot) -> list[int]:
        """Return the kinds that fill a slot, in order."""
        found: set[int] = set()
        for step in slot.choices:
            found.update(
                kind
                for kind in self._find_candidates(step)
                if step_matches(step, self._actual[self.members[kind][0]])
            )
        return sorted(found)

    def _find_candidates(self, step: ExpectedStep) -> Iterable[int]:
        """Return kinds that a superstep may meet: by its rarest name, so that few have to be compared."""
        literals = [entry for entry in step.entries if isinstance(entry, str)]
        if step.counts is not None and step.mode == "exact":
            return self._by_names.get(step.names, ())
        if step.mode != "subset" and literals:
            return min((self._by_name.get(name, ()) for name in literals), key=len)
        if step.counts is not None and step.mode != "superset":
            return {*self._empty, *(kind for name in literals for kind in self._by_name.get(name, ()))}
        return range(len(self.members))

    def _is_plain(self, kind: int) -> bool:
        return all(type(name) is str for name in self._actual[self.members[kind][0]].names)


def read_slots(items: Iterable[Item]) -> tuple[list[Slot], bool]:
    """Return the slots of a reference, and whether a gap takes the supersteps that fill none.

    Args:
        items: What the reference holds.

    Raises:
        InvalidReferenceError: It holds what has no meaning without an order, or needs more than 200,000 supersteps.
    """
    slots: list[Slot] = []
    has_gap = False
    for item in items:
        slot = _read_slot(item)
        if slot is None:
            has_gap = True
        else:
            slots.append(slot)
    if sum(slot.bounds.min for slot in slots) > _MOST_SUPERSTEPS:
        raise InvalidReferenceError(
            f"the reference needs more than {_MOST_SUPERSTEPS:,} supersteps: loops in loops multiply. Write smaller"
            f" bounds."
        )
    return slots, has_gap


def _read_slot(item: Item) -> Slot | None:
    """Return what fills the place of an item; None where anything does."""
    if isinstance(item, AnySteps):
        return None
    if isinstance(item, ExpectedStep):
        return Slot((item,), item.bounds)
    if isinstance(item, Alternatives):
        steps = [
            choice[0] for choice in item.choices if len(choice) == 1 and isinstance(choice[0], ExpectedStep)
        ]
        if len(steps) < len(item.choices) or not all(step.bounds.is_once for step in steps):
            raise _refuse(item)
        return Slot(tuple(steps), Bounds())
    if len(item.items) != 1:
        raise _refuse(item)
    inner = _read_slot(item.items[0])
    if inner is None:
        return None
    bounds = _multiply(item.bounds, inner.bounds)
    if bounds is None:
        raise _refuse(item)
    return Slot(inner.choices, bounds)


def _multiply(outer: Bounds, inner: Bounds) -> Bounds | None:
    """Return the bounds of a loop in a loop; None where it has numbers between them that can't be."""
    if (
        outer.max != outer.min
        and inner.max is not None
        and (outer.min + 1) * inner.min > outer.min * inner.max + 1
    ):
        return None
    if inner.max is None and outer.min == 0 and inner.min > 1:
        return None
    most = None if outer.max is None or inner.max is None else outer.max * inner.max
    return Bounds(outer.min * inner.min, most)


def _refuse(item: Alternatives | Group) -> InvalidReferenceError:
    return InvalidReferenceError(
        f"the reference holds {say_place(item)}, and trajectory_mode is steps_any_order: several"
        f" supersteps in turn, or in place of another, have no meaning where supersteps have no order. Write single"
        f" supersteps with min and max, or OneOf single supersteps, or compare by {ORDERED_MODES}."
    )
