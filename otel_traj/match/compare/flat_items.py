"""A reference whose supersteps are not told apart, read into how often each of its names may stand.

Bounds of a superstep or of a loop hold for each of its names, those of loops in loops multiplied, and a gap stands
for any names. What would only mean something with supersteps that are told apart is refused, with the modes that
can compare it: to let it pass as something near to it would be a verdict on another reference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from otel_traj.errors import InvalidReferenceError
from otel_traj.match.reference.items import Alternatives, AnySteps, Group, Item, describe_item, list_steps
from otel_traj.match.reference.name_patterns import OneOf
from otel_traj.match.supersteps import Bounds, ExpectedStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "ORDERED_MODES",
    "FlatMode",
    "FlatReference",
    "FlatStep",
    "read_flat",
    "say_place",
    "unfold_required",
]

FlatMode: TypeAlias = Literal["flat_unordered", "flat_superset", "flat_subset", "flat_exact", "flat_in_order"]

ORDERED_MODES: Final = "strict, starts_with, so_far, contains or subsequence"
"""The modes that can compare every reference, in words."""

_MOST_NAMES: Final = 200_000
_ONCE: Final = Bounds()


@dataclass(frozen=True, slots=True)
class FlatStep:
    """A superstep of a reference, and how often each of its names may stand in a run."""

    step: ExpectedStep
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class FlatReference:
    """How often each name of a reference may stand."""

    steps: tuple[FlatStep, ...]
    has_gap: bool
    """Whether any names may stand beside them."""

    @property
    def required(self) -> int:
        """How many names a run needs at least."""
        return sum(flat.bounds.min * len(flat.step.entries) for flat in self.steps)


def read_flat(items: Sequence[Item], mode: FlatMode) -> FlatReference:
    """Read a reference.

    Args:
        items: What it holds.
        mode: The mode it is compared by.

    Raises:
        InvalidReferenceError: It holds what means nothing in this mode, or needs more than 200,000 names.
    """
    steps: list[FlatStep] = []
    has_gap = False
    for item, bounds in _flatten(items, _ONCE, mode):
        if isinstance(item, AnySteps):
            has_gap = True
        else:
            steps.append(FlatStep(item, bounds))
    reference = FlatReference(tuple(steps), has_gap)
    if reference.required > _MOST_NAMES:
        raise InvalidReferenceError(
            f"the reference unfolds to more than {_MOST_NAMES:,} names: loops in loops multiply. Write smaller bounds."
        )
    return reference


def unfold_required(items: Iterable[Item]) -> Iterator[ExpectedStep]:
    """Yield the supersteps of the shortest run that a readable reference allows, in their order, none empty."""
    for item in items:
        if isinstance(item, Group):
            row = list(unfold_required(item.items)) if item.bounds.min else []
            for _ in range(item.bounds.min if row else 0):
                yield from row
        elif not isinstance(item, AnySteps):
            step = _choose_any(item) if isinstance(item, Alternatives) else item
            if step.entries:
                yield from [step] * step.bounds.min


def _flatten(
    items: Iterable[Item], bounds: Bounds, mode: FlatMode
) -> Iterator[tuple[ExpectedStep | AnySteps, Bounds]]:
    for item in items:
        if isinstance(item, Alternatives):
            if not all(_is_single(choice) for choice in item.choices):
                raise _refuse(
                    item, mode, "which names stand together is not known where supersteps are not told apart"
                )
            yield _choose_any(item), bounds
            continue
        is_once = not isinstance(item, AnySteps) and item.bounds.is_once
        if mode == "flat_exact" and not is_once:
            raise _refuse(item, mode, "how many names stand before another one is then not known")
        if isinstance(item, AnySteps):
            yield item, bounds
        elif isinstance(item, Group):
            yield from _flatten(item.items, _multiply(bounds, item.bounds), mode)
        else:
            yield item, _multiply(bounds, item.bounds)


def _is_single(choice: Sequence[Item]) -> bool:
    if len(choice) != 1 or not isinstance(choice[0], ExpectedStep):
        return False
    return choice[0].bounds.is_once and len(choice[0].entries) == 1


def _choose_any(item: Alternatives) -> ExpectedStep:
    """Return the superstep of one entry that takes what any of the choices would."""
    steps = [choice[0] for choice in item.choices if isinstance(choice[0], ExpectedStep)]
    return replace(steps[0], entries=(OneOf(*(step.entries[0] for step in steps)),))


def _multiply(outer: Bounds, inner: Bounds) -> Bounds:
    most = None if outer.max is None or inner.max is None else outer.max * inner.max
    return Bounds(outer.min * inner.min, most)


def say_place(item: Item) -> str:
    """Return what an item is and where the reference has it, for a complaint."""
    first = next(list_steps([item]), None)
    return describe_item(item) if first is None else f"{describe_item(item)} at superstep {first.number}"


def _refuse(item: Item, mode: FlatMode, why: str) -> InvalidReferenceError:
    allowed = "each superstep once, or OneOf single names" if mode == "flat_exact" else "OneOf single names"
    return InvalidReferenceError(
        f"the reference holds {say_place(item)}, and trajectory_mode is {mode}: {why}. Write {allowed}, or compare by"
        f" {ORDERED_MODES}."
    )
