"""The maps of a reference file, and the objects that they are in Python: for complaints that show the right one.

A reference file is data and has maps for patterns, bounds, loops and gaps; in Python these are objects, which are
checked in the line that makes them. Whoever copies one into the other is shown what to write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from otel_traj.match.values_in_words import show_value

__all__ = ["show_entry_object", "show_step_object"]

_STEPS: Final = {
    "nodes": "ReferenceStep(...)",
    "repeat": "Repeat(...)",
    "gap": "Gap()",
    "one_of": "OneOf(...)",
}


def show_entry_object(written: Mapping[object, object]) -> str | None:
    """Return how the map of a pattern is written in Python: `Glob('node*')`; None where it is no such map."""
    if len(written) != 1:
        return None
    glob, expression, choices = written.get("glob"), written.get("regex"), written.get("one_of")
    if isinstance(glob, str):
        return f"Glob({show_value(glob)})"
    if isinstance(expression, str):
        return f"Regex({show_value(expression)})"
    if isinstance(choices, list | tuple):
        return f"OneOf({', '.join(map(show_value, choices))})"
    return "Any()" if written.get("any") is True else None


def show_step_object(written: object) -> str | None:
    """Return how a map in place of a superstep is written in Python: `Gap()`; None where it is no such map."""
    if not isinstance(written, Mapping):
        return None
    return next((shown for key, shown in _STEPS.items() if key in written), None)
