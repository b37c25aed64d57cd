"""From an alignment to the list of differences, each with the spans a reader would want to open."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from otel_traj.match.levels import list_level

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otel_traj.match.compare.align import Move
    from otel_traj.match.explain.result import MatchOp, OpKind
    from otel_traj.match.levels import Level, ListedSuperstep
    from otel_traj.model import Run

__all__ = ["SpanIndex", "describe_moves", "faults_of", "kind_of", "make_op"]


@dataclass(frozen=True, slots=True)
class SpanIndex:
    """The spans of a run's supersteps; empty for a plain trajectory."""

    supersteps: Sequence[ListedSuperstep]

    @classmethod
    def of(cls, run: Run | None, level: Level = "nodes", depth: int | None = 0) -> SpanIndex:
        """Index a run; None has no spans."""
        return cls(() if run is None else list_level(run, level, depth).supersteps)

    def spans_at(self, position: int, names: Iterable[str]) -> list[str]:
        """Return the ids of the spans of these names in one superstep, attempts included, in task order.

        Args:
            position: Index of the superstep in the run's `steps`.
            names: Names, once per task. Where fewer than all tasks of a node are asked for it is the last
                ones: the first ones are what was expected.
        """
        if position >= len(self.supersteps):
            return []
        wanted = Counter(names)
        superstep = self.supersteps[position]
        found: list[tuple[str, ...]] = []
        for name, span_ids in zip(reversed(superstep.names), reversed(superstep.span_ids), strict=True):
            if wanted[name] > 0:
                wanted[name] -= 1
                found.append(span_ids)
        return [span_id for spans in reversed(found) for span_id in spans]


def kind_of(move: Move) -> OpKind:
    """Return what kind of difference a move with a cost is."""
    if move.actual is None:
        return "missing_step"
    if move.expected is None:
        return "too_many_repeats" if move.is_excess else "extra_step"
    if move.is_replaced:
        return "replaced"
    missing, extra = faults_of(move)
    if missing and extra:
        return "changed_nodes"
    if missing:
        return "missing_nodes"
    return "extra_nodes" if extra else "reordered"


def faults_of(move: Move) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the missing and the extra names that the mode objects to."""
    mode = None if move.expected is None or move.actual is None else move.expected.mode
    missing = () if mode == "subset" else move.difference.missing
    extra = () if mode == "superset" else move.difference.extra
    return missing, extra


def make_op(kind: OpKind, run: int | None) -> MatchOp:
    """Return an op without a place yet."""
    return {
        "op": kind,
        "run": run,
        "expected_superstep": None,
        "actual_superstep": None,
        "missing": [],
        "extra": [],
        "span_ids": [],
    }


def describe_moves(moves: Iterable[Move], run: int, spans: SpanIndex) -> list[MatchOp]:
    """Return one op per move that costs something, in order."""
    return [_describe_move(move, run, spans) for move in moves if move.cost]


def _describe_move(move: Move, run: int, spans: SpanIndex) -> MatchOp:
    kind = kind_of(move)
    missing, extra = faults_of(move)
    span_ids: list[str] = []
    if move.actual is not None:
        shown = move.actual.names if kind == "reordered" else extra
        span_ids = spans.spans_at(move.actual.position, shown)
    return {
        "op": kind,
        "run": run,
        "expected_superstep": None if move.expected is None else move.expected.number,
        "actual_superstep": None if move.actual is None else move.actual.number,
        "missing": list(missing),
        "extra": list(extra),
        "span_ids": span_ids,
    }
