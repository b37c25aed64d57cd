"""Trajectories compared by their names, whatever the supersteps: the modes `flat_*`.

Step modes play no part. Three modes compare multisets of names: the same ones (`flat_unordered`), at least
(`flat_superset`), at most (`flat_subset`). Two look at the order as well, in which names of one superstep have none on
either side: the same names (`flat_exact`), others between (`flat_in_order`). No alignment is made, so there are
neither edits nor fitness.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from otel_traj.match.compare.align import move_of
from otel_traj.match.compare.comparer import Explanation
from otel_traj.match.compare.flat_exact import OrderAssignment
from otel_traj.match.compare.flat_in_order import find_order_fault
from otel_traj.match.compare.flat_items import read_flat, unfold_required
from otel_traj.match.compare.flat_names import NameCounts
from otel_traj.match.explain.hints import Hint
from otel_traj.match.explain.scores import RunScore
from otel_traj.match.explain.spelling import find_misspelt
from otel_traj.match.names import list_names, show_superstep
from otel_traj.match.reference.name_patterns import show_entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.compare.flat_items import FlatMode
    from otel_traj.match.compare.flat_names import FlatDifference
    from otel_traj.match.explain.ops import SpanIndex
    from otel_traj.match.explain.result import MatchOp, OpKind, Tolerated
    from otel_traj.match.reference.items import Item
    from otel_traj.match.supersteps import ActualStep, ExpectedStep

__all__ = ["FlatComparer"]


class FlatComparer:
    """A reference ready to compare by names."""

    def __init__(self, items: Sequence[Item], mode: FlatMode) -> None:
        """Read a reference.

        Raises:
            InvalidReferenceError: It holds what means nothing in this mode, or needs more than 200,000 names.
        """
        self.items = items
        self._mode = mode
        self._reference = read_flat(items, mode)
        self._counts = NameCounts(self._reference)
        self._row = list(unfold_required(items)) if mode in ("flat_exact", "flat_in_order") else []

    @property
    def size(self) -> int:
        """How many supersteps the reference has as it is written."""
        return len(self._reference.steps)

    def matches(self, actual: Sequence[ActualStep]) -> bool:
        """Return whether a run matches; names without patterns take linear time."""
        if self._mode == "flat_superset":
            return self._counts.has_all_required(actual)
        if self._mode == "flat_subset":
            return self._counts.takes_all(actual)
        if self._mode == "flat_exact":
            return OrderAssignment(self._row, actual).is_whole
        if self._mode == "flat_in_order":
            return find_order_fault(self._row, actual) is None
        return self._counts.fit(actual)

    def may_go_on(self, actual: Sequence[ActualStep]) -> bool:
        """Return whether a run that waits may still come to match."""
        if self._mode in ("flat_superset", "flat_in_order"):
            return True
        if self._mode == "flat_exact":
            return OrderAssignment(self._row, actual).is_beginning
        return self._counts.takes_all(actual)

    def worst_cost(self) -> int:
        """Return how many names a run needs at least."""
        return self._reference.required

    def explain(self, actual: Sequence[ActualStep], run: int, spans: SpanIndex) -> Explanation:
        """Explain how a run differs: what is missing, then what is extra; where only the order differs, where."""
        difference = self._counts.compare(actual)
        found = _Findings(run, spans)
        if self._mode != "flat_subset":
            for step, names in difference.missing:
                found.add_missing(step, names)
        if self._mode not in ("flat_superset", "flat_in_order"):
            for ran, names in difference.extra:
                found.add_extra(ran, names)
        hints = self._find_hints(actual) if found.ops else []
        if not found.ops:
            self._find_order(actual, found)
        return Explanation(
            ops=found.ops,
            lines=found.lines,
            hints=hints,
            score=_score(difference, actual),
            tolerated=self._list_tolerated(difference),
        )

    def _find_order(self, actual: Sequence[ActualStep], found: _Findings) -> None:
        if self._mode == "flat_exact":
            places = OrderAssignment(self._row, actual).find_fault()
            if places is not None:
                step, ran = places
                found.add_reordered(
                    step, ran, f"expected {show_superstep(step.names)}, got {show_superstep(ran.names)}"
                )
        elif self._mode == "flat_in_order":
            fault = find_order_fault(self._row, actual)
            if fault is not None:
                ran = fault.find_early(actual) or actual[fault.begins]
                names = list_names([show_entry(entry) for entry in fault.entries])
                after = f"{names} expected from superstep {actual[fault.begins].number} on"
                found.add_reordered(fault.step, ran, f"got {show_superstep(ran.names)}, {after}")

    def _find_hints(self, actual: Sequence[ActualStep]) -> list[Hint]:
        moves = [move_of(flat.step, None, 1) for flat in self._reference.steps]
        moves += [move_of(None, ran, 1) for ran in actual]
        return [Hint("misspelt", finding.text) for finding in find_misspelt(moves)]

    def _list_tolerated(self, difference: FlatDifference) -> Tolerated:
        """Return what the mode lets through; a gap took a superstep where it took all of its names."""
        missing = difference.missing if self._mode == "flat_subset" else []
        extra = difference.extra if self._mode in ("flat_superset", "flat_in_order") else []
        return {
            "missing": [name for _, names in missing for name in names],
            "extra": [name for _, names in extra for name in names],
            "reordered_supersteps": 0,
            "gap_supersteps": sum(len(names) == len(ran.names) for ran, names in difference.in_gap),
        }


@dataclass(slots=True)
class _Findings:
    """Ops with their sentences."""

    run: int
    spans: SpanIndex
    ops: list[MatchOp] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def add_missing(self, step: ExpectedStep, names: tuple[str, ...]) -> None:
        self._add("missing_nodes", step, None, missing=names)
        wanted = show_superstep(step.names)
        self.lines.append(
            f"superstep {step.number} of the reference: expected {wanted}; missing {list_names(names)}"
        )

    def add_extra(self, ran: ActualStep, names: tuple[str, ...]) -> None:
        self._add("extra_nodes", None, ran, extra=names, shown=names)
        self.lines.append(
            f"superstep {ran.number}: got {show_superstep(ran.names)}; extra {list_names(names)}"
        )

    def add_reordered(self, step: ExpectedStep, ran: ActualStep, text: str) -> None:
        self._add("reordered", step, ran, shown=ran.names)
        number = f"superstep {ran.number} (superstep {step.number} of the reference)"
        if step.number == ran.number:
            number = f"superstep {ran.number}"
        self.lines.append(f"{number}: {text}; order differs")

    def _add(
        self,
        kind: OpKind,
        step: ExpectedStep | None,
        ran: ActualStep | None,
        *,
        missing: tuple[str, ...] = (),
        extra: tuple[str, ...] = (),
        shown: tuple[str, ...] = (),
    ) -> None:
        self.ops.append(
            {
                "op": kind,
                "run": self.run,
                "expected_superstep": None if step is None else step.number,
                "actual_superstep": None if ran is None else ran.number,
                "missing": list(missing),
                "extra": list(extra),
                "span_ids": [] if ran is None else self.spans.spans_at(ran.position, shown),
            }
        )


def _score(difference: FlatDifference, actual: Sequence[ActualStep]) -> RunScore:
    in_gap = sum(len(names) for _, names in difference.in_gap)
    return RunScore(
        cost=None,
        worst=0,
        shared=difference.shared,
        expected_names=difference.expected,
        actual_names=sum(len(ran.names) for ran in actual) - in_gap,
    )
