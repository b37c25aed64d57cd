"""What may stand in a reference file, and what each complaint says.

A file is refused as a whole at the first thing that is not understood: an expectation that is skipped would make
a gate that passes what nobody looked at. That goes for keys of the reference format that the matching engine of
this version can't judge (`rules`, `any_of`, patterns, ...) as well: they are named as such, never ignored, and
their neutral values (`level: nodes`, `depth: 0`) are accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from otel_traj.evaluate.document import ListNode, MapNode, Node, ScalarNode, complain
from otel_traj.evaluate.expect import (
    check_keys,
    describe,
    read_list,
    read_map,
    read_name,
    read_names,
    read_value,
    read_word,
)
from otel_traj.evaluate.reference import (
    DEFAULT_IGNORE,
    DEFAULT_STATUS,
    JUDGED_STATUSES,
    AppliesTo,
    Reference,
)
from otel_traj.evaluate.reference_steps import read_mode, read_steps
from otel_traj.match import DuplicatesMode

if TYPE_CHECKING:
    from otel_traj.model import AttributeValue, RunStatus

__all__ = ["read_references"]

_VERSION = 1
_TOP_KEYS = ("version", "references", "$schema")
_NEUTRAL: dict[str, str | int] = {
    "level": "nodes",
    "depth": 0,
    "trajectory_mode": "strict",
    "args": "ignore",
    "results": "ignore",
}
"""Keys of which the engine judges only this value."""
_REFERENCE_KEYS = (
    "name",
    "applies_to",
    "steps",
    "step_mode",
    "duplicates",
    "ignore",
    "status",
    "source",
)
_LATER_REFERENCE_KEYS = ("any_of", "rules", "model_calls", "thread")
_APPLIES_TO_KEYS = ("graph", "case", "thread", "inputs", "tags", "attributes")


def read_references(root: Node) -> list[Reference]:
    """Return the references of a file, in its order.

    Args:
        root: The file's tree.

    Raises:
        InvalidReferenceError: The first thing that is not understood, with its place.
    """
    top = read_map(root, "a reference file")
    check_keys(top, allowed=_TOP_KEYS, what="a reference file")
    _check_version(top)
    if "references" not in top.entries:
        raise complain(top.place, "a reference file needs references: a list")
    items = read_list(top.entries["references"], "references")
    if not items.items:
        raise complain(items.place, "references are empty; with none nothing can be judged")
    references: list[Reference] = []
    lines: dict[str, int] = {}
    for item in items.items:
        reference = _read_reference(read_map(item, "a reference"))
        if reference.name in lines:
            words = f"a second reference named {reference.name!r} (first in line {lines[reference.name]})"
            raise complain(item.place, f"{words}; verdicts name their reference, so names must differ")
        lines[reference.name] = item.place.line
        references.append(reference)
    return references


def _check_version(top: MapNode) -> None:
    version = top.entries.get("version")
    if version is None:
        raise complain(top.place, f"a reference file needs version: {_VERSION}")
    if not isinstance(version, ScalarNode) or version.value != _VERSION or version.value is True:
        found = describe(version)
        raise complain(version.place, f"version must be {_VERSION}, the one that is read here; found {found}")


def _read_reference(node: MapNode) -> Reference:
    check_keys(
        node, allowed=_REFERENCE_KEYS, neutral=_NEUTRAL, later=_LATER_REFERENCE_KEYS, what="a reference"
    )
    entries = node.entries
    if "name" not in entries:
        raise complain(node.place, "a reference needs a name; verdicts tell it")
    if "steps" not in entries:
        raise complain(node.place, "a reference needs steps: the supersteps that are expected")
    for key, value in _NEUTRAL.items():
        _check_neutral(entries.get(key), key, value)
    ignore = tuple(read_names(entries["ignore"], "ignored name")) if "ignore" in entries else DEFAULT_IGNORE
    return Reference(
        name=read_name(entries["name"], "a reference's name"),
        applies_to=_read_applies_to(entries.get("applies_to")),
        steps=read_steps(entries["steps"], ignore=ignore),
        step_mode=read_mode(entries["step_mode"]) if "step_mode" in entries else "unordered",
        duplicates=(
            read_word(entries["duplicates"], get_args(DuplicatesMode), "duplicates")
            if "duplicates" in entries
            else "count"
        ),
        ignore=ignore,
        status=_read_status(entries.get("status")),
        source=tuple(read_names(entries["source"], "trace id")) if "source" in entries else (),
    )


def _check_neutral(node: Node | None, key: str, value: str | int) -> None:
    if node is None or (
        isinstance(node, ScalarNode) and node.value == value and type(node.value) is type(value)
    ):
        return
    found = describe(node)
    raise complain(node.place, f"{key} must be {value}, found {found}: this version can't judge others yet")


def _read_status(node: Node | None) -> tuple[RunStatus, ...]:
    if node is None:
        return DEFAULT_STATUS
    if isinstance(node, ScalarNode) and node.value == "any":
        return JUDGED_STATUSES
    what = "a status (or the word any alone)"
    if isinstance(node, ListNode) and node.items:
        return tuple(dict.fromkeys(read_word(item, JUDGED_STATUSES, what) for item in node.items))
    return (read_word(node, JUDGED_STATUSES, what),)


def _read_applies_to(node: Node | None) -> AppliesTo:
    if node is None:
        return AppliesTo()
    entries = read_map(node, "applies_to").entries
    check_keys(read_map(node, "applies_to"), allowed=_APPLIES_TO_KEYS, what="applies_to")
    texts = {key: read_name(entries[key], key) for key in ("graph", "case", "thread") if key in entries}
    return AppliesTo(
        graph=texts.get("graph"),
        case=texts.get("case"),
        thread=texts.get("thread"),
        tags=_read_tags(entries.get("tags")),
        inputs=read_value(entries["inputs"], "applies_to.inputs") if "inputs" in entries else None,
        attributes=_read_attributes(entries.get("attributes")),
    )


def _read_tags(node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    return (read_name(node, "a tag"),) if isinstance(node, ScalarNode) else tuple(read_names(node, "tag"))


def _read_attributes(node: Node | None) -> dict[str, AttributeValue]:
    if node is None:
        return {}
    entries = read_map(node, "applies_to.attributes").entries
    return {key: read_value(value, f"the attribute {key!r}") for key, value in entries.items()}
