"""What is this callback? The pure rule that tells node tasks and graph runs from everything else.

LangGraph reports all of them as chains, and a node's metadata is inherited by all that runs inside it. What
sets a task apart is its checkpoint namespace ("ns"): a task always brings a new one, what runs inside it keeps
it. A graph run looks like any chain until its first node task reveals it, but for a root that says
`ls_integration`. Counting `|` in the ns does not work: functional-API tasks and error handlers have one without
being in a subgraph, and an independent graph called in a node has none.

Measured on langgraph 0.6.11, 1.0.5 and 1.2.24 against wrapped task and graph entry points: no task missed, none
invented. The conditional edge (`seq:step:k` beside an untraced writer) is a heuristic: a chain link after an
untraced runnable would be taken for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from otel_traj.rendering import clean_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "DEFERRED",
    "Kind",
    "Parent",
    "classify_chain",
    "find_link_number",
    "find_task_id",
    "read_checkpoint_ns",
    "read_push_index",
    "read_step",
]

Kind: TypeAlias = Literal[
    "graph_run",
    "node_task",
    "functional_task",
    "conditional_edge",
    "error_handler",
    "runnable",
    "model",
    "tool",
    "retriever",
]
"""What a callback run is. `runnable` may still turn out to be a graph run."""

DEFERRED: tuple[Kind, ...] = ("runnable", "conditional_edge")
"""Kinds that may turn out to be a graph run."""

_TASK_CALLERS: tuple[Kind, ...] = ("graph_run", *DEFERRED)
_STEP_TAG = "graph:step:"
_LINK_TAG = "seq:step:"


class Parent(Protocol):
    """What the rule has to know of the callback run that called this one."""

    @property
    def kind(self) -> Kind:
        """What the parent is, as far as known."""

    @property
    def ns(self) -> str | None:
        """The parent's checkpoint namespace."""

    @property
    def links(self) -> Mapping[int, Kind] | None:
        """Kinds of the parent's traced children by their `seq:step` number."""


def classify_chain(
    name: str,
    tags: Sequence[str],
    metadata: Mapping[str, object],
    *,
    ns: str | None,
    step: int | None,
    parent: Parent | None,
    is_root: bool,
) -> Kind:
    """Return what a chain start is.

    Args:
        name: The callback's name.
        tags: Its tags.
        metadata: Its metadata.
        ns: Its checkpoint namespace.
        step: Its superstep number.
        parent: The callback run that called it; None where it is a root or the caller is not known.
        is_root: It has no parent run id.

    Returns:
        Its kind. A node task makes its parent a graph run, whatever the parent was taken for.
    """
    if step is not None and not is_root and _is_task(name, tags, metadata, parent, ns):
        if (parent is None or parent.kind != "graph_run") and _has_functional_path(metadata):
            return "functional_task"
        path = metadata.get("langgraph_path")
        if isinstance(path, (tuple, list)) and "node_error_handler" in path:
            return "error_handler"
        return "node_task"
    if is_root and parent is None and ns is None and "ls_integration" in metadata:
        return "graph_run"
    if parent is not None and parent.kind == "node_task" and _is_conditional_edge(tags, parent):
        return "conditional_edge"
    return "runnable"


def _is_task(
    name: str, tags: Sequence[str], metadata: Mapping[str, object], parent: Parent | None, ns: str | None
) -> bool:
    if parent is None:
        is_tagged = f"{_STEP_TAG}{metadata.get('langgraph_step')}" in tags
        return ns is not None and is_tagged and metadata.get("langgraph_node") == name
    if ns is not None and ns == parent.ns:
        return False
    if parent.kind not in _TASK_CALLERS and not _has_functional_path(metadata):
        return False
    # `add_node(metadata=...)` may overwrite the node's name and the namespace; nobody overwrites a tag.
    if _has_step_tag(tags):
        return ns is not None or parent.kind == "graph_run"
    return ns is not None and metadata.get("langgraph_node") == name


def _has_step_tag(tags: Sequence[str]) -> bool:
    for tag in tags:  # noqa: SIM110 - every callback pays for the generator that `any` needs
        if tag.startswith(_STEP_TAG):
            return True
    return False


def _has_functional_path(metadata: Mapping[str, object]) -> bool:
    path = metadata.get("langgraph_path")
    return isinstance(path, (tuple, list)) and len(path) > 0 and path[-1] is True


def _is_conditional_edge(tags: Sequence[str], parent: Parent) -> bool:
    number = find_link_number(tags)
    if number is None or number < 2:
        return False
    before = parent.links.get(number - 1) if parent.links else None
    return before is None or before == "conditional_edge"


def find_link_number(tags: Sequence[str]) -> int | None:
    """Return k of the tag `seq:step:k`: the place of a runnable in its sequence; None without one."""
    for tag in tags:
        if tag.startswith(_LINK_TAG) and tag[len(_LINK_TAG) :].isdecimal():
            return int(tag[len(_LINK_TAG) :])
    return None


def read_checkpoint_ns(metadata: Mapping[str, object]) -> str | None:
    """Return the checkpoint namespace that a callback shows, None where it shows none."""
    ns = metadata.get("langgraph_checkpoint_ns")
    return clean_text(ns) if isinstance(ns, str) and ns else None


def find_task_id(ns: str, node: str) -> str | None:
    """Return the id of the task that a namespace names: what follows the last colon.

    Args:
        ns: A checkpoint namespace.
        node: The task's node.

    Returns:
        The id; None where the namespace is not LangGraph's own for this node, but one that the user put over it.
    """
    before, colon, task_id = ns.rpartition("|")[2].rpartition(":")
    if colon:
        return task_id if before == node else None
    return ns.rpartition(":")[2] or None


def read_step(tags: Sequence[str], metadata: Mapping[str, object]) -> int | None:
    """Return a task's superstep number: from its metadata, else from its tag `graph:step:n`.

    `add_node(metadata=...)` may overwrite the first, and users' own tags may look like the second: the number in
    the metadata is taken unless the tags know only others.
    """
    step = metadata.get("langgraph_step")
    shown = step if isinstance(step, int) and not isinstance(step, bool) else None
    if shown is not None and f"{_STEP_TAG}{shown}" in tags:
        return shown
    for tag in tags:
        if tag.startswith(_STEP_TAG) and tag[len(_STEP_TAG) :].lstrip("-").isdecimal():
            return int(tag[len(_STEP_TAG) :])
    return shown


def read_push_index(metadata: Mapping[str, object]) -> int | None:
    """Return the index of a fan-out task (`Send`), None for a task that an edge triggered."""
    path = metadata.get("langgraph_path")
    if not isinstance(path, (tuple, list)) or not path or path[0] != "__pregel_push":
        return None
    return next((part for part in path if isinstance(part, int) and not isinstance(part, bool)), None)
