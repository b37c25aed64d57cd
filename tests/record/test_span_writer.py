from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from otel_traj.record.entry import Entry, Tree
from otel_traj.record.span_writer import find_audible_parent, find_parent_span

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from tests.record.recording import Recording


class _EndsWhenRead(Entry):
    """An entry that another thread ends right after its span was read."""

    _kept: Span | None = None

    @property
    def span(self) -> Span | None:
        """The span, once."""
        kept, self._kept = self._kept, None
        return kept

    @span.setter
    def span(self, span: Span | None) -> None:
        self._kept = span


def test_caller_that_ends_meanwhile_is_the_parent(recording: Recording) -> None:
    """A span that starts while its caller ends in another thread hangs below the caller, and is not lost."""
    span = recording.tracer.start_span("caller")
    tree = Tree(tracer=recording.tracer, ended_ids=deque())
    caller = _EndsWhenRead("caller", "graph_run", "g", 0, tree, {})
    caller.span_context, caller.recording = span.get_span_context(), True
    entry = Entry("entry", "node_task", "n", 0, tree, {}, parent=caller)
    caller.span = span
    assert find_audible_parent(entry, owner=None) is span
    caller.span = span
    assert find_parent_span(entry) == (span, caller)
