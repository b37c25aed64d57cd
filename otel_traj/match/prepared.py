"""References and runs ready to be compared."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from otel_traj.match.compare.any_order import AnyOrderComparer
from otel_traj.match.compare.flat import FlatComparer
from otel_traj.match.compare.ordered import OrderedComparer
from otel_traj.match.explain.ops import SpanIndex
from otel_traj.match.levels import list_level
from otel_traj.match.supersteps import drop_duplicates, is_interrupt, number_supersteps, prepare_actual
from otel_traj.match.tool_levels import find_tool
from otel_traj.match.values.plain_data import copy_containers

if TYPE_CHECKING:
    from otel_traj.match.compare.comparer import Comparer
    from otel_traj.match.inputs import GivenRun
    from otel_traj.match.modes import TrajectoryMode
    from otel_traj.match.options import MatchOptions
    from otel_traj.match.reference.items import Item
    from otel_traj.match.reference.model_choices import ModelCallReference
    from otel_traj.match.reference.references import GivenReference
    from otel_traj.match.rules.rules import Rules
    from otel_traj.match.supersteps import ActualStep
    from otel_traj.match.values.results import ResultsRule
    from otel_traj.model import Run

__all__ = ["PreparedReference", "PreparedRun"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedReference:
    """One reference, compiled."""

    ways: tuple[Comparer, ...]
    """The trajectories that it allows; none where it says nothing about supersteps."""
    written: tuple[list[object], ...]
    """Each of them whole, as plain data."""
    rules: Rules | None
    model_calls: tuple[ModelCallReference, ...]
    results: object
    results_rule: ResultsRule | None
    """How results are compared; None where they are not."""
    options: MatchOptions
    """Of the comparison with it."""
    compares_arguments: bool
    """Whether the arguments of a tool call can change the verdict."""
    tool: str | None
    """A tool call that its supersteps or rules name, in words; None where they name none."""

    @classmethod
    def of(
        cls, given: GivenReference, options: MatchOptions, results_rule: ResultsRule | None
    ) -> PreparedReference:
        """Compile a reference.

        Raises:
            InvalidReferenceError: It can't be compared by the trajectory mode.
        """
        return cls(
            ways=tuple(_compile(way.items, options.trajectory_mode) for way in given.ways),
            written=tuple(way.written for way in given.ways),
            rules=given.rules,
            model_calls=given.model_calls,
            results=copy_containers(given.results),
            results_rule=results_rule,
            options=options,
            compares_arguments=given.compares_arguments,
            tool=find_tool([way.items for way in given.ways], given.rules),
        )

    def write(self, way: int = 0) -> list[object]:
        """Return one of its ways as it is written in a reference file, nothing left out."""
        return copy.deepcopy(self.written[way]) if self.written else []


class PreparedRun:
    """One run that is to be judged, at the level and depth of the comparison."""

    __slots__ = ("actual", "given", "names", "numbers", "options", "ran")

    def __init__(self, given: GivenRun, options: MatchOptions) -> None:
        """Number and filter the supersteps of a run."""
        self.given = given
        self.options = options
        if given.run is not None and options.looks_inside:
            listed = list_level(given.run, options.level, options.depth).supersteps
            self.names: tuple[tuple[str, ...], ...] = tuple(each.names for each in listed)
            self.numbers = [each.number for each in listed]
        else:
            self.names = given.steps
            self.numbers = number_supersteps(given.steps)
        self.ran: list[ActualStep] = prepare_actual(self.names, self.numbers, options)
        """What was not ignored; visits are counted in it."""
        self.actual = drop_duplicates(self.ran) if options.duplicates == "ignore" else self.ran
        """What is compared."""
        if options.trajectory_mode == "so_far" and self.actual and is_interrupt(self.actual[-1].names):
            # That the run waits is why it is compared so; where a person is asked is no superstep of the reference.
            self.actual = self.actual[:-1]

    @property
    def run(self) -> Run | None:
        """The record, where it was one."""
        return self.given.run

    def index_spans(self) -> SpanIndex:
        """Return where its spans are found."""
        return SpanIndex.of(self.run, self.options.level, self.options.depth)


def _compile(way: tuple[Item, ...], mode: TrajectoryMode) -> Comparer:
    if mode == "steps_any_order":
        return AnyOrderComparer(way)
    if (
        mode == "flat_exact"
        or mode == "flat_in_order"
        or mode == "flat_unordered"
        or mode == "flat_subset"
        or mode == "flat_superset"
    ):
        return FlatComparer(way, mode)
    return OrderedComparer(way, mode)
