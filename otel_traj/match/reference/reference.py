"""What a user writes as a reference: supersteps with modes and bounds, loops, gaps, alternatives.

Everything is checked where it is written, at construction, so that a misspelt mode is an error in the test's
own line and not a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NotRequired, TypeAlias, TypedDict

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.modes import GraphTrajectoryMatchMode, check_mode
from otel_traj.match.reference.name_patterns import Entry, NamePattern, OneOf, read_entry
from otel_traj.match.supersteps import Bounds
from otel_traj.match.values_in_words import describe_value

__all__ = [
    "AnyOf",
    "Gap",
    "GraphRunReferenceTrajectory",
    "ReferenceItem",
    "ReferenceStep",
    "Repeat",
    "check_bounds",
    "list_row",
]

_MOST_TIMES = 100_000


@dataclass(frozen=True, slots=True, repr=False)
class ReferenceStep:
    """One superstep of a reference, or the same one several times in a row.

    Args:
        steps: What ran in the superstep: node names, or patterns (`Glob`, `Regex`, `Any`, `OneOf`); a list or tuple,
            copied. A name that stands twice means two tasks. Empty stands for a superstep without names.
        match_mode: How an actual superstep is compared with it; None takes the call's `step_mode`.
        min: How often it runs in a row at least; 0 makes it optional.
        max: At most; None is unbounded.

    Raises:
        TrajectoryTypeError: `steps` is no list of names and patterns, or a bound is no whole number.
        InvalidReferenceError: an unknown mode (the message lists the allowed ones), an empty name, or bounds that
            nothing can meet.
    """

    steps: Sequence[Entry]
    """What ran in the superstep; a list."""
    match_mode: GraphTrajectoryMatchMode | None = None
    """None: the call's `step_mode`."""
    min: int = field(default=1, kw_only=True)
    max: int | None = field(default=1, kw_only=True)
    """None: unbounded."""

    def __post_init__(self) -> None:
        if isinstance(self.steps, str | bytes) or not isinstance(self.steps, Sequence):
            raise TrajectoryTypeError(
                f"steps of a ReferenceStep is {describe_value(self.steps)}: a superstep is a list of node names,"
                " also of one. Write a list, such as ['node1']."
            )
        entries = [read_entry(entry, f"entry {at} of a ReferenceStep") for at, entry in enumerate(self.steps)]
        object.__setattr__(self, "steps", entries)
        check_bounds(self.min, self.max, "a ReferenceStep")
        if self.match_mode is not None:
            try:
                check_mode(self.match_mode)
            except TrajectoryValueError as error:
                raise InvalidReferenceError(str(error)) from None

    def __hash__(self) -> int:
        return hash((tuple(self.steps), self.match_mode, self.min, self.max))

    def __repr__(self) -> str:
        bounds = "" if self.min == self.max == 1 else f", min={self.min}, max={self.max}"
        return f"ReferenceStep(steps={self.steps!r}, match_mode={self.match_mode!r}{bounds})"


@dataclass(frozen=True, slots=True)
class Gap:
    """Any number of supersteps, whatever ran in them, none at all too."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """Several supersteps, in turn, as often as the bounds say: a loop.

    Args:
        steps: What stands in one round: supersteps, gaps, alternatives, further loops. At least one.
        min: How many rounds at least.
        max: At most; None is unbounded.

    Raises:
        TrajectoryTypeError: `steps` is no list, or a bound is no whole number.
        InvalidReferenceError: no superstep, or bounds that nothing can meet.
    """

    steps: Sequence[ReferenceItem]
    min: int = 1
    max: int | None = 1

    def __post_init__(self) -> None:
        if isinstance(self.steps, str | bytes) or not isinstance(self.steps, Sequence):
            raise TrajectoryTypeError(
                f"steps of a Repeat is {describe_value(self.steps)}: a round is a list of supersteps, also of one."
                " Write a list, such as [['model'], ['tools']]."
            )
        if not self.steps:
            raise InvalidReferenceError(
                "a Repeat holds no superstep: nothing could be repeated. Name at least one."
            )
        check_bounds(self.min, self.max, "a Repeat")
        object.__setattr__(self, "steps", list(self.steps))

    def __hash__(self) -> int:
        return hash((repr(self.steps), self.min, self.max))


@dataclass(frozen=True, slots=True, init=False, repr=False)
class AnyOf:
    """One run that may have gone one of several ways; the explanation of a fail is that of the nearest one.

    Args:
        runs: References of a run: lists of supersteps, or mappings with `steps`. At least one.

    Raises:
        InvalidReferenceError: There is none.
    """

    runs: tuple[object, ...]

    def __init__(self, *runs: object) -> None:
        # A list of several references, as it stands in a file, is taken apart.
        if len(runs) == 1 and isinstance(runs[0], list | tuple) and _holds_runs(runs[0]):
            runs = tuple(runs[0])
        if not runs:
            raise InvalidReferenceError("AnyOf has no run: nothing could ever match it. Name at least one.")
        object.__setattr__(self, "runs", runs)

    def __hash__(self) -> int:
        return hash(repr(self.runs))

    def __repr__(self) -> str:
        return f"AnyOf({', '.join(map(repr, self.runs))})"


ReferenceItem: TypeAlias = ReferenceStep | Repeat | Gap | OneOf | Sequence[Entry]
"""What stands in a reference in place of a superstep; a plain list of names takes the call's `step_mode`."""


