"""Several sources as one: what a list or tuple of sources means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.sources.files.overwriting import ReadsFiles
from otel_traj.sources.protocol import ALL_SPANS, Capabilities

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from otel_traj.model import Span
    from otel_traj.sources.protocol import OnProblem, Source, SpanQuery

__all__ = ["ChainedSource"]


class ChainedSource:
    """Several sources, one after another."""

    def __init__(self, sources: Sequence[Source]) -> None:
        """Take the sources in reading order.

        Args:
            sources: At least one.
        """
        self._sources = sources
        self.name = ", ".join(source.name for source in sources)
        """The place as it stands in problems and reports."""
        each = [source.capabilities for source in sources]
        self.capabilities = Capabilities(
            rereads=all(one.rereads for one in each),
            lags=any(one.lags for one in each),
            selects=frozenset.union(*(one.selects for one in each)) if each else frozenset(),
            reads_threads=any(one.reads_threads for one in each),
        )
        """That of its members: one that lags makes the whole lag, one that is read once makes the whole so."""

    def read_spans(self, on_problem: OnProblem, query: SpanQuery = ALL_SPANS) -> Iterator[Span]:
        """Yield the spans of all sources; see `Source`."""
        for source in self._sources:
            # Who gives all it has gave it when the runs were read that are to be completed.
            if source.capabilities.reads_threads or not query.completes:
                yield from source.read_spans(on_problem, query)

    def would_read(self, path: Path) -> bool:
        """Return whether a file is one that some member reads.

        Args:
            path: It need not be there.
        """
        return any(isinstance(source, ReadsFiles) and source.would_read(path) for source in self._sources)
