"""References written as the text of a file."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from otel_traj import (
    Any,
    ArgsMatch,
    Gap,
    Glob,
    InvalidReferenceError,
    OneOf,
    ReferenceStep,
    Repeat,
    Rules,
    Tool,
)
from otel_traj.evaluate import AppliesTo, Reference, write_references
from otel_traj.evaluate.references.reference import JUDGED_STATUSES, ExpectedResults, ExpectedThread
from tests.evaluate.references.reference_files import read_json, read_yaml
from tests.evaluate.references.reference_strategies import HOSTILE, files

_WRITTEN = """\
version: 1
references:
  - name: long path
    applies_to: {graph: seven, case: "no", inputs: {shortcut: false}, tags: [nightly]}
    level: both
    depth: null
    status: any
    args: {search: [query.city, [a.b, c]]}
    steps:
      - node1
      - [node4, node5]
      - {nodes: [audit], min: 0}
      - {nodes: [{glob: "*6"}], mode: superset, max: null}
      - {repeat: [poll, wait], min: 0, max: 3}
      - {gap: true}
      - {one_of: [node7, [node8, node9], [[node8], [node9]]]}
      - [{one_of: [a, b]}]
      - {tool: search, args: {query: rain}, args_mode: superset}
    rules:
      forbidden: [delete everything]
      before: [[set_private, read_data]]
      max_visits: {node3: 2}
      min_visits: [[{glob: "poll*"}, 2]]
      max_supersteps: 9
    results: {mode: superset, value: {shortcut: false, rate: 1.0e+16}}
    source: ["4bf92f3577b34da6a3ce929d0e0e4736", "00000000000000000000000000000001"]
  - name: "books: a meeting"
    any_of:
      - [model, tools, model]
      - [model, [model, {any: true}]]
    model_calls:
      - {nth: 1, chooses: [{tool: find, args: {attendee: ann}}, note]}
  - name: conversation
    thread: {mode: strict, runs: [long path]}
"""

_REFERENCES = [
    Reference(
        name="long path",
        applies_to=AppliesTo(graph="seven", case="no", inputs={"shortcut": False}, tags=("nightly",)),
        level="both",
        depth=None,
        status=JUDGED_STATUSES,
        args={"search": ArgsMatch(keys=["query.city", ("a.b", "c")])},
        steps=[
            ["node1"],
            ["node4", "node5"],
            ReferenceStep(["audit"], min=0),
            ReferenceStep([Glob("*6")], "superset", max=None),
            Repeat([["poll"], ["wait"]], 0, 3),
            Gap(),
            OneOf(["node7"], ["node8", "node9"], [["node8"], ["node9"]]),
            [OneOf("a", "b")],
            [Tool("search", {"query": "rain"}, "superset")],
        ],
        rules=Rules(
            forbidden=["delete everything"],
            before=[["set_private", "read_data"]],
            max_visits={"node3": 2},
            min_visits={Glob("poll*"): 2},
            max_supersteps=9,
        ),
        results=ExpectedResults(value={"shortcut": False, "rate": 1e16}, mode="superset"),
        source=("4bf92f3577b34da6a3ce929d0e0e4736", "00000000000000000000000000000001"),
    ),
    Reference(
        name="books: a meeting",
        any_of=[[["model"], ["tools"], ["model"]], [["model"], ["model", Any()]]],
        model_calls=[{"nth": 1, "chooses": [Tool("find", {"attendee": "ann"}), "note"]}],
    ),
    Reference(name="conversation", thread=ExpectedThread(runs=("long path",))),
]


def test_every_form_is_written_as_people_write_it() -> None:
    """One superstep, trajectory or rule per line, names bare where they can be, defaults left out."""
    assert write_references(_REFERENCES) == _WRITTEN


def test_what_is_written_is_read_back() -> None:
    """Every form comes back as it was."""
    assert read_yaml(_WRITTEN) == _REFERENCES


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(files())
def test_reading_gives_back_what_was_written(references: list[Reference]) -> None:
    """Whatever references hold, the written file is read as the same; another YAML reader, and JSON, say so too."""
    text = write_references(references)
    assert read_yaml(text) == references
    assert read_json(json.dumps(yaml.safe_load(text))) == references
    assert write_references(read_yaml(text)) == text


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_data(name: str) -> None:
    """A name that means something to YAML, or to a screen, is quoted and escaped wherever it stands."""
    reference = Reference(
        name=name,
        applies_to=AppliesTo(attributes={name: name}),
        steps=[[name], [name, Glob(name)], OneOf([name], ["b"])],
        rules=Rules(max_visits={name: 9}),
        ignore=(),
        source=(name,),
    )
    text = write_references([reference])
    assert read_yaml(text) == [reference]
    assert all(character.isprintable() or character == "\n" for character in text)
    assert len(text.splitlines()) == 12


def test_other_spellings_of_a_program_mean_the_same() -> None:
    """What a program may write in several ways is written in one."""
    spelt = Reference(
        name="x",
        level="tools",
        steps=(("a",), [{"tool": "t", "args": {"b": (1, 2)}}], OneOf("a", "b")),
        args=["q.city"],
    )
    [read] = read_yaml(write_references([spelt]))
    assert read.steps == [["a"], [Tool("t", {"b": [1, 2]})], OneOf(["a"], ["b"])]
    assert read.args == ArgsMatch(keys=["q.city"])


class _OwnPattern:
    """A pattern of the user's own."""

    def accepts(self, name: str) -> bool:
        """Return whether the name is accepted."""
        return name == "a"

    def write(self) -> object:
        """Return something that is no form of a file."""
        return {"own": 1}


