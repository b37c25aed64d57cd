"""YAML to a tree with places."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from otel_traj import InvalidReferenceError
from otel_traj.evaluate.references import yaml_document
from otel_traj.evaluate.references.document import ListNode, MapNode, Node, ScalarNode
from otel_traj.evaluate.references.yaml_document import parse_yaml

_SAFE_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20).filter(
    # PyYAML leaves a text bare that only other readers take for a number (`1e3`, `0o7`).
    lambda text: re.match(r"-?[0-9.]+([eE][0-9]+)?\Z|0o[0-7]+\Z", text) is None
)
_DATA = st.recursive(
    st.one_of(st.booleans(), st.integers(-(10**12), 10**12), _SAFE_TEXT),
    lambda below: st.one_of(st.lists(below, max_size=4), st.dictionaries(_SAFE_TEXT, below, max_size=4)),
    max_leaves=12,
)

LOADERS = list(dict.fromkeys((yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader))))


def to_plain(node: Node | None) -> object:
    """Return a tree as plain lists, dicts and values."""
    if node is None:
        return None
    if isinstance(node, ListNode):
        return [to_plain(item) for item in node.items]
    if isinstance(node, MapNode):
        return {key: to_plain(value) for key, value in node.entries.items()}
    return node.value


def _refuse(text: str) -> InvalidReferenceError:
    with pytest.raises(InvalidReferenceError) as caught:
        parse_yaml(text, path="refs.yaml")
    return caught.value


def test_every_node_has_its_line_and_column() -> None:
    """Nodes and keys know where they stand, counted from 1."""
    root = parse_yaml("a: 1\nb:\n  - x\n  - {c: y}\n", path="refs.yaml")
    assert isinstance(root, MapNode)
    assert (root.key_places["b"].line, root.key_places["b"].column) == (2, 1)
    items = root.entries["b"]
    assert isinstance(items, ListNode)
    assert [(item.place.line, item.place.column) for item in items.items] == [(3, 5), (4, 5)]


@given(_DATA)
def test_what_pyyaml_writes_is_read_back(data: object) -> None:
    """Plain data dumped by PyYAML is read back unchanged, whatever characters it holds."""
    assert to_plain(parse_yaml(yaml.safe_dump(data), path="refs.yaml")) == data


@pytest.mark.parametrize(
    "word",
    [
        "no",
        "yes",
        "on",
        "Off",
        "0o17",
        "017",
        "0x1f",
        "1_000",
        "12:30",
        "2026-01-01",
        "=",
        ".inf",
        ".5",
        "1.",
        "1e5",
        "1e999",
        "1" * 50,
    ],
)
def test_a_bare_word_that_readers_disagree_on_is_refused(word: str) -> None:
    """A word that is a text in one YAML version and something else in another must be quoted."""
    error = _refuse(f"steps:\n  - {word}\n")
    assert (error.line, error.column) == (2, 5)
    assert "put it in quotes" in str(error)
    quoted = parse_yaml(f"steps:\n  - '{word}'\n", path="refs.yaml")
    assert to_plain(quoted) == {"steps": [word]}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("12", 12),
        ("-1.5e+3", -1500.0),
    ],
)
def test_unambiguous_bare_words_have_their_value(text: str, value: object) -> None:
    """Booleans, null and JSON's numbers are read as such."""
    assert to_plain(parse_yaml(f"key: {text}", path="refs.yaml")) == {"key": value}


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: !!python/object/apply:os.system ['true']", 1, 4, "tag"),
        ("- !!str 1", 1, 3, "tag"),
        ("a: !own x", 1, 4, "tag"),
        ("a: 1\nb: 2\na: 3", 3, 1, "twice (first in line 1)"),
        ("a: 1\n---\nb: 1", 2, 1, "second document"),
        ("? [a]\n: b", 1, 3, "a key is not a text"),
        ("1: b", 1, 1, "a key is not a text"),
        ("a: &x [*x]", 1, 8, "contains itself"),
        ("a: *x", 1, 4, "no anchor before it"),
        ("base: &b {x: 1}\nc:\n  <<: *b", 3, 3, "merge keys"),
        ("a: [1, 2", 1, 9, "not valid YAML"),
        ("a:\n\t- b", 2, 1, "a tab stands here; tabs are not allowed for indentation, use spaces"),
        ("a:\n  - b\n  \t- c", 3, 3, "tabs are not allowed for indentation"),
        ("a:\n  b: 1\n\tc: 2", 3, 1, "tabs are not allowed for indentation"),
        ("a:\n  -\tb", 2, 4, "tabs are not allowed for indentation"),
        ("a: 'x", 1, 6, "not valid YAML"),
        ("ok: 1\na: \x1b[31m", 2, 4, "can't stand in YAML"),
    ],
)
@pytest.mark.parametrize("loader", LOADERS)
def test_what_is_refused_is_refused_at_its_place(
    monkeypatch: pytest.MonkeyPatch, loader: object, text: str, line: int, column: int, words: str
) -> None:
    """Tags, duplicate keys, broken aliases and broken YAML are named with their place, with libyaml or without."""
    monkeypatch.setattr(yaml_document, "_LOADER", loader)
    error = _refuse(text)
    assert words in str(error)
    assert (error.path, error.line, error.column) == ("refs.yaml", line, column)
    assert str(error).startswith(f"refs.yaml:{line}:{column}: ")


