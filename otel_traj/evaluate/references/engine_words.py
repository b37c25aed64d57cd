"""What the matching engine says against a reference, said of a file.

The engine checks a reference where a program makes it, and its checks are not repeated for files: what it raises gets
the place of what was being read, and keeps its words but for those that only a program understands.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from otel_traj.errors import (
    InvalidReferenceError,
    PatternTimeoutError,
    TrajectoryTypeError,
    TrajectoryValueError,
)
from otel_traj.evaluate.references.document import complain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.evaluate.references.document import Place

__all__ = ["ENGINE_ERRORS", "say_of_file", "standing_at"]

ENGINE_ERRORS: Final = (InvalidReferenceError, PatternTimeoutError, TrajectoryTypeError, TrajectoryValueError)
"""What the engine raises for a reference that it can't compare with."""

_CALL: Final = re.compile(r"^(?:reference_outputs: )?(?:run 0: )?")
_PHRASES: Final = (
    ("or None for no bound", "or null for no bound"),
    (", or None as max for no bound", ", or null as max for no bound"),
    ("bounds, None as max for no bound, or a Gap.", "bounds, null as max for no bound, or a gap."),
    ("with max None", "with max null"),
    ("and max None at", "and max null at"),
    ("alternatives (OneOf)", "alternatives (one_of)"),
    ("a loop (Repeat)", "a loop (repeat)"),
    ("or OneOf single", "or one_of single"),
    ("Write OneOf single", "Write one_of single"),
    ("or pass an ignore without it", "or write an ignore without it"),
    ("Pass level='tools' or 'both', or", "Write level: tools or both, or"),
    ("or a tuple of keys such as ('query', 'city.name')", "or a list of keys such as [query, city.name]"),
    ("a Repeat holds no", "a loop (repeat) holds no"),
    ("OneOf has no choice", "one_of has no choice"),
    ("Give one, or an AnyOf of them, or take runs='strict'", "Name one, or take strict"),
)
"""Words that are a program's, each with so much around it that no name of a user's is changed."""


def say_of_file(error: Exception) -> str:
    """Return what the engine says, in the words of a reference file."""
    message = _CALL.sub("", str(error))
    for programs, files in _PHRASES:
        message = message.replace(programs, files)
    return message


@contextmanager
def standing_at(place: Place) -> Iterator[None]:
    """Give what the engine raises inside the place in the file.

    Args:
        place: Of what is given to the engine.

    Raises:
        InvalidReferenceError: For anything that the engine raised; one that has a place already keeps it.
    """
    try:
        yield
    except ENGINE_ERRORS as error:
        if isinstance(error, InvalidReferenceError) and error.path is not None:
            raise
        raise complain(place, say_of_file(error)) from error
