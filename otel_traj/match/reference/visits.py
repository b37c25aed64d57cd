"""How often names run in a run that matches a reference: at least, and at most.

Only what is certain is said. A pattern may stand for a name that is meant or for another one; what a mode, a gap or
a loop leaves open has no most.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Final

from otel_traj.match.reference.items import Alternatives, AnySteps, Group
from otel_traj.match.supersteps import INTERRUPT, ExpectedStep, is_interrupt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otel_traj.match.options import MatchOptions
    from otel_traj.match.reference.items import Item
    from otel_traj.match.supersteps import Bounds

__all__ = ["Span", "count_supersteps", "count_visits"]

_MAY_LACK: Final = frozenset({"so_far", "flat_subset"})
_MAY_ADD: Final = frozenset({"starts_with", "contains", "subsequence", "flat_in_order", "flat_superset"})


@dataclass(frozen=True, slots=True)
class Span:
    """How often something is there."""

    least: float
    most: float
    """`inf` where there is no bound."""


def count_visits(items: Sequence[Item], is_meant: Callable[[str], bool], options: MatchOptions) -> Span:
    """Return how often names run in a run that matches.

    Args:
        items: The reference.
        is_meant: Tells the names.
        options: How it is compared.
    """
    is_flat = options.trajectory_mode.startswith("flat_")

    def count(step: ExpectedStep) -> Span:
        certain = sum(isinstance(entry, str) and is_meant(entry) for entry in step.entries)
        perhaps = certain + sum(not isinstance(entry, str) for entry in step.entries)
        if not is_flat and step.mode == "subset":
            certain = 0
        is_open = (not is_flat and step.mode == "superset") or (perhaps and options.duplicates == "ignore")
        return Span(certain, inf if is_open else perhaps)

    span = _open(_sum(items, count), options)
    # That a run waits at its end is left out before it is compared with the supersteps, and seen by the rules.
    may_wait = options.trajectory_mode == "so_far" and is_meant(INTERRUPT)
    return Span(span.least, inf if may_wait else span.most)


def count_supersteps(items: Sequence[Item], options: MatchOptions) -> Span:
    """Return how many supersteps a run has that matches, interrupt markers left out; flat modes know none."""
    if options.trajectory_mode.startswith("flat_"):
        return Span(0, inf)
    return _open(_sum(items, lambda step: Span(not _may_be_marker(step), 1)), options)


def _may_be_marker(step: ExpectedStep) -> bool:
    """Whether an interrupt marker, or no name at all beside it, may stand in the place of a superstep."""
    names = [entry for entry in step.entries if isinstance(entry, str)]
    needs_node = step.mode != "subset" and any(not is_interrupt((name,)) for name in names)
    is_closed = step.mode != "superset" and len(names) == len(step.entries)
    return not needs_node and not (is_closed and not any(is_interrupt((name,)) for name in names))


def _open(span: Span, options: MatchOptions) -> Span:
    mode = options.trajectory_mode
    return Span(0 if mode in _MAY_LACK else span.least, inf if mode in _MAY_ADD else span.most)


def _sum(items: Sequence[Item], count: Callable[[ExpectedStep], Span]) -> Span:
    spans = [_count_item(item, count) for item in items]
    return Span(sum(span.least for span in spans), sum(span.most for span in spans))


def _count_item(item: Item, count: Callable[[ExpectedStep], Span]) -> Span:
    if isinstance(item, AnySteps):
        return Span(0, inf)
    if isinstance(item, Alternatives):
        spans = [_sum(choice, count) for choice in item.choices]
        return Span(min(span.least for span in spans), max(span.most for span in spans))
    if isinstance(item, Group):
        return _multiply(_sum(item.items, count), item.bounds)
    return _multiply(count(item), item.bounds)


def _multiply(once: Span, bounds: Bounds) -> Span:
    if not once.most:
        return once
    return Span(once.least * bounds.min, inf if bounds.max is None else once.most * bounds.max)
