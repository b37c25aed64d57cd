"""From callback ends to finished spans: outcome, manifest, what was said, and nothing kept.

An end is taken once: the first end or error of a callback run counts, a second one finds no open entry. A graph
run's counts are read and closed in the same breath as its entry leaves the table, so that every span either is
counted or knows that it is late.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.record.exception_event import find_place, name_exception
from otel_traj.record.outcome import asks_something, classify_ending, decide_outcome
from otel_traj.record.recorded_manifest import build_manifest
from otel_traj.record.run_end import make_run_end
from otel_traj.record.span_writer import end_span

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from opentelemetry.util.types import AttributeValue

    from otel_traj.record.content_writer import ContentWriter
    from otel_traj.record.counters import Counters
    from otel_traj.record.end_flush import EndFlush
    from otel_traj.record.entry import Entry
    from otel_traj.record.graph_run import GraphRun
    from otel_traj.record.outcome import RunOutcome
    from otel_traj.record.settings import Settings
    from otel_traj.record.table import CallbackTable

__all__ = ["Endings", "describe_ending"]

_logger = logging.getLogger("otel_traj")


def describe_ending(error: BaseException | None) -> dict[str, AttributeValue]:
    """Return what a span says about an ending that is control flow; empty for success and for errors."""
    if error is None:
        return {}
    ending = classify_ending(error)
    if ending == "interrupted" and asks_something(error):
        return {sc.INTERRUPTED: True}
    return {sc.OUTCOME: ending} if ending in ("interrupted", "cancelled", "parent_command") else {}


class Endings:
    """The ends of one handler's callback runs."""

    def __init__(
        self,
        *,
        table: CallbackTable,
        settings: Settings,
        counters: Counters,
        content: ContentWriter | None,
        flush: EndFlush,
    ) -> None:
        """Keep the parts that a handler is made of."""
        self._flush = flush
        self._content = content
        self._table = table
        self._settings = settings
        self._counters = counters

    def take(self, run_id: Hashable) -> Entry | None:
        """Take an entry out of the open ones; None, counted, where its end has no start."""
        entry = self._table.get_open(run_id)
        return entry if self.close(entry) else None

    def close(self, entry: Entry | None) -> bool:
        """Do the same with what was found already; False, counted, where that is nothing, or an end came before."""
        with self._table.lock:
            if entry is not None and self._table.take(entry):
                self._table.remember(entry)
                return True
        self._counters.add("unknown_ends")
        return False

    def finish(
        self,
        entry: Entry,
        attributes: Mapping[str, AttributeValue],
        error: BaseException | None = None,
        *,
        failure: str | None = None,
    ) -> None:
        """End an entry's span and drop what the entry held.

        Args:
            entry: An entry that was taken.
            attributes: What its span says at its end.
            error: What it raised.
            failure: `error.type` of a failure that raised nothing.
        """
        try:
            end_span(entry, attributes, error, content=self._content, failure=failure)
        finally:
            entry.forget()

    def finish_as_described(
        self,
        entry: Entry,
        describe: Callable[[], Mapping[str, AttributeValue]],
        error: BaseException | None,
        *,
        failure: str | None = None,
    ) -> None:
        """End an entry's span as `finish` does, with what `describe` returns; where that raises, without it.

        What a model or a tool returns is foreign: reading it may raise, and must not leave the span open.

        Raises:
            Exception: What `describe` raised, after the span has ended.
        """
        try:
            attributes = describe()
        except Exception:
            self.finish(entry, describe_ending(error), error, failure=failure)
            raise
        self.finish(entry, {**attributes, **describe_ending(error)}, error, failure=failure)

    def evict(self, entry: Entry) -> None:
        """End the span of an entry that the table had no room for."""
        self._counters.add("evicted")
        self.finish(entry, {sc.EVICTED: True})

    def end_task(self, entry: Entry, outputs: object, error: BaseException | None) -> None:
        """End a node task."""
        attributes = {} if error is None else self._describe_task_ending(entry, error)
        if self._content is not None and entry.recording and (error is None or sc.INTERRUPTED in attributes):
            shown = outputs if error is None else {sc.INTERRUPT_NODE: error.args[0] if error.args else []}
            text = self._content.write("state", shown)
            if text is not None:
                attributes[sc.TASK_OUTPUTS] = text
        self.finish(entry, attributes, error)

    def _describe_task_ending(self, entry: Entry, error: BaseException) -> dict[str, AttributeValue]:
        """Return what a node task's span says about what it raised, and note in its graph run where that pauses it."""
        attributes = describe_ending(error)
        if sc.INTERRUPTED in attributes:
            if not entry.interrupted_inside:
                attributes[sc.INTERRUPT_ORIGIN] = True
            with self._table.lock:
                if entry.graph is not None and entry.task_keys is not None:
                    entry.graph.interrupted_ids.add(str(entry.task_keys[sc.TASK_ID]))
                elif entry.graph is not None:
                    # A run that is not recorded counts no tasks, but its outcome is told.
                    entry.graph.pause_seen = True
        elif attributes.get(sc.OUTCOME) == "interrupted" and entry.graph is not None:
            with self._table.lock:
                entry.graph.pause_seen = True
        return attributes

    def end_graph_run(self, entry: Entry, outputs: object, error: BaseException | None) -> None:
        """End a graph run that is still open: write its manifest and tell whoever wants to know."""
        run, manifest = entry.graph, None
        with self._table.lock:
            if not self._table.take(entry):
                return
            self._table.remember(entry)
            if run is not None:
                manifest = build_manifest(run)
                run.ended = True
                run.tasks, run.retries = {}, {}
        if run is None or manifest is None:
            # Its start failed on our side.
            self.finish(entry, {}, error)
            return
        outcome = decide_outcome(error, task_interrupted=bool(run.interrupted_ids), pause_seen=run.pause_seen)
        if classify_ending(error) == "interrupted":
            _blame_below(entry)
        attributes: dict[str, AttributeValue] = {}
        if self._content is not None and entry.recording and error is None:
            text = self._content.write("outputs", outputs)
            if text is not None:
                attributes[sc.RESULTS] = text
        if run.may_pause_untold and outcome == "ok":
            attributes[sc.PAUSE_UNKNOWN] = True
        try:
            self.finish(entry, {**attributes, **manifest, sc.OUTCOME: outcome}, error)
        finally:
            if run.parent is None:
                self._tell(run, entry, outcome)
                if entry.recording:
                    self._flush.flush()

    def _tell(self, run: GraphRun, entry: Entry, outcome: RunOutcome) -> None:
        listener = self._settings.on_run_end
        if listener is None:
            return
        try:
            listener(make_run_end(run, entry.span_context, outcome))
        except Exception as error:  # noqa: BLE001 - the agent must not feel any failure of its application's hook
            if self._counters.add("run_end_errors") == 1:
                _logger.warning(
                    "on_run_end raised %s (%s); the agent goes on, further failures are only counted",
                    name_exception(error),
                    find_place(error),
                )


def _blame_below(entry: Entry) -> None:
    """Tell the node task that called an interrupted subgraph that the interrupt is not its own."""
    caller = entry.parent
    while caller is not None:
        if caller.kind == "node_task":
            caller.interrupted_inside = True
            return
        caller = caller.parent
