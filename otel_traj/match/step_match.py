"""One expected superstep against one actual superstep: does it match, and what does it cost if not.

Names count as a multiset: two tasks of a node are two. The cost of a pair is the number of names that the mode
objects to (missing ones not in `subset`, extra ones not in `superset`); where `exact` sees the same names in
another order it is the number of names that have to move, the length less the longest common subsequence. So a
pair costs nothing exactly where it matches.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otel_traj.match.supersteps import ActualStep, ExpectedStep

__all__ = [
    "StepDifference",
    "compare_step",
    "longest_common_subsequence",
    "pair_cost",
    "step_matches",
    "whole_cost",
]


@dataclass(frozen=True, slots=True)
class StepDifference:
    """What differs between two supersteps, whether the mode objects to it or not."""

    missing: tuple[str, ...]
    """Expected and not there, in expected order; a name once per missing task."""
    extra: tuple[str, ...]
    """There and not expected, in actual order."""
    shared: int
    """How many names the two have in common."""


def step_matches(expected: ExpectedStep, actual: ActualStep) -> bool:
    """Return whether a superstep meets the reference by the reference's mode."""
    if expected.names == actual.names:
        return True
    if expected.mode == "exact":
        return False
    wanted, seen = len(expected.names), len(actual.names)
    if expected.mode == "unordered":
        return wanted == seen and sorted(expected.names) == sorted(actual.names)
    if expected.mode == "subset":
        return seen <= wanted and Counter(actual.names) <= Counter(expected.names)
    return wanted <= seen and Counter(expected.names) <= Counter(actual.names)


def compare_step(expected: Sequence[str], actual: Sequence[str]) -> StepDifference:
    """Return the multiset difference of two supersteps, both ways."""
    missing = _take_away(expected, actual)
    return StepDifference(missing, _take_away(actual, expected), len(expected) - len(missing))


def pair_cost(
    expected: ExpectedStep, actual: ActualStep, wanted: Mapping[str, int], seen: Mapping[str, int]
) -> int:
    """Return what pairing two supersteps costs.

    Args:
        expected: The superstep of the reference.
        actual: The superstep that ran.
        wanted: The expected names, counted; the caller keeps the counts over many pairs.
        seen: The actual names, counted.
    """
    small, large = (wanted, seen) if len(wanted) <= len(seen) else (seen, wanted)
    shared = sum(min(count, large.get(name, 0)) for name, count in small.items())
    missing = len(expected.names) - shared
    extra = len(actual.names) - shared
    if expected.mode == "subset":
        return extra
    if expected.mode == "superset":
        return missing
    if expected.mode == "exact" and not missing and not extra and expected.names != actual.names:
        return shared - longest_common_subsequence(expected.names, actual.names)
    return missing + extra


def whole_cost(names: Sequence[str]) -> int:
    """Return what a superstep costs that stands on one side only: its names, an empty one still 1."""
    return max(1, len(names))


def longest_common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    Bit-parallel after Hyyrö (2004, "Bit-parallel LCS-length computation revisited"): one whole-number operation
    per name instead of a row of a table, because a fan-out can have thousands of tasks.
    """
    places: dict[str, int] = {}
    for index, name in enumerate(first):
        places[name] = places.get(name, 0) | (1 << index)
    everywhere = (1 << len(first)) - 1
    unmatched = everywhere
    for name in second:
        hits = unmatched & places.get(name, 0)
        unmatched = ((unmatched + hits) | (unmatched - hits)) & everywhere
    return len(first) - unmatched.bit_count()


def _take_away(names: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    left = Counter(others)
    kept: list[str] = []
    for name in names:
        if left[name] > 0:
            left[name] -= 1
        else:
            kept.append(name)
    return tuple(kept)
