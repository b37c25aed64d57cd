"""What a run looks like at a level and a depth: its nodes, its tool calls or both, subgraphs spliced in.

A run's own supersteps stay as they are. With depth, what a subgraph did follows the superstep of the node that
called it: inner names read `outer/inner`, the k-th supersteps of subgraphs that ran side by side share one, and calls
of one task follow one another. Markers of a subgraph are never listed, `__start__` and `__interrupt__` belong to the
run that was asked for. At level tools the same supersteps list the tool calls that ran in them; those without one are
left out. Why by superstep, and not by the order in which the model chose: tools of one superstep run at once, and
their start is a matter of luck.

A task is listed once, however often it was tried. So are its tool calls: what an attempt did again stands once, and
what only one of them did is not hidden.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from otel_traj import semconv as sc

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from otel_traj.model import AttributeValue, Run, Task, ToolCall

__all__ = ["CalledTool", "Level", "LevelSteps", "ListedSuperstep", "is_level_known", "list_level"]

Level: TypeAlias = Literal["nodes", "tools", "both"]


class CalledTool(str):
    """The name of a tool call as it is listed, with the tool and its arguments."""

    __slots__ = ("args", "tool")

    tool: str
    """The tool's bare name."""
    args: AttributeValue
    """None where they were not recorded."""

    def __new__(cls, listed: str, *, tool: str, args: AttributeValue = None) -> Self:
        """Make a name.

        Args:
            listed: The text that it is: `search`, `outer/search`, `node>search`, `outer/inner>search`.
            tool: The tool's bare name.
            args: Its arguments, None where they were not recorded.
        """
        self = super().__new__(cls, listed)
        self.tool = tool
        self.args = args
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, AttributeValue]]:
        """Let copies and pickles keep the tool and its arguments."""
        return (str(self),), {"tool": self.tool, "args": self.args}

    @property
    def is_recorded(self) -> bool:
        """Whether its arguments are known."""
        return self.args is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSuperstep:
    """One superstep at a level."""

    number: int
    """Relative to the run, as listed: `__start__` is 0, an interrupt has the number of the superstep before it."""
    names: tuple[str, ...]
    """Nodes and markers as `str`, tool calls as `CalledTool`."""
    span_ids: tuple[tuple[str, ...], ...]
    """Beside the names: the spans of each, one per attempt; none of a marker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelSteps:
    """A run at a level and a depth."""

    supersteps: tuple[ListedSuperstep, ...]
    """In order."""

    @property
    def names(self) -> list[list[str]]:
        """The names alone; outer list = supersteps in order."""
        return [list(superstep.names) for superstep in self.supersteps]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A task at its place, or a marker."""

    prefix: str
    node: str
    is_shown: bool = True
    span_ids: tuple[str, ...] = ()
    calls: Sequence[Sequence[ToolCall]] = ()
    """One list per call, its attempts in order; by tool name."""


@dataclass(slots=True)
class _Inside:
    """What ran in one task."""

    calls: list[ToolCall] = field(default_factory=list)
    children: list[Run] = field(default_factory=list)


def list_level(run: Run, level: Level, depth: int | None) -> LevelSteps:
    """Return a run as it is compared at a level.

    Args:
        run: A run; `is_level_known` says whether all that is asked for is there.
        level: `nodes`; `tools`, where supersteps without a tool call are left out and the rest counts 1, 2, ...; or
            `both`, where a superstep's nodes are followed by its tool calls as `node>tool`.
        depth: How many levels of subgraphs are spliced in: 0 none, None all.

    Returns:
        Supersteps in order. Calls stand in the order of their tasks, then by tool name.
    """
    listed: list[ListedSuperstep] = []
    number = 0
    for row in _list_rows(run, depth, ""):
        named = [pair for placed in row for pair in _name_placed(placed, level)]
        if level == "both":
            named.sort(key=lambda pair: isinstance(pair[0], CalledTool))
        if not named:
            continue
        names = tuple(name for name, _ in named)
        if level == "tools" or not _is_marker(row, is_first=not listed):
            number += 1
        span_ids = tuple(ids for _, ids in named)
        listed.append(ListedSuperstep(number=number, names=names, span_ids=span_ids))
    return LevelSteps(supersteps=tuple(listed))


