"""What a pass let through: differences that the modes, bounds and gaps of a reference allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.match.compare.align import Move
    from otel_traj.match.explain.result import Tolerated

__all__ = ["add_tolerated", "sum_tolerated"]


def sum_tolerated(moves: Iterable[Move]) -> Tolerated:
    """Return what the pairs of an alignment tolerate."""
    total: Tolerated = {"missing": [], "extra": [], "reordered_supersteps": 0, "gap_supersteps": 0}
    for move in moves:
        if move.is_gap:
            total["gap_supersteps"] += 1
        elif move.is_pair and not move.cost and move.expected is not None and move.actual is not None:
            total["missing"] += move.difference.missing
            total["extra"] += move.difference.extra
            is_turned = move.expected.mode != "exact" and move.expected.counts is not None
            if is_turned and not move.difference.missing and not move.difference.extra:
                total["reordered_supersteps"] += move.expected.names != move.actual.names
    return total


def add_tolerated(one: Tolerated, two: Tolerated) -> Tolerated:
    """Return what two runs tolerate together."""
    return {
        "missing": one["missing"] + two["missing"],
        "extra": one["extra"] + two["extra"],
        "reordered_supersteps": one["reordered_supersteps"] + two["reordered_supersteps"],
        "gap_supersteps": one["gap_supersteps"] + two["gap_supersteps"],
    }
