"""The JSON schema of reference files says what the reading of one says, as far as a schema can."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from otel_traj import InvalidReferenceError
from otel_traj.evaluate import load_reference_schema, write_references
from otel_traj.evaluate.references.reference import JUDGED_STATUSES
from otel_traj.match import DuplicatesMode, GraphTrajectoryMatchMode, Level, RunsMode, TrajectoryMode
from otel_traj.record.sample_runs import SAMPLE_REFERENCES
from tests.evaluate.references.reference_files import read_json
from tests.evaluate.references.reference_strategies import files
from tests.missing_api import needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import Draft202012Validator

    from otel_traj.evaluate import Reference

pytestmark = needs("JSON schemas")

SCHEMA = load_reference_schema()
ROOT = Path(__file__).parents[3]
BLOCKS = [
    block
    for page in [*sorted(ROOT.joinpath("docs").rglob("*.md")), ROOT / "README.md"]
    for block in re.findall(r"^```yaml\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    if "\nreferences:" in block
]

FORMS = [
    "applies_to: {graph: g, case: c, thread: t, tags: [x], inputs: {a: 1}, attributes: {b: 2}}, results: {value: 0}",
    "level: tools, depth: 1, status: [ok, error], duplicates: count, args: {s: exact, '*': [q.city, [a.b]]}, steps: [a]",
    "depth: null, status: ok, ignore: [__start__, {glob: 'log*'}], source: ['0'], any_of: [[a, [b]], [c]]",
    "trajectory_mode: starts_with, step_mode: exact, steps: [a, [b, {glob: 'c*'}, {regex: 'd+'}], {any: true}]",
    "steps: [a, [{one_of: [e, {glob: 'f*'}]}], {nodes: [g], mode: superset, min: 0, max: null}, {gap: true}]",
    "steps: [a, {repeat: [h, [i]], min: 1, max: 3}, {one_of: [j, [k, l], [[m], n]]}]",
    "level: both, steps: [{tool: o, args: {p: 1}, args_mode: superset}, [{tool: {glob: 'q*'}, args: t, args_mode: [r]}]]",
    "rules: {forbidden: [ra, {glob: 'rb*'}], required: [a], before: [[a, b]], follows: [[s, t]]}",
    "level: tools, rules: {same_step: [[u, v, w]], max_visits: {x: 2}, min_visits: [[a, 1], [{tool: y}, 0]]}",
    "rules: {max_supersteps: 9}, results: {mode: superset, value: {z: 1}}, applies_to: {tags: x}",
    "args: exact, model_calls: [{nth: 1, chooses: [m, {tool: n, args: {o: 1}}]}, {nth: 2, chooses: []}]",
]
"""References that hold every form between them, small ones so that what differs from them is quickly judged."""
WHOLES = [
    *(f"version: 1\nreferences: [{{name: x, {form}}}]\n" for form in FORMS),
    "version: 1\n$schema: s\nreferences: [{name: x, steps: [a]}, {name: t, thread: {mode: strict, runs: [x, x]}}]\n",
    "version: 1\nreferences: [{name: x, steps: [a]}, {name: t, source: ['1'], thread: {mode: each, runs: [x]}}]\n",
]

BEYOND_A_SCHEMA = (
    r"a second reference named",
    r"no reference of a run in this file is named|is itself a reference of a thread",
    r"a tool call stands here, and level is nodes",
    r"args says how arguments of tools are compared, and level is",
    r"is no regular expression",
    r"has min \d+ and max \d+: it could never stand there",
    r"has nth \d+ twice|counts the same name twice",
    r"the rules hold no rule",
    r"^rule \w+ (wants|allows|does not allow|names|of|has) ",
    r"steps are empty|nothing but|a run in which nothing ran would pass",
    r"the reference holds|the reference unfolds",
)
"""What depends on another place of the file, on numbers beside one another, or on the matching engine."""


@cache
def _make_validator() -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(SCHEMA)


def _read(document: object) -> str | None:
    """Return the complaint about a document, without its place; None where there is none."""
    try:
        read_json(json.dumps(document))
    except InvalidReferenceError as error:
        return str(error).split(": ", 1)[1]
    return None


def test_the_schema_is_one() -> None:
    """It is valid in its draft, says which one, and every part of it is used and can be found."""
    type(_make_validator()).check_schema(SCHEMA)
    used = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(SCHEMA)))
    assert used == set(SCHEMA["$defs"])
    assert load_reference_schema() is not load_reference_schema()


def test_every_key_is_described() -> None:
    """An editor has something to show for each key of a reference."""
    for name in ("reference", "applies_to", "rules"):
        properties = SCHEMA["$defs"][name]["properties"]
        bare = [
            key for key, value in properties.items() if "description" not in value and "$ref" not in value
        ]
        assert bare == []


def test_words_are_those_of_the_engine() -> None:
    """Each closed set of words is the one that the engine knows."""
    reference = SCHEMA["$defs"]["reference"]["properties"]
    assert reference["level"]["enum"] == list(get_args(Level))
    assert reference["trajectory_mode"]["enum"] == list(get_args(TrajectoryMode))
    assert reference["duplicates"]["enum"] == list(get_args(DuplicatesMode))
    assert SCHEMA["$defs"]["step_mode"]["enum"] == list(get_args(GraphTrajectoryMatchMode))
    assert SCHEMA["$defs"]["thread"]["properties"]["mode"]["enum"] == list(get_args(RunsMode))
    assert SCHEMA["$defs"]["status"]["enum"] == list(JUDGED_STATUSES)


@pytest.mark.parametrize("block", [*BLOCKS, SAMPLE_REFERENCES, *WHOLES])
def test_every_example_is_valid(block: str) -> None:
    """Reference files of the documentation and the demo, and every form, meet the schema and are read."""
    assert len(BLOCKS) > 5
    document = yaml.safe_load(block)
    assert [error.message for error in _make_validator().iter_errors(document)] == []
    assert _read(document) is None


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(files())
def test_whatever_is_read_is_valid(references: list[Reference]) -> None:
    """No reference file that is read is marked by an editor."""
    document = yaml.safe_load(write_references(references))
    assert [error.message for error in _make_validator().iter_errors(document)] == []


def _list_places(node: object) -> Iterator[tuple[Any, Any]]:
    """Yield each container of a document with each of its keys or positions."""
    keys: list[Any] = (
        list(node) if isinstance(node, dict) else list(range(len(node))) if isinstance(node, list) else []
    )
    for key in keys:
        yield node, key
        yield from _list_places(node[key])  # type: ignore[index]


_OTHERS: list[object] = [
    "",
    "a",
    "__start__",
    0,
    -1,
    1.5,
    True,
    None,
    [],
    {},
    ["a", "a"],
    [None],
    {"nope": 1},
]


def _list_mutants(document: object) -> Iterator[object]:
    """Yield documents that differ from a valid one in one place: another value there, none, or another key."""
    for place, (_, key) in enumerate(_list_places(document)):
        for other in _OTHERS:
            mutant, (container, _) = _copy(document, place)
            container[key] = copy.deepcopy(other)
            yield mutant
        mutant, (container, _) = _copy(document, place)
        value = container.pop(key)
        yield mutant
        if isinstance(container, dict):
            mutant, (container, _) = _copy(document, place)
            container[f"{key}_"] = container.pop(key)
            yield mutant
            mutant, (container, _) = _copy(document, place)
            container["nope"] = value
            yield mutant


def _copy(document: object, place: int) -> tuple[object, tuple[Any, Any]]:
    mutant = copy.deepcopy(document)
    return mutant, list(_list_places(mutant))[place]


def _judge(mutant: object) -> str:
    """Return who refuses a document, after seeing that nobody is wrong."""
    complaint, is_valid = _read(mutant), _make_validator().is_valid(mutant)
    assert is_valid or complaint is not None, json.dumps(mutant)
    if complaint is None:
        return "nobody"
    assert not is_valid or re.search("|".join(BEYOND_A_SCHEMA), complaint), (
        f"{complaint}: {json.dumps(mutant)}"
    )
    return "reading" if is_valid else "both"


def test_the_schema_refuses_what_the_reading_refuses() -> None:
    """Over thousands of slips both agree, but for what a schema can't tell; and it refuses nothing that is read."""
    mutants = [mutant for whole in WHOLES for mutant in _list_mutants(yaml.safe_load(whole))]
    counts = Counter(map(_judge, mutants))
    assert counts["both"] > 1_000
    assert counts["nobody"] > 200
    assert counts["reading"] > 40
