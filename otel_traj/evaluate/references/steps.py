"""The supersteps of a reference file, and what stands in place of one: loops, gaps, alternatives.

A superstep is one entry, a list of entries, or a map with `nodes`; `repeat`, `gap` and `one_of` are maps too. Among the
alternatives of `one_of` a list that holds a list, or a map of a superstep, is a row of several supersteps: an entry is
never a list, so nothing can be taken for another thing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from otel_traj.evaluate.references.document import ListNode, MapNode, complain
from otel_traj.evaluate.references.engine_words import standing_at
from otel_traj.evaluate.references.entries import ENTRY_KEYS, read_entries, read_entry
from otel_traj.evaluate.references.expect import (
    check_keys,
    read_count,
    read_count_or_null,
    read_list,
    read_true,
    read_word,
)
from otel_traj.match import Gap, GraphTrajectoryMatchMode, OneOf, ReferenceStep, Repeat
from otel_traj.match.reference.reference import check_bounds

if TYPE_CHECKING:
    from otel_traj.evaluate.references.document import Node
    from otel_traj.evaluate.references.entries import EntryKind
    from otel_traj.match.reference.reference import ReferenceItem

__all__ = ["read_mode", "read_steps"]

_BOUNDS: Final = ("min", "max")
_STEP_KEYS: Final = ("nodes", "repeat", "gap")
"""Keys that tell a map in place of a superstep from an entry; `one_of` may be either."""


def read_mode(node: Node) -> GraphTrajectoryMatchMode:
    """Return the mode of a superstep that a node names.

    Raises:
        InvalidReferenceError: It names none.
    """
    return read_word(node, get_args(GraphTrajectoryMatchMode), "a mode of a superstep")


def read_steps(node: Node, what: str, kind: EntryKind) -> list[ReferenceItem]:
    """Return what stands in a trajectory, in order.

    Args:
        node: The list of supersteps.
        what: The list, for the complaint.
        kind: What may stand in a superstep.

    Raises:
        InvalidReferenceError: Something else stands there.
    """
    return [_read_step(item, kind) for item in read_list(node, what).items]


def _read_step(node: Node, kind: EntryKind) -> ReferenceItem:
    if isinstance(node, ListNode):
        return read_entries(node, "a superstep", kind)
    if not isinstance(node, MapNode):
        return [read_entry(node, kind)]
    if "nodes" in node.entries:
        return _read_nodes(node, kind)
    if "repeat" in node.entries:
        return _read_repeat(node, kind)
    if "gap" in node.entries:
        check_keys(node, allowed=("gap",), what="a gap")
        read_true(node.entries["gap"], "gap")
        return Gap()
    if "one_of" in node.entries:
        return _read_alternatives(node, kind)
    _refuse_stray(node)
    return [read_entry(node, kind)]


def _refuse_stray(node: MapNode) -> None:
    for key in ("mode", *_BOUNDS):
        if key in node.entries:
            words = f"{key} needs nodes beside it (or repeat): a list, such as {{nodes: [node1], min: 0}}"
            raise complain(node.key_places[key], words)
    if not any(key in ENTRY_KEYS for key in node.entries):
        check_keys(node, allowed=(*_STEP_KEYS, *ENTRY_KEYS), what="a map in place of a superstep")


def _read_nodes(node: MapNode, kind: EntryKind) -> ReferenceStep:
    check_keys(node, allowed=("nodes", "mode", *_BOUNDS), what="a superstep")
    nodes = read_entries(node.entries["nodes"], "nodes", kind)
    mode = node.entries.get("mode")
    low, high = _read_bounds(node, "a superstep")
    return ReferenceStep(nodes, None if mode is None else read_mode(mode), min=low, max=high)


def _read_repeat(node: MapNode, kind: EntryKind) -> Repeat:
    check_keys(node, allowed=("repeat", *_BOUNDS), what="a loop")
    steps = read_steps(node.entries["repeat"], "repeat", kind)
    low, high = _read_bounds(node, "a loop")
    with standing_at(node.entries["repeat"].place):
        return Repeat(steps, low, high)


def _read_bounds(node: MapNode, what: str) -> tuple[int, int | None]:
    low, high = node.entries.get("min"), node.entries.get("max")
    bounds = (
        1 if low is None else read_count(low, f"min of {what}"),
        1 if high is None else read_count_or_null(high, f"max of {what}"),
    )
    said = high or low
    with standing_at(node.place if said is None else said.place):
        check_bounds(*bounds, what)
    return bounds


def _read_alternatives(node: MapNode, kind: EntryKind) -> OneOf:
    bound = next((key for key in _BOUNDS if key in node.entries), None)
    if bound is not None:
        words = f"{bound} stands beside nodes or repeat; write {{repeat: [{{one_of: [...]}}], min: 0}}"
        raise complain(node.key_places[bound], words)
    check_keys(node, allowed=("one_of",), what="a map with one_of")
    choices = read_list(node.entries["one_of"], "one_of")
    with standing_at(choices.place):
        return OneOf(*(_read_choice(choice, kind) for choice in choices.items))


def _read_choice(node: Node, kind: EntryKind) -> object:
    is_row = isinstance(node, ListNode) and any(map(_is_superstep, node.items))
    return read_steps(node, "a row", kind) if is_row else _read_step(node, kind)


def _is_superstep(node: Node) -> bool:
    return isinstance(node, ListNode) or (
        isinstance(node, MapNode) and any(key in node.entries for key in _STEP_KEYS)
    )