def is_level_known(run: Run, level: Level, depth: int | None) -> str | None:
    """Return why a complete run can't be judged at a level, None where it can.

    Args:
        run: A run that is complete: its own nodes are all there.
        level: The level.
        depth: The depth.

    Returns:
        A reason for a verdict that is not evaluated.
    """
    if level == "nodes" and depth == 0:
        return None
    asked = f"level {level}" + ("" if depth == 0 else f" at depth {'all' if depth is None else depth}")
    for problem in run.problems:
        if problem.code == "spans_missing":
            return f"{asked} is not known: {problem.code}: {problem.message}"
    what = _find_unknown_child(run, depth)
    if what is None and level != "nodes":
        what = _find_omission(run) or _find_unplaced_call(run)
    return None if what is None else f"{asked} is not known: {what}"


def _list_rows(run: Run, depth: int | None, prefix: str) -> Iterator[list[_Placed]]:
    """Yield the supersteps of a run, those of its subgraphs behind the one that called them."""
    tasks, inside = _look_inside(run)
    waiting: defaultdict[str, deque[int]] = defaultdict(deque)
    for place, task in enumerate(tasks):
        waiting[task.task_id].append(place)
    for names, task_ids in zip(run.steps, run.step_task_ids, strict=True):
        if not task_ids:
            if not prefix:
                yield [_Placed(prefix="", node=name) for name in names]
            continue
        places = [waiting[task_id].popleft() for task_id in task_ids]
        row = [_place_task(tasks[place], inside[place], prefix) for place in places]
        if any(placed.is_shown or placed.calls for placed in row):
            yield row
        if depth is None or depth > 0:
            below = None if depth is None else depth - 1
            yield from _splice([_list_inner(tasks[place], inside[place], below, prefix) for place in places])


def _is_marker(row: Sequence[_Placed], *, is_first: bool) -> bool:
    """Whether a superstep is no round of the graph: the leading `__start__`, or a pause."""
    nodes = [placed.node for placed in row]
    return (is_first and nodes == [sc.START_NODE]) or all(node == sc.INTERRUPT_NODE for node in nodes)


def _place_task(task: Task, inside: _Inside, prefix: str) -> _Placed:
    return _Placed(
        prefix=prefix,
        node=task.node,
        is_shown=not (prefix and task.node == sc.START_NODE),
        span_ids=task.span_ids,
        calls=sorted(_join_attempts(inside.calls, task), key=lambda attempts: attempts[0].name),
    )


def _list_inner(task: Task, inside: _Inside, depth: int | None, prefix: str) -> list[list[_Placed]]:
    """Return the supersteps of all subgraphs that one task called, one call after another."""
    return [
        row
        for child in _order_children(inside.children)
        for row in _list_rows(child, depth, f"{prefix}{task.node}/")
    ]


def _splice(parallel: Iterable[Sequence[list[_Placed]]]) -> Iterator[list[_Placed]]:
    for rows in zip_longest(*parallel, fillvalue=()):
        yield [placed for row in rows for placed in row]


def _look_inside(run: Run) -> tuple[list[Task], list[_Inside]]:
    """Return a run's tasks, and beside them what ran in each.

    Time travel with an old LangGraph runs a task again under its old id; the graph run tells the two apart.
    """
    index = _TaskIndex(run.tasks)
    inside = [_Inside() for _ in run.tasks]
    for call in run.tool_calls:
        place = index.find(call.run_id, call.task_id)
        if place is not None:
            inside[place].calls.append(call)
    for child in run.children:
        place = index.find(child.parent_run_id, child.parent_task_id)
        if place is not None:
            inside[place].children.append(child)
    return run.tasks, inside


