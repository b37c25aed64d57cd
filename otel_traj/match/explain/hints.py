"""What several differences mean together: one sentence where a list of edits would leave the reader to guess.

A hint never changes a verdict. Names that one hint explains are not explained by a weaker one again: a misspelt
name, nodes that ran one after another or in parallel, and loops come before nodes that moved, and these before
another branch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from otel_traj.match.explain.grouping import find_merged, find_serialised
from otel_traj.match.explain.loops import find_loops
from otel_traj.match.explain.ops import faults_of
from otel_traj.match.explain.spelling import find_misspelt
from otel_traj.match.names import join_names, show_superstep
from otel_traj.match.supersteps import INTERRUPT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.align import Move
    from otel_traj.match.explain.result import HintKind

__all__ = ["Hint", "find_hints"]


@dataclass(frozen=True, slots=True)
class Hint:
    """One sentence about several differences."""

    kind: HintKind
    text: str


@dataclass(frozen=True, slots=True)
class _Transfer:
    """A name that is missing in one place of the alignment and extra in another."""

    name: str
    missing_at: int
    extra_at: int


def find_hints(moves: Sequence[Move]) -> list[Hint]:
    """Return the hints of one alignment: by kind, then from left to right."""
    misspelt, serialised, merged = find_misspelt(moves), find_serialised(moves), find_merged(moves)
    explained: set[tuple[int, str]] = set()
    for found in (*misspelt, *serialised, *merged):
        explained |= found.explained
    # Two tasks of one node that ran one after another look like a second round as well.
    loops = [found for found in find_loops(moves) if not found.explained <= explained]
    for found in loops:
        explained |= found.explained
    transfers = _find_transfers(moves, explained)
    for transfer in transfers:
        explained.update({(transfer.missing_at, transfer.name), (transfer.extra_at, transfer.name)})
    return [
        *(Hint("misspelt", found.text) for found in misspelt),
        *(Hint("serialised", found.text) for found in serialised),
        *(Hint("merged", found.text) for found in merged),
        *(Hint("loop_count", found.text) for found in loops),
        *_say_moved(moves, transfers),
        *_find_branches(moves, explained),
    ]


def _find_transfers(moves: Sequence[Move], explained: set[tuple[int, str]]) -> list[_Transfer]:
    free: dict[str, list[int]] = {}
    for place, move in enumerate(moves):
        for name in move.difference.extra:
            if (place, name) not in explained:
                free.setdefault(name, []).append(place)
    transfers: list[_Transfer] = []
    for place, move in enumerate(moves):
        for name in move.difference.missing:
            if (place, name) in explained:
                continue
            at_fault = name in faults_of(move)[0]
            for extra_at in free.get(name, ()):
                if at_fault or name in faults_of(moves[extra_at])[1]:
                    free[name].remove(extra_at)
                    transfers.append(_Transfer(name, place, extra_at))
                    break
    return transfers


def _say_moved(moves: Sequence[Move], transfers: Sequence[_Transfer]) -> list[Hint]:
    """Return one hint per pair of places; where both have one number there is nothing to tell."""
    names: dict[tuple[int, int], list[str]] = {}
    for transfer in transfers:
        names.setdefault((transfer.missing_at, transfer.extra_at), []).append(transfer.name)
    hints: list[Hint] = []
    for (missing_at, extra_at), moved in names.items():
        expected, actual = moves[missing_at].expected, moves[extra_at].actual
        if expected is not None and actual is not None and expected.number != actual.number:
            text = f"{join_names(moved)} ran in superstep {actual.number}, expected in superstep {expected.number}"
            hints.append(Hint("moved", text))
    return hints


def _find_branches(moves: Sequence[Move], explained: set[tuple[int, str]]) -> list[Hint]:
    """Return a hint for each stretch that begins with a replaced superstep and goes on differing as a whole."""
    hints: list[Hint] = []
    place = 0
    while place < len(moves):
        end = place
        while end < len(moves) and _differs_wholly(moves[end], end, explained):
            end += 1
        first = next((at for at in range(place, end) if moves[at].is_replaced), end)
        if end - first > 1:
            hints.append(_say_branch(moves[first]))
        place = max(end, place) + 1
    return hints


def _differs_wholly(move: Move, place: int, explained: set[tuple[int, str]]) -> bool:
    names = (*move.difference.missing, *move.difference.extra)
    if not move.cost or (move.is_pair and not move.is_replaced) or INTERRUPT in names:
        return False
    return not any((place, name) in explained for name in names)


def _say_branch(move: Move) -> Hint:
    wanted = () if move.expected is None else move.expected.names
    seen = () if move.actual is None else move.actual.names
    number = 0 if move.actual is None else move.actual.number
    return Hint(
        "wrong_branch",
        f"another branch was taken at superstep {number}: {show_superstep(seen)}, expected {show_superstep(wanted)}",
    )
