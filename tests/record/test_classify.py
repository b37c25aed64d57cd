from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from otel_traj.record import classify
from otel_traj.record.classify import (
    find_link_number,
    find_task_id,
    read_checkpoint_ns,
    read_push_index,
    read_step,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.record.classify import Kind


@dataclass(frozen=True)
class Caller:
    """A parent as the rule sees it."""

    kind: Kind = "graph_run"
    ns: str | None = None
    links: Mapping[int, Kind] | None = field(default_factory=dict)


def metadata(node: str = "a", **changes: object) -> dict[str, object]:
    """Return a node task's metadata."""
    shown: dict[str, object] = {
        "langgraph_step": 1,
        "langgraph_node": node,
        "langgraph_path": ("__pregel_pull", node),
        "langgraph_checkpoint_ns": f"{node}:id",
    }
    return shown | changes


def classify_chain(
    name: str, tags: list[str], shown: Mapping[str, object], *, parent: Caller | None, is_root: bool
) -> Kind:
    """Classify a chain with the namespace and the superstep that it shows."""
    return classify.classify_chain(
        name,
        tags,
        shown,
        ns=read_checkpoint_ns(shown),
        step=read_step(tags, shown),
        parent=parent,
        is_root=is_root,
    )


def test_task_is_told_by_its_new_namespace() -> None:
    """A chain named like its node, with a namespace that its caller does not have, is a node task."""
    assert classify_chain("a", ["graph:step:1"], metadata(), parent=Caller(), is_root=False) == "node_task"


def test_runnable_in_a_task_keeps_the_namespace() -> None:
    """The same with the caller's namespace is something inside the task, whatever its name and tags."""
    caller = Caller(kind="node_task", ns="a:id")
    assert classify_chain("a", ["graph:step:1"], metadata(), parent=caller, is_root=False) == "runnable"


def test_task_whose_caller_is_unknown_needs_its_tag() -> None:
    """Without a known caller the superstep's tag must agree with the metadata."""
    assert classify_chain("a", ["graph:step:1"], metadata(), parent=None, is_root=False) == "node_task"
    assert classify_chain("a", ["graph:step:2"], metadata(), parent=None, is_root=False) == "runnable"
    assert classify_chain("a", [], metadata(), parent=None, is_root=False) == "runnable"


def test_overwritten_node_name_is_made_up_for_by_the_tag() -> None:
    """Metadata that the user put over LangGraph's does not hide a task."""
    shown = metadata(langgraph_node="mine")
    assert classify_chain("a", ["graph:step:1"], shown, parent=Caller(), is_root=False) == "node_task"


def test_root_is_never_a_task() -> None:
    """LangGraph runs its tasks below a graph run, so a root whose metadata says all that a task's does is none."""
    shown = metadata(ls_integration="langgraph")
    assert classify_chain("a", ["graph:step:1"], shown, parent=None, is_root=True) == "runnable"
    assert classify_chain("a", ["graph:step:1"], shown, parent=Caller(), is_root=True) == "runnable"


@pytest.mark.parametrize(
    "kind", ["node_task", "tool", "model", "retriever", "functional_task", "error_handler"]
)
def test_tasks_are_called_by_graph_runs_alone(kind: Kind) -> None:
    """What a task, a tool or a model calls is no node task, even where the user copied a task's metadata."""
    caller = Caller(kind=kind, ns="b:id")
    assert classify_chain("a", ["graph:step:1"], metadata(), parent=caller, is_root=False) == "runnable"
    shown = metadata(langgraph_path=("__pregel_push", ("__pregel_pull", "wf"), 0, True))
    assert classify_chain("a", ["graph:step:1"], shown, parent=caller, is_root=False) == "functional_task"


def test_task_whose_namespace_was_emptied_is_told_by_its_tag() -> None:
    """Below a graph run the superstep's tag is enough."""
    shown = metadata(langgraph_checkpoint_ns=None)
    assert classify_chain("a", ["graph:step:1"], shown, parent=Caller(), is_root=False) == "node_task"
    caller = Caller(kind="runnable")
    assert classify_chain("a", ["graph:step:1"], shown, parent=caller, is_root=False) == "runnable"


def test_nothing_is_a_task_without_a_superstep() -> None:
    """A chain without a superstep number anywhere is no task."""
    shown = metadata(langgraph_step=None)
    assert classify_chain("a", [], shown, parent=Caller(), is_root=False) == "runnable"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (("__pregel_push", ("__pregel_pull", "wf"), 0, True), "node_task"),
        (("__pregel_pull", "a", "node_error_handler", False), "error_handler"),
        (("__pregel_push", 2, False), "node_task"),
        (["__pregel_pull", "a"], "node_task"),
        (None, "node_task"),
        ((), "node_task"),
    ],
)
def test_tasks_that_are_no_nodes_are_told_by_their_path(path: object, kind: Kind) -> None:
    """An error handler is a task of its own kind; a functional-API task is called by a task, not by a graph run."""
    shown = metadata(langgraph_path=path)
    assert classify_chain("a", ["graph:step:1"], shown, parent=Caller(), is_root=False) == kind