class _TaskIndex:
    """The tasks of a run, found by what ran in them."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._of_id = {task.task_id: place for place, task in enumerate(tasks)}
        self._of_run = {(task.run_id, task.task_id): place for place, task in enumerate(tasks)}

    def find(self, run_id: str | None, task_id: str | None) -> int | None:
        """Return the place of a task, None where there is no such task."""
        if task_id is None:
            return None
        exact = self._of_run.get((run_id or "", task_id))
        return self._of_id.get(task_id) if exact is None else exact


def _join_attempts(calls: Sequence[ToolCall], task: Task) -> list[list[ToolCall]]:
    """Return the tool calls of a task, those that a later attempt of it made again in one list.

    The k-th call of a tool in one attempt is the k-th call of that tool in another: a node that is resumed or retried
    runs again from its beginning.
    """
    attempts = {span_id: number for number, span_id in enumerate(task.span_ids)}
    seen: Counter[Hashable] = Counter()
    joined: dict[Hashable, list[ToolCall]] = {}
    for position, call in enumerate(calls):
        attempt = attempts.get(call.parent_span_id)
        if attempt is None:
            joined[position] = [call]
            continue
        joined.setdefault((call.name, seen[call.name, attempt]), []).append(call)
        seen[call.name, attempt] += 1
    return list(joined.values())


def _order_children(children: Sequence[Run]) -> list[Run]:
    """Return the subgraph runs of one task in the order of its calls.

    LangGraph counts the calls of a task in their namespaces (`node:id`, `node:id|1`, ...), over its attempts too (seen
    with langgraph 1.2.24). A graph that has a namespace of its own says no number.
    """
    called = [child for child in children if child.tasks]
    spaces = [child.tasks[0].checkpoint_ns.rpartition("|")[0] for child in called]
    numbers = [_read_call_number(space) if all(spaces) else 0 for space in spaces]
    order = sorted(
        zip(numbers, called, strict=True), key=lambda pair: (pair[0], pair[1].started_ns, pair[1].run_id)
    )
    return [child for _, child in order]


def _read_call_number(namespace: str) -> int:
    last = namespace.rpartition("|")[2]
    return int(last) if last.isascii() and last.isdigit() else 0


def _name_placed(placed: _Placed, level: Level) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what a task or a marker is listed as, with the spans of each."""
    if level != "tools" and placed.is_shown:
        yield f"{placed.prefix}{placed.node}", placed.span_ids
    if level == "nodes":
        return
    before = placed.prefix if level == "tools" else f"{placed.prefix}{placed.node}>"
    for attempts in placed.calls:
        last = attempts[-1]
        name = CalledTool(f"{before}{last.name}", tool=last.name, args=last.args)
        yield name, tuple(call.span_id for call in attempts)


def _find_unknown_child(run: Run, depth: int | None) -> str | None:
    """Return which subgraph run within the depth is incomplete or has no place; None where none is."""
    if depth is not None and depth <= 0:
        return None
    index = _TaskIndex(run.tasks)
    for child in run.children:
        name = f"the run {child.run_id!r} of subgraph {child.graph!r}"
        if not child.complete:
            codes = ", ".join(dict.fromkeys(problem.code for problem in child.problems))
            return f"{name} is incomplete ({codes})"
        if child.tasks and index.find(child.parent_run_id, child.parent_task_id) is None:
            return f"nothing tells which task called {name}"
        below = _find_unknown_child(child, None if depth is None else depth - 1)
        if below is not None:
            return below
    return None


def _find_omission(run: Run) -> str | None:
    """Return that tool calls were not to be recorded; None where they were."""
    return "its recorder was told to leave out tool calls" if "tools" in run.omitted else None


def _find_unplaced_call(run: Run) -> str | None:
    """Return which tool call ran in none of the tasks that are there; None where each has its task."""
    task_ids = set(_list_task_ids(run))
    lost = next((call for call in run.tool_calls if call.task_id not in task_ids), None)
    return (
        None if lost is None else f"nothing tells in which task the tool {lost.name!r} ran ({lost.span_id})"
    )


def _list_task_ids(run: Run) -> Iterator[str]:
    yield from (task.task_id for task in run.tasks)
    for child in run.children:
        yield from _list_task_ids(child)
