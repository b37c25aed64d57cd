"""Runs as data frames."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from msgspec.structs import replace

from otel_traj import TrajectoryTypeError, TrajectoryValueError, read_runs, to_dataframe
from tests.missing_api import needs
from tests.report import scenes
from tests.spans import RecordedRun

ROWS = ("runs", "tasks", "model_calls", "tool_calls")


@needs("data frames")
def test_a_row_is_a_run() -> None:
    """Ids, status, supersteps, counts, tokens, and times that can be reckoned with."""
    agent, seven = scenes.build_agent(), scenes.build_seven()
    frame = to_dataframe([agent, seven])
    assert list(frame["run_id"]) == [agent.run_id, seven.run_id]
    assert list(frame["status"]) == ["error", "ok"]
    assert frame["steps"][1] == seven.steps
    assert frame["input_tokens"][0] == 1_200
    assert frame["duration_s"][1] == (seven.ended_ns - seven.started_ns) / 1e9
    assert (frame["ended"] - frame["started"]).dt.total_seconds()[1] == pytest.approx(frame["duration_s"][1])
    assert str(frame["started"].dt.tz) == "UTC"


@needs("data frames")
def test_a_row_is_a_task_a_model_call_or_a_tool_call() -> None:
    """Tasks of subgraphs are rows too, with their own graph; each row names the run."""
    run = scenes.build_subgraphs()
    tasks = to_dataframe([run], rows="tasks")
    assert set(tasks["graph"]) == {"outer", "inner", "deep"}
    assert set(tasks["run_id"]) == {run.run_id}
    agent = scenes.build_agent()
    assert len(to_dataframe([agent], rows="model_calls")) == len(agent.model_calls)
    assert list(to_dataframe([agent], rows="tool_calls")["tool"]) == [call.name for call in agent.tool_calls]


@needs("data frames")
@pytest.mark.parametrize("rows", ROWS)
def test_columns_do_not_depend_on_what_was_recorded(rows: Any) -> None:  # noqa: ANN401 - one of the words
    """Without a run the frame has the same columns, and times of the same type."""
    empty, full = to_dataframe([], rows=rows), to_dataframe([scenes.build_agent()], rows=rows)
    assert list(empty.columns) == list(full.columns)
    assert len(empty) == 0
    assert empty["started"].dtype == full["started"].dtype
    assert empty["duration_s"].dtype == full["duration_s"].dtype == "float64"


@needs("data frames")
def test_a_run_that_has_not_ended_has_no_duration() -> None:
    """Missing, and not 0 or the year 1970."""
    frame = to_dataframe([replace(scenes.build_seven(), ended_ns=0, status="open")])
    assert frame["ended"].isna().all()
    assert frame["duration_s"].isna().all()


@needs("data frames")
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("time_ns", [2**63, 2**64 - 1])
def test_a_time_that_pandas_has_not_is_missing(rows: Any, time_ns: int) -> None:  # noqa: ANN401 - one of the words
    """OTLP counts beyond the year 2262; one broken clock must not cost the frame of all runs."""
    run = RecordedRun("far", start=time_ns - 1_000)
    task = run.task("a", 1)
    run.call("execute_tool", "t", task)
    run.call("chat", "m", task)
    spans = [replace(span, end_ns=time_ns) for span in run.spans()]
    frame = to_dataframe(read_runs(spans), rows=rows)
    assert len(frame) == 1
    assert frame["ended"].isna().all()


@needs("data frames")
def test_what_is_no_run_is_refused() -> None:
    """Rather than a row of nothing."""
    with pytest.raises(TrajectoryTypeError, match="read_runs"):
        to_dataframe([{"steps": []}])  # type: ignore[list-item]


def test_rows_that_are_none_are_refused() -> None:
    """The message lists those there are."""
    with pytest.raises(TrajectoryValueError, match="runs, tasks, model_calls, tool_calls"):
        to_dataframe([], rows="spans")  # type: ignore[arg-type]


def test_without_pandas_the_error_says_what_to_install() -> None:
    """It is an extra; the error is one of ours, and an ImportError."""
    program = (
        "import sys; sys.modules['pandas'] = None\n"
        "from otel_traj import MissingExtraError, to_dataframe\n"
        "try: to_dataframe([])\n"
        "except ImportError as error: print(type(error).__name__, error)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert printed.startswith("MissingExtraError")
    assert "otel-traj[pandas]" in printed
