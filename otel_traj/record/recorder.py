"""From callback starts to spans.

A chain gets no span at its start unless it is known what it is: a subgraph run shows itself only by its first
node task. Its start time is kept and the span is started then, under the time it really began, so that no span
is made for nothing. What the manifest counts is counted under the table's lock, before the span is made: a span
that is lost on the way leaves a count that is not met.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import NAMESPACE_OID, uuid5

from opentelemetry.trace import Link, format_span_id

from otel_traj import semconv as sc
from otel_traj.record.classify import DEFERRED, find_task_id, read_push_index
from otel_traj.record.graph_run import GraphRun, read_input_facts
from otel_traj.record.graph_spans import (
    describe_graph_run,
    describe_task,
    list_place,
    name_graph_run,
    read_thread_id,
)
from otel_traj.record.span_writer import find_audible_parent, start_span

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from opentelemetry.trace import SpanContext, SpanKind
    from opentelemetry.util.types import AttributeValue

    from otel_traj.record.content_policy import ContentKind
    from otel_traj.record.content_writer import ContentWriter
    from otel_traj.record.counters import Counters
    from otel_traj.record.entry import Entry
    from otel_traj.record.settings import Settings
    from otel_traj.record.table import CallbackTable

__all__ = ["Recorder"]


class Recorder:
    """The starts of one handler's callback runs."""

    def __init__(
        self, *, table: CallbackTable, settings: Settings, counters: Counters, content: ContentWriter | None
    ) -> None:
        """Keep the parts that a handler is made of."""
        self._content = content
        self._table = table
        self._settings = settings
        self._counters = counters

    def start_graph_run(self, entry: Entry) -> None:
        """Make an entry a graph run and start its span, at the time the entry began."""
        self._open_graph_run(entry)
        self._write_content(entry, sc.INPUTS, "inputs")

    def _open_graph_run(self, entry: Entry) -> None:
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
                may_pause_untold=entry.may_pause_untold,
            )
            entry.kind = "graph_run"
            entry.graph = run
            self._count_span(entry, run.parent)
            self._open_callers(entry)
            parent = find_audible_parent(entry, owner=self._table)
            if parent is not None:
                previous = self._find_previous(run)
                links = [Link(previous)] if run.resumed and previous is not None else []
                attributes = describe_graph_run(entry, run, self._settings.metadata_keys)
                if self._settings.omitted:
                    attributes[sc.OMITTED] = self._settings.omitted
                if previous is not None:
                    attributes[sc.PREVIOUS_SPAN_ID] = format_span_id(previous.span_id)
                start_span(entry, parent, name_graph_run(entry), attributes, owner=self._table, links=links)

    def _find_previous(self, run: GraphRun) -> SpanContext | None:
        """Return the run before a top-level run on its thread: what a resumed one links to."""
        if run.parent is not None or run.thread_id is None:
            return None
        last = self._table.find_last_root(run.thread_id)
        context = last.span_context if last is not None else None
        return context if context is not None and context.is_valid else None

    def mark_resumed(self, entry: Entry) -> None:
        """Note that a graph run resumes an earlier one, however that was found out."""
        run = entry.graph
        with self._table.lock:
            if run is None or run.resumed:
                return
            run.resumed = True
            span, keys = entry.span, entry.keys
            if span is None or not entry.recording or entry.ended:
                return
            span.set_attribute(sc.RESUMED, True)
            if keys is not None:
                keys[sc.RESUMED] = True
            previous = self._find_previous(run)
            if previous is not None:
                span.add_link(previous)

    def find_graph_entry(self, run_id: Hashable) -> Entry | None:
        """Return the entry of a graph run that LangGraph names in an event, revealing it where need be."""
        entry = self._table.get_open(run_id)
        if entry is not None and entry.kind in DEFERRED:
            self.start_graph_run(entry)
        return entry if entry is not None and entry.kind == "graph_run" else None

    def start_task(self, entry: Entry) -> None:
        """Start the span of a node task; its caller is a graph run."""
        step = entry.step or 0
        push_index = read_push_index(entry.metadata)
        if entry.parent is not None and entry.parent.kind in DEFERRED:
            self._reveal(entry.parent)
        with self._table.lock:
            run = entry.graph = self._require_graph_run(entry)
            parent = find_audible_parent(entry, owner=self._table)
            if parent is None:
                return
            task_id = _identify_task(entry, run, step, push_index)
            if run.awaits_step:
                run.awaits_step = False
                if entry.parent is not None and step > 1:
                    self.mark_resumed(entry.parent)
            self._count_span(entry, run)
            attempt = 1 if entry.late else run.note_task(task_id, step, entry.name, push_index)
        entry.task_keys = attributes = describe_task(
            entry, run, step=step, task_id=task_id, push_index=push_index, attempt=attempt
        )
        start_span(entry, parent, f"{sc.INVOKE_NODE} {entry.name}", attributes, owner=self._table)
        if self._content is not None:
            self._write_content(entry, sc.TASK_INPUTS, "state")

    def _reveal(self, caller: Entry) -> None:
        """Make the caller of a node task a graph run, whatever it was taken for.

        Its content is written outside the lock: that runs code of the user, which may wait for another run.
        """
        with self._table.lock:
            if caller.kind not in DEFERRED or caller.ended:
                return
            self._open_graph_run(caller)
        self._write_content(caller, sc.INPUTS, "inputs")

    def _require_graph_run(self, entry: Entry) -> GraphRun:
        """Return the graph run of a node task: its caller's own, never one further outside, which has tasks of its own."""
        caller = entry.parent
        if caller is not None and caller.graph is not None and caller.kind == "graph_run":
            return caller.graph
        # The handler was not there when the graph run began, or it had ended when its first task began; a reader will
        # find that its span is missing.
        return GraphRun(
            run_id=str(entry.run_id if entry.caller_id is None else entry.caller_id),
            name="",
            thread_id=read_thread_id(entry.metadata),
            input_type="",
            ended=caller is not None and caller.ended,
        )

    def start_inner(self, entry: Entry) -> None:
        """Start the span of what only `inner=True` shows."""
        with self._table.lock:
            self._count_span(entry, entry.graph)
            self._open_callers(entry)
        parent = find_audible_parent(entry, owner=self._table)
        if parent is not None:
            attributes = {sc.KIND: entry.kind, **list_place(entry)}
            start_span(entry, parent, f"{entry.kind} {entry.name}", attributes, owner=self._table)

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
            self._count_span(entry, entry.graph)
            self._open_callers(entry)
        parent = find_audible_parent(entry, owner=self._table)
        if parent is not None:
            attributes = {**describe(), **list_place(entry)}
            start_span(entry, parent, name, attributes, owner=self._table, kind=kind)

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

    def _count_span(self, entry: Entry, run: GraphRun | None) -> None:
        """Count an entry's span below a graph run, unless it comes too late for the manifests that would count it."""
        if run is None:
            return
        top = run.find_open_top()
        if top is None or (run.ended and entry.kind == "node_task"):
            self._counters.add("late_starts")
            entry.late = True
        else:
            top.span_count += 1

    def _write_content(self, entry: Entry, key: str, kind: ContentKind) -> None:
        if self._content is None:
            return
        inputs, entry.inputs = entry.inputs, None
        span = entry.span
        if span is not None and entry.recording:
            text = self._content.write(kind, inputs)
            if text is not None:
                span.set_attribute(key, text)


def _identify_task(entry: Entry, run: GraphRun, step: int, push_index: int | None) -> str:
    """Return the id of a task, made up where the user's own metadata hides LangGraph's."""
    task_id = None if entry.ns is None else find_task_id(entry.ns, entry.name)
    if task_id is not None:
        return task_id
    return str(uuid5(NAMESPACE_OID, f"{run.run_id}/{step}/{entry.name}/{push_index}"))
