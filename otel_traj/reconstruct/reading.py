"""One reading of a source: the traces that were asked for, and the rest of the threads they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.reconstruct.emitters import choose_emitters
from otel_traj.reconstruct.gather import FactGatherer
from otel_traj.reconstruct.lost_threads import doubt_without_threads
from otel_traj.reconstruct.open_threads import list_open_threads
from otel_traj.reconstruct.parts import split_parts
from otel_traj.reconstruct.recordings import keep_one_recording
from otel_traj.reconstruct.runs import RunBuilder
from otel_traj.reconstruct.split_runs import doubt_split_runs
from otel_traj.reconstruct.threads import join_parts
from otel_traj.sources import SpanQuery

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from otel_traj.model import Run, SourceProblem
    from otel_traj.sources import OnProblem, Source

__all__ = ["Reading"]


class Reading:
    """Reads one source once."""

    def __init__(
        self,
        source: Source,
        query: SpanQuery,
        on_problem: OnProblem,
        *,
        node_order: Mapping[str, int],
        whole_threads: bool = False,
    ) -> None:
        """Begin; nothing is read yet.

        Args:
            source: The place.
            query: Which spans are wanted.
            on_problem: Called with each thing that could not be used.
            node_order: Place of each node as its graph declares them; empty for canonical order.
            whole_threads: Whether the other runs of their threads are wanted too.
        """
        self._source = source
        self._query = query
        self._on_problem = on_problem
        self._node_order = node_order
        self._whole_threads = whole_threads
        self._gatherer = FactGatherer()
        self._partial: dict[str, str] = {}

    @property
    def other_traces(self) -> set[str]:
        """Traces of which spans were read, none of them of a run; it is whole when `read` has come to its end."""
        return self._gatherer.other_traces

    def read(self) -> Iterable[Run]:
        """Return the top-level runs in the traces that the source gave, in no order.

        Raises:
            SourceError: The source can't be opened, or breaks off.
            TrajectoryTypeError: An object in memory is no span.
        """
        self._gatherer.add(self._source.read_spans(self._note, self._query))
        if not self._source.capabilities.reads_threads:
            return self._build()
        found = self._gatherer.trace_ids
        runs = list(self._build())
        threads = (
            {run.thread_id for run in runs if run.thread_id is not None} if self._whole_threads else set()
        )
        to_read = sorted(threads) if self._whole_threads else list_open_threads(runs, self._query)
        if not to_read:
            return runs
        for thread in to_read:
            query = SpanQuery(thread=thread, completes=True)
            self._gatherer.add(self._source.read_spans(self._note_more, query))
        # The other runs of a thread that was read to complete one were not asked for.
        return [
            run for run in self._build() if run.thread_id in threads or not found.isdisjoint(run.trace_ids)
        ]

    def _build(self) -> Iterator[Run]:
        facts = self._gatherer.list_facts()
        builder = RunBuilder(
            conflicts=self._gatherer.conflicts,
            node_order=self._node_order,
            source=self._source.name,
            partial=self._partial,
        )
        parts = [part for each in facts for part in split_parts(each)]
        chosen = choose_emitters(keep_one_recording(parts))
        chains = doubt_split_runs(doubt_without_threads(join_parts(chosen)))
        return map(builder.build, chains)

    def _note(self, problem: SourceProblem) -> None:
        if problem.code == "partial_response":
            self._partial.update(dict.fromkeys(problem.trace_ids, problem.message))
        self._on_problem(problem)

    def _note_more(self, problem: SourceProblem) -> None:
        """A thread without further traces is no empty source."""
        if problem.code != "empty_source":
            self._note(problem)
