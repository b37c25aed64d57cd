"""Calls of subgraphs -> subgraph runs: which call went on with an earlier one.

A node that is resumed or retried calls its subgraphs again. The call goes on with the earlier one that it shares a
task with; else, where it resumes, with the one of the same task and namespace, or where no namespace tells, of the
same task and place among its calls (a node function calls its subgraphs in the same order each time). LangGraph before
1.1.8 does not tell that a call resumes; its superstep numbers do, which go on too and begin at 1 in a new call.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from otel_traj.reconstruct.parts import find_start
from otel_traj.reconstruct.superstep_numbers import find_first_superstep
from otel_traj.reconstruct.threads import Chain, name_lost_call

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from otel_traj.reconstruct.parts import Part

__all__ = ["join_children"]


def join_children(parts: Sequence[Part]) -> list[Chain]:
    """Return the subgraph runs below the parts of one run.

    Args:
        parts: The parts of the run, in order.

    Returns:
        One chain per subgraph run, by part, then by start.
    """
    joiner = _Joiner()
    for part in parts:
        joiner.add_calls(sorted(part.children, key=lambda child: (find_start(child), child.run_id)))
    return joiner.chains


class _Joiner:
    def __init__(self) -> None:
        self.chains: list[Chain] = []
        self._of_task: dict[str, int] = {}
        self._of_call: dict[Hashable, int] = {}
        """By what names a call of a subgraph again."""

    def add_calls(self, children: Sequence[Part]) -> None:
        """Put the subgraph calls of one part to their runs."""
        count: Counter[Hashable] = Counter()
        numbered: dict[Hashable, int] = {}
        for child in children:
            caller = _read_caller(child)
            namespace = (caller, _read_namespace(child))
            place = (caller, count[caller])
            count[caller] += 1
            index = self._find_chain(child, namespace, place)
            if index is None:
                index = len(self.chains)
                self.chains.append(Chain([child]))
            else:
                self.chains[index].add(child)
            self._of_task.update((task.task_id, index) for task in child.tasks)
            if caller is not None:
                numbered[place] = index
                if namespace[1]:
                    self._of_call[namespace] = index
        self._of_call |= numbered

    def _find_chain(self, child: Part, namespace: Hashable, place: Hashable) -> int | None:
        shared = [self._of_task[task.task_id] for task in child.tasks if task.task_id in self._of_task]
        if shared:
            return max(shared)
        if child.graph is None:
            return None
        if not child.graph.resumed:
            return self._find_counted_on(child, namespace)
        index = self._of_call.get(namespace, self._of_call.get(place))
        if index is None:
            return None
        chain = self.chains[index]
        first, expected = find_first_superstep(child), chain.next_supersteps
        if first is not None and expected and first > expected[-1]:
            chain.problems.append(name_lost_call(chain, child))
        return index

    def _find_counted_on(self, child: Part, namespace: Hashable) -> int | None:
        """Return the run of the same namespace whose superstep numbers a call goes on with."""
        index = self._of_call.get(namespace)
        first = find_first_superstep(child)
        if index is None or first is None:
            return None
        return index if first > 1 and first in self.chains[index].next_supersteps else None


def _read_caller(child: Part) -> Hashable:
    """Return the task that called a subgraph and the subgraph's name; None where they are not known."""
    graph = child.graph
    return (graph.parent_task_id, graph.graph) if graph is not None and graph.parent_task_id else None


def _read_namespace(child: Part) -> str:
    """Return the namespace of a subgraph's checkpoints; empty where no task says it."""
    return next((task.checkpoint_ns.rpartition("|")[0] for task in child.tasks), "")
