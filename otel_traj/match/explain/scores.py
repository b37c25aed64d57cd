"""Numbers beside the verdict: edits, fitness, precision, recall and F1.

Fitness is that of conformance checking, 1 less the alignment's cost over the worst cost (nothing paired).
Precision and recall count names as multisets without their supersteps, so a run that only grouped its nodes
differently keeps 1.0 there and loses fitness. Counts are summed over the pairs of runs, never across them: two
runs that changed places do not make up for each other. No gate is built on these numbers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from otel_traj.match.compare.step_match import compare_entries
from otel_traj.match.reference.name_patterns import accepts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.align import Move, Side
    from otel_traj.match.reference.name_patterns import Entry

__all__ = [
    "RunScore",
    "Scores",
    "combine_scores",
    "score_moves",
    "score_run",
    "score_single",
    "score_unknown",
]

_MOST_PAIRS: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScore:
    """What one pair of run and reference contributes."""

    cost: int | None
    """None where the pair was too long to align."""
    worst: int
    shared: int | None
    """None where names could not be compared."""
    expected_names: int
    actual_names: int
    met_steps: int = 0
    """Expected supersteps that ran as expected."""
    expected_steps: int = 0
    """0 where nothing is known of single supersteps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The numbers of a whole comparison, rounded to three digits."""

    edits: int | None
    fitness: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    steps_matched: float | None
    """None where nothing is known of single supersteps."""


def score_run(*, cost: int | None, worst: int, expected: Sequence[Entry], actual: Sequence[str]) -> RunScore:
    """Return the contribution of a run and its reference.

    Args:
        cost: Of the alignment; None where none was made.
        worst: What it costs to pair nothing.
        expected: All entries of the supersteps that were expected.
        actual: All names that ran, but for those that a gap took.
    """
    return RunScore(
        cost=cost,
        worst=worst,
        shared=_count_shared(expected, actual),
        expected_names=len(expected),
        actual_names=len(actual),
    )


def score_moves(moves: Sequence[Move], *, worst: int | None) -> RunScore:
    """Return the contribution of a run that was aligned with its reference.

    Args:
        moves: Its alignment.
        worst: What it costs to pair nothing; None where the trajectory mode gives no cost.
    """
    taken = [move for move in moves if not move.is_gap]
    expected = [move for move in taken if move.expected is not None]
    score = score_run(
        cost=None if worst is None else sum(move.cost for move in moves),
        worst=worst or 0,
        expected=[entry for move in expected if move.expected is not None for entry in move.expected.entries],
        actual=[name for move in taken if move.actual is not None for name in move.actual.names],
    )
    return replace(
        score, met_steps=sum(1 for move in expected if not move.cost), expected_steps=len(expected)
    )


def score_unknown() -> RunScore:
    """Return the contribution of a run of which nothing can be counted."""
    return RunScore(cost=None, worst=0, shared=None, expected_names=0, actual_names=0)


def score_single(names: Sequence[Entry], side: Side, *, worst: int) -> RunScore:
    """Return the contribution of a run without a reference or of a reference without a run.

    Args:
        names: All names of the one that is there.
        side: Which one that is.
        worst: What it costs to pair nothing of it. Even a run without supersteps costs 1, so that no difference is
            free.
    """
    return RunScore(
        cost=max(1, worst),
        worst=max(1, worst),
        shared=0,
        expected_names=len(names) if side == "expected" else 0,
        actual_names=len(names) if side == "actual" else 0,
    )


def combine_scores(runs: Sequence[RunScore]) -> Scores:
    """Return the numbers over all pairs of runs; fitness is the mean of theirs."""
    costs = [run.cost for run in runs if run.cost is not None]
    aligned = len(costs) == len(runs)
    fitness = sum(_fitness(run) for run in runs) / len(runs) if runs else 1.0
    steps = sum(run.expected_steps for run in runs)
    expected_names = sum(run.expected_names for run in runs)
    actual_names = sum(run.actual_names for run in runs)
    known = [run.shared for run in runs if run.shared is not None]
    graded = _grade(sum(known), expected_names, actual_names) if len(known) == len(runs) else (None,) * 3
    return Scores(
        edits=sum(costs) if aligned else None,
        fitness=_round(fitness) if aligned else None,
        precision=graded[0],
        recall=graded[1],
        f1=graded[2],
        steps_matched=_round(sum(run.met_steps for run in runs) / steps) if steps else None,
    )


def _grade(shared: int, expected_names: int, actual_names: int) -> tuple[float, float, float]:
    """Return precision, recall and F1."""
    precision = shared / actual_names if actual_names else float(not expected_names)
    recall = shared / expected_names if expected_names else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return _round(precision), _round(recall), _round(f1)


def _count_shared(expected: Sequence[Entry], actual: Sequence[str]) -> int:
    """Return how many names go with an entry of their own; literals take theirs first where there are very many."""
    literals = Counter(entry for entry in expected if isinstance(entry, str))
    seen = Counter(actual)
    shared = literals & seen
    if literals.total() == len(expected):
        return shared.total()
    if len(expected) * len(actual) <= _MOST_PAIRS:
        return compare_entries(expected, actual).shared
    left = list((seen - shared).elements())
    for entry in expected:
        at = next(
            (at for at, name in enumerate(left) if not isinstance(entry, str) and accepts(entry, name)), None
        )
        if at is not None:
            del left[at]
    return len(actual) - len(left)


def _fitness(run: RunScore) -> float:
    return 1.0 - (run.cost or 0) / run.worst if run.worst else 1.0


def _round(value: float) -> float:
    """Round to three digits, but never up to a full 1 or down to a 0 that it is not."""
    return min(max(round(value, 3), 0.001), 0.999) if 0.0 < value < 1.0 else value
