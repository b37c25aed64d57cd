"""The call before a call on its thread, as the recorder named it.

A link names trace and span. The attribute beside it, which stores without links keep, names the span alone: span ids
are unique in a trace only, so it is looked for among the calls of one thread and nowhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from otel_traj.reconstruct.parts import Part

__all__ = ["RootIndex"]


class RootIndex:
    """Places of the calls of one thread, found by who names them."""

    def __init__(self) -> None:
        self._of_span: dict[tuple[str, str], int] = {}
        self._of_id: dict[str, int] = {}

    def add(self, part: Part, place: int) -> None:
        """Keep the place of a part, where its graph-run span is there."""
        if part.graph is not None:
            root = part.graph.place
            self._of_span[root.trace_id, root.span_id] = place
            self._of_id[root.span_id] = place

    def find(self, part: Part) -> set[int]:
        """Return the places of the calls that a part names as the one before it."""
        if part.graph is None:
            return set()
        linked = {self._of_span[span] for span in part.graph.linked_spans if span in self._of_span}
        if part.graph.linked_spans or part.graph.previous_span_id is None:
            return linked
        place = self._of_id.get(part.graph.previous_span_id)
        return set() if place is None else {place}
