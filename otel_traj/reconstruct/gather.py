"""Spans in any order, any batches, any number of copies -> each fact once.

Delivery is at least once on every hop, so a copy is normal. An exact copy is dropped. Of two copies that
differ the one that ended later stays (an open snapshot gives way to the finished span); that they differ in a
key attribute is remembered, because then nobody can say which copy is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from otel_traj import semconv as sc
from otel_traj.reconstruct.dialects import read_span
from otel_traj.reconstruct.dialects.callback_run import CallbackRun
from otel_traj.reconstruct.dialects.tree import make_facts
from otel_traj.reconstruct.facts import CallFact, Fact, GraphFact, OtherFact, TaskFact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.model import Span

__all__ = ["FactGatherer", "Facts"]

_GRAPH_KEYS = ("graph", "run_id", "parent_run_id", "thread_id", "resumed", "outcome", "manifest")
_TASK_KEYS = (
    *("node", "superstep", "task_id", "run_id", "thread_id", "push_index", "attempt"),
    *("outcome", "interrupted"),
)
_CALL_KEYS = ("kind", "name", "run_id", "task_id", "superstep", "node")
_CALLBACK_KEYS = ("emitter", "kind", "name", "metadata", "outcome", "interrupted")
_KEYS_OF: dict[type, tuple[str, ...]] = {
    GraphFact: _GRAPH_KEYS,
    TaskFact: _TASK_KEYS,
    CallFact: _CALL_KEYS,
    CallbackRun: _CALLBACK_KEYS,
}


class Facts(msgspec.Struct, kw_only=True):
    """All facts of a source that one emitter wrote, each once, in the order in which they first arrived."""

    emitter: str
    graphs: list[GraphFact]
    tasks: list[TaskFact]
    calls: list[CallFact]
    others: list[OtherFact]


class FactGatherer:
    """Takes spans, reading after reading, and keeps each fact once."""

    def __init__(self) -> None:
        """Begin without a fact."""
        self._kept: dict[tuple[str, str], Fact | CallbackRun] = {}
        self._strangers: set[str] = set()
        self.conflicts: dict[tuple[str, str], tuple[str, ...]] = {}
        """(trace id, span id) of copies that differ -> the key facts they differ in."""

    @property
    def trace_ids(self) -> set[str]:
        """The traces that facts were found in."""
        return {trace_id for trace_id, _ in self._kept}

    @property
    def other_traces(self) -> set[str]:
        """The traces that spans came from, and not a single fact."""
        return self._strangers - self.trace_ids

    def add(self, spans: Iterable[Span]) -> None:
        """Take spans that a known emitter wrote, and leave the others.

        Args:
            spans: In any order, with any number of copies.
        """
        for span in spans:
            fact = read_span(span)
            if fact is not None:
                self._keep((span.trace_id, span.span_id), fact)
            else:
                self._strangers.add(span.trace_id)

    def _keep(self, key: tuple[str, str], fact: Fact | CallbackRun) -> None:
        other = self._kept.get(key)
        if other is None:
            self._kept[key] = fact
        elif fact != other:
            differing = _find_conflict(other, fact)
            if differing:
                self.conflicts[key] = tuple(sorted({*self.conflicts.get(key, ()), *differing}))
            self._kept[key] = max(other, fact, key=_rank_copy)

    def list_facts(self) -> list[Facts]:
        """Return all facts so far: ours, then those of each other emitter, by its name."""
        own: list[Fact] = []
        of_others: dict[str, list[CallbackRun]] = {}
        for kept in self._kept.values():
            if isinstance(kept, CallbackRun):
                of_others.setdefault(kept.emitter, []).append(kept)
            else:
                own.append(kept)
        others = [(emitter, make_facts(runs)) for emitter, runs in sorted(of_others.items())]
        return [_sort(emitter, facts) for emitter, facts in [(sc.SCOPE_NAME, own), *others]]


def _sort(emitter: str, facts: Iterable[Fact]) -> Facts:
    by_kind = Facts(emitter=emitter, graphs=[], tasks=[], calls=[], others=[])
    for fact in facts:
        if isinstance(fact, GraphFact):
            by_kind.graphs.append(fact)
        elif isinstance(fact, TaskFact):
            by_kind.tasks.append(fact)
        elif isinstance(fact, CallFact):
            by_kind.calls.append(fact)
        else:
            by_kind.others.append(fact)
    return by_kind


def _rank_copy(fact: Fact | CallbackRun) -> tuple[int, bool, int, str]:
    """The later end, then the copy that still tells what it is, then the less damaged one, then a fixed choice."""
    place = fact.place
    damage = len(place.missing_keys) + len(place.cut_keys) + len(place.unreadable) + place.dropped_attributes
    return place.end_ns, not isinstance(fact, OtherFact), -damage, repr(fact)


def _find_conflict(one: Fact | CallbackRun, two: Fact | CallbackRun) -> list[str]:
    """Return the key facts that both copies know and tell differently; an open copy knows no ending yet."""
    if type(one) is not type(two):
        return ["kind"]
    if isinstance(one, OtherFact):
        return []
    names = _KEYS_OF[type(one)]
    is_open = not (one.place.end_ns and two.place.end_ns)
    differing = []
    for name in names:
        if is_open and name in ("outcome", "interrupted", "resumed"):
            continue
        values = getattr(one, name), getattr(two, name)
        if None not in values and "" not in values and values[0] != values[1]:
            differing.append(name)
    return differing
