"""Rounds of a loop that are more than the reference allows, told apart from supersteps that it does not know."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from otel_traj.match.compare.step_match import step_matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.align import Move
    from otel_traj.match.supersteps import ActualStep, Bounds, ExpectedStep

__all__ = ["mark_excess"]


def mark_excess(moves: Sequence[Move]) -> list[Move]:
    """Return an alignment in which extra supersteps say of which loop they are a round too many.

    An extra superstep is, if it stands beside rounds of a bounded loop, with nothing but extra ones between, and is
    one of those that the loop repeats.
    """
    return [_mark(move, moves, at) for at, move in enumerate(moves)]


def _mark(move: Move, moves: Sequence[Move], at: int) -> Move:
    if move.expected is not None or not move.cost or move.actual is None:
        return move
    for beside in (moves[:at][::-1], moves[at + 1 :]):
        neighbour = next((other for other in beside if other.expected is not None), None)
        if neighbour is not None and _repeats(neighbour.bounds, moves, move.actual):
            return replace(move, bounds=neighbour.bounds, is_excess=True)
    return move


def _repeats(bounds: Bounds, moves: Sequence[Move], actual: ActualStep) -> bool:
    if bounds.is_once or bounds.max is None:
        return False
    steps: list[ExpectedStep] = [
        move.expected for move in moves if move.bounds is bounds and move.expected is not None
    ]
    return any(step_matches(step, actual) for step in steps)
