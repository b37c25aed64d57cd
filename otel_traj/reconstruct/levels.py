"""How deep the calls of graphs stand in one another, where a ring of them stands nowhere.

No program makes a ring, or nests a hundred graphs: a tool that rewrote the parents of spans does, or one that made
them up. A run in a ring has no top that would show it, and what follows here recurses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

__all__ = ["MAX_LEVELS", "find_levels"]

MAX_LEVELS: Final = 100
"""Levels of subgraph runs that are shown below a top-level run."""

_Key = TypeVar("_Key", bound="Hashable")


def find_levels(parents: Mapping[_Key, _Key | None]) -> dict[_Key, int | None]:
    """Return how many others stand above each key.

    Args:
        parents: The one above each key; None, or one that is no key itself, for a key on top.

    Returns:
        0 for a key on top; None for one in a ring, or below one.
    """
    levels: dict[_Key, int | None] = {}
    for key in parents:
        path: list[_Key] = []
        on_path: set[_Key] = set()
        above: _Key | None = key
        while above is not None and above in parents and above not in levels and above not in on_path:
            path.append(above)
            on_path.add(above)
            above = parents[above]
        level = None if above in on_path else -1 if above is None else levels.get(above, -1)
        for below in reversed(path):
            level = None if level is None else level + 1
            levels[below] = level
    return levels
