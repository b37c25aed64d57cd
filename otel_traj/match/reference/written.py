"""A reference as it is written in a reference file: plain data for metadata and reports.

A superstep that stands once is the list of its names, whatever its mode: so both sides of an explanation read alike.
Patterns, loops, gaps and alternatives are maps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from otel_traj.match.modes import canonical_mode
from otel_traj.match.reference.name_patterns import OneOf, write_entry
from otel_traj.match.reference.reference import Gap, ReferenceStep, Repeat, list_row
from otel_traj.match.values.plain_data import make_json

if TYPE_CHECKING:
    from otel_traj.match.reference.name_patterns import Entry

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
        return _write_entries(cast("Sequence[object]", step))
    entries = _write_entries(step.steps)
    if step.min == step.max == 1:
        return entries
    mode = {} if step.match_mode is None else {"mode": canonical_mode(step.match_mode)}
    return {"nodes": entries, **mode, "min": step.min, "max": step.max}


def _write_choice(choice: object) -> object:
    row = list_row(choice)
    return write_steps(row) if row is choice else _write_step(row[0])


def _write_entries(entries: Sequence[object]) -> list[object]:
    return [
        {str(key): make_json(value) for key, value in entry.items()}
        if isinstance(entry, Mapping)
        else write_entry(cast("Entry", entry))
        for entry in entries
    ]
