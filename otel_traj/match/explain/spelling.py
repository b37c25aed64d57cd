"""Names of the reference that look like a slip of the pen for one that ran.

Said only of a name that never ran, and of one that the reference has nowhere: letters changed round, one too
many or too few, or another case or separator. Names that differ in a digit (`node1`, `node2`) or in a letter
that was replaced (`plan_a`, `plan_b`) are two nodes as a rule, so nothing is said of them.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from otel_traj.match.explain.grouping import Finding
from otel_traj.match.names import show_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.match.compare.align import Move, Side

__all__ = ["find_misspelt"]

_DIGITS: Final = re.compile("[0-9]+")
_MOST: Final = 20
"""Names on either side beyond which no slip is looked for: then it is another graph."""
_SHORT: Final = 4
"""Letters under which a slip can't be told from another name."""


def find_misspelt(moves: Sequence[Move]) -> list[Finding]:
    """Return what each misspelt name of the reference was probably meant to be."""
    expected, actual = _list_names(moves, "expected"), _list_names(moves, "actual")
    unknown = list(islice((name for name in actual if name not in expected), _MOST))
    findings: list[Finding] = []
    for name in islice((name for name in expected if name not in actual), _MOST):
        near = next((other for other in unknown if _is_near(name, other)), None)
        if near is not None:
            unknown.remove(near)
            text = f"did you mean {show_name(near)}? {show_name(name)} of the reference never ran"
            findings.append(Finding(text, frozenset(_find_places(moves, name, near))))
    return findings


def _list_names(moves: Sequence[Move], side: Side) -> dict[str, None]:
    return dict.fromkeys(name for move in moves for name in move.names_on(side) or ())


def _find_places(moves: Sequence[Move], missing: str, extra: str) -> Iterator[tuple[int, str]]:
    for at, move in enumerate(moves):
        if missing in move.difference.missing:
            yield at, missing
        if extra in move.difference.extra:
            yield at, extra


def _is_near(name: str, other: str) -> bool:
    if _DIGITS.findall(name) != _DIGITS.findall(other):
        return False
    short, long = sorted((_keep_letters(name), _keep_letters(other)), key=len)
    if len(short) < _SHORT:
        return short == long != ""
    if len(short) == len(long):
        return sorted(short) == sorted(long)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def _keep_letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
