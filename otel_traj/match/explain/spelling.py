"""Names of the reference that look like a slip of the pen for one that ran.

Said only of a name that never ran, and of one that the reference has nowhere. A pattern is no name; a tool with
arguments is known by its own name, not by what shows its arguments too.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from otel_traj.match.explain.grouping import Finding
from otel_traj.match.names import show_name
from otel_traj.match.near_names import is_near

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.match.compare.align import Move

__all__ = ["find_misspelt"]

_MOST: Final = 20
"""Names on either side beyond which no slip is looked for: then it is another graph."""


def find_misspelt(moves: Sequence[Move]) -> list[Finding]:
    """Return what each misspelt name of the reference was probably meant to be."""
    written = _list_written(moves)
    known = set(written.values())
    actual = dict.fromkeys(name for move in moves for name in move.names_on("actual") or ())
    unknown = list(islice((name for name in actual if name not in known), _MOST))
    findings: list[Finding] = []
    for shown, name in islice(
        ((shown, name) for shown, name in written.items() if name not in actual), _MOST
    ):
        near = next((other for other in unknown if is_near(name, other)), None)
        if near is not None:
            unknown.remove(near)
            text = f"did you mean {show_name(near)}? {show_name(name)} of the reference never ran"
            findings.append(Finding(text, frozenset(_find_places(moves, shown, near))))
    return findings


def _list_written(moves: Sequence[Move]) -> dict[str, str]:
    """Return the names of the reference by how they are shown, each once: `search` by `search(query)`."""
    steps = [move.expected for move in moves if move.expected is not None]
    entries = [pair for step in steps for pair in zip(step.names, step.entries, strict=True)]
    named = (
        (shown, entry if isinstance(entry, str) else getattr(entry, "name", None)) for shown, entry in entries
    )
    return {shown: str.__str__(name) for shown, name in named if isinstance(name, str)}


def _find_places(moves: Sequence[Move], missing: str, extra: str) -> Iterator[tuple[int, str]]:
    for at, move in enumerate(moves):
        if missing in move.difference.missing:
            yield at, missing
        if extra in move.difference.extra:
            yield at, extra