def test_an_alias_is_followed() -> None:
    """An anchor may be used again as long as what it expands to stays small."""
    root = parse_yaml("a: &steps [x, [y, z]]\nb: *steps\n", path="refs.yaml")
    assert to_plain(root) == {"a": ["x", ["y", "z"]], "b": ["x", ["y", "z"]]}


def test_an_alias_bomb_is_refused_before_it_expands() -> None:
    """Nested aliases that would expand to billions of nodes are refused in no time."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, 30)]
    error = _refuse("\n".join(lines))
    assert "expand to more than 10,000 nodes" in str(error)
    assert error.line == 5


def test_an_alias_bomb_of_one_long_text_is_refused() -> None:
    """A long text counts for more than a node, or a small file would fill a report with gigabytes."""
    text = f"a: &a '{'x' * 100_000}'\nb: [{', '.join(['*a'] * 50)}]\n"
    assert "expand to more than 10,000 nodes" in str(_refuse(text))
    assert parse_yaml(text.replace("*a", "'a'"), path="refs.yaml") is not None


@pytest.mark.parametrize("text", ["'{}': 1\n'{}': 2", "*{}", "!{} a", "{}: 1", "- {}"])
def test_complaints_are_short(text: str) -> None:
    """A complaint shows only the beginning of 10 kB of nonsense."""
    assert len(str(_refuse(text.replace("{}", "1" * 10_000)))) < 200


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("escape", [r"\ud800", r"\udfff", r"\ud83d\ude00"])
def test_half_a_character_is_refused(monkeypatch: pytest.MonkeyPatch, loader: object, escape: str) -> None:
    """An escape that gives half of a character makes a text that nothing can print."""
    monkeypatch.setattr(yaml_document, "_LOADER", loader)
    for text in (f'- "{escape}"', f'"{escape}": 1'):
        error = _refuse(text)
        assert error.line == 1
        assert "half of a character" in str(error) or "invalid Unicode character escape" in str(error)


@pytest.mark.parametrize("opening", ["[", "{a: "])
def test_deep_nesting_is_refused(opening: str) -> None:
    """A file nested deeper than any reference is refused, not followed until the stack ends."""
    assert re.search("nested more than 50 deep|maximum nesting depth", str(_refuse(opening * 100_000)))


@pytest.mark.parametrize("text", ["", "\n \n", "# nothing\n"])
def test_a_text_without_a_document_gives_none(text: str) -> None:
    """White space and comments alone are no document."""
    assert parse_yaml(text, path="refs.yaml") is None


def test_a_scalar_at_the_top_is_a_node() -> None:
    """A single word is a document; whether it may stand there is the schema's question."""
    root = parse_yaml("word", path="refs.yaml")
    assert isinstance(root, ScalarNode)
