"""References and runs for the modes that know no supersteps: few names, so that they often meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from hypothesis import strategies as st

from otel_traj.match.compare.flat import FlatComparer
from otel_traj.match.compare.flat_items import FlatMode
from otel_traj.match.explain.ops import SpanIndex
from otel_traj.match.reference.items import Alternatives, AnySteps, Group, Item
from otel_traj.match.reference.name_patterns import Any, Entry, Glob, OneOf
from otel_traj.match.supersteps import ActualStep, Bounds, ExpectedStep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.comparer import Explanation

__all__ = [
    "MODES",
    "REFERENCE",
    "bounded",
    "entries",
    "explain",
    "literal_references",
    "loose_references",
    "names",
    "passes",
    "ran",
    "runs",
    "small_references",
    "small_runs",
    "wanted",
]

MODES: tuple[FlatMode, ...] = get_args(FlatMode)

REFERENCE = [["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]]


def wanted(*supersteps: Sequence[Entry]) -> list[Item]:
    """Return a reference of supersteps that stand once."""
    return [ExpectedStep(number, tuple(entries), "exact") for number, entries in enumerate(supersteps, 1)]


def bounded(entries: Sequence[Entry], low: int, high: int | None, number: int = 1) -> ExpectedStep:
    """Return a superstep of a reference with bounds."""
    return ExpectedStep(number, tuple(entries), "exact", Bounds(low, high))


def ran(*supersteps: Sequence[str]) -> list[ActualStep]:
    """Return a run."""
    return [ActualStep(at + 1, tuple(names), at) for at, names in enumerate(supersteps)]


def passes(items: Sequence[Item], actual: Sequence[ActualStep], mode: FlatMode) -> bool:
    """Return the verdict, which the explanation has to agree with."""
    comparer = FlatComparer(items, mode)
    verdict = comparer.matches(actual)
    explanation = explain(items, actual, mode)
    assert bool(explanation.ops) is not verdict
    assert len(explanation.ops) == len(explanation.lines)
    return verdict


def explain(items: Sequence[Item], actual: Sequence[ActualStep], mode: FlatMode) -> Explanation:
    """Return what differs, of a plain trajectory."""
    return FlatComparer(items, mode).explain(actual, 0, SpanIndex.of(None))


names = st.sampled_from(["a", "b", "c"])
patterns: st.SearchStrategy[Entry] = st.sampled_from(
    [Glob("[ab]"), Glob("[bc]"), Any(), OneOf("a", Glob("c*"))]
)
entries: st.SearchStrategy[Entry] = names | patterns
runs = st.lists(st.lists(names, max_size=3), max_size=3)
small_runs = st.lists(st.lists(names, max_size=3), max_size=4).filter(lambda run: sum(map(len, run)) <= 5)
small_references = st.lists(st.lists(entries, max_size=3), max_size=4).filter(
    lambda steps: sum(map(len, steps)) <= 5
)
literal_references = st.lists(st.lists(names, max_size=3), max_size=4)
some_bounds = st.sampled_from(
    [Bounds(), Bounds(0, 1), Bounds(0, None), Bounds(1, None), Bounds(1, 2), Bounds(2, 2)]
)


@st.composite
def loose_references(draw: st.DrawFn) -> list[Item]:
    """Return a reference with bounds, loops, gaps and single alternatives."""
    items: list[Item] = []
    for number in range(1, draw(st.integers(0, 2)) + 1):
        step = ExpectedStep(number, tuple(draw(st.lists(entries, max_size=2))), "exact", draw(some_bounds))
        kind = draw(st.sampled_from(["step", "step", "group", "choice", "gap"]))
        if kind == "group":
            items.append(Group((step,), draw(some_bounds)))
        elif kind == "choice":
            choices = draw(st.lists(entries, min_size=1, max_size=2))
            items.append(Alternatives(tuple((ExpectedStep(number, (entry,), "exact"),) for entry in choices)))
        elif kind == "gap":
            items.append(AnySteps())
        else:
            items.append(step)
    return items
