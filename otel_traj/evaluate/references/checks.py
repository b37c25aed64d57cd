"""Whether a reference that was read can be compared with, and whether it expects anything at all.

The first is asked of the engine, which prepares the reference as it will for judging; what it refuses gets the place
of the part that it speaks of. The second is a file's own question: a program may compare with what every run meets,
but a gate that does so has been written by mistake.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from otel_traj.evaluate.references.document import ListNode, MapNode, complain
from otel_traj.evaluate.references.engine_words import ENGINE_ERRORS, say_of_file
from otel_traj.evaluate.references.matcher import prepare
from otel_traj.evaluate.references.rules import find_rule
from otel_traj.match.names import list_names
from otel_traj.match.reference.items import AnySteps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.evaluate.references.document import Node, Place
    from otel_traj.evaluate.references.reference import Reference
    from otel_traj.match import TrajectoryMatcher

__all__ = ["check_reference"]

_OPEN_MODES: Final = ("starts_with", "contains", "subsequence", "flat_in_order", "flat_superset")
"""Trajectory modes in which a run may do anything beside what the reference says."""


def check_reference(reference: Reference, node: MapNode) -> None:
    """Refuse a reference of a run that can't be compared with, or that every run would meet.

    Args:
        reference: As it was read.
        node: Where it was read.

    Raises:
        InvalidReferenceError: With the place of what is wrong.
    """
    try:
        matcher = prepare(reference)
    except ENGINE_ERRORS as error:
        message = say_of_file(error)
        raise complain(_find_place(reference, node, message), message) from error
    written = node.entries.get("steps") or node.entries.get("any_of")
    if written is not None:
        _refuse_empty(reference, matcher, written)


def _refuse_empty(reference: Reference, matcher: TrajectoryMatcher, written: Node) -> None:
    ways = [way.items for way in matcher.references[0].ways]
    mode = reference.trajectory_mode
    if not any(ways) and not (reference.rules or reference.results or reference.model_calls):
        if any([reference.steps, *(reference.any_of or ())]):
            words = f"steps hold nothing but ignored names ({list_names(list(map(str, reference.ignore)))})"
            raise complain(written.place, words)
        raise complain(written.place, "steps are empty; name at least one superstep")
    if any(way and all(isinstance(item, AnySteps) for item in way) for way in ways):
        words = "steps hold nothing but gaps, so every run would meet them"
        raise complain(
            written.place, f"{words}; name a superstep, or leave them out beside other expectations"
        )
    if mode in _OPEN_MODES and matcher.matches({"steps": []}):
        words = f"a run in which nothing ran would pass, since trajectory_mode {mode} leaves the rest open"
        raise complain(written.place, f"{words}; name a superstep that must be there")


def _find_place(reference: Reference, node: MapNode, message: str) -> Place:
    """Return where the part of a reference stands that the engine refuses: an option, a rule, a superstep, or all."""
    entries = node.entries
    option, rules = entries.get(message.partition(" ")[0]), entries.get("rules")
    if option is not None:
        return option.place
    if isinstance(rules, MapNode) and (place := find_rule(rules, message)) is not None:
        return place
    for part, steps in _list_parts(reference, entries):
        try:
            prepare(replace(reference, steps=steps, any_of=None, rules=None, model_calls=None))
        except ENGINE_ERRORS:
            return part.place
    return (entries.get("steps") or entries.get("any_of") or node).place


def _list_parts(reference: Reference, entries: dict[str, Node]) -> Iterator[tuple[Node, Sequence[object]]]:
    """Yield where each superstep stands, and each trajectory, with what was read there."""
    steps, ways = entries.get("steps"), entries.get("any_of")
    if isinstance(steps, ListNode):
        yield from zip(steps.items, ([step] for step in reference.steps or ()), strict=True)
    if isinstance(ways, ListNode):
        yield from zip(ways.items, reference.any_of or (), strict=True)
