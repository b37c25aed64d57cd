"""What may stand for `outputs`, read into one checked form, and how a list of runs is told from one run.

Accepted on both sides, lists and tuples alike: one run or any iterable of runs, where a run is a `Run` record, a
mapping with `steps`, or a plain list of supersteps; a mapping with `outputs`, `output` or `runs` is unwrapped
first (LangSmith hands evaluators such mappings). A plain list is one run when its entries are lists of names,
and a list of runs when they are lists of lists. Two corners are settled here: `[]` is no run at all, and a list
whose entries are all empty (`[[]]`) is one run of empty supersteps.

A string where a list belongs is refused, never iterated: its letters would pass for nodes. So is a set, which
has no order for `exact`. A tool call may be a mapping with `tool` and `args`, as in a reference file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal, NoReturn, TypeAlias, TypeGuard

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.levels import CalledTool
from otel_traj.match.supersteps import number_supersteps
from otel_traj.match.values_in_words import describe_value, show_value
from otel_traj.model import Run

__all__ = ["GivenRun", "Side", "is_list", "read_outputs", "refuse", "say_place", "split_runs"]

Side: TypeAlias = Literal["outputs", "reference_outputs"]

_WRAPPERS: Final = ("outputs", "output", "runs")
_FORMS: Final = (
    "a run is a Run, a mapping with 'steps', or a list of supersteps; a superstep is a list of node names"
)


@dataclass(frozen=True, slots=True)
class GivenRun:
    """One run as the user gave it, checked."""

    steps: tuple[tuple[str, ...], ...]
    """All supersteps; a tool call of which more than its name is known is a `CalledTool`."""
    run: Run | None
    """The record, where it was one: what status, completeness and span ids are taken from."""
    results: object = None
    """None: not given."""


def read_outputs(outputs: object) -> list[GivenRun]:
    """Read the trajectories or runs that are to be judged.

    Raises:
        TrajectoryTypeError: something that is no trajectory; the message says where.
        TrajectoryValueError: an empty node name.
    """
    return [
        _read_run(entry, index) for index, entry in enumerate(split_runs(outputs, "outputs", _is_plain_run))
    ]


def split_runs(value: object, side: Side, is_plain_run: Callable[[Sequence[object]], bool]) -> list[object]:
    """Return the runs of an argument, whatever it wraps them in.

    Args:
        value: What the user passed.
        side: For the message.
        is_plain_run: Tells whether a list is one run, and not a list of runs.

    Raises:
        TrajectoryTypeError: It is neither a run nor several.
    """
    if isinstance(value, Run):
        return [value]
    if isinstance(value, Mapping):
        if "steps" in value:
            return [value]
        for wrapper in _WRAPPERS:
            if wrapper in value:
                return split_runs(value[wrapper], side, is_plain_run)
        refuse(side, "the mapping", f"has the keys {list(value)!r} and no 'steps'")
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        refuse(side, "it", f"is {describe_value(value)}")
    entries = list(value)
    return [entries] if is_plain_run(entries) else entries


def _is_plain_run(entries: Sequence[object]) -> bool:
    for entry in entries:
        if isinstance(entry, str):
            return True
        if not is_list(entry):
            return False
        if entry:
            return not is_list(entry[0])
    return bool(entries)


def _read_run(entry: object, index: int) -> GivenRun:
    if isinstance(entry, Run):
        return GivenRun(tuple(map(tuple, entry.steps)), entry, entry.results)
    steps: object = entry
    results: object = None
    if isinstance(entry, Mapping):
        if "steps" not in entry:
            refuse("outputs", f"run {index}", f"has the keys {list(entry)!r} and no 'steps'")
        steps, results = entry["steps"], entry.get("results")
    if not is_list(steps):
        where = f"run {index}" if steps is entry else f"steps of run {index}"
        refuse("outputs", where, f"is {describe_value(steps)}")
    return GivenRun(_read_steps(steps, index), None, results)


def _read_steps(steps: Sequence[object], index: int) -> tuple[tuple[str, ...], ...]:
    # What nearly always stands there is checked in a few passes that run in C.
    rows = [names for names in steps if isinstance(names, list | tuple)]
    if len(rows) == len(steps) and set(map(type, chain.from_iterable(rows))) <= {str} and all(map(all, rows)):
        return tuple(map(tuple, rows))
    return tuple(_read_names(names, steps, index, position) for position, names in enumerate(steps))


def _read_names(names: object, steps: Sequence[object], index: int, position: int) -> tuple[str, ...]:
    place = (steps, index, position)
    if isinstance(names, str):
        raise TrajectoryTypeError(
            f"outputs: {say_place(*place)} is the string {show_value(names)}: in Python a superstep is a list of"
            f" node names, also of one. Write {show_value([names])}."
        )
    if not is_list(names):
        if type(names).__module__.startswith("otel_traj.match"):
            refuse(
                "outputs", say_place(*place), f"is a {type(names).__name__}, which only a reference may hold"
            )
        refuse("outputs", say_place(*place), f"is {describe_value(names)}")
    return tuple(_read_name(name, say_place(*place, entry)) for entry, name in enumerate(names))


def _read_name(name: object, place: str) -> str:
    if isinstance(name, Mapping) and isinstance(name.get("tool"), str) and name["tool"]:
        listed: str = name["tool"]
        return CalledTool(listed, tool=listed.rpartition(">")[2] or listed, args=name.get("args"))
    if not isinstance(name, str):
        refuse("outputs", place, f"is {describe_value(name)}")
    if not name:
        raise TrajectoryValueError(
            f"outputs: {place} is an empty string: no node has that name. Name the node."
        )
    # A name may be a member of a string enumeration: its text is the name, whatever its `str()` says.
    return name if isinstance(name, CalledTool) else str.__str__(name)


def say_place(steps: Sequence[object], index: int, position: int, entry: int | None = None) -> str:
    """Say where something stands, in the numbers that explanations use, then as an index.

    Args:
        steps: All supersteps of the run.
        index: Of the run.
        position: Of the superstep.
        entry: Of the name in it.
    """
    before = [_list_strings(step) for step in steps[: position + 1]]
    superstep = f"run {index}, superstep {number_supersteps(before)[position]}"
    if entry is None:
        return f"{superstep} (steps[{position}])"
    return f"{superstep}, entry {entry} (steps[{position}][{entry}])"


def _list_strings(names: object) -> list[str]:
    return [name for name in names if isinstance(name, str)] if is_list(names) else []


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Return whether a value is a list; what stands in it is checked by the caller."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def refuse(side: Side, where: str, found: str) -> NoReturn:
    """Raise the error of something that is no trajectory."""
    raise TrajectoryTypeError(f"{side}: {where} {found}: {_FORMS}. Pass it in this form.")
