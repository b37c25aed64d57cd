"""What may stand for `outputs` and `reference_outputs`, read into one checked form.

Accepted on both sides, lists and tuples alike: one run or any iterable of runs, where a run is a `Run` record, a
mapping with `steps`, or a plain list of supersteps; a mapping with `outputs`, `output` or `runs` is unwrapped
first (LangSmith hands evaluators such mappings). A plain list is one run when its entries are lists of names,
and a list of runs when they are lists of lists. Two corners are settled here: `[]` is no run at all, and a list
whose entries are all empty (`[[]]`) is one run of empty supersteps.

A string where a list belongs is refused, never iterated: its letters would pass for nodes. So is a set, which
has no order for `exact`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NoReturn, TypeGuard

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.modes import canonical_mode
from otel_traj.match.reference import ReferenceStep
from otel_traj.match.supersteps import GivenStep, number_supersteps
from otel_traj.match.values_in_words import describe_value, show_value
from otel_traj.model import Run

__all__ = ["GivenRun", "read_outputs", "read_references"]

_Side = Literal["outputs", "reference_outputs"]

_WRAPPERS: Final = ("outputs", "output", "runs")


@dataclass(frozen=True, slots=True)
class GivenRun:
    """One run, or the reference of one, as the user gave it, checked."""

    steps: tuple[GivenStep, ...]
    run: Run | None
    """The record, where it was one: what status, completeness and span ids are taken from."""


def read_outputs(outputs: object) -> list[GivenRun]:
    """Read the trajectories or runs that are to be judged.

    Raises:
        TrajectoryTypeError: something that is no trajectory; the message says where.
        TrajectoryValueError: an empty node name.
    """
    return [_read_run(entry, index, "outputs") for index, entry in enumerate(_split_runs(outputs, "outputs"))]


def read_references(reference_outputs: object) -> list[GivenRun]:
    """Read the references; their `inputs` and `results` are not looked at.

    Raises:
        TrajectoryTypeError: something that is no trajectory; the message says where.
        InvalidReferenceError: an empty node name, or a run with missing spans as the reference.
    """
    side: _Side = "reference_outputs"
    runs = [_read_run(entry, index, side) for index, entry in enumerate(_split_runs(reference_outputs, side))]
    for index, given in enumerate(runs):
        if given.run is not None and not given.run.complete:
            raise InvalidReferenceError(
                f"{side}: run {index} is an incomplete run: what is missing would be expected to be missing."
                " Take a complete run as the reference."
            )
    return runs


def _split_runs(value: object, side: _Side) -> list[object]:
    if isinstance(value, Run):
        return [value]
    if isinstance(value, Mapping):
        if "steps" in value:
            return [value]
        for wrapper in _WRAPPERS:
            if wrapper in value:
                return _split_runs(value[wrapper], side)
        _refuse(side, "the mapping", f"has the keys {list(value)!r} and no 'steps'")
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        _refuse(side, "it", f"is {describe_value(value)}")
    entries = list(value)
    return [entries] if _is_plain_run(entries) else entries


def _is_plain_run(entries: Sequence[object]) -> bool:
    for entry in entries:
        if isinstance(entry, ReferenceStep | str):
            return True
        if not _is_list(entry):
            return False
        if entry:
            return not (_is_list(entry[0]) or isinstance(entry[0], ReferenceStep))
    return bool(entries)


def _read_run(entry: object, index: int, side: _Side) -> GivenRun:
    run = entry if isinstance(entry, Run) else None
    steps: object = entry
    if isinstance(entry, Run):
        steps = entry.steps
    elif isinstance(entry, Mapping):
        if "steps" not in entry:
            _refuse(side, f"run {index}", f"has the keys {list(entry)!r} and no 'steps'")
        steps = entry["steps"]
    if not _is_list(steps):
        where = f"run {index}" if steps is entry else f"steps of run {index}"
        _refuse(side, where, f"is {describe_value(steps)}")
    given = tuple(_read_step(step, steps, (index, position), side) for position, step in enumerate(steps))
    return GivenRun(given, run)


def _read_step(step: object, steps: Sequence[object], at: tuple[int, int], side: _Side) -> GivenStep:
    mode = None
    names: object = step
    if isinstance(step, ReferenceStep):
        if side == "outputs":
            _refuse(side, _place(steps, at), "is a ReferenceStep, which only a reference may hold")
        names = step.steps
        mode = None if step.match_mode is None else canonical_mode(step.match_mode)
    if isinstance(names, str):
        raise TrajectoryTypeError(
            f"{side}: {_place(steps, at)} is the string {show_value(names)}: in Python a superstep is a list of"
            f" node names, also of one. Write {show_value([names])}."
        )
    if not _is_list(names):
        _refuse(side, _place(steps, at), f"is {describe_value(names)}")
    for entry, name in enumerate(names):
        if not isinstance(name, str):
            _refuse(side, _place(steps, at, entry), f"is {describe_value(name)}")
        if not name:
            error = TrajectoryValueError if side == "outputs" else InvalidReferenceError
            raise error(
                f"{side}: {_place(steps, at, entry)} is an empty string: no node has that name. Name the node."
            )
    # A name may be a member of a string enumeration: its text is the name, whatever its `str()` says.
    return GivenStep(tuple(str.__str__(name) for name in names), mode)


def _place(steps: Sequence[object], at: tuple[int, int], entry: int | None = None) -> str:
    """Say where something stands, in the numbers that explanations use, then as an index."""
    index, position = at
    before = [_names_of(step) for step in steps[: position + 1]]
    superstep = f"run {index}, superstep {number_supersteps(before)[position]}"
    if entry is None:
        return f"{superstep} (steps[{position}])"
    return f"{superstep}, entry {entry} (steps[{position}][{entry}])"


def _names_of(step: object) -> Sequence[str]:
    names = step.steps if isinstance(step, ReferenceStep) else step
    return names if _is_list(names) else ()


def _is_list(value: object) -> TypeGuard[Sequence[str]]:
    """Return whether a value is a list; what stands in it is checked by the caller."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _refuse(side: _Side, where: str, found: str) -> NoReturn:
    hint = (
        "a run is a Run, a mapping with 'steps', or a list of supersteps; a superstep is a list of node names"
    )
    raise TrajectoryTypeError(f"{side}: {where} {found}: {hint}. Pass it in this form.")
