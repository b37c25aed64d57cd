"""Nodes of a reference file read as the types that are wanted, or a complaint with the place.

Every complaint names what was found and what is allowed. A number or boolean where a name is wanted is not
converted: YAML has then already dropped what was typed (`010`, `1.0`), and a wrong name would match nothing.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, TypeVar

from otel_traj.evaluate.references.document import ListNode, MapNode, Node, ScalarNode, complain
from otel_traj.match.values_in_words import show_value

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from otel_traj.model import AttributeValue

__all__ = [
    "check_keys",
    "describe",
    "get_needed",
    "read_count",
    "read_count_or_null",
    "read_list",
    "read_map",
    "read_name",
    "read_names",
    "read_true",
    "read_value",
    "read_word",
]

_Word = TypeVar("_Word", bound=str)


def describe(node: Node) -> str:
    """Return what a node is, in words for a complaint."""
    if isinstance(node, ListNode):
        return "a list"
    if isinstance(node, MapNode):
        return "a map"
    if node.value is None:
        return "nothing"
    if isinstance(node.value, bool):
        return f"the boolean {str(node.value).lower()}"
    if isinstance(node.value, str):
        return f"the text {show_value(node.value)}"
    return f"the number {node.value}"


def check_keys(
    node: MapNode, *, allowed: Collection[str], what: str, elsewhere: Mapping[str, str] | None = None
) -> None:
    """Refuse a key that is unknown.

    Args:
        node: The map.
        allowed: The keys it may hold.
        what: What the map is, with its article: "a reference".
        elsewhere: For keys that stand under another key, that one.

    Raises:
        InvalidReferenceError: At the key's own place.
    """
    for key, place in node.key_places.items():
        if key in allowed:
            continue
        hint = ""
        if near := difflib.get_close_matches(key, allowed, n=1):
            hint = f" (did you mean {near[0]!r}?)"
        elif elsewhere and key in elsewhere:
            hint = f" (it stands under {elsewhere[key]})"
        may = f"{what} may hold: {', '.join(allowed)}"
        raise complain(place, f"unknown key {show_value(key)}{hint}; {may}")


def get_needed(node: MapNode, key: str, what: str, why: str) -> Node:
    """Return the value of a key that must be there.

    Args:
        node: The map.
        key: The key.
        what: What the map is, with its article.
        why: What the key holds, or what it is needed for.

    Raises:
        InvalidReferenceError: It is not there.
    """
    if key not in node.entries:
        raise complain(node.place, f"{what} needs {key}: {why}")
    return node.entries[key]


def read_map(node: Node, what: str) -> MapNode:
    """Return the node as a map; `what` names it in the complaint."""
    if not isinstance(node, MapNode):
        raise complain(node.place, f"{what} must be a map, found {describe(node)}")
    return node


def read_list(node: Node, what: str) -> ListNode:
    """Return the node as a list; `what` names it in the complaint."""
    if not isinstance(node, ListNode):
        raise complain(node.place, f"{what} must be a list, found {describe(node)}")
    return node


def read_name(node: Node, what: str) -> str:
    """Return the node as a text of at least one character; `what` names it in the complaint."""
    if isinstance(node, ScalarNode) and isinstance(node.value, str) and node.value:
        return node.value
    hint = "; put it in quotes" if isinstance(node, ScalarNode) and node.value not in (None, "") else ""
    raise complain(node.place, f"{what} must be a text, found {describe(node)}{hint}")


def read_names(node: Node, what: str) -> list[str]:
    """Return the node as a list of texts; `what` names one of them in the complaint."""
    return [read_name(item, what) for item in read_list(node, f"the list of {what}s").items]


def read_word(node: Node, words: Sequence[_Word], what: str) -> _Word:
    """Return the node as one of a closed set of words; `what` names it in the complaint."""
    for word in words:
        if isinstance(node, ScalarNode) and node.value == word:
            return word
    raise complain(node.place, f"{what} must be one of {', '.join(words)}; found {describe(node)}")


def read_count(node: Node, what: str, *, least: int = 0) -> int:
    """Return the node as a whole number; `what` names it in the complaint."""
    value = node.value if isinstance(node, ScalarNode) else None
    if isinstance(value, int) and not isinstance(value, bool) and value >= least:
        return value
    raise complain(node.place, f"{what} must be a whole number from {least} on, found {describe(node)}")


def read_count_or_null(node: Node, what: str, *, least: int = 0) -> int | None:
    """Return the node as a whole number, or None for null, which is no bound; `what` names it in the complaint."""
    if isinstance(node, ScalarNode) and node.value is None:
        return None
    return read_count(node, f"{what} (null for no bound)", least=least)


def read_true(node: Node, what: str) -> None:
    """Check that the node is `true`, the one thing that can be said of it; `what` names it in the complaint."""
    if not isinstance(node, ScalarNode) or node.value is not True:
        raise complain(node.place, f"{what} must be true, found {describe(node)}")


def read_value(node: Node, what: str) -> AttributeValue:
    """Return the node as plain data, in which nulls may stand; `what` names it in the complaint, where it is null."""
    if isinstance(node, ScalarNode) and node.value is None:
        raise complain(node.place, f"{what} must be a value, found nothing")
    return _read_data(node)


def _read_data(node: Node) -> AttributeValue:
    if isinstance(node, ListNode):
        return [_read_data(item) for item in node.items]
    if isinstance(node, MapNode):
        return {key: _read_data(value) for key, value in node.entries.items()}
    return node.value
