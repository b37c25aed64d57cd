"""Supersteps made ready to compare: numbered, then filtered.

A superstep's number is relative to its run and is given before anything is left out, so that an explanation
points at the superstep the user sees: `__start__` is 0, the first nodes are 1. `__interrupt__` marks where a
run waited and is no round of the graph, so it is not counted and carries the number of the superstep before it.
A superstep that loses all its names to `ignore` is dropped; one that was written empty stays.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from otel_traj import semconv as sc
from otel_traj.match.reference.name_patterns import show_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otel_traj.match.modes import StepMode
    from otel_traj.match.options import MatchOptions
    from otel_traj.match.reference.name_patterns import Entry

__all__ = [
    "INTERRUPT",
    "START",
    "ActualStep",
    "Bounds",
    "ExpectedStep",
    "drop_duplicates",
    "is_interrupt",
    "number_supersteps",
    "prepare_actual",
]

START: Final = sc.START_NODE
INTERRUPT: Final = sc.INTERRUPT_NODE
_MARKERS: Final = frozenset({START, INTERRUPT})


@dataclass(frozen=True, slots=True)
class Bounds:
    """How often something may stand in a row."""

    min: int = 1
    max: int | None = 1
    """None: without a bound."""

    @property
    def is_once(self) -> bool:
        """Whether it stands exactly once."""
        return self.min == self.max == 1


@dataclass(frozen=True, slots=True)
class ExpectedStep:
    """One superstep of a reference, ready to compare."""

    number: int
    """Its number in the reference as it is written, in which every superstep stands once."""
    entries: tuple[Entry, ...]
    mode: StepMode
    bounds: Bounds = Bounds()
    """Its own, or those of the group that it stands in."""
    names: tuple[str, ...] = field(init=False, compare=False)
    """Its entries in words: patterns as what they accept."""
    counts: Counter[str] | None = field(init=False, compare=False)
    """Its names, counted; None where one of them is a pattern."""
    ordered: tuple[str, ...] = field(init=False, compare=False)
    """Its names, sorted."""

    def __post_init__(self) -> None:
        names = tuple(map(show_entry, self.entries))
        is_literal = all(isinstance(entry, str) for entry in self.entries)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "counts", Counter(names) if is_literal else None)
        object.__setattr__(self, "ordered", tuple(sorted(names)))


class ActualStep(Struct, frozen=True, gc=False):
    """One superstep that ran, ready to compare. A struct: a verdict makes one per superstep."""

    number: int
    names: tuple[str, ...]
    position: int
    """Index in the trajectory as it was given."""


def is_interrupt(names: Sequence[object]) -> bool:
    """Return whether a superstep is an interrupt marker."""
    return bool(names) and all(name == INTERRUPT for name in names)


def number_supersteps(steps: Iterable[Sequence[object]]) -> list[int]:
    """Return the number of each superstep, relative to the run.

    Args:
        steps: Outer list = all supersteps of the run in order, nothing left out.
    """
    steps = list(steps)
    if _MARKERS.isdisjoint(chain.from_iterable(steps)):
        return list(range(1, len(steps) + 1))
    numbers: list[int] = []
    number = 0
    for position, names in enumerate(steps):
        if len(names) == 1 and ((position == 0 and names[0] == START) or names[0] == INTERRUPT):
            pass
        elif len(names) < 2 or not is_interrupt(names):
            number += 1
        numbers.append(number)
    return numbers


def drop_duplicates(steps: Sequence[ActualStep]) -> list[ActualStep]:
    """Return supersteps in which each name stands once."""
    return [ActualStep(step.number, tuple(dict.fromkeys(step.names)), step.position) for step in steps]


def prepare_actual(
    steps: Sequence[tuple[str, ...]], numbers: Sequence[int], options: MatchOptions
) -> list[ActualStep]:
    """Return the supersteps of a run that are compared.

    Args:
        steps: All supersteps of the run.
        numbers: Their numbers.
        options: What is ignored.
    """
    if not options.ignores_any(chain.from_iterable(steps)):
        return list(map(ActualStep, numbers, steps, range(len(steps))))
    prepared: list[ActualStep] = []
    for position, names in enumerate(steps):
        kept = options.filter_names(names)
        if kept or not names:
            prepared.append(ActualStep(numbers[position], kept, position))
    return prepared
