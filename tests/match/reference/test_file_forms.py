from __future__ import annotations

import pytest

from otel_traj.match import Any, Glob, OneOf, Regex
from otel_traj.match.reference.file_forms import show_entry_object, show_step_object


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (Glob("node*"), "Glob('node*')"),
        (Regex("a+"), "Regex('a+')"),
        (Any(), "Any()"),
        (OneOf("a", "b"), "OneOf('a', 'b')"),
        (Glob("\x1b[2J"), r"Glob('\x1b[2J')"),
    ],
)
def test_what_a_pattern_writes_is_shown_as_the_pattern(
    pattern: Glob | Regex | Any | OneOf, words: str
) -> None:
    """The map of each pattern is told as what makes that pattern in Python, on one line."""
    written = pattern.write()
    assert isinstance(written, dict)
    assert show_entry_object(written) == words


@pytest.mark.parametrize(
    "written", [{}, {"glob": 1}, {"any": False}, {"one_of": "ab"}, {"glob": "a*", "any": True}, {"tool": "s"}]
)
def test_other_maps_are_no_pattern(written: dict[object, object]) -> None:
    """A map that no reference file may hold as a pattern is not guessed at."""
    assert show_entry_object(written) is None


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"nodes": ["a"], "min": 0}, "ReferenceStep(...)"),
        ({"repeat": ["a", "b"]}, "Repeat(...)"),
        ({"gap": True}, "Gap()"),
        ({"one_of": [["a"], ["b"]]}, "OneOf(...)"),
        ({"steps": [["a"]]}, None),
        (["nodes"], None),
    ],
)
def test_a_map_in_place_of_a_superstep_is_shown_as_its_object(written: object, words: str | None) -> None:
    """Each form of a superstep that a reference file has is told as what makes it in Python."""
    assert show_step_object(written) == words
