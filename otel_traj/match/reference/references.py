"""What may stand for `reference_outputs`, read into items that are ready to compile.

A reference is a `Run`, a list of supersteps, an `AnyOf`, or a mapping that holds at least one of `steps`, `any_of`,
`rules`, `results` and `model_calls`. Ignored names are taken out here, and every superstep gets the number that
it has in the reference as it is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError
from otel_traj.match.inputs import is_list, refuse, say_place, split_runs
from otel_traj.match.levels import list_level
from otel_traj.match.modes import canonical_mode
from otel_traj.match.near_names import is_near
from otel_traj.match.options import GivenOptions, MatchOptions
from otel_traj.match.reference.file_forms import show_step_object
from otel_traj.match.reference.items import Alternatives, AnySteps, Group, Item, list_steps
from otel_traj.match.reference.model_choices import ModelCallReference, read_model_calls
from otel_traj.match.reference.name_patterns import NamePattern, OneOf, read_entry
from otel_traj.match.reference.reference import AnyOf, Gap, ReferenceStep, Repeat, list_row
from otel_traj.match.reference.step_conflicts import refuse_step_conflicts
from otel_traj.match.reference.tool_patterns import PreparedTool, prepare_entry, read_tool
from otel_traj.match.reference.written import write_steps
from otel_traj.match.rules.rules import Rules, read_rules
from otel_traj.match.supersteps import INTERRUPT, START, Bounds, ExpectedStep
from otel_traj.match.values_in_words import describe_value, show_value
from otel_traj.model import Run

if TYPE_CHECKING:
    from otel_traj.match.reference.name_patterns import Entry
    from otel_traj.match.values.arguments import ArgsRules

__all__ = ["GivenReference", "GivenWay", "read_references"]

_PARTS: Final = ("steps", "any_of", "rules", "results", "model_calls")


@dataclass(frozen=True, slots=True)
class GivenWay:
    """One trajectory that a reference allows, checked."""

    items: tuple[Item, ...]
    """Without what is ignored."""
    written: list[object]
    """All of it, as plain data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenReference:
    """One reference, checked."""

    ways: tuple[GivenWay, ...]
    """The trajectories that it allows; none where it says nothing about supersteps."""
    results: object
    """What the run should result in; None where it says nothing."""
    rules: Rules | None = None
    model_calls: tuple[ModelCallReference, ...] = ()

    @property
    def compares_arguments(self) -> bool:
        """Whether the arguments of a tool call in a superstep are compared."""
        steps = (step for way in self.ways for step in list_steps(way.items))
        return any(isinstance(entry, PreparedTool) for step in steps for entry in step.entries)


def read_references(
    value: object, options: MatchOptions, args: ArgsRules, *, compares_results: bool
) -> list[GivenReference]:
    """Read references.

    Args:
        value: One reference, or any iterable of them.
        options: The options of the comparison.
        args: How arguments of tools are compared that say nothing themselves.
        compares_results: Whether a reference may hold nothing but results.

    Raises:
        TrajectoryTypeError: something that is no reference; the message says where.
        InvalidReferenceError: a reference that can't be compared with.
    """
    says = {*_PARTS} if compares_results else {*_PARTS} - {"results"}
    if isinstance(value, AnyOf) or (isinstance(value, Mapping) and not says.isdisjoint(value)):
        entries: list[object] = [value]
    else:
        entries = split_runs(value, "reference_outputs", _is_plain_run)
    references = [
        _Reader(index, options, args, compares_results=compares_results).read(entry)
        for index, entry in enumerate(entries)
    ]
    for index, each in enumerate(references):
        ways = [way.items for way in each.ways]
        refuse_step_conflicts(ways, each.rules, options, f"reference_outputs: run {index}")
    return references


def _is_plain_run(entries: Sequence[object]) -> bool:
    for entry in entries:
        if isinstance(entry, ReferenceStep | Repeat | Gap | OneOf | str):
            return True
        if not is_list(entry):
            return False
        if entry:
            return not (is_list(entry[0]) or isinstance(entry[0], ReferenceStep | Repeat | Gap))
    return bool(entries)


