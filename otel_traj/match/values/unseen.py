"""What a rendered value does not show, so that nothing can be said of it.

Rendering never fails and is bounded: a part that it leaves out is a text that begins with `CUT_MARK`, and what has
no form as JSON (a lock, a client, an object of a class that lists no fields) is the name of its type in angle
brackets. Two such texts are equal whatever they stand for. To pass what could not be seen is the one thing that a
comparison may never do, so both are looked for where a comparison would rest on them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from otel_traj.rendering import CUT_MARK

if TYPE_CHECKING:
    from otel_traj.rendering import JsonValue

__all__ = ["Unseen", "find_unseen"]

Unseen: TypeAlias = Literal["cut", "no_form"]
"""`cut`: a part was left out; `no_form`: a value stands there by the name of its type alone."""

_STAND_IN: Final = re.compile(
    r"<[^\W\d][\w-]*(?:\.(?:<locals>|[^\W\d][\w-]*))+>|<object>|<recursion: \w+>|<int of \d+ bits>"
)


def find_unseen(value: JsonValue) -> Unseen | None:
    """Return what a rendered value does not show.

    Args:
        value: As `render` returned it, or as it was recorded.

    Returns:
        `cut` before `no_form`; None where all of the value is there. A text that was meant to look like
        `<module.Type>` can't be told from one that stands for an object, and counts as `no_form`.
    """
    found: Unseen | None = None
    left: list[JsonValue] = [value]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            left.extend(part)
            left.extend(part.values())
        elif isinstance(part, list):
            left.extend(part)
        elif isinstance(part, str):
            if CUT_MARK in part:
                return "cut"
            if _STAND_IN.fullmatch(part):
                found = "no_form"
    return found
