"""Which graph run a span belongs to, and which top-level run stands above it.

Two ways lead from a span to its graph run: the chain of parent spans, and the run id that each of our spans
carries. The chain goes first, because a caller may give the same run id to several runs; the run id bridges a
chain that lost a span on its way.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from otel_traj.reconstruct.facts import GraphFact, Place
    from otel_traj.reconstruct.gather import Facts

__all__ = ["Lineage"]


class Lineage:
    """The graph runs of a source, found by span or by run id."""

    def __init__(self, facts: Facts) -> None:
        """Index the graph runs and the parents of all spans.

        Args:
            facts: Each fact once.
        """
        self._graph_of_span = {(g.place.trace_id, g.place.span_id): g for g in facts.graphs}
        self._top_of: dict[tuple[str, str], GraphFact] = {}
        self._graphs_of_run: dict[tuple[str, str], list[GraphFact]] = {}
        for graph in facts.graphs:
            self._graphs_of_run.setdefault((graph.place.trace_id, graph.run_id), []).append(graph)
        for same in self._graphs_of_run.values():
            same.sort(key=lambda graph: (graph.place.start_ns, graph.place.span_id))
        self._parent_of_span = {
            (fact.place.trace_id, fact.place.span_id): fact.place.parent_span_id
            for kind in (facts.graphs, facts.tasks, facts.calls, facts.others)
            for fact in kind
        }

    def find_graph(self, place: Place, run_id: str | None) -> GraphFact | None:
        """Return the graph run that a span ran in.

        Args:
            place: The span's place.
            run_id: Run id that the span carries; None where it carries none.

        Returns:
            The nearest graph run above it (with that run id, if it has one), or None where it is missing.
        """
        return self._climb(place, run_id) or (self._find_by_run(place, run_id) if run_id else None)

    def _climb(self, place: Place, run_id: str | None) -> GraphFact | None:
        seen: set[str] = set()
        span_id = place.parent_span_id
        while span_id and span_id not in seen:
            seen.add(span_id)
            graph = self._graph_of_span.get((place.trace_id, span_id))
            if graph is not None and (not run_id or graph.run_id in ("", run_id)):
                return graph
            span_id = self._parent_of_span.get((place.trace_id, span_id), "")
        return None

    def _find_by_run(self, place: Place, run_id: str) -> GraphFact | None:
        candidates = self._graphs_of_run.get((place.trace_id, run_id))
        if not candidates:
            return None
        # Of several with one run id the last that had started; of a clock before all of them the last.
        return candidates[bisect_right(candidates, place.start_ns, key=_read_start) - 1]

    def find_parent(self, graph: GraphFact) -> GraphFact | None:
        """Return the graph run that called a subgraph's; None for a top-level run or a missing parent."""
        if graph.parent_run_id is not None:
            return self.find_graph(graph.place, graph.parent_run_id)
        return self._climb(graph.place, None) if graph.is_subgraph else None

    def find_top(self, graph: GraphFact) -> GraphFact:
        """Return the highest graph run above one that is there: itself for a top-level run."""
        path = [graph]
        seen = {graph.place.span_id}
        while _read_key(path[-1]) not in self._top_of:
            parent = self.find_parent(path[-1])
            if parent is None or parent.place.span_id in seen:
                break
            seen.add(parent.place.span_id)
            path.append(parent)
        top = self._top_of.get(_read_key(path[-1]), path[-1])
        self._top_of.update((_read_key(below), top) for below in path)
        return top


def _read_start(graph: GraphFact) -> int:
    return graph.place.start_ns


def _read_key(graph: GraphFact) -> tuple[str, str]:
    return graph.place.trace_id, graph.place.span_id
