"""One superstep against one: whether it matches, what differs, and what the difference costs.

Names are multisets. Where the reference holds patterns, as many entries as possible are given a name of their own,
and never greedily. What a mode tolerates costs nothing (missing names in `subset`, extra ones in `superset`); where
`exact` sees the same names in another order it is the number of names that have to move, the length less the longest
common subsequence. So a pair costs nothing exactly where it matches.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from otel_traj.match.compare.bipartite import match_all
from otel_traj.match.names import show_name
from otel_traj.match.reference.name_patterns import accepts, show_entry
from otel_traj.match.reference.tool_patterns import PreparedTool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from otel_traj.match.reference.name_patterns import Entry
    from otel_traj.match.supersteps import ActualStep, ExpectedStep

__all__ = [
    "StepDifference",
    "compare_entries",
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
    """Expected and not there, in expected order, patterns in words; a name once per missing task."""
    extra: tuple[str, ...]
    """There and not expected, in actual order."""
    shared: int
    """How many the two have in common."""
    reasons: tuple[str, ...] = ()
    """Why calls of the expected tools are not the expected calls."""


def step_matches(expected: ExpectedStep, actual: ActualStep) -> bool:
    """Return whether a superstep meets the reference by the reference's mode."""
    names, mode = actual.names, expected.mode
    if expected.counts is None:
        return _patterns_match(expected, names)
    if expected.names == names:
        return True
    if mode == "exact":
        return False
    wanted, seen = len(expected.names), len(names)
    if mode == "unordered":
        return wanted == seen and expected.ordered == tuple(sorted(names))
    if mode == "subset":
        return seen <= wanted and Counter(names) <= expected.counts
    return wanted <= seen and expected.counts <= Counter(names)


def _patterns_match(expected: ExpectedStep, names: Sequence[str]) -> bool:
    wanted, seen = len(expected.entries), len(names)
    if expected.mode == "exact":
        return wanted == seen and all(map(accepts, expected.entries, names))
    if (expected.mode != "superset" and seen > wanted) or (expected.mode != "subset" and wanted > seen):
        return False
    return compare_entries(expected.entries, names).shared == (seen if expected.mode == "subset" else wanted)


def compare_step(expected: ExpectedStep, names: Sequence[str]) -> StepDifference:
    """Return the multiset difference of a superstep of the reference and one that ran, both ways."""
    if expected.counts is None:
        return compare_entries(expected.entries, names)
    missing = _take_away(expected.names, names)
    return StepDifference(missing, _take_away(names, expected.names), len(expected.names) - len(missing))


def compare_entries(entries: Sequence[Entry], names: Sequence[str]) -> StepDifference:
    """Return what differs in the largest assignment of names to entries.

    Args:
        entries: Names and patterns of a reference.
        names: What ran.
    """
    partners = [[at for at, name in enumerate(names) if accepts(entry, name)] for entry in entries]
    partner_of = match_all(partners, len(names))
    taken = set(partner_of)
    missing = [entry for entry, at in zip(entries, partner_of, strict=True) if at is None]
    extra = tuple(name for at, name in enumerate(names) if at not in taken)
    shown = tuple(map(show_entry, missing))
    return StepDifference(shown, extra, len(entries) - len(missing), tuple(_say_reasons(missing, extra)))


def _say_reasons(missing: Sequence[Entry], extra: Sequence[str]) -> Iterator[str]:
    for entry in missing:
        if isinstance(entry, PreparedTool):
            reasons = ((name, entry.say_difference(name)) for name in extra)
            name, reason = next(((name, why) for name, why in reasons if why is not None), ("", None))
            if reason is not None:
                yield f"arguments of {show_name(name)}: {reason}"


def pair_cost(expected: ExpectedStep, names: Sequence[str], seen: Counter[str]) -> int:
    """Return what pairing two supersteps costs.

    Args:
        expected: The superstep of the reference.
        names: What ran in the other one.
        seen: The same, counted; the caller keeps the counts over many pairs.
    """
    shared = _count_shared(expected, names, seen)
    missing = len(expected.names) - shared
    extra = len(names) - shared
    if expected.mode == "subset":
        return extra
    if expected.mode == "superset":
        return missing
    if expected.mode == "exact" and not missing and not extra:
        return shared - _count_in_order(expected, names)
    return missing + extra


def whole_cost(names: Sequence[str]) -> int:
    """Return what a superstep costs that stands on one side only: its names, an empty one still 1."""
    return max(1, len(names))


def _count_shared(expected: ExpectedStep, names: Sequence[str], seen: Counter[str]) -> int:
    wanted = expected.counts
    if wanted is None:
        return compare_entries(expected.entries, names).shared
    small, large = (wanted, seen) if len(wanted) <= len(seen) else (seen, wanted)
    return sum(min(count, large.get(name, 0)) for name, count in small.items())


def _count_in_order(expected: ExpectedStep, names: Sequence[str]) -> int:
    """Return how many of the names can stay where they are."""
    if expected.counts is None:
        return longest_common_subsequence(expected.entries, names, accepts)
    return len(names) if expected.names == names else longest_common_subsequence(expected.names, names)


def longest_common_subsequence(
    first: Sequence[Entry], second: Sequence[str], fits: Callable[[Entry, str], bool] | None = None
) -> int:
    """Return the length of the longest common subsequence.

    Bit-parallel after Hyyrö (2004, "Bit-parallel LCS-length computation revisited"): one whole-number operation
    per name instead of a row of a table, because a fan-out can have thousands of tasks.

    Args:
        first: Names, or entries of a reference.
        second: Names.
        fits: Which of the first goes with which of the second; None: those that are equal.
    """
    places: dict[object, int] = {}
    if fits is None:
        for index, name in enumerate(first):
            places[name] = places.get(name, 0) | (1 << index)
    else:
        for name in set(second):
            places[name] = sum(1 << index for index, entry in enumerate(first) if fits(entry, name))
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