def _nest(depth: int) -> object:
    return [_nest(depth - 1)] if depth else 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"steps": [[_OwnPattern()]]}, "has no form in a reference file. Write a name, or one of Glob"),
        ({"steps": ["a"]}, "'a' of type str has no form in a reference file. Write a list of names"),
        ({"steps": [[Tool("t", {}, lambda _a, _b: True)]]}, "arguments are compared by"),
        ({"args": ArgsMatch(tolerance=1)}, "arguments are compared by"),
        ({"args": ArgsMatch("subset", keys=["a"])}, "arguments are compared by"),
        ({"results": ExpectedResults(value=1, mode=lambda _a, _b: True)}, "a reference file holds no code"),
        ({"results": ExpectedResults(value=float("nan"))}, "the number nan has no exact form"),
        ({"results": ExpectedResults(value=10**50)}, "has no exact form"),
        ({"results": ExpectedResults(value=b"a")}, "b'a' of type bytes has no form in a reference file"),
        ({"results": ExpectedResults(value=_nest(60))}, "nests more than 50 deep"),  # type: ignore[arg-type]
        ({"steps": [["\ud800"]]}, "half of a character"),
    ],
)
def test_what_no_file_can_hold_is_refused(fields: dict[str, object], words: str) -> None:
    """Nothing is left out in silence: the reference is named, and what can't be written of it."""
    with pytest.raises(InvalidReferenceError, match=r"^reference 'x' can't be written: ") as caught:
        write_references([Reference(name="x", **fields)])  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_depth_is_counted_as_it_is_read() -> None:
    """The deepest value that is written is read."""
    deepest = next(
        depth
        for depth in range(60, 0, -1)
        if _is_written(Reference(name="x", results=ExpectedResults(value=_nest(depth))))  # type: ignore[arg-type]
    )
    reference = Reference(name="x", results=ExpectedResults(value=_nest(deepest)))  # type: ignore[arg-type]
    assert read_yaml(write_references([reference])) == [reference]


def _is_written(reference: Reference) -> bool:
    try:
        return bool(write_references([reference]))
    except InvalidReferenceError:
        return False
