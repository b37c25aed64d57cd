"""Nested lines drawn as a tree; knows nothing of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from otel_traj.report.escape import wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["ASCII_GLYPHS", "GLYPHS", "Branch", "Glyphs", "draw_branches"]


class Glyphs(Struct, frozen=True):
    """The four pieces a tree is drawn with; each three characters wide."""

    inner: str
    last: str
    below_inner: str
    below_last: str


GLYPHS = Glyphs("├─ ", "└─ ", "│  ", "   ")
ASCII_GLYPHS = Glyphs("|- ", "`- ", "|  ", "   ")
"""For an output whose encoding lacks box characters."""


class Branch(Struct, frozen=True):
    """One line with what hangs below it."""

    text: str
    """Already escaped; wrapped where it is longer than the line."""
    below: list[Branch] = []


def draw_branches(
    branches: Sequence[Branch], *, width: int, glyphs: Glyphs = GLYPHS, prefix: str = ""
) -> Iterator[str]:
    """Yield the lines of a tree.

    Args:
        branches: The topmost branches, in order.
        width: Characters per line.
        glyphs: What to draw with.
        prefix: Stands before every line.
    """
    for index, branch in enumerate(branches):
        is_last = index == len(branches) - 1
        inner = prefix + (glyphs.below_last if is_last else glyphs.below_inner)
        first = prefix + (glyphs.last if is_last else glyphs.inner)
        continued = inner + (glyphs.below_inner if branch.below else glyphs.below_last)
        yield from wrap(branch.text, width=width, indent=first, hanging=continued)
        yield from draw_branches(branch.below, width=width, glyphs=glyphs, prefix=inner)
