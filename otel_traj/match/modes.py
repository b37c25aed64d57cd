"""The modes in which one superstep is compared, and the checked options of one comparison.

A direction is always read as *actual* against *reference*: `subset` means that what ran lies within the
reference. Users of other evaluators stumble over exactly this, so the same two modes also answer to `at_most`
and `at_least`; inside the package only the first names are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast, get_args

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.values_in_words import describe_value, show_value

__all__ = [
    "DEFAULT_IGNORE",
    "DEFAULT_STATUS",
    "DuplicatesMode",
    "GraphTrajectoryMatchMode",
    "GraphTrajectoryMatchModel",
    "MatchOptions",
    "StepMode",
    "canonical_mode",
    "check_mode",
    "read_options",
]

GraphTrajectoryMatchMode: TypeAlias = Literal[
    "exact", "unordered", "subset", "superset", "at_most", "at_least"
]
"""How one superstep is compared: the same names in the same order, in any order, actual within the reference,
actual contains the reference; `at_most` is `subset`, `at_least` is `superset`."""

GraphTrajectoryMatchModel: TypeAlias = GraphTrajectoryMatchMode
"""Another name of `GraphTrajectoryMatchMode`."""

StepMode: TypeAlias = Literal["exact", "unordered", "subset", "superset"]
"""A mode by its one name inside the package."""

DuplicatesMode: TypeAlias = Literal["count", "ignore"]
"""Whether two tasks of one node in a superstep are two (`count`) or one (`ignore`)."""

JudgedStatus: TypeAlias = Literal["ok", "error", "interrupted", "cancelled"]

DEFAULT_IGNORE: Final = ("__start__", "__end__")
"""Names that are left out on both sides before anything is compared."""

DEFAULT_STATUS: Final = ("ok", "interrupted")
"""Statuses in which a run may stand without failing for it."""

_SAME_AS: Final[Mapping[str, StepMode]] = {"at_most": "subset", "at_least": "superset"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOptions:
    """The options of one comparison, checked and in canonical form."""

    step_mode: StepMode
    """The mode of every reference superstep that has none of its own."""
    duplicates: DuplicatesMode
    ignore: frozenset[str]
    status: frozenset[str]
    """Statuses in which a run does not fail for its status."""


def check_mode(mode: object) -> GraphTrajectoryMatchMode:
    """Return the mode as it was given.

    Raises:
        TrajectoryValueError: it is none of the allowed names; the message lists them.
    """
    allowed = get_args(GraphTrajectoryMatchMode)
    if mode not in allowed:
        raise TrajectoryValueError(
            f"unknown match mode {mode!r}: no superstep can be compared by it. Allowed: {', '.join(allowed)}."
        )
    return cast("GraphTrajectoryMatchMode", mode)


def canonical_mode(mode: object) -> StepMode:
    """Return the mode's one name: `subset` for `at_most`, `superset` for `at_least`.

    Raises:
        TrajectoryValueError: it is none of the allowed names; the message lists them.
    """
    given = check_mode(mode)
    return _SAME_AS.get(given, cast("StepMode", given))


def read_options(
    *, step_mode: object, duplicates: object, ignore: Iterable[str], status: str | Iterable[str]
) -> MatchOptions:
    """Check the options of a call.

    Args:
        step_mode: One of `GraphTrajectoryMatchMode`.
        duplicates: One of `DuplicatesMode`.
        ignore: Names to leave out on both sides; empty ignores nothing.
        status: Allowed statuses of a run: a word, several, or `any`.

    Raises:
        TrajectoryTypeError: `ignore` or `status` is no collection of strings.
        TrajectoryValueError: a value that is not allowed; the message lists what is.
    """
    if duplicates not in get_args(DuplicatesMode):
        raise TrajectoryValueError(
            f"duplicates is {duplicates!r}: no rule for counting names. Allowed: {', '.join(get_args(DuplicatesMode))}."
        )
    if isinstance(ignore, str):
        raise TrajectoryTypeError(
            f"ignore is the string {ignore!r}: its letters would be taken for names. Write a list, [{ignore!r}]."
        )
    return MatchOptions(
        step_mode=canonical_mode(step_mode),
        duplicates=cast("DuplicatesMode", duplicates),
        ignore=_read_words(ignore, "ignore"),
        status=_read_status(status),
    )


def _read_words(words: object, option: str) -> frozenset[str]:
    if not isinstance(words, Iterable):
        raise TrajectoryTypeError(
            f"{option} is {show_value(words)}, no collection of strings: nothing can be looked up in it. Write a list."
        )
    collected = list(words)
    for word in collected:
        if not isinstance(word, str):
            raise TrajectoryTypeError(
                f"{option} holds {describe_value(word)}: only strings can be compared with names. Write a string."
            )
    return frozenset(collected)


def _read_status(status: object) -> frozenset[str]:
    allowed = get_args(JudgedStatus)
    words = frozenset({status}) if isinstance(status, str) else _read_words(status, "status")
    unknown = sorted(words.difference(allowed, {"any"}))
    if unknown or not words:
        found = ", ".join(map(repr, unknown)) or "nothing"
        raise TrajectoryValueError(
            f"status allows {found}: no run can be judged by it. Allowed: {', '.join(allowed)}, or any."
        )
    return frozenset(allowed) if "any" in words else words
