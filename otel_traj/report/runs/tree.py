"""The execution tree of a run: supersteps, node tasks, what each task called, subgraph runs inside their task.

A subgraph run and a call hang below the task whose id they carry, whatever their times say. What names no task
that is shown (a call in a conditional entry, a lost span) hangs below the run itself, so that nothing that was
recorded is left out.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import zip_longest
from typing import TYPE_CHECKING

from otel_traj.model import ModelCall
from otel_traj.report.cost import cost_call, format_cost
from otel_traj.report.escape import escape, shorten, wrap
from otel_traj.report.runs.branch import GLYPHS, Branch, Glyphs, draw_branches
from otel_traj.report.runs.supersteps import list_supersteps
from otel_traj.report.units import count, format_duration, format_time, format_usage
from otel_traj.report.verdicts.headline import sum_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.model import Run, Task, ToolCall
    from otel_traj.report.prices import Prices
    from otel_traj.report.runs.supersteps import NumberedSuperstep
    from otel_traj.report.trace_link import TraceLink

__all__ = ["format_tree"]

_GAP = "  "


def format_tree(
    run: Run,
    *,
    width: int = 80,
    glyphs: Glyphs = GLYPHS,
    link: TraceLink | None = None,
    prices: Prices | None = None,
) -> str:
    """Return the execution tree of one run, without a newline at the end.

    Args:
        run: The run.
        width: Characters per line; names longer than 48 characters are cut.
        glyphs: What to draw with.
        link: Makes the links of the run.
        prices: What its model calls cost.

    Returns:
        A few lines about the run, then its tree, then its problems.
    """
    facts = [*_describe_run(run), sum_up([run], prices), *([] if link is None else link.link_run(run))]
    lines = [line for text in filter(None, facts) for line in wrap(text, width=width, hanging="    ")]
    lines += draw_branches(_TreeBuilder(run, prices).build(run), width=width, glyphs=glyphs)
    for problem in run.problems:
        text = f"problem {problem.code}: {escape(problem.message)}"
        lines += wrap(text, width=width, hanging="    ")
    return "\n".join(lines)


def _describe_run(run: Run) -> Iterator[str]:
    graph = "unknown graph" if run.graph is None else f"graph {shorten(run.graph)}"
    yield f"{graph}{_GAP}{_state(run.status, run.error_type, run.started_ns, run.ended_ns)}"
    started = f"{_GAP}started {format_time(run.started_ns)}" if run.started_ns else ""
    yield f"run {shorten(run.run_id)}{started}"
    facts = [
        f"{word} {shorten(value)}"
        for word, value in (("thread", run.thread_id), ("case", run.case), ("service", run.service))
        if value is not None
    ]
    if facts:
        yield ", ".join(facts)
    if len(run.invocations) > 1:
        parts = ", then ".join(invocation.status for invocation in run.invocations)
        yield f"{count(len(run.invocations), 'invocation')}: {parts}"
    noun = "trace" if len(run.trace_ids) == 1 else "traces"
    yield f"{noun} {', '.join(map(shorten, run.trace_ids))}"
    if not run.complete:
        yield "incomplete: see the problems below"
    elif not run.verified:
        yield "complete as far as can be seen; no manifest proves it"


def _state(status: str, error_type: str | None, started_ns: int, ended_ns: int) -> str:
    """Return status, error type and duration of anything that ran."""
    words = f"{status} {shorten(error_type)}" if error_type else status
    return (
        words if status == "open" or not ended_ns else f"{words}{_GAP}{format_duration(started_ns, ended_ns)}"
    )


class _TreeBuilder:
    """Builds the branches of one run, its subgraph runs included."""

    def __init__(self, run: Run, prices: Prices | None) -> None:
        runs = list(_walk(run))
        self._tasks = {task.task_id: task for each in runs for task in each.tasks}
        shown = {task_id for each in runs for ids in each.step_task_ids for task_id in ids}
        owner = {part.run_id: each.run_id for each in runs for part in each.invocations}
        self._calls_of_task: dict[str, list[Branch]] = defaultdict(list)
        self._calls_of_run: dict[str, list[Branch]] = defaultdict(list)
        calls: list[ModelCall | ToolCall] = [*run.model_calls, *run.tool_calls]
        for call in sorted(calls, key=lambda call: call.started_ns):
            if call.task_id is not None and call.task_id in shown:
                self._calls_of_task[call.task_id].append(_draw_call(call, prices))
            else:
                self._calls_of_run[owner.get(call.run_id or "", run.run_id)].append(_draw_call(call, prices))
        self._children_of_task: dict[str, list[Run]] = defaultdict(list)
        for child in runs[1:]:
            if child.parent_task_id is not None and child.parent_task_id in shown:
                self._children_of_task[child.parent_task_id].append(child)
        self._shown = shown

    def build(self, run: Run) -> list[Branch]:
        branches = []
        for superstep in list_supersteps(run):
            if superstep.is_interrupt:
                branches.append(Branch(f"interrupt after superstep {superstep.number}"))
            elif superstep.task_ids or superstep.number:
                branches.append(self._draw_superstep(superstep))
        branches += self._calls_of_run[run.run_id]
        loose = (child for child in run.children if child.parent_task_id not in self._shown)
        branches += [self._draw_child(child) for child in loose]
        return branches

    def _draw_superstep(self, superstep: NumberedSuperstep) -> Branch:
        """One task stands on the superstep's own line, so that parallel ones catch the eye."""
        title = f"superstep {superstep.number}"
        pairs = zip_longest(superstep.names, superstep.task_ids)
        tasks = [
            self._draw_task(name, self._tasks.get(task_id)) for name, task_id in pairs if name is not None
        ]
        return (
            Branch(f"{title}: {tasks[0].text}", tasks[0].below) if len(tasks) == 1 else Branch(title, tasks)
        )

    def _draw_task(self, name: str, task: Task | None) -> Branch:
        if task is None:
            return Branch(shorten(name))
        words = [shorten(name), _state(task.status, task.error_type, task.started_ns, task.ended_ns)]
        if task.attempts > 1:
            words.append(count(task.attempts, "attempt"))
        if task.interrupted and task.status != "interrupted":
            words.append("interrupted in between")
        children = [self._draw_child(child) for child in self._children_of_task[task.task_id]]
        return Branch(_GAP.join(words), self._calls_of_task[task.task_id] + children)

    def _draw_child(self, run: Run) -> Branch:
        graph = "unknown graph" if run.graph is None else f"graph {shorten(run.graph)}"
        state = _state(run.status, run.error_type, run.started_ns, run.ended_ns)
        return Branch(f"{graph}{_GAP}{state}", self.build(run))


def _walk(run: Run) -> Iterator[Run]:
    yield run
    for child in run.children:
        yield from _walk(child)


def _draw_call(call: ModelCall | ToolCall, prices: Prices | None) -> Branch:
    if isinstance(call, ModelCall):
        cost = "" if prices is None else format_cost(cost_call(call, prices))
        kind, name, spent = (
            "model call",
            call.model,
            ", ".join(filter(None, (format_usage(call.usage), cost))),
        )
    else:
        kind, name, spent = "tool call", call.name, ""
    words = [
        kind if name is None else f"{kind} {shorten(name)}",
        _state(call.status, call.error_type, call.started_ns, call.ended_ns),
        spent,
    ]
    return Branch(_GAP.join(filter(None, words)))
