"""A reference as it is written in a reference file: plain data for metadata and reports.

A plain superstep is the list of its names; patterns, loops, gaps and alternatives are maps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from otel_traj.match.name_patterns import NamePattern, OneOf, write_entry
from otel_traj.match.reference import Gap, ReferenceStep, Repeat

__all__ = ["write_steps"]


def write_steps(steps: Sequence[object]) -> list[object]:
    """Return the supersteps of a reference, nothing left out, as plain data.

    Args:
        steps: Supersteps as a user gave them, checked.
    """
    return [_write_step(step) for step in steps]


def _write_step(step: object) -> object:
    if isinstance(step, Gap):
        return {"gap": True}
    if isinstance(step, Repeat):
        return {"repeat": write_steps(step.steps), "min": step.min, "max": step.max}
    if isinstance(step, OneOf):
        return {"one_of": [_write_choice(choice) for choice in step.choices]}
    if not isinstance(step, ReferenceStep):
        return _write_entries(step) if isinstance(step, Sequence) else step
    entries = _write_entries(step.steps)
    if step.min == step.max == 1:
        return entries
    return {"nodes": entries, "min": step.min, "max": step.max}


def _write_choice(choice: object) -> object:
    if isinstance(choice, str | NamePattern) and not isinstance(choice, OneOf):
        return [write_entry(choice)]
    return _write_step(choice)


def _write_entries(entries: Sequence[object]) -> list[object]:
    return [_write_entry(entry) for entry in entries]


def _write_entry(entry: object) -> object:
    if isinstance(entry, str):
        return str.__str__(entry)
    if isinstance(entry, NamePattern):
        return write_entry(entry)
    return (
        dict(entry)
        if isinstance(entry, Mapping)
        else _write_entries(entry)
        if isinstance(entry, list)
        else entry
    )
