from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from opentelemetry import trace

from otel_traj.record.entry import Entry, Tree
from otel_traj.record.graph_run import GraphRun
from otel_traj.record.table import MAX_ENDED_ROOTS, CallbackTable

if TYPE_CHECKING:
    from otel_traj.record.classify import Kind


def add(
    table: CallbackTable, run_id: str | uuid.UUID, parent: Entry | None = None, kind: Kind = "graph_run"
) -> Entry:
    """Add an entry; a graph run without a parent is a top-level run on the thread of its own name."""
    tracer = trace.NoOpTracer()
    tree = parent.tree if parent else Tree(tracer=tracer, ended_ids=table.make_ended_ids())
    name = str(run_id)
    graph = parent.graph if parent else GraphRun(run_id=name, name="g", thread_id=name, input_type="dict")
    entry = Entry(
        run_id=run_id, kind=kind, name=name, start_ns=1, tree=tree, metadata={}, parent=parent, graph=graph
    )
    table.add(entry)
    return entry


def end(table: CallbackTable, entry: Entry) -> None:
    """Take an entry out and remember it."""
    assert table.take(entry)
    table.remember(entry)


def test_ended_child_is_known_until_its_tree_ends() -> None:
    """A late child finds its ended parent; when the root has ended nothing but the root is known."""
    table = CallbackTable(100)
    root = add(table, "root")
    child = add(table, "child", root, "node_task")
    end(table, child)
    assert table.find("child") is child
    assert len(table) == 2
    end(table, root)
    assert table.find("child") is None
    assert table.find("root") is root
    assert len(table) == 0


def test_child_that_ends_after_its_tree_is_not_kept() -> None:
    """There is nobody left to ask for it."""
    table = CallbackTable(100)
    root = add(table, "root")
    child = add(table, "child", root, "node_task")
    end(table, root)
    end(table, child)
    assert len(table) == 0


def test_ended_roots_are_bounded_and_found_by_thread() -> None:
    """The last thousand top-level runs are remembered, each as the last one of its thread."""
    table = CallbackTable(100)
    for number in range(MAX_ENDED_ROOTS + 5):
        end(table, add(table, f"r{number}"))
    assert table.ended_root_count == MAX_ENDED_ROOTS
    assert table.find_last_root("r4") is None
    assert table.find_last_root("r5") is table.find("r5")
    assert len(table._last_of_thread) == MAX_ENDED_ROOTS


def test_reused_id_replaces_the_earlier_run() -> None:
    """A run id that is given twice names the later run; the earlier one's thread is forgotten with it."""
    table = CallbackTable(100)
    first = add(table, "same")
    end(table, first)
    second = add(table, "same")
    assert table.find("same") is second
    assert table.find_last_root("same") is first
    end(table, second)
    assert table.find_last_root("same") is second
    assert table.ended_root_count == 1


def test_ended_entries_of_a_running_tree_are_bounded() -> None:
    """A run of very many tasks does not fill the memory with them."""
    table = CallbackTable(10)
    root = add(table, "root")
    for number in range(100):
        end(table, add(table, f"c{number}", root, "node_task"))
    assert len(table) == 11
    assert len(root.tree.ended_ids) == 10
    end(table, root)
    assert len(table) == 0


def test_eviction_takes_the_idlest_tree_with_its_ended_entries() -> None:
    """What was used least recently goes first; a caller counts as used when it calls."""
    table = CallbackTable(3)
    idle = add(table, "idle")
    end(table, add(table, "done", idle, "node_task"))
    busy = add(table, "busy")
    add(table, "one", busy, "node_task")
    add(table, "two", busy, "node_task")
    assert not table.take(idle)
    assert table.find("done") is None
    assert table.take(busy)


def test_an_entry_is_taken_once() -> None:
    """A second end takes nothing, nor one that comes when its id belongs to a later run."""
    table = CallbackTable(100)
    first = add(table, "same")
    assert table.take(first)
    assert not table.take(first)
    second = add(table, "same")
    assert not table.take(first)
    assert table.take(second)


def test_uuids_are_told_apart_by_what_they_are_equal_to() -> None:
    """An entry is found and taken by any UUID that equals its id, open and ended, and by no other."""
    table = CallbackTable(100)
    root = add(table, uuid.UUID(int=1))
    child = add(table, uuid.UUID(int=2), root, "node_task")
    assert table.get_open(uuid.UUID(int=2)) is child
    assert table.get_open(uuid.UUID(int=3)) is None
    end(table, child)
    assert table.get_open(uuid.UUID(int=2)) is None
    assert table.find(uuid.UUID(int=2)) is child
    end(table, root)
    assert table.find(uuid.UUID(int=1)) is root
    assert table.find(uuid.UUID(int=2)) is None
