"""JSON text to a tree with places.

Not read as YAML, though it nearly is: YAML refuses tabs between tokens and reads an escaped surrogate pair
(how `json.dumps` writes an emoji) as two broken characters. Lists and maps are walked here to know where things
stand; strings, numbers and words are left to the standard library's decoder. Duplicate keys are refused.
Source: RFC 8259.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from otel_traj.evaluate.references.document import (
    MAX_DEPTH,
    ListNode,
    MapNode,
    Node,
    Place,
    ScalarNode,
    check_text,
    complain,
    parse_number,
)
from otel_traj.match.values_in_words import show_value

if TYPE_CHECKING:
    from otel_traj.errors import InvalidReferenceError

__all__ = ["parse_json"]

_SPACE = re.compile(r"[ \t\r\n]*")
_WORD = re.compile(r"[^\s,:\[\]{}\"]+")
_WORDS = {"true": True, "false": False, "null": None}


def parse_json(text: str, *, path: str) -> Node | None:
    """Return the tree of one JSON document.

    Args:
        text: The whole file.
        path: The file's name, for places.

    Returns:
        The root, or None where the text holds only white space.

    Raises:
        InvalidReferenceError: The text is not JSON, nests too deep, or holds a key twice.
    """
    return _Reader(text, path).read_document()


class _Reader:
    """A cursor over the text."""

    def __init__(self, text: str, path: str) -> None:
        self._text = text
        self._path = path
        self._index = 0
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._decoder = json.JSONDecoder()

    def read_document(self) -> Node | None:
        self._skip_space()
        if self._index == len(self._text):
            return None
        root = self._read(1)
        self._skip_space()
        if self._index < len(self._text):
            raise self._refuse("something follows the document's end")
        return root

    def _place(self, index: int) -> Place:
        line = bisect_right(self._line_starts, index)
        return Place(self._path, line, index - self._line_starts[line - 1] + 1)

    def _refuse(self, words: str) -> InvalidReferenceError:
        return complain(self._place(self._index), f"not valid JSON: {words}")

    def _skip_space(self) -> None:
        match = _SPACE.match(self._text, self._index)
        self._index = match.end() if match else self._index

    def _take(self, character: str) -> bool:
        """Skip white space, then the character if it stands there."""
        self._skip_space()
        found = self._text.startswith(character, self._index)
        self._index += found
        return found

    def _read(self, depth: int) -> Node:
        self._skip_space()
        place = self._place(self._index)
        if depth > MAX_DEPTH:
            raise complain(place, f"nested more than {MAX_DEPTH} deep; no reference needs that")
        if self._take("{"):
            return self._read_map(place, depth)
        if self._take("["):
            return self._read_list(place, depth)
        if self._text.startswith('"', self._index):
            return ScalarNode(value=self._read_text(), place=place)
        return self._read_word(place)

    def _read_map(self, place: Place, depth: int) -> MapNode:
        entries: dict[str, Node] = {}
        key_places: dict[str, Place] = {}
        while entries or not self._take("}"):
            self._skip_space()
            key_place = self._place(self._index)
            key = self._read_text()
            if key in entries:
                first = key_places[key].line
                raise complain(
                    key_place, f"the key {show_value(key)} stands here twice (first in line {first})"
                )
            if not self._take(":"):
                raise self._refuse("expected ':' after a key")
            entries[key] = self._read(depth + 1)
            key_places[key] = key_place
            if self._take("}"):
                break
            if not self._take(","):
                raise self._refuse("expected ',' or '}'")
        return MapNode(entries=entries, key_places=key_places, place=place)

    def _read_list(self, place: Place, depth: int) -> ListNode:
        items: list[Node] = []
        while items or not self._take("]"):
            items.append(self._read(depth + 1))
            if self._take("]"):
                break
            if not self._take(","):
                raise self._refuse("expected ',' or ']'")
        return ListNode(items=items, place=place)

    def _read_text(self) -> str:
        if not self._text.startswith('"', self._index):
            raise self._refuse("expected a text in double quotes")
        place = self._place(self._index)
        try:
            text, self._index = self._decoder.raw_decode(self._text, self._index)
        except json.JSONDecodeError as error:
            self._index = error.pos
            raise self._refuse(error.msg) from error
        check_text(text, place)
        return str(text)

    def _read_word(self, place: Place) -> ScalarNode:
        match = _WORD.match(self._text, self._index)
        if match is None:
            raise self._refuse("expected a value")
        word = match[0]
        number = parse_number(word)
        if number is None and word not in _WORDS:
            raise self._refuse(f"{word[:40]!r} is no value; a text stands in double quotes")
        self._index = match.end()
        return ScalarNode(value=_WORDS[word] if number is None else number, place=place)
