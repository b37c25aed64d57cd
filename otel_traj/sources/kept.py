"""A source that keeps the spans that it gives, for whoever wants them beside what is made of them.

Some places give their spans once, and a backend may be asked several times for the same trace: what is kept is what a
reader saw, each span once. Copies that differ are all kept: which one is right the next reader can tell no better,
and with one alone a run that was incomplete for it would be whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.sources.protocol import ALL_SPANS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.model import Span
    from otel_traj.sources.protocol import Capabilities, OnProblem, Source, SpanQuery

__all__ = ["KeptSource"]


class KeptSource:
    """Another source, and the spans that have come out of it."""

    def __init__(self, source: Source) -> None:
        """Read through another source.

        Args:
            source: Where the spans are.
        """
        self._source = source
        self._copies: dict[tuple[str, str], list[Span]] = {}

    @property
    def name(self) -> str:
        """The name of the other source."""
        return self._source.name

    @property
    def capabilities(self) -> Capabilities:
        """What the other source can do."""
        return self._source.capabilities

    @property
    def spans(self) -> list[Span]:
        """The spans that were given so far, as they first came; copies that differ stand side by side."""
        return [span for copies in self._copies.values() for span in copies]

    def read_spans(self, on_problem: OnProblem, query: SpanQuery = ALL_SPANS) -> Iterator[Span]:
        """Yield the spans of the other source, and keep them."""
        for span in self._source.read_spans(on_problem, query):
            copies = self._copies.setdefault((span.trace_id, span.span_id), [])
            # By their written form, in which NaN equals itself.
            if not copies or repr(span) not in map(repr, copies):
                copies.append(span)
            yield span
