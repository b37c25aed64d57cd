"""Chains: graph runs, node tasks and what runs inside them, from their callbacks to their spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.record.classify import DEFERRED
from otel_traj.record.endings import describe_ending
from otel_traj.record.span_writer import find_parent_span
from otel_traj.rendering import clean_text

if TYPE_CHECKING:
    from collections.abc import Hashable

    from otel_traj.record.content_writer import ContentWriter
    from otel_traj.record.endings import Endings
    from otel_traj.record.entry import Entry
    from otel_traj.record.recorder import Recorder
    from otel_traj.record.settings import Settings
    from otel_traj.record.table import CallbackTable

__all__ = ["ChainRecorder"]


class ChainRecorder:
    """The chains of one handler, and what LangGraph says about its graph runs."""

    def __init__(
        self,
        *,
        recorder: Recorder,
        endings: Endings,
        table: CallbackTable,
        settings: Settings,
        content: ContentWriter | None,
    ) -> None:
        """Keep the parts that a handler is made of."""
        self._content = content
        self._recorder = recorder
        self._endings = endings
        self._table = table
        self._settings = settings

    def start(self, entry: Entry) -> None:
        """Start what a chain's kind asks for; one that may yet turn out to be a graph run waits."""
        if entry.kind == "graph_run":
            self._recorder.start_graph_run(entry)
        elif entry.kind == "node_task":
            self._recorder.start_task(entry)
        elif entry.kind not in DEFERRED and self._settings.inner:
            self._recorder.start_inner(entry)

    def end(self, run_id: Hashable, outputs: object, error: BaseException | None) -> None:
        """End a chain, by an exception where there is one."""
        entry = self._table.get_open(run_id)
        if entry is not None:
            if entry.kind == "graph_run":
                self._endings.end_graph_run(entry, outputs, error)
                return
            if self._settings.inner and entry.kind in DEFERRED and entry.span is None:
                self._recorder.start_inner(entry)
        if not self._endings.close(entry) or entry is None:
            return
        if entry.kind == "node_task":
            self._endings.end_task(entry, outputs, error)
        else:
            self._endings.finish(entry, describe_ending(error), error)

    def note_pause(self, run_id: Hashable) -> None:
        """Note that LangGraph paused a graph run, for a static interrupt too."""
        entry = self._recorder.find_graph_entry(run_id)
        if entry is not None and entry.graph is not None:
            entry.graph.pause_seen = True

    def note_resume(self, run_id: Hashable) -> None:
        """Note that LangGraph resumed a graph run."""
        entry = self._recorder.find_graph_entry(run_id)
        if entry is not None:
            self._recorder.mark_resumed(entry)

    def add_event(self, run_id: Hashable, name: str, data: object) -> None:
        """Write a custom event on the span it happened in.

        Args:
            run_id: Id of the callback run it happened in.
            name: The event's name.
            data: What the user gave it: content.
        """
        entry = self._table.get_open(run_id)
        if entry is None:
            return
        span = entry.span or find_parent_span(entry)[0]
        if span.is_recording():
            text = None if self._content is None else self._content.write("events", data)
            span.add_event(clean_text(str(name)), None if text is None else {sc.EVENT_DATA: text})
