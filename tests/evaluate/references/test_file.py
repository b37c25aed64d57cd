"""Reference files: what they may hold, and what each complaint says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from otel_traj import (
    Any,
    Gap,
    Glob,
    InvalidReferenceError,
    OneOf,
    ReferenceStep,
    Regex,
    Repeat,
    Rules,
    Tool,
)
from otel_traj.evaluate import AppliesTo, Reference, load_references
from otel_traj.evaluate.references.file import MAX_BYTES
from otel_traj.evaluate.references.reference import ExpectedResults, ExpectedThread

if TYPE_CHECKING:
    from pathlib import Path

_WHOLE = """\
# yaml-language-server: $schema=./references.schema.json
version: 1
$schema: ./references.schema.json
references:
  - name: long path
    applies_to:
      graph: seven
      case: long
      thread: "7"
      tags: [nightly, eu]
      inputs: {shortcut: false, user: null}
      attributes: {service.version: "1.2", replicas: 3, canary: true}
    level: both
    depth: null
    trajectory_mode: starts_with
    args: {search: superset, "*": exact}
    status: [ok, error]
    step_mode: exact
    duplicates: ignore
    ignore: [__start__, {glob: "log_*"}]
    source: [4bf92f3577b34da6a3ce929d0e0e4736]
    steps:
      - node1
      - [node4, node5]
      - {nodes: ["node*", 'a: b'], mode: at_least, min: 1, max: 1}
      - nodes: [node7]
      - {nodes: [{glob: "*6"}, {any: true}], mode: superset, min: 0, max: ~}
      - {repeat: [poll, [wait, {regex: "w.*"}]], min: 0, max: 3}
      - {gap: true}
      - {one_of: [node7, [node8, node9], [[node8], node9]]}
      - {tool: search, args: {query: rain}, args_mode: superset}
    rules:
      forbidden: [delete_everything]
      before: [[set_private, read_data]]
      max_visits: {node3: 2}
    results: {mode: superset, value: {shortcut: false}}
    model_calls:
      - {nth: 1, chooses: [{tool: find, args: {attendee: ann}}, note]}
  - name: anything else
    status: any
    any_of: [[node1], [node2, [node1]]]
  - name: conversation
    thread: {mode: strict, runs: [anything else, long path]}
"""

_HEAD = "version: 1\nreferences:\n"


def _write(tmp_path: Path, text: str, name: str = "refs.yaml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def _complain(tmp_path: Path, text: str, name: str = "refs.yaml") -> tuple[int | None, int | None, str]:
    with pytest.raises(InvalidReferenceError) as caught:
        load_references(_write(tmp_path, text, name))
    error = caught.value
    assert error.path == str(tmp_path / name)
    return error.line, error.column, str(error)


def test_a_whole_reference_is_read(tmp_path: Path) -> None:
    """Every key is read into its field, in the matching engine's own types; a plain text is a literal name."""
    first, second, third = load_references(_write(tmp_path, _WHOLE))
    assert first == Reference(
        name="long path",
        applies_to=AppliesTo(
            graph="seven",
            case="long",
            thread="7",
            tags=("nightly", "eu"),
            inputs={"shortcut": False, "user": None},
            attributes={"service.version": "1.2", "replicas": 3, "canary": True},
        ),
        steps=[
            ["node1"],
            ["node4", "node5"],
            ReferenceStep(["node*", "a: b"], "at_least"),
            ReferenceStep(["node7"]),
            ReferenceStep([Glob("*6"), Any()], "superset", min=0, max=None),
            Repeat([["poll"], ["wait", Regex("w.*")]], 0, 3),
            Gap(),
            OneOf(["node7"], ["node8", "node9"], [["node8"], ["node9"]]),
            [Tool("search", {"query": "rain"}, "superset")],
        ],
        rules=Rules(
            forbidden=["delete_everything"], before=[["set_private", "read_data"]], max_visits={"node3": 2}
        ),
        results=ExpectedResults(value={"shortcut": False}, mode="superset"),
        model_calls=[{"nth": 1, "chooses": [Tool("find", {"attendee": "ann"}), "note"]}],
        level="both",
        depth=None,
        trajectory_mode="starts_with",
        args={"search": "superset", "*": "exact"},
        status=("ok", "error"),
        step_mode="exact",
        duplicates="ignore",
        ignore=("__start__", Glob("log_*")),
        source=("4bf92f3577b34da6a3ce929d0e0e4736",),
    )
    assert second == Reference(
        name="anything else",
        any_of=[[["node1"]], [["node2"], ["node1"]]],
        status=("ok", "error", "interrupted", "cancelled"),
    )
    assert third == Reference(
        name="conversation", thread=ExpectedThread(runs=("anything else", "long path"), mode="strict")
    )


