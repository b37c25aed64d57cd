"""Take a callback run into the table: who called it, what it is, and when it began.

The caller is found by its callback run id. Only where that is not known, what is current counts: a model that
is called in a node with callbacks of its own in its config comes without its caller's id, and still belongs to
the node.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from otel_traj.record.calling_graph import HEARS_PAUSES, find_calling_graph
from otel_traj.record.classify import (
    DEFERRED,
    classify_chain,
    find_link_number,
    read_checkpoint_ns,
    read_step,
)
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
                self._note_twin(known)
                return None
            entry = self._make_entry(run_id, caller_id, kind, name, tags, metadata, start_ns)
            if kind is None:
                self._classify(entry, inputs)
            if not entry.name:
                entry.name = entry.kind
            caller = entry.parent
            if caller is not None and caller.kind == "node_task":
                _note_link(caller, entry)
            evicted = self._table.add(entry)
        for gone in evicted:
            self._evict(gone)
        if caller is None:
            self._tracers.warn_without_sdk()
        return entry

    def _note_twin(self, known: Entry) -> None:
        self._counters.add("duplicate_starts")
        if known.kind == "graph_run" and known.graph is not None:
            known.graph.begun_twice = True

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
        outer: Span | None = None
        caller = None if caller_id is None else self._table.find(caller_id)
        if caller is None:
            caller, outer = self._find_current()
        words = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, (list, tuple)) else ()
        entry = Entry(
            run_id,
            kind or "runnable",
            clean_text(name) if isinstance(name, str) and name else "",
            start_ns,
            self._plant_tree() if caller is None else caller.tree,
            shown,
            words,
            read_checkpoint_ns(shown),
            caller_id,
            caller,
            outer,
        )
        if caller is not None:
            entry.graph = caller.graph
            entry.task_keys = caller.task_keys
        return entry

    def _classify(self, entry: Entry, inputs: object) -> None:
        """Find out what a chain is, and keep what its span will say of its input."""
        # What is only current may be anything around the caller, so it tells nothing of what this one is.
        caller = entry.parent if entry.outer is None else None
        entry.step = read_step(entry.tags, entry.metadata)
        entry.kind = classify_chain(
            entry.name,
            entry.tags,
            entry.metadata,
            ns=entry.ns,
            step=entry.step,
            parent=caller,
            is_root=entry.caller_id is None,
        )
        if caller is None or caller.graph is None:
            _ask_stack(entry)
        if entry.kind == "graph_run" or entry.kind in DEFERRED:
            entry.input_facts = read_input_facts(inputs)
        if self._keeps_inputs:
            entry.inputs = inputs

    def _find_current(self) -> tuple[Entry | None, Span]:
        """Return what counts where the caller is not known: the entry that is current, and the current span."""
        current = find_current_entry(self._table)
        return current if isinstance(current, Entry) else None, freeze_span(read_current_span())

    def _plant_tree(self) -> Tree:
        return Tree(tracer=self._tracers.get_tracer(), ended_ids=self._table.make_ended_ids())


def _ask_stack(entry: Entry) -> None:
    """Find out what a chain is where the callback alone does not tell, and whether it may pause and nobody is told.

    Only for what no known graph calls: a graph inside one shows itself by its first node task, and its pauses by
    how its caller ends.
    """
    is_known = entry.kind == "graph_run" and HEARS_PAUSES
    if is_known or not (entry.kind == "graph_run" or entry.kind in DEFERRED):
        return
    graph = find_calling_graph()
    if graph is not None:
        entry.kind = "graph_run"
        entry.may_pause_untold = graph.may_pause and not HEARS_PAUSES


def _note_link(task: Entry, entry: Entry) -> None:
    number = find_link_number(entry.tags)
    if number is not None:
        if task.links is None:
            task.links = {}
        task.links[number] = entry.kind
