"""Numbers beside the verdict: edits, fitness, precision, recall and F1.

Fitness is that of conformance checking, 1 less the alignment's cost over the worst cost (nothing paired).
Precision and recall count names as multisets without their supersteps, so a run that only grouped its nodes
differently keeps 1.0 there and loses fitness. Over several runs each number is the mean of theirs, so that two runs
that changed places do not make up for each other. No gate is built on these numbers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from otel_traj.match.compare.alike import NameKinds, key_of
from otel_traj.match.compare.step_match import compare_entries
from otel_traj.match.reference.name_patterns import accepts

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

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
    """Return the numbers over all pairs of runs: edits are added up, the others are means over the runs."""
    costs = [run.cost for run in runs if run.cost is not None]
    aligned = len(costs) == len(runs)
    steps = [run.met_steps / run.expected_steps for run in runs if run.expected_steps]
    graded = [_grade(run.shared, run) for run in runs if run.shared is not None]
    is_known = len(graded) == len(runs)
    return Scores(
        edits=sum(costs) if aligned else None,
        fitness=_mean([_fitness(run) for run in runs]) if aligned else None,
        precision=_mean([grade[0] for grade in graded]) if is_known else None,
        recall=_mean([grade[1] for grade in graded]) if is_known else None,
        f1=_mean([grade[2] for grade in graded]) if is_known else None,
        steps_matched=_mean(steps) if steps else None,
    )


def _grade(shared: int, run: RunScore) -> tuple[float, float, float]:
    """Return precision, recall and F1 of one run."""
    precision = shared / run.actual_names if run.actual_names else float(not run.expected_names)
    recall = shared / run.expected_names if run.expected_names else 1.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _mean(values: Sequence[float]) -> float:
    return _round(sum(values) / len(values)) if values else 1.0


def _count_shared(expected: Sequence[Entry], actual: Sequence[str]) -> int:
    """Return how many names go with an entry of their own; literals take theirs first where there are very many."""
    literals = Counter(entry for entry in expected if isinstance(entry, str))
    seen = Counter(actual)
    shared = literals & seen
    if literals.total() == len(expected):
        return shared.total()
    if len(expected) * len(actual) <= _MOST_PAIRS:
        return compare_entries(expected, actual).shared
    return shared.total() + _count_accepted(expected, list((seen - shared).elements()))


def _count_accepted(expected: Sequence[Entry], names: Sequence[str]) -> int:
    """Return how many names patterns take, each the first that it accepts; equal ones are asked once."""
    kinds = NameKinds(names)
    left = list(kinds.counts)
    known: dict[Hashable, list[int]] = {}
    for entry in expected:
        if isinstance(entry, str):
            continue
        key = key_of(entry)
        if key not in known:
            known[key] = [kind for kind, name in enumerate(kinds.names) if accepts(entry, name)]
        at = next((kind for kind in known[key] if left[kind]), None)
        if at is not None:
            left[at] -= 1
    return len(names) - sum(left)


def _fitness(run: RunScore) -> float:
    return 1.0 - (run.cost or 0) / run.worst if run.worst else 1.0


def _round(value: float) -> float:
    """Round to three digits, but never up to a full 1 or down to a 0 that it is not."""
    return min(max(round(value, 3), 0.001), 0.999) if 0.0 < value < 1.0 else value