def test_json_and_yaml_say_the_same(tmp_path: Path) -> None:
    """The same document as JSON gives the same references, whatever is in it."""
    document: dict[str, object] = yaml.safe_load(_WHOLE)
    as_json = _write(tmp_path, json.dumps(document, indent="\t"), "refs.JSON")
    assert load_references(as_json) == load_references(_write(tmp_path, _WHOLE))
    named = {"version": 1, "references": [{"name": "caf\u00e9 \U0001f600", "rules": {"max_supersteps": 1}}]}
    as_json = _write(tmp_path, json.dumps(named), "refs.json")
    as_yaml = _write(tmp_path, json.dumps(named, ensure_ascii=False), "refs.yaml")
    assert load_references(as_json) == load_references(as_yaml)
    assert load_references(as_json)[0].name == "caf\u00e9 \U0001f600"


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path) -> None:
    """Files saved with a UTF-8 byte order mark are read."""
    path = tmp_path / "refs.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + _WHOLE.encode())
    assert len(load_references(path)) == 3


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, 1, "the file is empty"),
        ("- a\n", 1, 1, "a reference file must be a map, found a list"),
        ("references: []\n", 1, 1, "a reference file needs version: 1"),
        (
            "version: 2\nreferences: []\n",
            1,
            10,
            "version must be 1, the one that is read here; found the number 2",
        ),
        ("version: '1'\nreferences: []\n", 1, 10, "found the text '1'"),
        ("version: true\nreferences: []\n", 1, 10, "found the boolean true"),
        ("version: 1\n", 1, 1, "needs references"),
        ("version: 1\nreferences: []\n", 2, 13, "references are empty"),
        ("version: 1\nreferences:\n", 2, 12, "references must be a list, found nothing"),
        ("version: 1\nreferences: {a: b}\n", 2, 13, "references must be a list, found a map"),
        ("version: 1\nreference: []\n", 2, 1, "did you mean 'references'?"),
        ('{"resourceSpans": []}\n{"resourceSpans": []}\n', 1, 1, "this file holds spans"),
        (_HEAD + "  - steps: [a]\n", 3, 5, "a reference needs name: verdicts tell it"),
        (
            _HEAD + "  - name: x\n",
            3,
            5,
            "a reference needs at least one of steps, any_of, rules, results, model_calls, thread",
        ),
        (_HEAD + "  - just text\n", 3, 5, "a reference must be a map"),
        (
            _HEAD + "  - {name: 1, steps: [a]}\n",
            3,
            12,
            "must be a text, found the number 1; put it in quotes",
        ),
        (_HEAD + "  - {name: '', steps: [a]}\n", 3, 12, "must be a text, found the text ''"),
        (_HEAD + "  - {name: x, steps: []}\n", 3, 22, "steps are empty"),
        (_HEAD + "  - {name: x, steps: [__start__, [__end__]]}\n", 3, 22, "nothing but ignored names"),
        (_HEAD + "  - {name: x, steps: a}\n", 3, 22, "steps must be a list, found the text 'a'"),
        (_HEAD + "  - {name: x, steps: [true]}\n", 3, 23, "found the boolean true; put it in quotes"),
        (_HEAD + "  - {name: x, steps: [[a, ~]]}\n", 3, 27, "a name must be a text, found nothing"),
        (_HEAD + "  - {name: x, steps: [[[a]]]}\n", 3, 24, "a name must be a text, found a list"),
        (
            _HEAD + "  - {name: x, steps: [[{node: a}]]}\n",
            3,
            25,
            "unknown key 'node'; an entry may hold: glob, regex, any, one_of, tool, args, args_mode",
        ),
        (_HEAD + "  - {name: x, steps: [{mode: exact}]}\n", 3, 24, "mode needs nodes beside it"),
        (_HEAD + "  - {name: x, steps: [{nodes: a}]}\n", 3, 31, "nodes must be a list"),
        (
            _HEAD + "  - {name: x, steps: [{nodes: [a], mode: supserset}]}\n",
            3,
            42,
            "must be one of exact, unordered, subset, superset, at_most, at_least; found the text 'supserset'",
        ),
        (_HEAD + "  - {name: x, steps: [a], step_mode: any}\n", 3, 38, "must be one of exact, unordered"),
        (
            _HEAD + "  - {name: x, steps: [a], duplicates: no dups}\n",
            3,
            39,
            "duplicates must be one of count, ignore",
        ),
        (
            _HEAD + "  - {name: x, steps: [a], ignore: a}\n",
            3,
            35,
            "ignore must be a list, found the text 'a'",
        ),
        (
            _HEAD + "  - {name: x, steps: [a], status: open}\n",
            3,
            35,
            "must be one of ok, error, interrupted, cancelled",
        ),
        (_HEAD + "  - {name: x, steps: [a], status: []}\n", 3, 35, "found a list"),
        (_HEAD + "  - {name: x, steps: [a], status: [any]}\n", 3, 36, "any alone"),
        (_HEAD + "  - {name: x, steps: [a], applies_to: seven}\n", 3, 39, "applies_to must be a map"),
        (_HEAD + "  - {name: x, steps: [a], applies_to: {graf: y}}\n", 3, 40, "(did you mean 'graph'?)"),
        (
            _HEAD + "  - {name: x, steps: [a], applies_to: {case: 7}}\n",
            3,
            46,
            "case must be a text, found the number 7",
        ),
        (
            _HEAD + "  - {name: x, steps: [a], applies_to: {inputs: ~}}\n",
            3,
            48,
            "must be a value, found nothing",
        ),
        (_HEAD + "  - {name: x, steps: [a], applies_to: {tags: [1]}}\n", 3, 47, "tag must be a text"),
        (_HEAD + "  - {name: x, steps: [a], applies_to: {attributes: [a]}}\n", 3, 52, "must be a map"),
        (_HEAD + "  - {name: x, steps: [a], source: [1]}\n", 3, 36, "trace id must be a text"),
        (
            _HEAD + "  - {name: x, steps: [a]}\n  - {name: x, steps: [b]}\n",
            4,
            5,
            "a second reference named 'x' (first in line 3)",
        ),
    ],
)
def test_each_complaint_names_its_place(
    tmp_path: Path, text: str, line: int, column: int, words: str
) -> None:
    """What can't be understood is refused with line, column, what was found and what is allowed."""
    found_line, found_column, message = _complain(tmp_path, text)
    assert words in message
    assert (found_line, found_column) == (line, column)