def test_root_is_a_graph_run_where_it_says_so() -> None:
    """A root with `ls_integration` and without a namespace is a graph run at once; others wait."""
    shown: dict[str, object] = {"ls_integration": "langgraph"}
    assert classify_chain("g", [], shown, parent=None, is_root=True) == "graph_run"
    assert classify_chain("g", [], {}, parent=None, is_root=True) == "runnable"
    assert classify_chain("g", [], shown, parent=None, is_root=False) == "runnable"
    assert classify_chain("g", [], shown, parent=Caller(), is_root=False) == "runnable"
    inherited = shown | {"langgraph_checkpoint_ns": "a:id"}
    assert classify_chain("g", [], inherited, parent=None, is_root=True) == "runnable"


def test_users_metadata_and_tags_fool_nobody() -> None:
    """A step in the root's metadata and a step tag on an inner runnable make no tasks."""
    shown: dict[str, object] = {"ls_integration": "langgraph", "langgraph_step": 77}
    assert classify_chain("g", ["graph:step:99"], shown, parent=None, is_root=True) == "graph_run"
    caller = Caller(kind="node_task", ns="a:id")
    assert classify_chain("x", ["graph:step:99"], metadata(), parent=caller, is_root=False) == "runnable"


@pytest.mark.parametrize(
    ("tags", "links", "kind"),
    [
        (["seq:step:2"], {}, "conditional_edge"),
        (["seq:step:3"], {2: "conditional_edge"}, "conditional_edge"),
        (["seq:step:2"], {1: "runnable"}, "runnable"),
        (["seq:step:1"], {}, "runnable"),
        (["seq:step:x"], None, "runnable"),
        ([], {}, "runnable"),
    ],
)
def test_conditional_edges_follow_an_untraced_writer(
    tags: list[str], links: dict[int, Kind] | None, kind: Kind
) -> None:
    """A sequence member after one that was not traced, or after another edge, is a conditional edge."""
    caller = Caller(kind="node_task", ns="a:id", links=links)
    assert classify_chain("route", tags, metadata(), parent=caller, is_root=False) == kind


def test_only_tasks_have_conditional_edges() -> None:
    """The same under anything else is a runnable."""
    assert (
        classify_chain("r", ["seq:step:2"], {}, parent=Caller(kind="runnable"), is_root=False) == "runnable"
    )


@pytest.mark.parametrize(
    ("shown", "ns"),
    [
        ({"langgraph_checkpoint_ns": "a:1|b:2"}, "a:1|b:2"),
        ({"langgraph_checkpoint_ns": ""}, None),
        ({}, None),
    ],
)
def test_namespace(shown: dict[str, object], ns: str | None) -> None:
    """An empty namespace is none."""
    assert read_checkpoint_ns(shown) == ns


@pytest.mark.parametrize(
    ("ns", "node", "task_id"),
    [
        ("a:1", "a", "1"),
        ("a:1|b:2", "b", "2"),
        ("call:1|1|s1:3", "s1", "3"),
        ("a:1|bare", "a", "1|bare"),
        ("bare", "a", "bare"),
        ("x:1", "a", None),
        ("a:1|x:2", "a", None),
        ("", "a", None),
    ],
)
def test_task_id_is_what_follows_the_last_colon(ns: str, node: str, task_id: str | None) -> None:
    """Nested and repeated subgraph calls too; another node's name shows a namespace that the user put there."""
    assert find_task_id(ns, node) == task_id


@pytest.mark.parametrize(
    ("tags", "shown", "step"),
    [
        ([], {"langgraph_step": 3}, 3),
        (["graph:step:4"], {"langgraph_step": 3}, 4),
        (["graph:step:3", "graph:step:4"], {"langgraph_step": 4}, 4),
        (["graph:step:4"], {"langgraph_step": "x"}, 4),
        (["graph:step:-1"], {}, -1),
        (["graph:step:x"], {"langgraph_step": True}, None),
        ([], {}, None),
    ],
)
def test_superstep(tags: list[str], shown: dict[str, object], step: int | None) -> None:
    """The number in the metadata counts where a tag confirms it or none is there; else the first tag's."""
    assert read_step(tags, shown) == step


@pytest.mark.parametrize(
    ("path", "index"),
    [
        (("__pregel_push", 2, False), 2),
        (("__pregel_push", ("__pregel_pull", "wf"), 1, True), 1),
        (("__pregel_pull", "a"), None),
        (["__pregel_push", 0, False], 0),
        ("__pregel_push", None),
        (None, None),
    ],
)
def test_push_index(path: object, index: int | None) -> None:
    """Only a fan-out task has an index."""
    assert read_push_index({"langgraph_path": path}) == index


def test_link_number() -> None:
    """The first tag of the form counts."""
    assert find_link_number(["x", "seq:step:12"]) == 12
    assert find_link_number(["seq:step:"]) is None
