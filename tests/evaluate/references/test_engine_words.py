"""What the matching engine says, said of a file."""

from __future__ import annotations

import pytest

from otel_traj import InvalidReferenceError, TrajectoryTypeError
from otel_traj.evaluate.references.document import Place, complain
from otel_traj.evaluate.references.engine_words import say_of_file, standing_at

PLACE = Place("refs.yaml", 3, 4)


def test_an_error_of_the_engine_gets_the_place() -> None:
    """Whatever type the engine raises, the file's error is one, with path, line and column."""
    with (
        pytest.raises(InvalidReferenceError, match=r"^refs\.yaml:3:4: bad thing$") as caught,
        standing_at(PLACE),
    ):
        raise TrajectoryTypeError("reference_outputs: run 0: bad thing")
    assert (caught.value.path, caught.value.line, caught.value.column) == ("refs.yaml", 3, 4)
    assert isinstance(caught.value.__cause__, TrajectoryTypeError)


def test_an_error_with_a_place_keeps_it() -> None:
    """An inner complaint is nearer than the outer place."""
    with pytest.raises(InvalidReferenceError, match=r"^refs\.yaml:9:9: inner$"), standing_at(PLACE):
        raise complain(Place("refs.yaml", 9, 9), "inner")


def test_names_are_not_changed() -> None:
    """Only the engine's own phrases are changed, not names that look like a program's words."""
    message = "rule forbidden does not allow None, OneOf, and the supersteps have Repeat once at least"
    assert say_of_file(InvalidReferenceError(message)) == message