def test_the_two_at_the_top_are_checked_in_json_too(tmp_path: Path) -> None:
    """Complaints about JSON have their place as well."""
    text = '{\n  "version": 1,\n  "references": [\n    {"name": "x", "stepz": []}\n  ]\n}\n'
    assert _complain(tmp_path, text, "refs.json")[:2] == (4, 19)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A reference file that is not there is an error of ours that says so."""
    with pytest.raises(InvalidReferenceError, match="does not exist") as caught:
        load_references(tmp_path / "none.yaml")
    assert caught.value.path == str(tmp_path / "none.yaml")


def test_a_folder_is_no_reference_file(tmp_path: Path) -> None:
    """What can't be read says why."""
    with pytest.raises(InvalidReferenceError, match="can't be read"):
        load_references(tmp_path)


def test_a_file_over_16_mib_is_refused(tmp_path: Path) -> None:
    """Too large a file is refused before it is parsed."""
    path = tmp_path / "refs.yaml"
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(InvalidReferenceError, match="larger than 16 MiB"):
        load_references(path)


def test_bytes_that_are_not_utf8_have_their_place(tmp_path: Path) -> None:
    """A file in another encoding is refused where it stops being UTF-8."""
    path = tmp_path / "refs.yaml"
    path.write_bytes(b"version: 1\nx: \xe9")
    with pytest.raises(InvalidReferenceError, match="not UTF-8") as caught:
        load_references(path)
    assert (caught.value.line, caught.value.column) == (2, 4)


def test_nothing_in_a_reference_runs(tmp_path: Path) -> None:
    """A file that tries to construct a Python object is refused, and nothing happens."""
    marker = tmp_path / "ran"
    text = f"version: 1\nreferences: !!python/object/apply:pathlib.Path.touch [{marker}]\n"
    assert _complain(tmp_path, text)[:2] == (2, 13)
    assert not marker.exists()


def test_a_long_unknown_key_does_not_flood_the_terminal(tmp_path: Path) -> None:
    """A complaint shows only the beginning of 10 kB of nonsense."""
    _, _, message = _complain(tmp_path, f"'{'k' * 10_000}': 1\n")
    assert len(message) < 400
