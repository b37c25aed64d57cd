"""Supersteps made ready to compare: numbered, then filtered.

A superstep's number is relative to its run and is given before anything is left out, so that an explanation
points at the superstep the user sees: `__start__` is 0, the first nodes are 1. `__interrupt__` marks where a
run waited and is no round of the graph, so it is not counted and carries the number of the superstep before it.
A superstep that loses all its names to `ignore` is dropped; one that was written empty stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from otel_traj.match.modes import MatchOptions, StepMode

__all__ = [
    "INTERRUPT",
    "START",
    "ActualStep",
    "ExpectedStep",
    "GivenStep",
    "is_interrupt",
    "number_supersteps",
    "prepare_actual",
    "prepare_expected",
]

START: Final = "__start__"
INTERRUPT: Final = "__interrupt__"


@dataclass(frozen=True, slots=True)
class GivenStep:
    """One superstep as the user gave it, checked."""

    names: tuple[str, ...]
    mode: StepMode | None = None
    """Only on a reference; None takes the call's `step_mode`."""


@dataclass(frozen=True, slots=True)
class ExpectedStep:
    """One superstep of a reference, ready to compare."""

    number: int
    names: tuple[str, ...]
    mode: StepMode


@dataclass(frozen=True, slots=True)
class ActualStep:
    """One superstep that ran, ready to compare."""

    number: int
    names: tuple[str, ...]
    position: int
    """Index in the trajectory as it was given."""


def is_interrupt(names: Sequence[str]) -> bool:
    """Return whether a superstep is an interrupt marker."""
    return bool(names) and all(name == INTERRUPT for name in names)


def number_supersteps(steps: Iterable[Sequence[str]]) -> list[int]:
    """Return the number of each superstep, relative to the run.

    Args:
        steps: Outer list = all supersteps of the run in order, nothing left out.
    """
    numbers: list[int] = []
    number = 0
    for position, names in enumerate(steps):
        starts = position == 0 and len(names) == 1 and names[0] == START
        if not starts and not is_interrupt(names):
            number += 1
        numbers.append(number)
    return numbers


def prepare_expected(steps: Sequence[GivenStep], options: MatchOptions) -> list[ExpectedStep]:
    """Return the supersteps of a reference that are compared, numbered, each with its mode."""
    return [
        ExpectedStep(number, names, steps[position].mode or options.step_mode)
        for position, number, names in _prepare(steps, options)
    ]


def prepare_actual(steps: Sequence[GivenStep], options: MatchOptions) -> list[ActualStep]:
    """Return the supersteps of a run that are compared, numbered."""
    return [ActualStep(number, names, position) for position, number, names in _prepare(steps, options)]


def _prepare(steps: Sequence[GivenStep], options: MatchOptions) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    for position, number in enumerate(number_supersteps(step.names for step in steps)):
        given = steps[position].names
        kept = tuple(name for name in given if name not in options.ignore)
        if given and not kept:
            continue
        yield position, number, tuple(dict.fromkeys(kept)) if options.duplicates == "ignore" else kept
