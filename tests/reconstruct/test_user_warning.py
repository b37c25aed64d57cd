"""Warnings of reading point at the line of the program that reads."""

from __future__ import annotations

import asyncio
import inspect
import warnings
from typing import TYPE_CHECKING

import pytest

from otel_traj import diagnose, evaluate_runs, extract_trajectories, read_runs
from otel_traj.evaluate import Reference
from tests.otlp_lines import write_lines
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A file with an incomplete run, and two damaged lines."""
    run = RecordedRun("r", graph="g")
    run.task("a", 1)
    run.task("b", 2)
    spans = [span for span in run.spans() if span.name != "invoke_node b"]
    return write_lines(tmp_path / "traces.jsonl", spans, "{nope", '{"resource')


def _loop(source: object, wait: float = 0) -> None:
    for _ in read_runs(source, wait=wait):  # here
        pass


def _list(source: object, wait: float = 0) -> None:
    list(read_runs(source, wait=wait))  # here


def _take_next(source: object, wait: float = 0) -> None:
    runs = read_runs(source, wait=wait)
    next(runs)  # here
    next(runs, None)  # here


def _sort(source: object, wait: float = 0) -> None:
    sorted(read_runs(source, wait=wait), key=lambda run: run.ended_ns)  # here


def _comprehend(source: object, wait: float = 0) -> None:
    _ = {run.run_id: run.steps for run in read_runs(source, wait=wait)}  # here


def _pass_on(source: object, wait: float = 0) -> None:
    _ = [run for run in (run for run in read_runs(source, wait=wait))]  # noqa: C416 - here, a generator of the user's


def _extract(source: object, wait: float = 0) -> None:
    extract_trajectories(source, wait=wait)  # here


def _extract_asynchronously(source: object, wait: float = 0) -> None:
    async def read() -> None:
        extract_trajectories(source, wait=wait)  # here

    asyncio.run(read())


_ENTRANCES = [_loop, _list, _take_next, _sort, _comprehend, _pass_on, _extract, _extract_asynchronously]


@pytest.mark.parametrize("enter", _ENTRANCES)
@pytest.mark.parametrize("wait", [0, 0.01])
@pytest.mark.parametrize("form", ["file", "folder", "several"])
def test_a_warning_points_at_the_line_that_reads(
    damaged: Path, enter: Callable[..., None], wait: float, form: str
) -> None:
    """Each way to consume the runs, each way through the package: never a line of ours."""
    source = {"file": damaged, "folder": damaged.parent, "several": [damaged, damaged.parent]}[form]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        enter(source, wait)
    lines, first = inspect.getsourcelines(enter)
    meant = {(__file__, first + at) for at, line in enumerate(lines) if "here" in line}
    assert len(caught) >= 2
    assert {warning.category for warning in caught} == {UserWarning}
    assert {(warning.filename, warning.lineno) for warning in caught} <= meant


def test_unordered_runs_warn_where_they_are_taken(damaged: Path) -> None:
    """Reading as it goes is no other way."""
    runs = read_runs(damaged, unordered=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        line = inspect.currentframe().f_lineno + 1  # type: ignore[union-attr]  # CPython has frames
        list(runs)
    assert {(warning.filename, warning.lineno) for warning in caught} == {(__file__, line)}


def test_an_incomplete_run_is_named_at_the_call(damaged: Path) -> None:
    """`extract_trajectories` warns of the source and of the run at one line, the caller's."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _extract(damaged)
    assert [str(warning.message).startswith("run ") for warning in caught] == [False, False, True]
    assert len({(warning.filename, warning.lineno) for warning in caught}) == 1


def test_what_reports_problems_warns_of_none(damaged: Path) -> None:
    """`evaluate_runs` and `diagnose` hold the problems in their answer, and issue no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = evaluate_runs(damaged, references=[Reference(name="r", steps=[["a"], ["b"]])])
        diagnosis = diagnose(damaged, damaged)
    codes = ["unreadable_line"] * 2
    assert [problem.code for problem in report.source_problems] == codes
    assert [[problem.code for problem in source.problems] for source in diagnosis.sources] == [codes, codes]
