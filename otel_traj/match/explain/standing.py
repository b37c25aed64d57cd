"""What a run's own state says before its trajectory is looked at: whole, waiting, ended in a way not allowed.

Telemetry that was lost is never a failed agent, and a run that waits for a person has not failed either. So an
incomplete run is not judged, and an interrupted one is not failed for being interrupted: where it follows the
reference so far it waits, also if the reference allows only `ok`, because a resume may still end it so. The same
holds for a run of which nobody knows whether it waits.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from otel_traj.match.names import escape, list_names, show_name
from otel_traj.match.supersteps import is_interrupt, number_supersteps
from otel_traj.model import NAMED_ONLY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.match.explain.result import MatchOp
    from otel_traj.model import Run, Task

__all__ = [
    "describe_status",
    "has_step_gap",
    "incomplete_codes",
    "is_incomplete",
    "is_pause_unknown",
    "say_incomplete",
    "say_problem",
    "say_status",
    "say_waiting",
]

_MAX_WORDS: Final = 300
_ABOUT_A_RUN: Final = re.compile(r"\Arun '[^']*' \(trace [0-9a-f]*\): ")
"""How a problem begins; a comment stands beside its run."""


def is_incomplete(run: Run | None) -> bool:
    """Return whether a run can't be judged for what is missing; an open run is never complete."""
    return run is not None and (not run.complete or run.status == "open")


def incomplete_codes(run: Run) -> list[str]:
    """Return the codes of what is missing, each once, in order; empty where nothing was named."""
    codes: list[str] = [problem.code for problem in run.problems if problem.code not in NAMED_ONLY]
    return list(dict.fromkeys(codes)) or (["root_open"] if run.status == "open" else [])


def is_pause_unknown(run: Run | None) -> bool:
    """Return whether a run of status ok may be waiting at a static interrupt, which its LangGraph does not tell."""
    return run is not None and any(problem.code == "pause_unknown" for problem in run.problems)


def has_step_gap(run: Run | None) -> bool:
    """Return whether superstep numbers are missing in a run that is otherwise whole."""
    return run is not None and any(problem.code == "step_gap" for problem in run.problems)


def say_incomplete(run: Run, subject: str) -> str:
    """Return `run is incomplete (root_missing, task_open): ...`, with the words of the first problem."""
    codes, words = incomplete_codes(run), say_problem(run)
    head = f"{subject} is incomplete ({', '.join(codes)})" if codes else f"{subject} is incomplete"
    return f"{head}: {words}" if words else head


def say_problem(run: Run) -> str:
    """Return what the first problem that makes a run incomplete says, in at most 300 characters; else empty."""
    message = next((problem.message for problem in run.problems if problem.code not in NAMED_ONLY), "")
    words = escape(_ABOUT_A_RUN.sub("", message))
    return words if len(words) <= _MAX_WORDS else words[: _MAX_WORDS - 3] + "..."


def say_waiting(run: Run) -> str:
    """Return where an interrupted run waits: `waiting at ask`, or `waiting after a` for a static interrupt.

    Of a run that only may be waiting: `perhaps waiting after a (this LangGraph does not tell)`.
    """
    if is_pause_unknown(run):
        last = next((step for step in reversed(run.steps) if not is_interrupt(step)), [])
        after = f"after {list_names(last)}" if last else "before its first superstep"
        return f"perhaps waiting {after} (its LangGraph does not tell)"
    if run.steps and is_interrupt(run.steps[-1]):
        before = next((at for at in range(len(run.steps) - 2, -1, -1) if not is_interrupt(run.steps[at])), -1)
        return f"waiting at {list_names(_interrupted_nodes(run, before))}"
    return f"waiting after {list_names(run.steps[-1])}" if run.steps else "waiting before its first superstep"


def describe_status(run: Run, index: int) -> MatchOp:
    """Return the op of a run that ended in a status that is not allowed.

    Args:
        run: The run.
        index: Its index among the outputs.
    """
    tasks = _tasks_at_fault(run)
    ids = {task.task_id for task in tasks}
    at = next((at for at, step in enumerate(run.step_task_ids) if ids.intersection(step)), None)
    return {
        "op": "status",
        "run": index,
        "expected_superstep": None,
        "actual_superstep": None if at is None else number_supersteps(run.steps)[at],
        "missing": [],
        "extra": [],
        "span_ids": [span_id for task in tasks for span_id in task.span_ids],
        "status": run.status,
        "nodes": list(dict.fromkeys(task.node for task in tasks)),
    }


def say_status(run: Run, op: MatchOp, allowed: Iterable[str], subject: str) -> str:
    """Return `run ended in error at node6 (ValueError)`, the subject being `run` or `run 1`."""
    place = f" at {list_names(op['nodes'])}" if op.get("nodes") else ""
    error = f" ({show_name(run.error_type)})" if run.error_type else ""
    if run.status == "error":
        return f"{subject} ended in error{place}{error}"
    if run.status == "cancelled":
        return f"{subject} was cancelled{place}"
    return f"{subject} ended {run.status}, expected {' or '.join(sorted(allowed))}"


def _tasks_at_fault(run: Run) -> list[Task]:
    """Return the tasks of the last superstep that ended as the run did.

    Only there: an earlier task may have failed and been handled, and a run can fail without any failed task
    (the recursion limit).
    """
    last = next((set(ids) for ids in reversed(run.step_task_ids) if ids), set[str]())
    return [task for task in run.tasks if task.task_id in last and task.status == run.status]


def _interrupted_nodes(run: Run, position: int) -> list[str]:
    if position < 0:
        return ["the start"]
    ids = set(run.step_task_ids[position]) if position < len(run.step_task_ids) else set()
    waiting = [task.node for task in run.tasks if task.task_id in ids and task.status == "interrupted"]
    return waiting or run.steps[position]
