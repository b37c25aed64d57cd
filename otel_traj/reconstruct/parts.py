"""Facts -> parts: one per call of a graph, with its tasks and calls, and the parts below it.

A part whose graph-run span is missing is kept too, with the tasks that name it, or with the calls alone where
nothing else of a trace is left: what arrived is shown, and says what is missing. Tasks of a missing *subgraph* run
are orphans of the run that called it, when `callers` can tell which one that is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.reconstruct.callers import CallerIndex
from otel_traj.reconstruct.facts import CallFact
from otel_traj.reconstruct.levels import MAX_LEVELS, find_levels
from otel_traj.reconstruct.lineage import Lineage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.reconstruct.facts import GraphFact, OtherFact, Place, TaskFact
    from otel_traj.reconstruct.gather import Facts

__all__ = ["Part", "find_start", "find_thread", "split_parts"]


@dataclass(slots=True, kw_only=True)
class Part:
    """One call of a graph, while runs are being built."""

    graph: GraphFact | None
    """None: the graph-run span is missing."""
    run_id: str
    trace_id: str
    emitter: str = sc.SCOPE_NAME
    tasks: list[TaskFact] = field(default_factory=list)
    calls: list[CallFact] = field(default_factory=list)
    orphans: list[TaskFact] = field(default_factory=list)
    """Tasks of subgraph runs below it whose graph-run span is missing."""
    children: list[Part] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    """Of a top-level part: every span below it, its own not included."""
    strays: list[CallFact | OtherFact] = field(default_factory=list)
    """Of a part that nothing but calls is left of: those."""

    @property
    def has_root(self) -> bool:
        """Whether the span of the top-level run is there, which is this part's own."""
        return self.graph is not None and not self.graph.is_subgraph

    @property
    def lacks_spans(self) -> bool:
        """Whether its manifest counts more spans than arrived, or nothing says how many there were."""
        manifest = self.graph.manifest if self.graph else None
        if manifest is None or manifest.span_count is None:
            return True
        return len(self.places) < manifest.span_count


def find_thread(part: Part) -> str | None:
    """Return the thread id of a part, that of what is below it where the graph-run span does not say it."""
    if part.graph is not None and part.graph.thread_id is not None:
        return part.graph.thread_id
    return next((fact.thread_id for fact in (*part.tasks, *part.strays) if fact.thread_id), None)


def find_start(part: Part) -> int:
    """Return when a part started, in nanoseconds."""
    if part.graph is not None:
        return part.graph.place.start_ns
    return min(fact.place.start_ns for fact in (*part.tasks, *part.strays))


def split_parts(facts: Facts) -> list[Part]:
    """Return the top-level parts, each with the parts below it.

    Args:
        facts: Each fact once.

    Returns:
        Parts in the order of their first fact. A part whose `graph` has a parent run that is missing stands
        on top, too.
    """
    return _Splitter(facts).split()


class _Splitter:
    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._lineage = Lineage(facts)
        self._part_of_graph = {
            (g.place.trace_id, g.place.span_id): self._begin(g.place.trace_id, g.run_id, g)
            for g in facts.graphs
        }
        self._rootless: dict[tuple[str, str], Part] = {}

    def _begin(self, trace_id: str, run_id: str, graph: GraphFact | None = None) -> Part:
        return Part(graph=graph, run_id=run_id, trace_id=trace_id, emitter=self._facts.emitter)

    def split(self) -> list[Part]:
        strays: dict[tuple[str, str], list[TaskFact]] = {}
        for task in self._facts.tasks:
            graph = self._lineage.find_graph(task.place, task.run_id or None)
            if graph is None:
                strays.setdefault((task.place.trace_id, task.run_id), []).append(task)
            else:
                self._part(graph).tasks.append(task)
        self._count_places()
        callers = CallerIndex(self._part_of_graph.values())
        for (trace_id, run_id), tasks in strays.items():
            self._place_strays(trace_id, run_id, tasks, callers.find(trace_id, tasks))
        self._place_calls()
        self._place_lone_calls()
        return self._link_children() + list(self._rootless.values())

    def _part(self, graph: GraphFact) -> Part:
        return self._part_of_graph[graph.place.trace_id, graph.place.span_id]

    def _count_places(self) -> None:
        """Give each top-level part the places of all spans below it."""
        facts = self._facts
        for graph in facts.graphs:
            top = self._lineage.find_top(graph)
            if top is not graph:
                self._part(top).places.append(graph.place)
        others: Iterable[tuple[Place, str | None]] = (
            (fact.place, fact.run_id or None)
            for kind in (facts.tasks, facts.calls, facts.others)
            for fact in kind
        )
        for place, run_id in others:
            owner = self._lineage.find_graph(place, run_id) or self._lineage.find_graph(place, None)
            if owner is not None:
                self._part(self._lineage.find_top(owner)).places.append(place)

    def _place_strays(self, trace_id: str, run_id: str, tasks: list[TaskFact], caller: Part | None) -> None:
        """Hang the tasks of a missing graph run below the run that called it, or keep them as a part."""
        if caller is None or caller.graph is None:
            part = self._begin(trace_id, run_id)
            part.tasks = tasks
            self._rootless[trace_id, run_id] = part
        else:
            self._part(self._lineage.find_top(caller.graph)).orphans.extend(tasks)

    def _place_calls(self) -> None:
        for call in self._facts.calls:
            graph = self._lineage.find_graph(call.place, call.run_id)
            if graph is not None:
                self._part(graph).calls.append(call)
            elif call.run_id and (part := self._rootless.get((call.place.trace_id, call.run_id))):
                part.calls.append(call)

    def _place_lone_calls(self) -> None:
        """Keep calls of a run that nothing else is left of; where something is, that says what is missing."""
        traces = {trace_id for trace_id, _ in self._rootless}
        traces |= {
            part.trace_id
            for part in self._part_of_graph.values()
            if part.graph is not None and (part.graph.is_subgraph or part.lacks_spans)
        }
        lone: dict[tuple[str, str], Part] = {}
        for kind in (self._facts.calls, self._facts.others):
            for fact in kind:
                trace_id = fact.place.trace_id
                if fact.run_id is None or trace_id in traces:
                    continue
                if self._lineage.find_graph(fact.place, fact.run_id) is None:
                    key = (trace_id, fact.run_id)
                    part = lone.setdefault(key, self._begin(trace_id, fact.run_id))
                    part.strays.append(fact)
        for part in lone.values():
            part.calls = [fact for fact in part.strays if isinstance(fact, CallFact)]
        self._rootless |= lone

    def _link_children(self) -> list[Part]:
        """Hang each subgraph's part below the one that called it; return those that stand on top."""
        above = {key: self._find_above(part) for key, part in self._part_of_graph.items()}
        levels = find_levels({key: _read_key(part) for key, part in above.items()})
        tops: list[Part] = []
        for key, part in self._part_of_graph.items():
            level, caller = levels[key], above[key]
            if level is None or caller is None:
                tops.append(part)
            elif level <= MAX_LEVELS:
                caller.children.append(part)
            elif part.graph is not None:
                self._part(self._lineage.find_top(part.graph)).orphans.extend(part.tasks)
        return tops

    def _find_above(self, part: Part) -> Part | None:
        graph = part.graph
        if graph is None or not graph.is_subgraph:
            return None
        parent = self._lineage.find_parent(graph)
        if parent is not None:
            return self._part(parent)
        return self._rootless.get((part.trace_id, graph.parent_run_id or ""))


def _read_key(part: Part | None) -> tuple[str, str] | None:
    return (part.trace_id, part.graph.place.span_id) if part is not None and part.graph is not None else None
