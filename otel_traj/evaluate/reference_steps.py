"""The `steps` of a reference file: supersteps of plain names, with a mode where one is given.

Names are taken literally, whatever characters they hold (`node*` is a legal node name). Patterns, repetition
and gaps belong to the reference format, not yet to what the engine can judge, and are refused as such.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from otel_traj.evaluate.document import ListNode, MapNode, Node, ScalarNode, complain
from otel_traj.evaluate.expect import check_keys, describe, read_list, read_name, read_word
from otel_traj.match import GraphTrajectoryMatchMode, ReferenceStep

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["read_mode", "read_steps"]

_STEP_KEYS = ("nodes", "mode")
_BOUNDS = ("min", "max")
_LATER_STEP_KEYS = ("repeat", "gap", "one_of", "glob", "regex", "any", "tool", "args", "args_mode")
_LATER_ENTRY_KEYS = ("glob", "regex", "any", "one_of", "tool", "args", "args_mode")


def read_mode(node: Node) -> GraphTrajectoryMatchMode:
    """Return the mode that a node names.

    Raises:
        InvalidReferenceError: It names none.
    """
    return read_word(node, get_args(GraphTrajectoryMatchMode), "a mode of a superstep")


def read_steps(node: Node, *, ignore: Sequence[str]) -> list[ReferenceStep | list[str]]:
    """Return the supersteps of a reference.

    Args:
        node: The value of `steps`.
        ignore: Names that the reference leaves out on both sides.

    Returns:
        Supersteps in order: a list of names, or a `ReferenceStep` where a mode is given.

    Raises:
        InvalidReferenceError: Something else stands there, or nothing is left to compare.
    """
    steps = [_read_step(item) for item in read_list(node, "steps").items]
    named = [set(step.steps if isinstance(step, ReferenceStep) else step) for step in steps]
    if not steps:
        raise complain(node.place, "steps are empty; name at least one superstep")
    if all(names and names <= set(ignore) for names in named):
        raise complain(node.place, f"steps hold nothing but ignored names ({', '.join(ignore)})")
    return steps


def _read_step(node: Node) -> ReferenceStep | list[str]:
    if isinstance(node, ListNode):
        return [_read_entry(item) for item in node.items]
    if isinstance(node, ScalarNode):
        return [_read_entry(node)]
    check_keys(node, allowed=_STEP_KEYS, neutral=_BOUNDS, later=_LATER_STEP_KEYS, what="a superstep")
    if "nodes" not in node.entries:
        raise complain(node.place, "a superstep written as a map needs nodes: a list of names")
    for bound in _BOUNDS:
        _check_bound(node, bound)
    nodes = read_list(node.entries["nodes"], "nodes").items
    mode = node.entries.get("mode")
    return ReferenceStep([_read_entry(item) for item in nodes], None if mode is None else read_mode(mode))


def _check_bound(step: MapNode, key: str) -> None:
    bound = step.entries.get(key)
    if bound is None or (isinstance(bound, ScalarNode) and bound.value == 1 and bound.value is not True):
        return
    words = f"{key} must be 1, found {describe(bound)}: this version can't judge optional or repeated supersteps yet"
    raise complain(bound.place, words)


def _read_entry(node: Node) -> str:
    if isinstance(node, MapNode):
        check_keys(node, allowed=(), later=_LATER_ENTRY_KEYS, what="an entry of a superstep")
    return read_name(node, "a node's name")
