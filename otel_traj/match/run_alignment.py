"""Which run is which, where there are more or fewer of them than expected.

The cheapest alignment of runs with references, both in their order: a pair costs what the run's own alignment costs,
a run or reference that is left alone all its names. So one run too many in the middle of a thread is named, and the
others are compared with their own references. Of equally cheap ones the first pairs are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.errors import EvaluatorBrokenError, PatternTimeoutError
from otel_traj.match.compare.step_match import whole_cost
from otel_traj.match.prepared import PreparedRun
from otel_traj.match.reference.items import list_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.inputs import GivenRun
    from otel_traj.match.prepared import PreparedReference

__all__ = ["align_runs"]

_MOST_COMPARISONS: Final = 100_000
"""Comparisons of supersteps above which runs and references are paired by their numbers: about as much as the
longest single alignment."""


def align_runs(references: Sequence[PreparedReference], runs: Sequence[GivenRun]) -> list[tuple[int, int]]:
    """Return the pairs of a reference and a run, by their indices, in order.

    Args:
        references: What is expected; each run is compared with one by the reference's own options.
        runs: What ran; one that is left alone is listed as the first reference asks for.
    """
    by_number = [(at, at) for at in range(min(len(references), len(runs)))]
    if not by_number:
        return []
    listed = {
        options: [PreparedRun(run, options) for run in runs]
        for options in dict.fromkeys(reference.options for reference in references)
    }
    if sum(_count_comparisons(each, listed[each.options]) for each in references) > _MOST_COMPARISONS:
        return by_number
    try:
        costs = [[_cost_pair(each, run) for run in listed[each.options]] for each in references]
    except (EvaluatorBrokenError, PatternTimeoutError):
        # What breaks is said of the pair that it breaks.
        return by_number
    lost = [_cost_reference(reference) for reference in references]
    extra = [_cost_run(run) for run in listed[references[0].options]]
    table = _fill_table(costs, lost, extra)
    pairs: list[tuple[int, int]] = []
    row = column = 0
    while row < len(references) and column < len(runs):
        best = table[row][column]
        if best == costs[row][column] + table[row + 1][column + 1]:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best == extra[column] + table[row][column + 1]:
            column += 1
        else:
            row += 1
    return pairs


def _count_comparisons(reference: PreparedReference, runs: Sequence[PreparedRun]) -> int:
    expected = sum(1 + sum(1 for _ in list_steps(way.items)) for way in reference.ways)
    return expected * sum(1 + len(run.actual) for run in runs)


def _fill_table(costs: Sequence[Sequence[int]], lost: Sequence[int], extra: Sequence[int]) -> list[list[int]]:
    rows, columns = len(lost), len(extra)
    table = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows, -1, -1):
        for column in range(columns, -1, -1):
            ways = []
            if row < rows and column < columns:
                ways.append(costs[row][column] + table[row + 1][column + 1])
            if column < columns:
                ways.append(extra[column] + table[row][column + 1])
            if row < rows:
                ways.append(lost[row] + table[row + 1][column])
            table[row][column] = min(ways, default=0)
    return table


def _cost_pair(reference: PreparedReference, run: PreparedRun) -> int:
    if not reference.ways or any(way.matches(run.actual) for way in reference.ways):
        return 0
    spans = run.index_spans()
    explained = [way.explain(run.actual, 0, spans) for way in reference.ways]
    costs = [
        each.score.cost or sum(max(1, len(op["missing"]) + len(op["extra"])) for op in each.ops)
        for each in explained
    ]
    return max(1, min(costs))


def _cost_reference(reference: PreparedReference) -> int:
    return max(1, min((way.worst_cost() for way in reference.ways), default=1))


def _cost_run(run: PreparedRun) -> int:
    return max(1, sum(whole_cost(step.names) for step in run.actual))
