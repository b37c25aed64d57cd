"""Take a callback run into the table: who called it, what it is, and when it began.

The caller is found by its callback run id. Only where that is not known, what is current counts: a model that
is called in a node with callbacks of its own in its config comes without its caller's id, and still belongs to
the node.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from otel_traj.record.calling_graph import HEARS_PAUSES, find_calling_graph
from otel_traj.record.classify import DEFERRED, classify_chain, find_link_number, read_checkpoint_ns
from otel_traj.record.entry import Entry, Tree
from otel_traj.record.graph_run import read_input_facts
from otel_traj.record.live_span import find_current_entry, read_current_span
from otel_traj.record.span_writer import freeze_span
from otel_traj.rendering import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from opentelemetry.trace import Span

    from otel_traj.record.classify import Kind
    from otel_traj.record.counters import Counters
    from otel_traj.record.settings import Settings
    from otel_traj.record.table import CallbackTable
    from otel_traj.record.tracer_source import TracerSource

__all__ = ["Intake"]


class Intake:
    """The way into one handler's table."""

    def __init__(
        self,
        *,
        table: CallbackTable,
        settings: Settings,
        counters: Counters,
        tracers: TracerSource,
        evict: Callable[[Entry], None],
    ) -> None:
        """Keep the parts that a handler is made of.

        Args:
            table: Callback runs.
            settings: The user's choices.
            counters: Counts of what went otherwise.
            tracers: Where tracers come from.
            evict: Ends the span of an entry that the table had no room for.
        """
        self._table = table
        policy = settings.content
        self._keeps_inputs = policy is not None and not {"inputs", "state"}.isdisjoint(policy.kinds)
        self._counters = counters
        self._tracers = tracers
        self._evict = evict

    def begin(
        self,
        run_id: Hashable,
        caller_id: Hashable,
        *,
        kind: Kind | None = None,
        name: object = None,
        tags: object = None,
        metadata: object = None,
        inputs: object = None,
    ) -> Entry | None:
        """Take a callback run in.

        Args:
            run_id: Its id.
            caller_id: The id of its caller, None for a root.
            kind: What it is; None for a chain, which is classified.
            name: Its name, whatever LangChain shows as such.
            tags: Its tags, likewise.
            metadata: Its metadata, likewise.
            inputs: The input of a chain.

        Returns:
            Its entry; None where it is in the table already (a handler that is bound twice).
        """
        start_ns = time.time_ns()
        with self._table.lock:
            known = self._table.get_open(run_id)
            if known is not None:
                self._counters.add("duplicate_starts")
                if known.kind == "graph_run" and known.graph is not None:
                    known.graph.begun_twice = True
                return None
            entry = self._make_entry(run_id, caller_id, kind, name, tags, metadata, start_ns)
            evicted = self._admit(entry, inputs)
        for gone in evicted:
            self._evict(gone)
        if entry.parent is None:
            self._tracers.warn_without_sdk()
        return entry

    def _admit(self, entry: Entry, inputs: object) -> list[Entry]:
        if entry.kind == "graph_run" or entry.kind in DEFERRED:
            entry.input_facts = read_input_facts(inputs)
        if self._keeps_inputs:
            entry.inputs = inputs
        if entry.parent is not None and entry.parent.kind == "node_task":
            _note_link(entry.parent, entry)
        return self._table.add(entry)

    def _make_entry(
        self,
        run_id: Hashable,
        caller_id: Hashable,
        kind: Kind | None,
        name: object,
        tags: object,
        metadata: object,
        start_ns: int,
    ) -> Entry:
        shown: Mapping[str, object] = metadata if isinstance(metadata, dict) else {}
        listed = tags if isinstance(tags, (list, tuple)) else ()
        words = tuple([tag for tag in listed if isinstance(tag, str)])
        text = clean_text(name) if isinstance(name, str) and name else ""
        ns = read_checkpoint_ns(shown)
        parent, outer = self._find_parent(caller_id)
        may_pause_untold = False
        if kind is None:
            # What is only current may be anything around the caller, so it tells nothing of what this one is.
            caller = parent if outer is None else None
            kind = classify_chain(text, words, shown, ns, parent=caller, is_root=caller_id is None)
            kind, may_pause_untold = _ask_stack(kind, caller)
        return Entry(
            run_id=run_id,
            kind=kind,
            name=text or kind,
            start_ns=start_ns,
            tree=parent.tree if parent is not None else self._plant_tree(),
            caller_id=caller_id,
            parent=parent,
            outer=outer,
            ns=ns,
            tags=words,
            metadata=shown,
            graph=parent.graph if parent is not None else None,
            task_keys=parent.task_keys if parent is not None else None,
            may_pause_untold=may_pause_untold,
        )

    def _find_parent(self, caller_id: Hashable) -> tuple[Entry | None, Span | None]:
        """Return the caller, and what is current where the span's parent is not the caller's."""
        if caller_id is not None:
            known = self._table.find(caller_id)
            if known is not None:
                return known, None
        current = find_current_entry(self._table)
        return current if isinstance(current, Entry) else None, freeze_span(read_current_span())

    def _plant_tree(self) -> Tree:
        return Tree(tracer=self._tracers.get_tracer(), ended_ids=self._table.make_ended_ids())


def _ask_stack(kind: Kind, caller: Entry | None) -> tuple[Kind, bool]:
    """Return what a chain is where the callback alone does not tell, and whether it may pause and nobody is told.

    Only for what no known graph calls: a graph inside one shows itself by its first node task, and its pauses by
    how its caller ends.
    """
    is_known = kind == "graph_run" and HEARS_PAUSES
    if (
        is_known
        or not (kind == "graph_run" or kind in DEFERRED)
        or (caller is not None and caller.graph is not None)
    ):
        return kind, False
    graph = find_calling_graph()
    return (kind, False) if graph is None else ("graph_run", graph.may_pause and not HEARS_PAUSES)


def _note_link(task: Entry, entry: Entry) -> None:
    number = find_link_number(entry.tags)
    if number is not None:
        if task.links is None:
            task.links = {}
        task.links[number] = entry.kind
