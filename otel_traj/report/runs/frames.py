"""Runs as a pandas data frame, a row each, for whoever asks questions of many runs at once.

pandas is an extra (`otel-traj[pandas]`) and imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from otel_traj.errors import MissingExtraError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.values_in_words import describe_value, show_value
from otel_traj.model import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd

    from otel_traj.model import ModelCall, Task, ToolCall

__all__ = ["FrameRows", "to_dataframe"]

FrameRows: TypeAlias = Literal["runs", "tasks", "model_calls", "tool_calls"]

_TIMES = ("started", "ended")
_LAST_NS = 2**63 - 1


def to_dataframe(runs: Iterable[Run], *, rows: FrameRows = "runs") -> pd.DataFrame:
    """Return runs as a data frame.

    Args:
        runs: Runs of `read_runs`; one run is a list of one.
        rows: What a row is: a run; a node task, of the run's own graph and of its subgraphs; a model call; a tool
            call.

    Returns:
        A row each, in the order of the runs; the columns are the same whatever was recorded. Times are UTC, durations
        in seconds, missing where there is no end. Every row has `run_id`, so that frames can be merged.

    Raises:
        MissingExtraError: pandas is not installed.
        TrajectoryTypeError: Something in `runs` is no run.
        TrajectoryValueError: `rows` is none of these.
    """
    if rows not in get_args(FrameRows):
        allowed = ", ".join(get_args(FrameRows))
        raise TrajectoryValueError(f"rows is {show_value(rows)}, which no frame has; allowed: {allowed}")
    try:
        import pandas as pd
    except ImportError as error:
        words = "pandas is not installed, so that no data frame can be made; pip install 'otel-traj[pandas]'"
        raise MissingExtraError(words) from error
    records = [record for run in runs for record in _list_records(run, rows)]
    frame = pd.DataFrame.from_records(records, columns=list(_COLUMNS[rows]))
    frame["duration_s"] = frame["duration_s"].astype("float64")
    for column in _TIMES:
        # Through floats, as a column with a missing number is kept, times would lose their nanoseconds.
        times = pd.array([record[column] for record in records], dtype="Int64")
        frame[column] = pd.Series(pd.to_datetime(times, unit="ns", utc=True)).dt.as_unit("ns")
    return frame


def _list_records(run: object, rows: FrameRows) -> Iterator[dict[str, Any]]:
    if not isinstance(run, Run):
        words = f"there is {describe_value(run)} among the runs, which has no row; pass runs of read_runs"
        raise TrajectoryTypeError(words)
    if rows == "runs":
        yield _make_run(run)
    elif rows == "tasks":
        yield from (_make_task(run, graph, task) for graph, task in _list_tasks(run))
    elif rows == "model_calls":
        yield from (_make_model_call(run, call) for call in run.model_calls)
    else:
        yield from (_make_tool_call(run, call) for call in run.tool_calls)


def _list_tasks(run: Run) -> Iterator[tuple[str | None, Task]]:
    yield from ((run.graph, task) for task in run.tasks)
    for child in run.children:
        yield from _list_tasks(child)


def _make_run(run: Run) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "graph": run.graph,
        "case": run.case,
        "service": run.service,
        "thread_id": run.thread_id,
        "trace_ids": list(run.trace_ids),
        "status": run.status,
        "error_type": run.error_type,
        "complete": run.complete,
        "verified": run.verified,
        "problems": [problem.code for problem in run.problems],
        "steps": run.steps,
        "tasks": len(run.tasks),
        "model_calls": len(run.model_calls),
        "tool_calls": len(run.tool_calls),
        **run.usage,
        **_make_times(run),
    }


def _make_task(run: Run, graph: str | None, task: Task) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "graph": graph,
        "node": task.node,
        "superstep": task.superstep,
        "task_id": task.task_id,
        "status": task.status,
        "error_type": task.error_type,
        "attempts": task.attempts,
        "interrupted": task.interrupted,
        **_make_times(task),
    }


def _make_model_call(run: Run, call: ModelCall) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "node": call.node,
        "superstep": call.superstep,
        "model": call.model,
        "status": call.status,
        "error_type": call.error_type,
        "chose": None if call.tool_calls is None else [tool.name for tool in call.tool_calls],
        **call.usage,
        **_make_times(call),
    }


def _make_tool_call(run: Run, call: ToolCall) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "node": call.node,
        "superstep": call.superstep,
        "tool": call.name,
        "args": call.args,
        "status": call.status,
        "error_type": call.error_type,
        **_make_times(call),
    }


def _make_times(timed: Run | Task | ModelCall | ToolCall) -> dict[str, Any]:
    has_ended = timed.ended_ns > 0
    return {
        "started": _to_time(timed.started_ns),
        "ended": _to_time(timed.ended_ns) if has_ended else None,
        "duration_s": max(timed.ended_ns - timed.started_ns, 0) / 1e9 if has_ended else None,
    }


def _to_time(time_ns: int) -> int | None:
    """OTLP counts nanoseconds beyond the year 2262, where pandas' times end: a broken clock's, and no time at all."""
    return time_ns if 0 <= time_ns <= _LAST_NS else None


_USAGE = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "reasoning_output_tokens",
)
_SPAN = ("started", "ended", "duration_s")
_COLUMNS = {
    "runs": (
        *("run_id", "graph", "case", "service", "thread_id", "trace_ids", "status", "error_type", "complete"),
        *("verified", "problems", "steps", "tasks", "model_calls", "tool_calls", *_USAGE, *_SPAN),
    ),
    "tasks": (
        *(
            "run_id",
            "graph",
            "node",
            "superstep",
            "task_id",
            "status",
            "error_type",
            "attempts",
            "interrupted",
        ),
        *_SPAN,
    ),
    "model_calls": (
        *("run_id", "node", "superstep", "model", "status", "error_type", "chose", *_USAGE, *_SPAN),
    ),
    "tool_calls": ("run_id", "node", "superstep", "tool", "args", "status", "error_type", *_SPAN),
}
