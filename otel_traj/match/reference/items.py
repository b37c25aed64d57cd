"""A reference ready to be compiled: supersteps and what they stand in, a tree with no options left to look up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from otel_traj.match.supersteps import Bounds, ExpectedStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otel_traj.match.reference.name_patterns import Entry

__all__ = ["Alternatives", "AnySteps", "Group", "Item", "describe_item", "list_entries", "list_steps"]


@dataclass(frozen=True, slots=True)
class AnySteps:
    """Any number of supersteps."""


@dataclass(frozen=True, slots=True)
class Group:
    """Items that stand in turn, as often as the bounds say."""

    items: tuple[Item, ...]
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of several rows of items."""

    choices: tuple[tuple[Item, ...], ...]


Item: TypeAlias = ExpectedStep | Group | Alternatives | AnySteps
"""What stands in a reference in place of a superstep."""


def list_steps(items: Iterable[Item]) -> Iterator[ExpectedStep]:
    """Yield every superstep that is written in a reference, once each."""
    for item in items:
        if isinstance(item, ExpectedStep):
            yield item
        elif isinstance(item, Group):
            yield from list_steps(item.items)
        elif isinstance(item, Alternatives):
            for choice in item.choices:
                yield from list_steps(choice)


def list_entries(items: Iterable[Item]) -> list[Entry]:
    """Return the names and patterns of all supersteps that are written in a reference."""
    return [entry for step in list_steps(items) for entry in step.entries]


def describe_item(item: Item) -> str:
    """Return what an item is, in words for a complaint."""
    if isinstance(item, AnySteps):
        return "a gap"
    if isinstance(item, Alternatives):
        return "alternatives (OneOf)"
    what = "a loop (Repeat)" if isinstance(item, Group) else "a superstep"
    return what if item.bounds.is_once else f"{what} with min {item.bounds.min} and max {item.bounds.max}"
