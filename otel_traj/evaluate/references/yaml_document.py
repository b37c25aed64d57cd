"""YAML text to a tree with places; only the harmless part of YAML.

The tree is composed from PyYAML's events, because a composed PyYAML node no longer tells an explicit tag from an
implied one, and because an alias has to be measured before it is followed. Refused, with the place: tags (they
name types to construct), aliases that contain themselves or expand beyond 10,000 nodes (the "billion laughs"),
duplicate keys, several documents, and bare words on which YAML 1.1 and 1.2 disagree (`no`, `on`, `0o17`,
`12:30`, `2026-01-01`): a node named `no` must not turn into a boolean in silence. Source: YAML 1.1 as PyYAML
6.0 reads it; the 1.2 core schema for what stays unambiguous.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

import yaml
from msgspec import Struct

from otel_traj.evaluate.references.document import (
    MAX_DEPTH,
    ListNode,
    MapNode,
    Node,
    Place,
    ScalarNode,
    check_text,
    complain,
    is_number,
    parse_number,
)
from otel_traj.match.values_in_words import show_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from otel_traj.errors import InvalidReferenceError

__all__ = ["parse_yaml"]

_MAX_ALIASED_NODES = 10_000
_NODE_CHARACTERS = 100
"""A long text counts as a node for each so many: aliases of one of a megabyte are a bomb too, once they are reported."""
_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_IMPLICIT: Mapping[str, list[tuple[str, re.Pattern[str]]]] = yaml.SafeLoader.yaml_implicit_resolvers
"""By first character: what YAML 1.1 takes a bare word for."""
_OCTAL = re.compile(r"0o[0-7]+\Z")
"""A number in YAML 1.2, a text in 1.1."""
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_END = (yaml.SequenceEndEvent, yaml.MappingEndEvent)


class _Anchored(Struct):
    node: Node | None = None
    """None while it is being composed."""
    size: int = 0
    """Nodes in it, expanded aliases included."""


def parse_yaml(text: str, *, path: str) -> Node | None:
    """Return the tree of one YAML document.

    Args:
        text: The whole file.
        path: The file's name, for places.

    Returns:
        The root, or None where the text holds no document.

    Raises:
        InvalidReferenceError: The text is not YAML, or uses what is refused here.
    """
    unprintable = _UNPRINTABLE.search(text)
    if unprintable is not None:
        line = text.count("\n", 0, unprintable.start()) + 1
        column = unprintable.start() - text.rfind("\n", 0, unprintable.start())
        message = (
            f"the character {unprintable[0]!r} can't stand in YAML; write it as an escape in double quotes"
        )
        raise complain(Place(path, line, column), message)
    try:
        return _Composer(yaml.parse(text, Loader=_LOADER), path).compose_document()
    except yaml.MarkedYAMLError as error:
        raise _translate(error, text, path) from error


def _translate(error: yaml.MarkedYAMLError, text: str, path: str) -> InvalidReferenceError:
    place = _locate(path, error.problem_mark or error.context_mark)
    lines = text.splitlines() or [""]
    if place.line > len(lines):
        place = Place(path, len(lines), len(lines[-1]) + 1)
    words = ", ".join(part for part in (error.context, error.problem) if part)
    if lines[place.line - 1][place.column - 1 :].startswith("\t"):
        words = "a tab stands here; tabs are not allowed for indentation, use spaces"
    return complain(place, f"not valid YAML: {words}")


class _Mark(Protocol):
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


def _locate(path: str, mark: _Mark | None) -> Place:
    """PyYAML counts from 0; an event or error without a mark stands at the top."""
    return Place(path, 1, 1) if mark is None else Place(path, mark.line + 1, mark.column + 1)


class _Composer:
    """Builds the tree from the stream of events."""

    def __init__(self, events: Iterator[yaml.Event], path: str) -> None:
        self._events = events
        self._path = path
        self._anchors: dict[str, _Anchored] = {}
        self._size = 0
        self._aliased = 0

    def compose_document(self) -> Node | None:
        root: Node | None = None
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise complain(self._place(event), "a second document begins; a reference file holds one")
                root = self._compose(next(self._events), 1)
        return root

    def _place(self, event: yaml.Event) -> Place:
        return _locate(self._path, event.start_mark)

    def _compose(self, event: yaml.Event, depth: int) -> Node:
        place = self._place(event)
        if isinstance(event, yaml.AliasEvent):
            return self._follow(event)
        if depth > MAX_DEPTH:
            raise complain(place, f"nested more than {MAX_DEPTH} deep; no reference needs that")
        if getattr(event, "tag", None) is not None:
            tag = show_value(getattr(event, "tag", ""))
            raise complain(place, f"the tag {tag} is refused; write plain values")
        anchored = _Anchored()
        anchor = getattr(event, "anchor", None)
        if anchor is not None:
            self._anchors[anchor] = anchored
        before = self._size
        self._size += 1
        if isinstance(event, yaml.ScalarEvent):
            self._size += len(event.value) // _NODE_CHARACTERS
        anchored.node = self._compose_content(event, place, depth)
        anchored.size = self._size - before
        return anchored.node

    def _compose_content(self, event: yaml.Event, place: Place, depth: int) -> Node:
        if isinstance(event, yaml.ScalarEvent):
            return _resolve(event, place)
        if isinstance(event, yaml.SequenceStartEvent):
            return ListNode(items=[self._compose(each, depth + 1) for each in self._children()], place=place)
        return self._compose_map(place, depth)

    def _compose_map(self, place: Place, depth: int) -> MapNode:
        entries: dict[str, Node] = {}
        key_places: dict[str, Place] = {}
        for event in self._children():
            key = self._compose(event, depth + 1)
            key_place = self._place(event)
            if not isinstance(key, ScalarNode) or not isinstance(key.value, str):
                raise complain(key_place, "a key is not a text; put it in quotes")
            if key.value in entries:
                first = key_places[key.value].line
                raise complain(
                    key_place, f"the key {show_value(key.value)} stands here twice (first in line {first})"
                )
            entries[key.value] = self._compose(next(self._events), depth + 1)
            key_places[key.value] = key_place
        return MapNode(entries=entries, key_places=key_places, place=place)

    def _children(self) -> Iterator[yaml.Event]:
        for event in self._events:
            if isinstance(event, _END):
                return
            yield event

    def _follow(self, event: yaml.AliasEvent) -> Node:
        place = self._place(event)
        anchored = self._anchors.get(event.anchor or "")
        if anchored is None:
            raise complain(place, f"the alias {show_value(event.anchor)} has no anchor before it")
        if anchored.node is None:
            raise complain(place, f"the alias {show_value(event.anchor)} contains itself")
        self._aliased += anchored.size
        self._size += anchored.size
        if self._aliased > _MAX_ALIASED_NODES:
            raise complain(place, f"aliases expand to more than {_MAX_ALIASED_NODES:,} nodes; write them out")
        return anchored.node


def _resolve(event: yaml.ScalarEvent, place: Place) -> ScalarNode:
    text = event.value
    check_text(text, place)
    if not event.implicit[0] or event.style:
        return ScalarNode(value=text, place=place)
    if text in _NULLS:
        return ScalarNode(value=None, place=place)
    if text in _BOOLEANS:
        return ScalarNode(value=_BOOLEANS[text], place=place)
    if text == "<<":
        raise complain(place, "merge keys (<<) are not read here; write the keys out")
    number = parse_number(text)
    is_word = not any(pattern.match(text) for _, pattern in _IMPLICIT.get(text[0], ()))
    if is_word and not is_number(text) and not _OCTAL.match(text):
        return ScalarNode(value=text, place=place)
    if is_word or number is None:
        shown = show_value(text)
        raise complain(place, f"{shown} without quotes is not a text to every YAML reader; put it in quotes")
    return ScalarNode(value=number, place=place)
