"""Which of very many trajectories that a reference allows are looked at for the nearest one.

An explanation is that of the nearest trajectory, and to find it each one is aligned with the run, which is
quadratic. Hundreds of them would take minutes for a few lines of text. So where they are more than a bound allows,
only those that share the most names with the run are aligned, and the explanation says so. No verdict depends on it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from otel_traj.match.reference.items import list_entries
from otel_traj.match.reference.name_patterns import show_entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.comparer import Comparer
    from otel_traj.match.supersteps import ActualStep

__all__ = ["pick_near_ways"]

_MAX_CELLS: Final = 100_000
"""States of all trajectories times supersteps of the run above which not all are aligned."""


def pick_near_ways(ways: Sequence[Comparer], actual: Sequence[ActualStep]) -> list[int]:
    """Return which trajectories are explained, ascending; at least one.

    Args:
        ways: All trajectories of a reference.
        actual: What ran.
    """
    sizes = [way.size * (len(actual) + 1) for way in ways]
    if sum(sizes) <= _MAX_CELLS:
        return list(range(len(ways)))
    ran = Counter(str(name) for step in actual for name in step.names)
    picked: list[int] = []
    left = _MAX_CELLS
    for at in sorted(range(len(ways)), key=lambda at: (_measure(ways[at], ran), at)):
        left -= sizes[at]
        if picked and left < 0:
            break
        picked.append(at)
    return sorted(picked)


def _measure(way: Comparer, ran: Counter[str]) -> int:
    """Return how many names only one of the two has."""
    written = Counter(map(show_entry, list_entries(way.items)))
    return (written - ran).total() + (ran - written).total()
