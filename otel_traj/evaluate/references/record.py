"""One reference of a file, read key by key.

A file is refused as a whole at the first thing that is not understood: an expectation that is skipped would make a
gate that passes what nobody looked at. For the same reason nothing may stand beside `thread` that is expected of a
run, and a reference must expect something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict, get_args

from otel_traj.evaluate.references.applies_to import APPLIES_TO_KEYS, read_applies_to
from otel_traj.evaluate.references.document import ListNode, MapNode, ScalarNode, complain
from otel_traj.evaluate.references.entries import read_args, read_ignored
from otel_traj.evaluate.references.expect import (
    check_keys,
    get_needed,
    read_count_or_null,
    read_list,
    read_name,
    read_names,
    read_word,
)
from otel_traj.evaluate.references.expected import read_model_calls, read_results, read_thread
from otel_traj.evaluate.references.reference import JUDGED_STATUSES, Reference
from otel_traj.evaluate.references.rules import RULES, read_rules
from otel_traj.evaluate.references.steps import read_mode, read_steps
from otel_traj.match import DuplicatesMode, Level, TrajectoryMode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.evaluate.references.document import Node
    from otel_traj.evaluate.references.entries import EntryKind
    from otel_traj.evaluate.references.reference import AppliesTo
    from otel_traj.match import ArgsMode, Glob, GraphTrajectoryMatchMode
    from otel_traj.match.reference.reference import ReferenceItem
    from otel_traj.model import RunStatus

__all__ = ["read_reference"]

_PARTS: Final = ("steps", "any_of", "rules", "results", "model_calls", "thread")
_OPTIONS: Final = (
    "level",
    "depth",
    "status",
    "trajectory_mode",
    "step_mode",
    "duplicates",
    "ignore",
    "args",
)
_THREAD_KEYS: Final = ("name", "applies_to", "thread", "source")
_KEYS: Final = ("name", "applies_to", *_PARTS, *_OPTIONS, "source")
_ELSEWHERE: Final = dict.fromkeys(APPLIES_TO_KEYS, "applies_to") | dict.fromkeys(RULES, "rules")


class _Options(TypedDict, total=False):
    """Options that a reference may leave to their defaults."""

    depth: int | None
    status: tuple[RunStatus, ...]
    trajectory_mode: TrajectoryMode
    step_mode: GraphTrajectoryMatchMode
    duplicates: DuplicatesMode
    ignore: tuple[str | Glob, ...]


def read_reference(node: MapNode) -> Reference:
    """Return the reference that a node holds; whether the engine can compare with it is not looked at.

    Raises:
        InvalidReferenceError: The first thing that is not understood, with its place.
    """
    check_keys(node, allowed=_KEYS, what="a reference", elsewhere=_ELSEWHERE)
    entries = node.entries
    name = read_name(get_needed(node, "name", "a reference", "verdicts tell it"), "a reference's name")
    _check_parts(node)
    applies_to = read_applies_to(entries.get("applies_to"))
    source = tuple(read_names(entries["source"], "trace id")) if "source" in entries else ()
    if "thread" in entries:
        thread = read_thread(entries["thread"])
        return Reference(name=name, applies_to=applies_to, thread=thread, source=source)
    return _read_expected(entries, name=name, applies_to=applies_to, source=source)


def _check_parts(node: MapNode) -> None:
    said = [part for part in _PARTS if part in node.entries]
    if not said:
        words = f"a reference needs at least one of {', '.join(_PARTS)}: what is expected"
        raise complain(node.place, words)
    if "steps" in said and "any_of" in said:
        words = "steps and any_of stand in one reference, and nobody can say which holds; keep one"
        raise complain(node.key_places["any_of"], words)
    beside = next((key for key in node.entries if key not in _THREAD_KEYS), None)
    if "thread" in said and beside is not None:
        words = f"{beside} stands beside thread, whose runs are compared as their own references say"
        may = f"a reference of a thread may hold: {', '.join(_THREAD_KEYS)}"
        raise complain(node.key_places[beside], f"{words}; {may}")


def _read_expected(
    given: Mapping[str, Node], *, name: str, applies_to: AppliesTo, source: tuple[str, ...]
) -> Reference:
    """Return a reference of a run."""
    level: Level = read_word(given["level"], get_args(Level), "level") if "level" in given else "nodes"
    args: ArgsMode = read_args(given["args"]) if "args" in given else "ignore"
    kind: EntryKind = "nodes" if level == "nodes" else "calls"
    return Reference(
        name=name,
        applies_to=applies_to,
        steps=read_steps(given["steps"], "steps", kind) if "steps" in given else None,
        any_of=_read_ways(given["any_of"], kind) if "any_of" in given else None,
        rules=read_rules(given["rules"], "nodes" if level == "nodes" else "tools")
        if "rules" in given
        else None,
        results=read_results(given["results"]) if "results" in given else None,
        model_calls=read_model_calls(given["model_calls"], args) if "model_calls" in given else None,
        level=level,
        args=args,
        source=source,
        **_read_options(given),
    )


def _read_options(given: Mapping[str, Node]) -> _Options:
    """Return the options that are said; the others keep their defaults."""
    options: _Options = {}
    if "depth" in given:
        options["depth"] = read_count_or_null(given["depth"], "depth")
    if "status" in given:
        options["status"] = _read_status(given["status"])
    if "trajectory_mode" in given:
        options["trajectory_mode"] = read_word(
            given["trajectory_mode"], get_args(TrajectoryMode), "trajectory_mode"
        )
    if "step_mode" in given:
        options["step_mode"] = read_mode(given["step_mode"])
    if "duplicates" in given:
        options["duplicates"] = read_word(given["duplicates"], get_args(DuplicatesMode), "duplicates")
    if "ignore" in given:
        options["ignore"] = tuple(map(read_ignored, read_list(given["ignore"], "ignore").items))
    return options


def _read_ways(node: Node, kind: EntryKind) -> list[list[ReferenceItem]]:
    ways = read_list(node, "any_of").items
    if not ways:
        raise complain(node.place, "any_of is empty; it lists whole trajectories, at least one")
    return [read_steps(way, "a trajectory of any_of", kind) for way in ways]


def _read_status(node: Node) -> tuple[RunStatus, ...]:
    if isinstance(node, ScalarNode) and node.value == "any":
        return JUDGED_STATUSES
    what = "a status (or the word any alone)"
    if isinstance(node, ListNode) and node.items:
        return tuple(dict.fromkeys(read_word(item, JUDGED_STATUSES, what) for item in node.items))
    return (read_word(node, JUDGED_STATUSES, what),)
