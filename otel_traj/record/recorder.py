"""From callback starts to spans.

A chain gets no span at its start unless it is known what it is: a subgraph run shows itself only by its first
node task. Its start time is kept and the span is started then, under the time it really began, so that no span
is made for nothing. What the manifest counts is counted under the table's lock, before the span is made: a span
that is lost on the way leaves a count that is not met.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from opentelemetry.trace import Link, SpanKind

from otel_traj import semconv as sc
from otel_traj.record.classify import (
    classify_chain,
    find_link_number,
    read_checkpoint_ns,
    read_push_index,
    read_step,
    read_task_id,
)
from otel_traj.record.entry import Entry, Tree
from otel_traj.record.graph_run import GraphRun, read_input_facts
from otel_traj.record.graph_spans import describe_graph_run, describe_task, name_graph_run, read_thread_id
from otel_traj.record.live_span import find_current_entry, read_current_span
from otel_traj.record.span_writer import adopt_silence, freeze_span, start_span
from otel_traj.rendering import clean_text, render_json

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from opentelemetry.trace import Span
    from opentelemetry.util.types import AttributeValue

    from otel_traj.record.classify import Kind
    from otel_traj.record.counters import Counters
    from otel_traj.record.settings import Settings
    from otel_traj.record.table import CallbackTable
    from otel_traj.record.tracer_source import TracerSource

__all__ = ["DEFERRED", "Recorder"]

DEFERRED: tuple[Kind, ...] = ("runnable", "conditional_edge")
"""Kinds that may turn out to be a graph run."""

_PLACE_KEYS = (sc.STEP, sc.NODE, sc.TASK_ID, sc.RUN_ID, sc.THREAD_ID)


class Recorder:
    """The starts of one handler's callback runs."""

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
        self._settings = settings
        self._counters = counters
        self._tracers = tracers
        self._evict = evict

    def begin(
        self,
        run_id: Hashable,
        parent_run_id: Hashable,
        *,
        kind: Kind | None = None,
        name: object = None,
        tags: object = None,
        metadata: object = None,
        inputs: object = None,
    ) -> Entry | None:
        """Take a callback run into the table.

        Args:
            run_id: Its id.
            parent_run_id: The id of its caller, None for a root.
            kind: What it is; None for a chain, which is classified.
            name: Its name, as far as it has one.
            tags: Its tags.
            metadata: Its metadata.
            inputs: The input of a chain.

        Returns:
            Its entry; None where it is in the table already (a handler that is bound twice).
        """
        start_ns = time.time_ns()
        shown = metadata if isinstance(metadata, dict) else {}
        words = tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, (list, tuple)) else ()
        text = clean_text(name) if isinstance(name, str) and name else ""
        with self._table.lock:
            if self._table.get_open(run_id) is not None:
                self._counters.add("duplicate_starts")
                return None
            parent, outer = self._find_parent(parent_run_id)
            kind = kind or classify_chain(text, words, shown, parent=parent, is_root=parent_run_id is None)
            entry = Entry(
                run_id=run_id,
                kind=kind,
                name=text or kind,
                start_ns=start_ns,
                tree=parent.tree if parent is not None else self._plant_tree(),
                parent=parent,
                outer=outer,
                ns=read_checkpoint_ns(shown),
                tags=words,
                metadata=shown,
                graph=parent.graph if parent is not None else None,
                task_keys=parent.task_keys if parent is not None else None,
                inputs=inputs if self._settings.content else None,
            )
            if kind == "graph_run" or kind in DEFERRED:
                entry.input_facts = read_input_facts(inputs)
            _note_link(entry)
            evicted = self._table.add(entry)
        for gone in evicted:
            self._evict(gone)
        if parent is None:
            self._tracers.warn_without_sdk()
        return entry

    def _find_parent(self, parent_run_id: Hashable) -> tuple[Entry | None, Span | None]:
        """Return the caller, and what is current where the span's parent is not the caller's."""
        if parent_run_id is not None:
            known = self._table.find(parent_run_id)
            if known is not None:
                return known, None
        # A call inside a node with callbacks of its own in its config comes without its caller's id.
        current = find_current_entry(self)
        return current if isinstance(current, Entry) else None, freeze_span(read_current_span())

    def _plant_tree(self) -> Tree:
        return Tree(tracer=self._tracers.get_tracer(), ended_ids=self._table.make_ended_ids())

    def start_graph_run(self, entry: Entry) -> None:
        """Make an entry a graph run and start its span, at the time the entry began."""
        facts = entry.input_facts or read_input_facts(None)
        with self._table.lock:
            task_id = entry.task_keys.get(sc.TASK_ID) if entry.task_keys else None
            run = GraphRun(
                run_id=str(entry.run_id),
                name=entry.name,
                thread_id=read_thread_id(entry.metadata),
                input_type=facts.type_name,
                resumed=facts.resumes,
                awaits_step=facts.is_command and not facts.resumes,
                parent=entry.graph,
                parent_task_id=str(task_id) if task_id is not None else None,
            )
            entry.kind = "graph_run"
            entry.graph = run
            is_late = self._count_span(run.parent)
            self._open_callers(entry)
            if not adopt_silence(entry, owner=self):
                links = self._find_links(run) if run.resumed else ()
                attributes = describe_graph_run(entry, run, self._settings.metadata_keys)
                self._start(entry, name_graph_run(entry), attributes, is_late=is_late, links=links)
        self._write_content(entry, sc.INPUTS)

    def _find_links(self, run: GraphRun) -> tuple[Link, ...]:
        """Return the link of a resumed top-level run to the run before it on its thread."""
        if run.parent is not None or run.thread_id is None:
            return ()
        last = self._table.find_last_root(run.thread_id)
        context = last.span.get_span_context() if last is not None and last.span is not None else None
        return (Link(context),) if context is not None and context.is_valid else ()

    def mark_resumed(self, entry: Entry) -> None:
        """Note that a graph run resumes an earlier one, however that was found out."""
        run = entry.graph
        with self._table.lock:
            if run is None or run.resumed:
                return
            run.resumed = True
            if entry.span is None or not entry.recording or entry.ended:
                return
            entry.span.set_attribute(sc.RESUMED, True)
            if entry.keys is not None:
                entry.keys[sc.RESUMED] = True
            for link in self._find_links(run):
                entry.span.add_link(link.context)

    def find_graph_entry(self, run_id: Hashable) -> Entry | None:
        """Return the entry of a graph run that LangGraph names in an event, revealing it where need be."""
        entry = self._table.get_open(run_id)
        if entry is not None and entry.kind in DEFERRED:
            self.start_graph_run(entry)
        return entry if entry is not None and entry.kind == "graph_run" else None

    def start_task(self, entry: Entry) -> None:
        """Start the span of a node task; its caller is a graph run."""
        step = read_step(entry.tags, entry.metadata) or 0
        push_index = read_push_index(entry.metadata)
        task_id = read_task_id(entry.ns or "")
        with self._table.lock:
            run = entry.graph = self._require_graph_run(entry)
            if run.awaits_step and entry.parent is not None and step > 1:
                self.mark_resumed(entry.parent)
            run.awaits_step = False
            is_late = self._count_span(run)
            attempt = 1 if is_late else run.note_task(task_id, step, entry.name, push_index)
        attributes = describe_task(entry, run, step=step, task_id=task_id, push_index=push_index)
        entry.task_keys = {key: attributes[key] for key in _PLACE_KEYS if key in attributes}
        if not adopt_silence(entry, owner=self):
            attributes[sc.ATTEMPT] = attempt
            self._start(entry, f"{sc.INVOKE_NODE} {entry.name}", attributes, is_late=is_late)
        self._write_content(entry, sc.TASK_INPUTS)

    def _require_graph_run(self, entry: Entry) -> GraphRun:
        """Return the graph run of a node task; its caller is one, whatever it was taken for."""
        caller = entry.parent
        if caller is not None and caller.kind in DEFERRED and not caller.ended:
            self.start_graph_run(caller)
        if caller is not None and caller.graph is not None:
            return caller.graph
        thread_id = read_thread_id(entry.metadata)
        return GraphRun(run_id="", name="", thread_id=thread_id, input_type="")

    def start_inner(self, entry: Entry) -> None:
        """Start the span of what only `inner=True` shows."""
        with self._table.lock:
            is_late = self._count_span(entry.graph)
            self._open_callers(entry)
        if not adopt_silence(entry, owner=self):
            attributes = {sc.KIND: entry.kind, **_place(entry)}
            self._start(entry, f"{entry.kind} {entry.name}", attributes, is_late=is_late)

    def start_leaf(
        self, entry: Entry, name: str, kind: SpanKind, describe: Callable[[], Mapping[str, AttributeValue]]
    ) -> None:
        """Start the span of a model call, tool call or retrieval.

        Args:
            entry: Its entry.
            name: The span's name.
            kind: The span's kind.
            describe: Makes its attributes, but for where it ran; not called where nothing records.
        """
        with self._table.lock:
            is_late = self._count_span(entry.graph)
            self._open_callers(entry)
        if not adopt_silence(entry, owner=self):
            attributes = {**describe(), **_place(entry)}
            self._start(entry, name, attributes, is_late=is_late, kind=kind)

    def _open_callers(self, entry: Entry) -> None:
        """Start the spans of callers that were kept back, outermost first."""
        if not self._settings.inner:
            return
        waiting = []
        below = entry
        while below.outer is None and below.parent is not None:
            below = below.parent
            if below.span is not None or below.ended:
                break
            if below.kind in DEFERRED:
                waiting.append(below)
        for caller in reversed(waiting):
            self.start_inner(caller)

    def _count_span(self, run: GraphRun | None) -> bool:
        """Count a span below a graph run; return whether it comes after the run's end, uncounted."""
        if run is None:
            return False
        if run.is_over:
            self._counters.add("late_starts")
            return True
        run.top.span_count += 1
        return False

    def _start(
        self,
        entry: Entry,
        name: str,
        attributes: dict[str, AttributeValue],
        *,
        is_late: bool,
        kind: SpanKind = SpanKind.INTERNAL,
        links: Sequence[Link] = (),
    ) -> None:
        if is_late:
            attributes[sc.LATE] = True
        start_span(entry, name, kind, attributes, owner=self, links=links)

    def _write_content(self, entry: Entry, key: str) -> None:
        inputs, entry.inputs = entry.inputs, None
        if self._settings.content and entry.span is not None and entry.recording:
            entry.span.set_attribute(key, render_json(inputs))


def _place(entry: Entry) -> Mapping[str, AttributeValue]:
    """Return where a callback run stands: the five keys of its node task, or what is known outside one."""
    if entry.task_keys is not None:
        return entry.task_keys
    run = entry.graph
    if run is None:
        return {}
    return {sc.RUN_ID: run.run_id} | ({sc.THREAD_ID: run.thread_id} if run.thread_id is not None else {})


def _note_link(entry: Entry) -> None:
    number = find_link_number(entry.tags)
    if number is None or entry.parent is None or entry.parent.kind != "node_task":
        return
    if entry.parent.links is None:
        entry.parent.links = {}
    entry.parent.links[number] = entry.kind
