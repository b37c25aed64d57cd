"""JSON to a tree with places."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj import InvalidReferenceError
from otel_traj.evaluate.references.document import ListNode, MapNode
from otel_traj.evaluate.references.json_document import parse_json
from tests.evaluate.references.test_yaml_document import to_plain

_DATA = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**12), 10**12), st.text(max_size=20)),
    lambda below: st.one_of(
        st.lists(below, max_size=4), st.dictionaries(st.text(max_size=8), below, max_size=4)
    ),
    max_leaves=12,
)


@given(_DATA, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_what_the_standard_library_writes_is_read_back(
    data: object, indent: int | str | None, ascii_only: bool
) -> None:
    """JSON as `json.dumps` writes it, indented by tabs or escaped to ASCII too, is read back unchanged."""
    text = json.dumps(data, indent=indent, ensure_ascii=ascii_only)
    assert to_plain(parse_json(text, path="refs.json")) == data


def test_every_node_has_its_line_and_column() -> None:
    """Nodes and keys know where they stand, counted from 1."""
    root = parse_json('{\n  "a": [1,\n\t"x"]}', path="refs.json")
    assert isinstance(root, MapNode)
    assert (root.key_places["a"].line, root.key_places["a"].column) == (2, 3)
    items = root.entries["a"]
    assert isinstance(items, ListNode)
    assert [(item.place.line, item.place.column) for item in items.items] == [(2, 9), (3, 2)]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ('{"a": 1,\n "a": 2}', 2, 2, "twice (first in line 1)"),
        ('{"a": 1,}', 1, 9, "expected a text in double quotes"),
        ('{"a" 1}', 1, 6, "expected ':'"),
        ('{"a": 1 "b": 2}', 1, 9, "expected ',' or '}'"),
        ("[1 2]", 1, 4, "expected ',' or ']'"),
        ("[1,]", 1, 4, "expected a value"),
        ("[NaN]", 1, 2, "'NaN' is no value"),
        ("[01]", 1, 2, "'01' is no value"),
        ("[" + "9" * 5000 + "]", 1, 2, "is no value"),
        ('["a\nb"]', 1, 4, "not valid JSON"),
        ('["a', 1, 2, "not valid JSON"),
        ('["\\x"]', 1, 3, "not valid JSON"),
        ("{} {}", 1, 4, "something follows"),
        ("{", 1, 2, "expected a text in double quotes"),
        (r'["\ud800"]', 1, 2, "half of a character"),
        (r'{"\udc00": 1}', 1, 2, "half of a character"),
        (r'{"a": 1, "\u0061": 2}', 1, 10, "the key 'a' stands here twice"),
        ("[" * 100_000, 1, 51, "nested more than 50 deep"),
    ],
)
def test_what_is_refused_is_refused_at_its_place(text: str, line: int, column: int, words: str) -> None:
    """Broken JSON and duplicate keys are named with line and column."""
    with pytest.raises(InvalidReferenceError) as caught:
        parse_json(text, path="refs.json")
    assert words in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_white_space_alone_is_no_document() -> None:
    """An empty file gives None."""
    assert parse_json(" \n", path="refs.json") is None
