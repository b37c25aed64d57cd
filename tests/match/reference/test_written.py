from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import given

from otel_traj.match import Any, AnyOf, Gap, Glob, OneOf, ReferenceStep, Regex, Repeat, Tool
from otel_traj.match.reference.written import write_steps
from tests.match.judging import LONG, decide, make_run
from tests.match.ordered_references import PATIENT, references, small_runs

if TYPE_CHECKING:
    from otel_traj.match.explain.result import MatchMetadata


def expected_of(reference: object, actual: object = (("nothing",),)) -> list[list[object]]:
    """Return what the metadata of a fail shows as expected."""
    metadata: MatchMetadata | None = decide(actual, reference).metadata
    assert metadata is not None
    return metadata["expected"]


def test_every_part_is_written_as_in_a_reference_file() -> None:
    """Patterns, tools, bounds, loops, gaps and alternatives are the maps of a reference file; plain steps are lists."""
    steps = [
        ["__start__"],
        ("a", Glob("b*")),
        [Regex("c+"), Any(), OneOf("d", Glob("e*"))],
        ReferenceStep(["f"], min=0),
        ReferenceStep(["g"], "at_least", min=1, max=None),
        Gap(),
        Repeat([["h"], Repeat([["i"]], 0, 2)], 1, None),
        OneOf(["j", "k"], "l", Glob("m*"), [["n"], Gap()], (("o",), ReferenceStep(("p",)))),
        [Tool("q", {"r": 1}), {"tool": "s", "args": {"t": 2}}, Tool("u"), Tool(Glob("v*"))],
    ]
    assert expected_of([{"steps": steps}]) == [
        [
            ["__start__"],
            ["a", {"glob": "b*"}],
            [{"regex": "c+"}, {"any": True}, {"one_of": ["d", {"glob": "e*"}]}],
            {"nodes": ["f"], "min": 0, "max": 1},
            {"nodes": ["g"], "mode": "superset", "min": 1, "max": None},
            {"gap": True},
            {"repeat": [["h"], {"repeat": [["i"]], "min": 0, "max": 2}], "min": 1, "max": None},
            {"one_of": [["j", "k"], ["l"], [{"glob": "m*"}], [["n"], {"gap": True}], [["o"], ["p"]]]},
            [
                {"tool": "q", "args": {"r": 1}},
                {"tool": "s", "args": {"t": 2}},
                {"tool": "u"},
                {"tool": {"glob": "v*"}},
            ],
        ]
    ]


def test_a_superstep_that_stands_once_is_its_names() -> None:
    """Whatever its mode, so that both sides of an explanation read alike."""
    assert expected_of([ReferenceStep(["a"], "superset"), ReferenceStep(("b", "c"), "exact")]) == [
        [["a"], ["b", "c"]]
    ]


def test_a_run_as_reference_is_written_whole() -> None:
    """Markers and all, as the run has them."""
    steps = [["__start__"], *LONG, ["__end__"]]
    assert expected_of(make_run(steps)) == [steps]
    assert expected_of({"rules": {"required": ["z"]}}) == [[]]
    assert expected_of(AnyOf(make_run(steps), [["x"], ["y"]])) == [[["x"], ["y"]]]


@PATIENT
@given(references, small_runs)
def test_what_is_written_is_plain_data(reference: list[object], actual: list[list[str]]) -> None:
    """Every reference is written as JSON, the same in the metadata of every verdict."""
    written = write_steps(reference)
    assert json.loads(json.dumps(written)) == written
    metadata = decide([{"steps": actual}], {"steps": reference}).metadata
    assert metadata is None or metadata["expected"] == [written]
