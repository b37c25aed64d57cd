"""A matcher written from the specification alone, by trying everything; only for small inputs.

It shares no code with the engine: multisets are lists that names are removed from, the longest common
subsequence tries every choice, and an alignment is the best of all there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tests.match.every_assignment import fits

if TYPE_CHECKING:
    from otel_traj.match.reference.name_patterns import Entry

__all__ = ["all_alignments", "best_alignment", "longest_common", "passes_strictly", "step_cost"]

Step = Sequence[str]

_PREFERENCE = {"pair": 0, "extra": 1, "missing": 2}


def passes_strictly(expected: Sequence[Step], actual: Sequence[Step], modes: Sequence[str]) -> bool:
    """Return whether there are as many supersteps as expected and each passes its mode."""
    if len(expected) != len(actual):
        return False
    return all(_passes(*each) for each in zip(expected, actual, modes, strict=True))


def best_alignment(
    expected: Sequence[Step], actual: Sequence[Step], modes: Sequence[str]
) -> tuple[int, int, tuple[str, ...]]:
    """Return cost, number of differing places, and the moves of the alignment to choose."""
    return min(
        all_alignments(expected, actual, modes),
        key=lambda found: (found[0], found[1], [_PREFERENCE[move] for move in found[2]]),
    )


def all_alignments(
    expected: Sequence[Step], actual: Sequence[Step], modes: Sequence[str]
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield every alignment as its cost, its number of differing places, and its moves."""
    if not expected and not actual:
        yield 0, 0, ()
        return
    if expected and actual:
        here = step_cost(expected[0], actual[0], modes[0])
        for cost, places, moves in all_alignments(expected[1:], actual[1:], modes[1:]):
            yield cost + here, places + (here > 0), ("pair", *moves)
    if actual:
        for cost, places, moves in all_alignments(expected, actual[1:], modes):
            yield cost + max(1, len(actual[0])), places + 1, ("extra", *moves)
    if expected:
        for cost, places, moves in all_alignments(expected[1:], actual, modes[1:]):
            yield cost + max(1, len(expected[0])), places + 1, ("missing", *moves)


def step_cost(expected: Step, actual: Step, mode: str) -> int:
    """Return the cost of pairing two supersteps."""
    missing, extra = _left_over(expected, actual), _left_over(actual, expected)
    if mode == "subset":
        return len(extra)
    if mode == "superset":
        return len(missing)
    if mode == "exact" and not missing and not extra:
        return len(expected) - longest_common(expected, actual)
    return len(missing) + len(extra)


def _passes(expected: Step, actual: Step, mode: str) -> bool:
    if mode == "exact":
        return list(expected) == list(actual)
    missing, extra = _left_over(expected, actual), _left_over(actual, expected)
    return {"unordered": not missing and not extra, "subset": not extra, "superset": not missing}[mode]


def _left_over(names: Step, others: Step) -> list[str]:
    left = list(names)
    for name in others:
        if name in left:
            left.remove(name)
    return left


def longest_common(first: Sequence[Entry], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of entries and names."""
    if not first or not second:
        return 0
    skipped = max(longest_common(first[1:], second), longest_common(first, second[1:]))
    return max(skipped, 1 + longest_common(first[1:], second[1:])) if fits(first[0], second[0]) else skipped
