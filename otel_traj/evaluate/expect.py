"""Nodes of a reference file read as the types that are wanted, or a complaint with the place.

Every complaint names what was found and what is allowed. A number or boolean where a name is wanted is not
converted: YAML has then already dropped what was typed (`010`, `1.0`), and a wrong name would match nothing.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, TypeVar

from otel_traj.evaluate.document import ListNode, MapNode, Node, ScalarNode, complain

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from otel_traj.model import AttributeValue

__all__ = [
    "check_keys",
    "describe",
    "read_list",
    "read_map",
    "read_name",
    "read_names",
    "read_value",
    "read_word",
]

_Word = TypeVar("_Word", bound=str)
_MAX_SHOWN = 60


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
        return f"the text {_shorten(node.value)!r}"
    return f"the number {node.value}"


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "..."


def check_keys(
    node: MapNode,
    *,
    allowed: Sequence[str],
    neutral: Collection[str] = (),
    later: Collection[str] = (),
    what: str,
) -> None:
    """Refuse a key that is unknown, or known but not judged by this version.

    Args:
        node: The map.
        allowed: The keys it may hold.
        neutral: Keys that it may hold as well, of which only one value is judged; they are not offered.
        later: Keys of the reference format that the matching engine can't judge yet.
        what: What the map is, with its article: "a reference".

    Raises:
        InvalidReferenceError: At the key's own place.
    """
    for key, place in node.key_places.items():
        if key in allowed or key in neutral:
            continue
        may = f"{what} may hold: {', '.join(allowed)}" if allowed else f"{what} is a text"
        if key in later:
            message = f"{key!r} is part of the reference format, but this version can't judge it yet; {may}"
            raise complain(place, message)
        near = difflib.get_close_matches(key, [*allowed, *neutral], n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise complain(place, f"unknown key {_shorten(key)!r}{hint}; {may}")


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


def read_value(node: Node, what: str) -> AttributeValue:
    """Return the node as plain data; nulls are refused, for no attribute holds one."""
    if isinstance(node, ListNode):
        return [read_value(item, what) for item in node.items]
    if isinstance(node, MapNode):
        return {key: read_value(value, what) for key, value in node.entries.items()}
    if node.value is None:
        raise complain(node.place, f"{what} must be a value, found nothing")
    return node.value