class GraphRunReferenceTrajectory(TypedDict):
    """One run as it is expected. At least one of steps, any_of, rules, results and model_calls says something."""

    inputs: NotRequired[Mapping[str, object] | None]
    """Not compared."""
    results: NotRequired[object]
    """Compared where the option `results` says how."""
    steps: NotRequired[Sequence[ReferenceItem]]
    """Supersteps in order."""
    any_of: NotRequired[Iterable[Sequence[ReferenceItem]]]
    """Several whole trajectories, in place of `steps`."""
    rules: NotRequired[object]
    """A `Rules`, or a mapping with its fields."""
    model_calls: NotRequired[Sequence[object]]
    """What single model calls chose: mappings with `nth` and `chooses`."""


def check_bounds(low: object, high: object, what: str) -> Bounds:
    """Return how often something may stand in a row.

    Args:
        low: At least.
        high: At most; None is unbounded.
        what: What repeats, with its article, for the message.

    Raises:
        TrajectoryTypeError: A bound is no whole number.
        InvalidReferenceError: Nothing can meet the bounds.
    """
    for name, bound in (("min", low), ("max", high)):
        if (bound is None and name == "max") or (isinstance(bound, int) and not isinstance(bound, bool)):
            continue
        raise TrajectoryTypeError(
            f"{name} of {what} is {describe_value(bound)}: it counts how often. Write a whole number"
            f"{', or None for no bound' if name == 'max' else ''}."
        )
    bounds = Bounds(low, high)  # type: ignore[arg-type] # checked above
    if bounds.min < 0 or bounds.min > _MOST_TIMES or (bounds.max or 0) > _MOST_TIMES:
        raise InvalidReferenceError(
            f"{what} has min {low} and max {high}: bounds go from 0 to {_MOST_TIMES:,}. Write smaller ones, or None"
            f" as max for no bound."
        )
    if bounds.max is not None and bounds.max < max(bounds.min, 1):
        raise InvalidReferenceError(
            f"{what} has min {low} and max {high}: it could never stand there. Allowed: 0 <= min <= max, 1 <= max."
        )
    return bounds


def list_row(choice: object) -> Sequence[object]:
    """Return what a choice of a `OneOf` that stands in place of a superstep stands for.

    Args:
        choice: A name or pattern, a superstep, or a list of what stands in a trajectory.

    Returns:
        Supersteps, loops, gaps; a single one where it was one.
    """
    if isinstance(choice, list | tuple) and any(
        isinstance(each, list | tuple | ReferenceStep | Repeat | Gap) for each in choice
    ):
        return choice
    is_entry = isinstance(choice, str | NamePattern) and not isinstance(choice, OneOf)
    return [[choice] if is_entry else choice]


def _holds_runs(value: Sequence[object]) -> bool:
    """Whether a list is one of references, and not one reference: its entries hold supersteps, not names."""
    return all(
        isinstance(run, Mapping)
        or (
            isinstance(run, list | tuple)
            and all(isinstance(step, list | tuple | ReferenceStep | Repeat | Gap) for step in run)
        )
        for run in value
    )