class _Reader:
    """Reads one reference."""

    def __init__(self, index: int, options: MatchOptions, args: ArgsRules, *, compares_results: bool) -> None:
        self.index = index
        self.compares_results = compares_results
        self.options = options
        self.args = args
        self.number = 0

    def read(self, entry: object) -> GivenReference:
        if isinstance(entry, Run):
            return self._make([self._read_run(entry)], results=entry.results)
        if isinstance(entry, AnyOf):
            return self._make([self._read_way(run) for run in entry.runs])
        if isinstance(entry, Mapping):
            return self._read_mapping(entry)
        return self._make([self._read_steps(entry, is_whole=True)])

    def _make(self, ways: list[GivenWay], results: object = None) -> GivenReference:
        return GivenReference(ways=tuple(ways), results=results)

    def _read_mapping(self, entry: Mapping[object, object]) -> GivenReference:
        self._refuse_misspelt(entry)
        said = [part for part in _PARTS if entry.get(part) is not None]
        if not said or (said == ["results"] and not self.compares_results):
            self._refuse_file_form(entry, f"entry {self.index}")
            if "steps" in entry:
                refuse(
                    "reference_outputs", f"steps of run {self.index}", f"is {describe_value(entry['steps'])}"
                )
            refuse("reference_outputs", f"run {self.index}", f"has the keys {list(entry)!r} and no 'steps'")
        options = [key for key in entry if key in GivenOptions.__annotations__ and key not in _PARTS]
        if options:
            raise InvalidReferenceError(
                f"reference_outputs: run {self.index} has {', '.join(map(show_value, options))}: in Python the options"
                f" of a comparison are no part of a reference, and would be left out. Pass them to the call."
            )
        if "steps" in said and "any_of" in said:
            raise InvalidReferenceError(
                f"reference_outputs: run {self.index} has steps and any_of: nobody can say which holds. Keep one."
            )
        ways = [] if "steps" not in said else [self._read_steps(entry["steps"], is_whole=False)]
        if "any_of" in said:
            ways = [self._read_way(run) for run in self._read_ways(entry["any_of"])]
        rules, calls = entry.get("rules"), entry.get("model_calls")
        return GivenReference(
            ways=tuple(ways),
            results=entry.get("results"),
            rules=None if rules is None else read_rules(rules, self._say_where("rules")),
            model_calls=()
            if calls is None
            else read_model_calls(calls, self._say_where("model_calls"), self.args),
        )

    def _refuse_misspelt(self, entry: Mapping[object, object]) -> None:
        """Refuse a key that is a rule, or nearly a part of a reference; an example of a data set may hold anything else."""
        wanted = [
            part for part in _PARTS if part not in entry and (part != "results" or self.compares_results)
        ]
        for key in entry:
            if key in Rules.__dataclass_fields__:
                raise InvalidReferenceError(
                    f"reference_outputs: run {self.index} has {show_value(key)}: it is a rule, and no rule is looked for"
                    f" there. Write it under 'rules'."
                )
            meant = next((part for part in wanted if isinstance(key, str) and is_near(key, part)), None)
            if meant is not None and key not in _PARTS:
                raise InvalidReferenceError(
                    f"reference_outputs: run {self.index} has {show_value(key)}: nothing would be compared by it. Did"
                    f" you mean {meant!r}? If not, give it another name."
                )

    def _refuse_file_form(self, step: object, place: str) -> None:
        shown = show_step_object(step)
        if shown is not None:
            raise InvalidReferenceError(
                f"reference_outputs: {place} is {show_value(step)}, as a reference file has it: in Python it is an"
                f" object. Write {shown}."
            )

    def _say_where(self, part: str) -> str:
        return f"reference_outputs: {part} of run {self.index}"

    def _read_ways(self, ways: object) -> tuple[object, ...]:
        if isinstance(ways, AnyOf):
            return ways.runs
        if not is_list(ways) or not ways:
            raise InvalidReferenceError(
                f"{self._say_where('any_of')} is {describe_value(ways)}: it lists whole trajectories. Write a list of"
                f" lists of supersteps."
            )
        return tuple(ways)

    def _read_way(self, run: object) -> GivenWay:
        self.number = 0
        if isinstance(run, Run):
            return self._read_run(run)
        others = [
            part for part in ("any_of", "rules", "model_calls") if isinstance(run, Mapping) and run.get(part)
        ]
        if others:
            raise InvalidReferenceError(
                f"{self._say_where('any_of')} has a trajectory with {' and '.join(others)}: they are checked whichever"
                f" way a run goes. Write them beside any_of."
            )
        return self._read_steps(
            run["steps"] if isinstance(run, Mapping) and "steps" in run else run, is_whole=False
        )

    def _read_run(self, run: Run) -> GivenWay:
        if not run.complete:
            raise InvalidReferenceError(
                f"reference_outputs: run {self.index} is an incomplete run: what is missing would be expected to be"
                " missing. Take a complete run as the reference."
            )
        if not self.options.looks_inside:
            return self._read_steps(run.steps, is_whole=False)
        steps = list_level(run, self.options.level, self.options.depth)
        items: list[Item] = []
        for superstep in steps.supersteps:
            entries = tuple(prepare_entry(name, self.args) for name in superstep.names)
            items += self._keep(superstep.number, entries, ReferenceStep(()))
        return GivenWay(tuple(items), [[str(name) for name in names] for names in steps.names])

    def _read_steps(self, steps: object, *, is_whole: bool) -> GivenWay:
        if not is_list(steps):
            where = f"run {self.index}" if is_whole else f"steps of run {self.index}"
            refuse("reference_outputs", where, f"is {describe_value(steps)}")
        return GivenWay(self._read_items(steps), write_steps(steps))

    def _read_items(self, steps: Sequence[object]) -> tuple[Item, ...]:
        items: list[Item] = []
        for position, step in enumerate(steps):
            items += self._read_item(step, steps, position)
        return tuple(items)

    def _read_item(self, step: object, steps: Sequence[object], position: int) -> list[Item]:
        if isinstance(step, Gap):
            return [AnySteps()]
        if isinstance(step, Repeat):
            inner = self._read_items(step.steps)
            return [Group(inner, Bounds(step.min, step.max))] if inner else []
        if isinstance(step, OneOf):
            return [self._read_choices(step)]
        if isinstance(step, ReferenceStep):
            return self._read_step(step, position)
        if isinstance(step, str):
            raise TrajectoryTypeError(
                f"reference_outputs: {self._place(steps, position)} is the string {show_value(step)}: in Python a"
                f" superstep is a list of node names, also of one. Write {show_value([step])}."
            )
        if not is_list(step):
            if isinstance(step, NamePattern):
                raise TrajectoryTypeError(
                    f"reference_outputs: {self._place(steps, position)} is the pattern {step}: a superstep is a list"
                    f" of names and patterns, also of one. Write [{type(step).__name__}(...)]."
                )
            self._refuse_file_form(step, self._place(steps, position))
            refuse("reference_outputs", self._place(steps, position), f"is {describe_value(step)}")
        entries = [self._read_entry(entry, steps, position, at) for at, entry in enumerate(step)]
        return self._read_step(ReferenceStep(entries), position)

    def _read_entry(self, entry: object, steps: Sequence[object], position: int, at: int) -> Entry:
        if type(entry) is str and entry:
            return entry
        where = f"reference_outputs: {self._place(steps, position, at)}"
        return read_tool(entry, where) if isinstance(entry, Mapping) else read_entry(entry, where)

    def _read_choices(self, one_of: OneOf) -> Item:
        """Read supersteps of which one stands here; each may also be a row of them."""
        before, furthest = self.number, self.number
        choices: list[tuple[Item, ...]] = []
        for choice in one_of.choices:
            self.number = before
            choices.append(self._read_items(list_row(choice)))
            furthest = max(furthest, self.number)
        self.number = furthest
        return Alternatives(tuple(choices))

    def _read_step(self, step: ReferenceStep, position: int) -> list[Item]:
        entries = tuple(prepare_entry(entry, self.args) for entry in step.steps)
        starts = position == 0 and self.number == 0 and entries == (START,)
        is_marker = bool(entries) and all(entry == INTERRUPT for entry in entries)
        self.number += not starts and not is_marker
        return self._keep(self.number, entries, step)

    def _keep(self, number: int, given: tuple[Entry, ...], step: ReferenceStep) -> list[Item]:
        """Return a superstep without the names that are ignored; nothing where it loses all of them."""
        kept = tuple(
            entry for entry in given if not isinstance(entry, str) or not self.options.ignores(entry)
        )
        if given and not kept:
            return []
        if self.options.duplicates == "ignore":
            kept = tuple(dict.fromkeys(kept))
        mode = self.options.step_mode if step.match_mode is None else canonical_mode(step.match_mode)
        return [ExpectedStep(number, kept, mode, Bounds(step.min, step.max))]

    def _place(self, steps: Sequence[object], position: int, entry: int | None = None) -> str:
        return say_place([_names_of(step) for step in steps], self.index, position, entry)


def _names_of(step: object) -> object:
    return step.steps if isinstance(step, ReferenceStep) else step
