"""What stands in a reference file as a whole: its version, and references whose names differ."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from otel_traj.evaluate.references.checks import check_reference
from otel_traj.evaluate.references.document import ListNode, MapNode, ScalarNode, complain
from otel_traj.evaluate.references.expect import (
    check_keys,
    describe,
    get_needed,
    read_list,
    read_map,
    read_name,
)
from otel_traj.evaluate.references.record import read_reference
from otel_traj.match.names import list_names
from otel_traj.match.values_in_words import show_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.evaluate.references.document import Node
    from otel_traj.evaluate.references.reference import ExpectedThread, Reference

__all__ = ["read_references"]

_VERSION: Final = 1
_KEYS: Final = ("version", "references", "$schema")


def read_references(root: Node) -> list[Reference]:
    """Return the references of a file, in its order.

    Args:
        root: The file's tree.

    Raises:
        InvalidReferenceError: The first thing that is not understood, with its place.
    """
    top = read_map(root, "a reference file")
    check_keys(top, allowed=_KEYS, what="a reference file")
    _check_version(top)
    if "$schema" in top.entries:
        read_name(top.entries["$schema"], "$schema")
    items = read_list(get_needed(top, "references", "a reference file", "a list"), "references")
    if not items.items:
        raise complain(items.place, "references are empty; with none nothing can be judged")
    references: dict[str, Reference] = {}
    nodes: dict[str, MapNode] = {}
    for item in items.items:
        node = read_map(item, "a reference")
        reference = read_reference(node)
        if reference.name in references:
            first = nodes[reference.name].place.line
            words = f"a second reference named {show_value(reference.name)} (first in line {first})"
            raise complain(node.place, f"{words}; verdicts name their reference, so names must differ")
        references[reference.name], nodes[reference.name] = reference, node
        if reference.thread is None:
            check_reference(reference, node)
    for name, reference in references.items():
        if reference.thread is not None:
            _check_runs(nodes[name], reference.thread, references)
    return list(references.values())


def _check_version(top: MapNode) -> None:
    version = get_needed(top, "version", "a reference file", str(_VERSION))
    if not isinstance(version, ScalarNode) or version.value != _VERSION or version.value is True:
        found = describe(version)
        raise complain(version.place, f"version must be {_VERSION}, the one that is read here; found {found}")


def _check_runs(node: MapNode, thread: ExpectedThread, references: Mapping[str, Reference]) -> None:
    """Refuse the name of a reference that is not in the file, or that is itself of a thread."""
    of_runs = [name for name, reference in references.items() if reference.thread is None]
    written = node.entries["thread"]
    runs = written.entries["runs"] if isinstance(written, MapNode) else written
    for name, item in zip(thread.runs, runs.items if isinstance(runs, ListNode) else (), strict=True):
        if name in of_runs:
            continue
        if name in references:
            raise complain(
                item.place, f"{show_value(name)} is itself a reference of a thread; name references of runs"
            )
        near = difflib.get_close_matches(name, of_runs, n=1)
        hint = (
            f"; did you mean {show_value(near[0])}?"
            if near
            else f"; there are {list_names(of_runs) or 'none'}"
        )
        raise complain(item.place, f"no reference of a run in this file is named {show_value(name)}{hint}")
