"""Expected and actual supersteps in rows, the differences of a verdict marked.

Which supersteps differ, and which of them stand opposite each other, is said by the ops of the matching engine. The
others are laid beside them in the cheapest order-keeping way, which decides nothing but the layout: a row without a
mark was accepted.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec import Struct

from otel_traj.report.verdicts.written_supersteps import list_actual, list_expected, mark_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from otel_traj.evaluate import Verdict
    from otel_traj.report.verdicts.written_supersteps import WrittenSuperstep

__all__ = ["AlignedRun", "Mark", "Row", "align_runs"]

Mark: TypeAlias = Literal[" ", "-", "+", "~"]
"""Accepted, missing, too many, changed."""

_MAX_PAIRS: Final = 90_000
"""Beyond 300 supersteps on both sides the matching engine aligns nothing either."""


class Row(Struct, frozen=True, kw_only=True):
    """What was expected and what ran, opposite each other; one side is empty where nothing stands there."""

    mark: Mark
    expected_number: int | None = None
    expected: str = ""
    actual_number: int | None = None
    actual: str = ""


class AlignedRun(Struct, frozen=True, kw_only=True):
    """One run of a verdict beside its reference."""

    run: int
    """Its index among the runs of the verdict."""
    rows: list[Row]


def align_runs(verdict: Verdict) -> list[AlignedRun]:
    """Return the runs of a verdict in which supersteps differ, in order.

    Args:
        verdict: Any verdict; one without such differences, or with more supersteps than can be aligned, gives none.
    """
    metadata = verdict.metadata or {}
    expected, actual = metadata.get("expected"), metadata.get("actual")
    if not expected or not actual:
        return []
    by_run: dict[int, list[Mapping[str, Any]]] = {}
    for op in metadata.get("ops", ()):
        is_placed = (
            op.get("missing") or op.get("extra") or op["op"] in ("missing_step", "extra_step", "reordered")
        )
        if is_placed and op.get("run") is not None and op["op"] not in ("rule", "model_call", "status"):
            by_run.setdefault(op["run"], []).append(op)
    aligned: list[AlignedRun] = []
    for run, ops in sorted(by_run.items()):
        reference = expected[run] if run < len(expected) else expected[-1]
        if run < len(actual) and len(reference) * len(actual[run]) <= _MAX_PAIRS:
            sides = _Sides(list_expected(reference), list_actual(actual[run]), ops)
            aligned.append(AlignedRun(run=run, rows=list(sides.list_rows())))
    return aligned


class _Fault(Struct):
    """What is wrong with one superstep of one side."""

    names: list[str]
    is_reordered: bool = False


class _Sides:
    """Both sides of one comparison, with what the ops say of each superstep."""

    def __init__(
        self,
        expected: list[WrittenSuperstep],
        actual: list[WrittenSuperstep],
        ops: Sequence[Mapping[str, Any]],
    ) -> None:
        self.expected, self.actual = expected, actual
        self.missing: dict[int, _Fault] = {}
        self.extra: dict[int, _Fault] = {}
        self.opposite: dict[int, int] = {}
        for op in ops:
            self._take(op)

    def _take(self, op: Mapping[str, Any]) -> None:
        here = _find(self.expected, op["expected_superstep"], op["missing"])
        there = _find(self.actual, op["actual_superstep"], op["extra"])
        is_reordered = op["op"] == "reordered"
        if here is not None:
            fault = self.missing.setdefault(here, _Fault([]))
            fault.names += op["missing"]
            fault.is_reordered |= is_reordered
        if there is not None:
            fault = self.extra.setdefault(there, _Fault([]))
            fault.names += op["extra"]
            fault.is_reordered |= is_reordered
        if here is not None and there is not None:
            self.opposite[here] = there

    def list_rows(self) -> Iterator[Row]:
        repeated: int | None = None
        for here, there in self._lay_out():
            is_again = here is not None and here == repeated
            repeated = here
            # The beginning is no superstep that a reference has to write.
            if here is not None or there is None or there in self.extra or not self.actual[there].is_start:
                yield self._make_row(here, there, is_again=is_again)

    def _make_row(self, here: int | None, there: int | None, *, is_again: bool) -> Row:
        left = None if here is None else self.expected[here]
        right = None if there is None else self.actual[there]
        missing = None if here is None else self.missing.get(here)
        extra = None if there is None else self.extra.get(there)
        mark: Mark = " "
        if missing or extra:
            mark = "-" if right is None else "+" if left is None else "~"
        return Row(
            mark=mark,
            expected_number=left.numbers[0] if left and left.numbers else None,
            expected="as above" if is_again else _show(left, missing, "-" if mark == "~" else ""),
            actual_number=None if right is None else right.numbers[0],
            actual=_show(right, extra, "+" if mark == "~" else ""),
        )

    def _lay_out(self) -> list[tuple[int | None, int | None]]:
        """Return the cheapest way through both sides, by indexes."""
        rows, columns = len(self.expected), len(self.actual)
        # Of each place: the cost from there to the end, and the move that begins there.
        cost = [[0.0] * (columns + 1) for _ in range(rows + 1)]
        for here in range(rows, -1, -1):
            for there in range(columns, -1, -1):
                if here < rows or there < columns:
                    cost[here][there] = min(total for total, *_ in self._moves(here, there, cost))
        pairs: list[tuple[int | None, int | None]] = []
        here = there = 0
        while here < rows or there < columns:
            _, _, pair, here, there = min(self._moves(here, there, cost), key=lambda move: move[:2])
            pairs.append(pair)
        return pairs

    def _moves(
        self, here: int, there: int, cost: list[list[float]]
    ) -> Iterator[tuple[float, int, tuple[int | None, int | None], int, int]]:
        """Yield what can stand next: whole cost, rank among equal ones, the pair, and where it leads."""
        has_left, has_right = here < len(self.expected), there < len(self.actual)
        if has_left and has_right:
            price = self._price_pair(here, there)
            yield price + cost[here + 1][there + 1], 0, (here, there), here + 1, there + 1
            if self.expected[here].is_flexible:
                yield price + 0.5 + cost[here][there + 1], 1, (here, there), here, there + 1
        if has_right:
            price = _price_alone(self.actual[there], self.extra.get(there))
            yield price + cost[here][there + 1], 2, (None, there), here, there + 1
        if has_left:
            price = _price_alone(self.expected[here], self.missing.get(here))
            yield price + cost[here + 1][there], 3, (here, None), here + 1, there

    def _price_pair(self, here: int, there: int) -> float:
        if self.opposite.get(here) == there:
            return 0
        if here in self.missing or there in self.extra:
            return 20
        left, right = self.expected[here], self.actual[there]
        if left.names is None:
            return 4 if right.is_start else 1
        return 0 if Counter(left.names) == Counter(right.names) else 4 if right.is_marker else 2


def _price_alone(superstep: WrittenSuperstep, fault: _Fault | None) -> float:
    if fault is not None:
        return 4
    if superstep.is_flexible:
        return 1
    return 0.5 if superstep.is_marker else 3


def _find(side: Sequence[WrittenSuperstep], number: int | None, names: Sequence[str]) -> int | None:
    """Return where a number stands; an interrupt carries the number of the superstep before it."""
    if number is None:
        return None
    places = [index for index, each in enumerate(side) if number in each.numbers]
    named = (index for index in places if not Counter(names) - Counter(side[index].names or ()))
    return next(named, places[0] if places else None)


def _show(superstep: WrittenSuperstep | None, fault: _Fault | None, mark: str) -> str:
    if superstep is None:
        return ""
    if fault is None or superstep.names is None or not mark or fault.is_reordered:
        return superstep.text
    return mark_names(superstep.names, fault.names, mark)
