"""Short forms that the tests of the matching engine share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack, cast

from otel_traj.match import (
    MatchMetadata,
    MatchOutcome,
    MatchResult,
    TrajectoryMatcher,
    graph_trajectory_match,
)
from otel_traj.model import Problem, ProblemCode, Run, Task, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match import DuplicatesMode, GraphTrajectoryMatchMode, Outputs, References, ReferenceStep
    from otel_traj.match.options import GivenOptions
    from otel_traj.model import RunStatus, TaskStatus

__all__ = ["LONG", "SHORTCUT", "decide", "explain", "explained", "judge", "make_run", "score"]

LONG = [["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]]
"""The long path of the seven-node graph."""

SHORTCUT = [["node1"], ["node2"], ["node7"]]

_NO_USAGE: Usage = {
    "input_tokens": None,
    "output_tokens": None,
    "cache_read_input_tokens": None,
    "cache_write_input_tokens": None,
    "reasoning_output_tokens": None,
}


def judge(
    expected: Sequence[ReferenceStep | Sequence[str]],
    actual: Run | Sequence[Sequence[str]],
    step_mode: GraphTrajectoryMatchMode = "unordered",
    *,
    duplicates: DuplicatesMode = "count",
    ignore: Sequence[str] = ("__start__", "__end__"),
    status: str | Sequence[str] = ("ok", "interrupted"),
) -> MatchResult:
    """Match one run against one reference."""
    return graph_trajectory_match(
        outputs=[actual if isinstance(actual, Run) else {"inputs": None, "results": None, "steps": actual}],
        reference_outputs=[{"inputs": None, "results": None, "steps": expected}],
        step_mode=step_mode,
        duplicates=duplicates,
        ignore=ignore,
        status=status,
    )


def decide(outputs: object, reference: object, **options: Unpack[GivenOptions]) -> MatchOutcome:
    """Judge runs for the outcome."""
    matcher = TrajectoryMatcher(cast("References", reference), **options)
    return matcher.judge(cast("Outputs", outputs), is_rich=False)[0]


def score(
    expected: Sequence[ReferenceStep | Sequence[str]],
    actual: Sequence[Sequence[str]],
    step_mode: GraphTrajectoryMatchMode = "unordered",
    *,
    duplicates: DuplicatesMode = "count",
) -> bool | None:
    """Match one trajectory against one reference, for the score alone."""
    return judge(expected, actual, step_mode, duplicates=duplicates)["score"]


def explained(result: MatchResult) -> MatchMetadata:
    """Return the metadata of a result that is no pass."""
    assert result["metadata"] is not None
    return result["metadata"]


def explain(
    expected: Sequence[ReferenceStep | Sequence[str]],
    actual: Run | Sequence[Sequence[str]],
    step_mode: GraphTrajectoryMatchMode = "unordered",
) -> list[str]:
    """Return the lines of the comment."""
    comment = judge(expected, actual, step_mode)["comment"]
    assert comment is not None
    return comment.split("\n")


def make_run(
    steps: list[list[str]],
    *,
    status: RunStatus = "ok",
    ended: dict[str, TaskStatus] | None = None,
    problems: Sequence[ProblemCode] = (),
    complete: bool = True,
    error_type: str | None = None,
) -> Run:
    """Make a run record whose k-th task has the span `span<k>`, k counted over all supersteps.

    Args:
        steps: As in a run, markers included.
        status: Of the run.
        ended: Status of the tasks of a node; the rest is ok.
        problems: Codes.
        complete: Whether the record says it is complete.
        error_type: Of the run.
    """
    tasks, step_task_ids = _make_tasks(steps, ended or {})
    return Run(
        graph="seven",
        run_id="run",
        thread_id=None,
        case=None,
        trace_ids=("0" * 32,),
        status=status,
        steps=steps,
        step_task_ids=step_task_ids,
        tasks=tasks,
        invocations=[],
        children=[],
        inputs=None,
        results=None,
        started_ns=1,
        ended_ns=2,
        usage=_NO_USAGE,
        model_calls=[],
        tool_calls=[],
        complete=complete,
        verified=complete,
        problems=[
            Problem(code=code, message=f"run 'run' (trace {'0' * 32}): the words of {code}.")
            for code in problems
        ],
        service=None,
        attributes={},
        parent_task_id=None,
        error_type=error_type,
        source="test",
    )


def _make_tasks(steps: list[list[str]], ended: dict[str, TaskStatus]) -> tuple[list[Task], list[list[str]]]:
    tasks: list[Task] = []
    step_task_ids: list[list[str]] = []
    for superstep, names in enumerate(steps):
        nodes = [name for name in names if not name.startswith("__")]
        step_task_ids.append([])
        for node in nodes:
            task = Task(
                node=node,
                superstep=superstep,
                task_id=f"task{len(tasks)}",
                run_id="run",
                status=ended.get(node, "ok"),
                span_ids=(f"span{len(tasks)}",),
            )
            tasks.append(task)
            step_task_ids[-1].append(task.task_id)
    return tasks, step_task_ids
