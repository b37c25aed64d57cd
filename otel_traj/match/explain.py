"""The explanation of one run that did not match: differences, what they mean together, and numbers.

Where both sides are short enough the differences are those of the cheapest alignment. Otherwise only the first
superstep that differs is named, and how long the two are; the numbers that need an alignment are None then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from otel_traj.match.align import MAX_SUPERSTEPS, Move, align, is_too_large, move_of
from otel_traj.match.comment import say_move
from otel_traj.match.hints import Hint, find_hints
from otel_traj.match.ops import SpanIndex, describe_moves
from otel_traj.match.scores import RunScore, score_pair
from otel_traj.match.step_match import step_matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.result import MatchOp
    from otel_traj.match.supersteps import ActualStep, ExpectedStep

__all__ = ["Explanation", "explain_pair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why one run does not match its reference."""

    ops: list[MatchOp]
    lines: list[str]
    """One sentence per op, in the same order."""
    hints: list[Hint]
    note: str | None
    """What the explanation leaves out; None where it is whole."""
    score: RunScore


def explain_pair(
    expected: Sequence[ExpectedStep], actual: Sequence[ActualStep], run: int, spans: SpanIndex
) -> Explanation:
    """Explain how a run differs from its reference.

    Args:
        expected: Supersteps of the reference, ready to compare.
        actual: Supersteps that ran, ready to compare.
        run: Index of the run, for the ops.
        spans: Where the run's spans are found.
    """
    if is_too_large(expected, actual):
        return _explain_first(expected, actual, run, spans)
    moves = align(expected, actual)
    return Explanation(
        ops=describe_moves(moves, run, spans),
        lines=[say_move(move) for move in moves if move.cost],
        hints=find_hints(moves),
        note=None,
        score=score_pair(expected, actual, moves),
    )


def _explain_first(
    expected: Sequence[ExpectedStep], actual: Sequence[ActualStep], run: int, spans: SpanIndex
) -> Explanation:
    moves = _first_difference(expected, actual)
    too_long = max(len(expected), len(actual)) > MAX_SUPERSTEPS
    bound = f"over {MAX_SUPERSTEPS} supersteps" if too_long else "supersteps too wide to align"
    return Explanation(
        ops=describe_moves(moves, run, spans),
        lines=[say_move(move) for move in moves],
        hints=[],
        note=f"expected {len(expected)} supersteps, got {len(actual)}; {bound}: only the first difference is named",
        score=score_pair(expected, actual, None),
    )


def _first_difference(expected: Sequence[ExpectedStep], actual: Sequence[ActualStep]) -> list[Move]:
    """Return the first place where the two differ, position by position; empty where they match."""
    for wanted, seen in zip(expected, actual, strict=False):
        if not step_matches(wanted, seen):
            return [move_of(wanted, seen, 1)]
    common = min(len(expected), len(actual))
    if len(actual) > common:
        return [move_of(None, actual[common], 1)]
    return [move_of(expected[common], None, 1)] if len(expected) > common else []
