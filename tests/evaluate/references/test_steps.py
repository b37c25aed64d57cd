"""Supersteps of a reference file, and what stands in place of one."""

from __future__ import annotations

import pytest

from otel_traj import Any, Gap, Glob, OneOf, ReferenceStep, Repeat
from tests.evaluate.references.reference_files import complain_of, read_one


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a", ["a"]),
        ("[a, b]", ["a", "b"]),
        ("[]", []),
        ("{glob: 'a*'}", [Glob("a*")]),
        ("{any: true}", [Any()]),
        ("{nodes: [a]}", ReferenceStep(["a"])),
        ("{nodes: [a, {any: true}], mode: at_most}", ReferenceStep(["a", Any()], "at_most")),
        ("{nodes: [a], min: 0}", ReferenceStep(["a"], min=0)),
        ("{nodes: [a], min: 2, max: 3}", ReferenceStep(["a"], min=2, max=3)),
        ("{nodes: [a], max: ~}", ReferenceStep(["a"], max=None)),
        ("{repeat: [a]}", Repeat([["a"]])),
        ("{repeat: [a, [b, c], {gap: true}], min: 0, max: ~}", Repeat([["a"], ["b", "c"], Gap()], 0, None)),
        ("{repeat: [{repeat: [a], max: 2}], max: 3}", Repeat([Repeat([["a"]], 1, 2)], 1, 3)),
        ("{gap: true}", Gap()),
        ("{one_of: [a, [b, c]]}", OneOf(["a"], ["b", "c"])),
        ("{one_of: [{nodes: [a], mode: exact}, {gap: true}]}", OneOf(ReferenceStep(["a"], "exact"), Gap())),
        ("{one_of: [[[a], b], [[c, d]]]}", OneOf([["a"], ["b"]], [["c", "d"]])),
        ("{one_of: [[a, {gap: true}]]}", OneOf([["a"], Gap()])),
        ("{one_of: [[a, {glob: 'b*'}]]}", OneOf(["a", Glob("b*")])),
        ("{one_of: [{one_of: [a, b]}]}", OneOf(OneOf(["a"], ["b"]))),
        ("[{one_of: [a, b]}]", [OneOf("a", "b")]),
    ],
)
def test_each_form_of_a_superstep(written: str, read: object) -> None:
    """Lists and maps are read as the matching engine's own types."""
    assert read_one(f"steps: [z, {written}]").steps == [["z"], read]
    assert read_one(f"any_of: [[z, {written}], [y]]").any_of == [[["z"], read], [["y"]]]


@pytest.mark.parametrize(
    ("step", "place", "words"),
    [
        ("{}", "{}", "an entry is a name, or a map with one of"),
        ("{node: [a]}", "node: [a]}", "unknown key 'node' (did you mean 'nodes'?)"),
        ("{mode: exact}", "mode: exact}", "mode needs nodes beside it (or repeat)"),
        ("{glob: a, min: 0}", "min: 0}", "min needs nodes beside it (or repeat)"),
        ("{max: 2, any: true}", "max: 2, any: true}", "max needs nodes beside it"),
        ("{nodes: a}", "a}", "nodes must be a list, found the text 'a'"),
        ("{nodes: [a], repeat: [b]}", "repeat: [b]}", "unknown key 'repeat'; a superstep may hold: nodes, mode, min, max"),
        ("{nodes: [a], min: -1}", "-1}", "min of a superstep must be a whole number from 0 on, found the number -1"),
        ("{nodes: [a], min: ~}", "~}", "min of a superstep must be a whole number from 0 on, found nothing"),
        ("{nodes: [a], min: true}", "true}", "found the boolean true"),
        ("{nodes: [a], max: 1.5}", "1.5}", "max of a superstep (null for no bound) must be a whole number"),
        ("{nodes: [a], max: many}", "many}", "found the text 'many'"),
        ("{nodes: [a], max: 0}", "0}", "a superstep has min 1 and max 0: it could never stand there"),
        ("{nodes: [a], min: 3, max: 2}", "2}", "a superstep has min 3 and max 2: it could never stand there"),
        ("{nodes: [a], min: 100001}", "100001}", "bounds go from 0 to 100,000. Write smaller ones, or null as max"),
        ("{repeat: a}", "a}", "repeat must be a list, found the text 'a'"),
        ("{repeat: []}", "[]}", "a loop (repeat) holds no superstep"),
        ("{repeat: [a], mode: exact}", "mode: exact}", "unknown key 'mode'; a loop may hold: repeat, min, max"),
        ("{repeat: [a], min: 2, max: 1}", "1}", "a loop has min 2 and max 1"),
        ("{gap: false}", "false}", "gap must be true, found the boolean false"),
        ("{gap: true, min: 1}", "min: 1}", "unknown key 'min'; a gap may hold: gap"),
        ("{one_of: []}", "[]}", "one_of has no choice"),
        ("{one_of: a}", "a}", "one_of must be a list"),
        ("{one_of: [a], glob: b}", "glob: b}", "unknown key 'glob'; a map with one_of may hold: one_of"),
        ("{one_of: [a], min: 0}", "min: 0}", "min stands beside nodes or repeat; write {repeat: [{one_of: [...]}], min: 0}"),
        ("{one_of: [[[a], [[b]]]]}", "[b]]]]}", "a name must be a text, found a list"),
    ],
)  # fmt: skip
def test_complaints_about_a_superstep(step: str, place: str, words: str) -> None:
    """What can't stand in place of a superstep is refused where it stands, with what may."""
    found, message = complain_of(f"steps: [{step}]")
    assert words in message
    assert found == f"{place}]"


@pytest.mark.parametrize(
    ("keys", "place", "words"),
    [
        ("any_of: []", "[]", "any_of is empty; it lists whole trajectories"),
        ("any_of: a", "a", "any_of must be a list"),
        ("any_of: [a, b]", "a, b]", "a trajectory of any_of must be a list, found the text 'a'"),
        ("any_of: [[[[a]]]]", "[a]]]]", "a name must be a text, found a list"),
        ("steps: [a], any_of: [[a]]", "any_of: [[a]]", "steps and any_of stand in one reference"),
    ],
)
def test_complaints_about_several_trajectories(keys: str, place: str, words: str) -> None:
    """`any_of` lists trajectories, and stands in place of `steps`."""
    found, message = complain_of(keys)
    assert words in message
    assert found == place
