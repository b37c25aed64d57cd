"""Numbers beside the verdict: edits, fitness, precision, recall and F1.

Fitness is that of conformance checking, 1 less the alignment's cost over the worst cost (nothing paired).
Precision and recall count names as multisets without their supersteps, so a run that only grouped its nodes
differently keeps 1.0 there and loses fitness. Counts are summed over the pairs of runs, never across them: two
runs that changed places do not make up for each other. No gate is built on these numbers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from otel_traj.match.step_match import whole_cost

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otel_traj.match.align import Move
    from otel_traj.match.supersteps import ActualStep, ExpectedStep

__all__ = ["RunScore", "Scores", "combine_scores", "score_pair", "score_single"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScore:
    """What one pair of run and reference contributes."""

    cost: int | None
    """None where the pair was too long to align."""
    worst: int
    shared: int
    expected_names: int
    actual_names: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The numbers of a whole comparison, rounded to three digits."""

    edits: int | None
    fitness: float | None
    precision: float
    recall: float
    f1: float


def score_pair(
    expected: Sequence[ExpectedStep], actual: Sequence[ActualStep], moves: Iterable[Move] | None
) -> RunScore:
    """Return the contribution of a run and its reference; `moves` is None where no alignment was made."""
    wanted = Counter(name for step in expected for name in step.names)
    seen = Counter(name for step in actual for name in step.names)
    return RunScore(
        cost=None if moves is None else sum(move.cost for move in moves),
        worst=_worst_cost(expected, actual),
        shared=(wanted & seen).total(),
        expected_names=wanted.total(),
        actual_names=seen.total(),
    )


def score_single(expected: Sequence[ExpectedStep], actual: Sequence[ActualStep]) -> RunScore:
    """Return the contribution of a run without a reference or of a reference without a run (the other empty).

    Even a run without supersteps costs 1, so that no difference is free.
    """
    worst = max(1, _worst_cost(expected, actual))
    return RunScore(
        cost=worst,
        worst=worst,
        shared=0,
        expected_names=sum(len(step.names) for step in expected),
        actual_names=sum(len(step.names) for step in actual),
    )


def combine_scores(runs: Sequence[RunScore]) -> Scores:
    """Return the numbers over all pairs of runs; fitness is the mean of theirs."""
    costs = [run.cost for run in runs if run.cost is not None]
    aligned = len(costs) == len(runs)
    fitness = sum(_fitness(run) for run in runs) / len(runs) if runs else 1.0
    shared = sum(run.shared for run in runs)
    expected_names = sum(run.expected_names for run in runs)
    actual_names = sum(run.actual_names for run in runs)
    precision = shared / actual_names if actual_names else float(not expected_names)
    recall = shared / expected_names if expected_names else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Scores(
        edits=sum(costs) if aligned else None,
        fitness=_round(fitness) if aligned else None,
        precision=_round(precision),
        recall=_round(recall),
        f1=_round(f1),
    )


def _worst_cost(expected: Sequence[ExpectedStep], actual: Sequence[ActualStep]) -> int:
    return sum(whole_cost(step.names) for step in expected) + sum(whole_cost(step.names) for step in actual)


def _fitness(run: RunScore) -> float:
    return 1.0 - (run.cost or 0) / run.worst if run.worst else 1.0


def _round(value: float) -> float:
    """Round to three digits, but never up to a full 1 or down to a 0 that it is not."""
    return min(max(round(value, 3), 0.001), 0.999) if 0.0 < value < 1.0 else value
