"""Parts of one thread -> runs: which calls of a graph went on with an earlier one.

A run is one input until it ends, resumes included. A resumed call belongs to the run that it shares a task id
with (LangGraph re-runs an interrupted task under its old id), else to the run of the same graph and service that
stopped at the superstep which it begins with, else to the last one that ran any node. Anything else begins a run.

A call that is missing may have gone on with a run: where links, numbers or spans without their root show that one
is, the run before says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from otel_traj import semconv as sc
from otel_traj.model import Problem
from otel_traj.reconstruct.names import SHOWN_SPANS, name_run, name_span, name_spans
from otel_traj.reconstruct.parts import find_start
from otel_traj.reconstruct.previous_roots import RootIndex
from otel_traj.reconstruct.superstep_numbers import (
    SUPERSTEPS_OF_INPUT,
    find_first_superstep,
    find_next_supersteps,
    has_unfinished_tasks,
)
from otel_traj.reconstruct.thread_groups import group_by_thread
from otel_traj.reconstruct.thread_order import order_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otel_traj.reconstruct.parts import Part

__all__ = ["Chain", "Key", "join_parts", "may_be_equal", "name_lost_call", "read_key"]

_NOTHING_TO_RESUME = "EmptyInputError"
"""What LangGraph raises where None is the input on an empty thread."""
Key: TypeAlias = tuple[str, str, str | None] | None
"""Namespace and name of the service, and the graph; None for a part without its graph-run span."""


@dataclass(slots=True)
class Chain:
    """The parts of one run, in order."""

    parts: list[Part]
    problems: list[Problem] = field(default_factory=list)
    last_that_ran: Part | None = field(init=False, default=None)
    """The last part in which any node ran, None where there is none."""

    def __post_init__(self) -> None:
        for part in self.parts:
            self._note(part)

    def add(self, part: Part) -> None:
        """Go on with a part."""
        self.parts.append(part)
        self._note(part)

    def _note(self, part: Part) -> None:
        if _ran_nodes(part):
            self.last_that_ran = part

    @property
    def lacks_beginning(self) -> bool:
        """Whether the run begins with a call that resumes another one."""
        return any(problem.code == "beginning_missing" for problem in self.problems)

    @property
    def ended_well(self) -> bool:
        """Whether the run is known to have come to its end, in a call that ran nodes."""
        ends = [part.graph for part in (self.parts[-1], self.last_that_ran) if part is not None]
        return all(graph and graph.outcome == "ok" and not graph.pause_unknown for graph in ends)

    @property
    def next_supersteps(self) -> range:
        """The numbers at one of which a resume of the run begins; none where no task says a number."""
        ran = self.last_that_ran
        return range(0) if ran is None else find_next_supersteps(ran)


def join_parts(parts: Sequence[Part]) -> list[Chain]:
    """Return the runs that top-level parts make.

    Args:
        parts: Top-level parts of a source, in any order.

    Returns:
        One chain per run, by the start of its first part.
    """
    chains: list[Chain] = []
    for siblings in group_by_thread(parts):
        joiner = _Joiner()
        for part in order_parts(siblings):
            joiner.add(part)
        _name_gaps(joiner.chains)
        _name_unresumed(joiner.chains)
        chains.extend(joiner.chains)
    return sorted(chains, key=lambda chain: (find_start(chain.parts[0]), chain.parts[0].run_id))


class _Joiner:
    """Takes the parts of one thread in their order, and puts each to its run."""

    def __init__(self) -> None:
        self.chains: list[Chain] = []
        self._of_task: dict[str, int] = {}
        self._of_root = RootIndex()
        self._last_of_key: dict[Key, int] = {}
        """By service and graph, the run that last ran any node, or may have, or waits before its first one."""
        self._of_next: dict[tuple[Key, int], int] = {}
        """By service, graph and number, the run that last stopped before this superstep or in it."""

    def add(self, part: Part) -> None:
        """Put a part to the run that it goes on with, or begin one."""
        index = self._find_chain(part)
        if index is None:
            self._name_lost_calls(part)
            index = len(self.chains)
            self.chains.append(_begin(part))
        else:
            self.chains[index].add(part)
        self._of_root.add(part, index)
        if part.has_root or part.graph is None:
            self._of_task.update((task.task_id, index) for task in part.tasks)
            key = read_key(part)
            if part.tasks or _is_waiting(part) or _lost_all_tasks(part):
                self._last_of_key[key] = index
            self._of_next.update(((key, number), index) for number in self.chains[index].next_supersteps)

    def _find_chain(self, part: Part) -> int | None:
        """Return the run that a part goes on with, None where it begins one."""
        graph = part.graph
        if graph is not None and graph.is_subgraph:
            return None
        sharing = [self._of_task[task.task_id] for task in part.tasks if task.task_id in self._of_task]
        if sharing:
            return max(sharing)
        if graph is None or not graph.resumed or self._lacks_link(part) or _had_nothing(part):
            return None
        keys = (read_key(part), None)
        waiting = self._find_waiting(part, keys)
        if waiting is not None:
            return waiting
        last = max((self._last_of_key[key] for key in keys if key in self._last_of_key), default=None)
        if last is not None:
            self._name_leap(last, part)
        return last

    def _find_waiting(self, part: Part, keys: Sequence[Key]) -> int | None:
        """Return the run that stopped where a call begins: the one that the call names, else the last."""
        first = find_first_superstep(part)
        if first is None:
            return None
        stopped = {self._of_next[key, first] for key in keys if (key, first) in self._of_next}
        named = {index for index in self._of_root.find(part) if read_key(self.chains[index].parts[0]) in keys}
        begun = [find_first_superstep(self.chains[index].parts[0]) for index in named]
        if any(number is not None and first < number for number in begun):
            # Back behind the input of the run that it names: which run stopped at this number tells nothing.
            return None
        waiting = [index for index in stopped | named if first in self.chains[index].next_supersteps]
        return max(waiting, key=lambda index: (index in named, index), default=None)

    def _lacks_link(self, part: Part) -> bool:
        """Whether the call before a part, which its recorder saw, is not here."""
        return part.graph is not None and part.graph.names_previous and not self._of_root.find(part)

    def _name_leap(self, index: int, part: Part) -> None:
        """Name a call that is missing between a run, or another one that waits, and the part that seems to go on with it.

        Numbers may be left out (`update_state` takes them up, cached nodes show nothing), but a process that has
        seen the run links to it. A part that finds nothing to do where tasks had not come to their end shows a call
        between.
        """
        chain = self.chains[index]
        first, expected, ran = find_first_superstep(part), chain.next_supersteps, chain.last_that_ran
        if part.graph is None or ran is None:
            return
        is_linked = index in self._of_root.find(part)
        leaps = first is not None and bool(expected) and first > expected[-1]
        is_idle = first is None and part.graph.outcome == "ok" and has_unfinished_tasks(ran)
        is_unknown = _lost_all_tasks(part) or chain.parts[-1].graph is None
        if (leaps or is_idle or is_unknown) and not is_linked:
            for other in {index, *self._last_of_key.values()}:
                if other == index or _stopped_before(self.chains[other], part):
                    self.chains[other].problems.append(name_lost_call(self.chains[other], part))

    def _name_lost_calls(self, part: Part) -> None:
        """Name the call that is missing before a part, or that it is left of, at the runs that it may belong to."""
        is_resumed = part.graph is not None and part.graph.resumed
        for key, index in self._last_of_key.items():
            chain = self.chains[index]
            if not part.has_root:
                may_go_on = _may_go_on(chain, part)
            elif key in (read_key(part), None):
                lacks_link = self._lacks_link(part) and (is_resumed or not chain.ended_well)
                may_go_on = lacks_link or _may_resume(part)
            elif may_be_equal(key, read_key(part)):
                may_go_on = is_resumed or _may_resume(part)
            else:
                may_go_on = is_resumed and _stopped_before(chain, part)
            if may_go_on:
                chain.problems.append(name_lost_call(chain, part))


def _ran_nodes(part: Part) -> bool:
    """Whether a part ran anything but a conditional entry."""
    return any(task.node != sc.START_NODE for task in part.tasks)


def _begin(part: Part) -> Chain:
    chain = Chain([part])
    graph = part.graph
    if graph is not None and part.has_root and graph.resumed and (part.tasks or graph.outcome != "error"):
        message = (
            f"{name_run(part)}: {name_span(graph.place)} resumes an earlier call on thread {graph.thread_id!r} that "
            f"is not in this source, or goes on from a state that update_state wrote. Read more of the thread's traces."
        )
        problem = Problem(code="beginning_missing", message=message, span_ids=(graph.place.span_id,))
        chain.problems.append(problem)
    return chain


def _had_nothing(part: Part) -> bool:
    """Whether a call failed because its thread held nothing to go on with."""
    return part.graph is not None and not part.tasks and part.graph.error_type == _NOTHING_TO_RESUME


def _may_resume(part: Part) -> bool:
    """Whether a call does not say that it resumes, nor that it does not."""
    return part.graph is not None and sc.RESUMED in part.graph.place.missing_keys


def _is_waiting(part: Part) -> bool:
    """Whether a part stopped, or may have, before its first node, where a resume can go on."""
    graph = part.graph
    return graph is not None and (graph.pause_unknown or graph.outcome in ("interrupted", "cancelled"))


def read_key(part: Part) -> Key:
    """Return service and graph of a part; None where the graph-run span is missing.

    Args:
        part: A top-level part.
    """
    return (*part.graph.service, part.graph.graph) if part.graph is not None and part.has_root else None


def may_be_equal(key: Key, other: Key) -> bool:
    """Return whether two keys differ in nothing but what one of them does not know.

    Args:
        key: A key that `read_key` gave.
        other: Another one.
    """
    if key is None or other is None:
        return True
    return all(one == two or not one or not two for one, two in zip(key, other, strict=True))


def _stopped_before(chain: Chain, part: Part) -> bool:
    """Whether a run, of another service than the part, stopped where the part begins, or before."""
    first, expected = find_first_superstep(part), chain.next_supersteps
    return not chain.ended_well and (first is None or not expected or first >= expected[0])


def _may_go_on(chain: Chain, part: Part) -> bool:
    """Whether a part without its root may be of a call that went on with a run.

    With one that came to its end, only if it begins before new input would. With another one always: its numbers
    may be those of a graph that it called, which has its own.
    """
    if not chain.ended_well or part.graph is not None:
        return True
    numbers = [task.superstep for task in part.tasks]
    expected = chain.next_supersteps
    return not numbers or not expected or min(numbers) < expected[-1] + SUPERSTEPS_OF_INPUT


def _name_gaps(chains: Sequence[Chain]) -> None:
    """Name the calls that are missing altogether after a run that did not end ok, where numbers show it.

    New input after such a run begins at a known number, or later by what input takes up that got to no node. Where
    it begins even later, something has taken numbers up: a call that may have gone on with the run.
    """
    begun = {find_first_superstep(part): part for part in _list_begun(chains)}
    firsts = sorted(first for first in begun if first is not None)
    idle = [part for part in _list_begun(chains) if not _ran_nodes(part)]
    blind = next((part for part in idle if _lost_all_tasks(part) and not _names_previous(part)), None)
    for chain in chains:
        expected = chain.next_supersteps
        last = chain.parts[-1].graph
        if not expected or last is None or last.outcome not in ("interrupted", "cancelled", "error"):
            continue
        others = (first for first in firsts if begun[first] is not chain.parts[0])
        nearest = next((first for first in others if first >= expected[0] + SUPERSTEPS_OF_INPUT), None)
        if nearest is None:
            follower = blind
        else:
            is_late = nearest > expected[-1] + SUPERSTEPS_OF_INPUT * (1 + len(idle))
            follower = begun[nearest] if is_late else None
        if follower is not None:
            chain.problems.append(name_lost_call(chain, follower))


def _name_unresumed(chains: Sequence[Chain]) -> None:
    """Name a resumed call without a beginning at the runs that wait before their first node.

    Such a run has no number by which a wrong clock could be found out: the call may have gone on with it.
    """
    lost = next((chain.parts[0] for chain in chains if chain.lacks_beginning), None)
    if lost is not None:
        for chain in chains:
            if chain.last_that_ran is None and _is_waiting(chain.parts[-1]):
                chain.problems.append(name_lost_call(chain, lost))


def _names_previous(part: Part) -> bool:
    return part.graph is not None and part.graph.names_previous


def _lost_all_tasks(part: Part) -> bool:
    """Whether a part's recorder saw tasks, or may have, of which none arrived."""
    manifest = part.graph.manifest if part.graph is not None else None
    return not part.tasks and (manifest is None or manifest.task_count > 0)


def _list_begun(chains: Iterable[Chain]) -> list[Part]:
    """Return the calls that were begun by input."""
    firsts = (chain.parts[0] for chain in chains)
    return [part for part in firsts if part.graph is not None and part.has_root and not part.graph.resumed]


def name_lost_call(chain: Chain, part: Part) -> Problem:
    """Return the problem of a run that a call which is not here may have gone on with.

    Args:
        chain: The run.
        part: What shows that there was such a call.
    """
    facts = [part.graph] if part.graph is not None else [*part.tasks, *part.strays]
    places = [fact.place for fact in facts[:SHOWN_SPANS]]
    message = (
        f"{name_run(chain.parts[-1])}: a later call on its thread may have gone on with it, and its graph-run span is "
        f"missing; run {part.run_id!r} is, resumes or follows that call, as {name_spans(places, shown=1)} shows. Read more of "
        f"the thread's traces."
    )
    span_ids = tuple(sorted(place.span_id for place in places))
    return Problem(code="root_missing", message=message, span_ids=span_ids)
