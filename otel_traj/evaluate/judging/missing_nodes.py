"""Which nodes of a call did not arrive, and in which superstep, where its manifest tells.

A manifest lists the supersteps in their order, the spans carry LangGraph's numbers, which count over the thread.
What arrived is laid on the list so that each of its supersteps meets one that may have been it. If exactly one
way of laying it fits, each missing node has its superstep; otherwise (a loop whose beginning or end is lost, cached
nodes) only the names are known, and nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.model import Invocation

__all__ = ["MissingNodes", "find_missing"]


class MissingNodes(Struct, frozen=True, kw_only=True):
    """Node tasks that the recorder saw and that did not arrive."""

    superstep: int | None
    """Of the call: 1 is the first with nodes. None where that is not known."""
    nodes: tuple[str, ...]
    """Names as the manifest orders them, one per task."""


def find_missing(call: Invocation) -> list[MissingNodes]:
    """Return what is missing from a call, by superstep; empty where nothing is, or its manifest lists no nodes."""
    expected = call.arrival.expected_steps if call.arrival else None
    if expected is None:
        return []
    firsts = _find_firsts(expected, call)
    if call.steps and len(firsts) != 1:
        there = Counter(name for names in call.steps for name in names)
        nodes = _subtract([name for names in expected for name in names], there)
        return [MissingNodes(superstep=None, nodes=nodes)] if nodes else []
    arrived: dict[int, Counter[str]] = {}
    for number, names in zip(call.supersteps, call.steps, strict=True):
        arrived[number - firsts[0]] = Counter(names)
    rows = ((index, _subtract(names, arrived.get(index, Counter()))) for index, names in enumerate(expected))
    return [MissingNodes(superstep=index + 1, nodes=nodes) for index, nodes in rows if nodes]


def _find_firsts(expected: Sequence[Sequence[str]], call: Invocation) -> list[int]:
    """Return the numbers that the first expected superstep may have had."""
    if not call.steps or len(call.steps) > len(expected):
        return []
    counts = [Counter(names) for names in expected]
    lowest = call.supersteps[-1] - len(expected) + 1
    return [
        first
        for first in range(lowest, call.supersteps[0] + 1)
        if all(
            Counter(names) <= counts[number - first]
            for number, names in zip(call.supersteps, call.steps, strict=True)
        )
    ]


def _subtract(names: Sequence[str], there: Counter[str]) -> tuple[str, ...]:
    """Return the names without so many of each as are there."""
    left = Counter(there)
    missing = []
    for name in names:
        if left[name] > 0:
            left[name] -= 1
        else:
            missing.append(name)
    return tuple(missing)
