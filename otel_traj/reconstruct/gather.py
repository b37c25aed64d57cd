"""Spans in any order, any batches, any number of copies -> each fact once.

Delivery is at least once on every hop, so a copy is normal. An exact copy is dropped. Of two copies that
differ the one that ended later stays (an open snapshot gives way to the finished span); that they differ in a
key attribute is remembered, because then nobody can say which copy is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from otel_traj.reconstruct.facts import CallFact, Fact, GraphFact, OtherFact, TaskFact
from otel_traj.reconstruct.own_dialect import read_own_fact

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


class Facts(msgspec.Struct, kw_only=True):
    """All facts of a source, each once, in the order in which they first arrived."""

    graphs: list[GraphFact]
    tasks: list[TaskFact]
    calls: list[CallFact]
    others: list[OtherFact]
    conflicts: dict[tuple[str, str], tuple[str, ...]]
    """(trace id, span id) of copies that differ -> the key facts they differ in."""


class FactGatherer:
    """Takes spans, reading after reading, and keeps each fact once."""

    def __init__(self) -> None:
        """Begin without a fact."""
        self._kept: dict[tuple[str, str], Fact] = {}
        self._conflicts: dict[tuple[str, str], tuple[str, ...]] = {}
        self._strangers: set[str] = set()

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
            fact = read_own_fact(span)
            if fact is not None:
                self._keep((span.trace_id, span.span_id), fact)
            else:
                self._strangers.add(span.trace_id)

    def _keep(self, key: tuple[str, str], fact: Fact) -> None:
        other = self._kept.get(key)
        if other is None:
            self._kept[key] = fact
        elif fact != other:
            differing = _find_conflict(other, fact)
            if differing:
                self._conflicts[key] = tuple(sorted({*self._conflicts.get(key, ()), *differing}))
            self._kept[key] = max(other, fact, key=_rank_copy)

    def list_facts(self) -> Facts:
        """Return all facts so far."""
        facts = list(self._kept.values())
        return Facts(
            graphs=[fact for fact in facts if isinstance(fact, GraphFact)],
            tasks=[fact for fact in facts if isinstance(fact, TaskFact)],
            calls=[fact for fact in facts if isinstance(fact, CallFact)],
            others=[fact for fact in facts if isinstance(fact, OtherFact)],
            conflicts=self._conflicts,
        )


def _rank_copy(fact: Fact) -> tuple[int, bool, int, str]:
    """The later end, then the copy that still tells what it is, then the less damaged one, then a fixed choice."""
    place = fact.place
    damage = len(place.missing_keys) + len(place.cut_keys) + len(place.unreadable) + place.dropped_attributes
    return place.end_ns, not isinstance(fact, OtherFact), -damage, repr(fact)


def _find_conflict(one: Fact, two: Fact) -> list[str]:
    """Return the key facts that both copies know and tell differently; an open copy knows no ending yet."""
    if type(one) is not type(two):
        return ["kind"]
    if isinstance(one, OtherFact):
        return []
    names = (
        _GRAPH_KEYS if isinstance(one, GraphFact) else _TASK_KEYS if isinstance(one, TaskFact) else _CALL_KEYS
    )
    is_open = not (one.place.end_ns and two.place.end_ns)
    differing = []
    for name in names:
        if is_open and name in ("outcome", "interrupted", "resumed"):
            continue
        values = getattr(one, name), getattr(two, name)
        if None not in values and "" not in values and values[0] != values[1]:
            differing.append(name)
    return differing
