"""Holes that show a lost task though no manifest counts: in numbers, in joins, in errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.reconstruct.dialects.corpora import read_quietly
from tests.reconstruct.dialects.written import WrittenRun

if TYPE_CHECKING:
    from collections.abc import Callable


def leave_gap(run: WrittenRun) -> None:
    """A superstep is left out."""
    run.task("a", 1)
    run.task("b", 3)


def begin_late(run: WrittenRun) -> None:
    """The first superstep is left out."""
    run.task("b", 2)


def lose_worker(run: WrittenRun) -> None:
    """One of the fan-out tasks is left out, and not the last."""
    run.task("w", 1, push=0)
    run.task("w", 1, push=2)


def lose_source(run: WrittenRun) -> None:
    """One of the nodes that a join waited for is left out."""
    run.task("a", 1)
    run.task("d", 2, triggers=["join:a+b:d"])


@pytest.mark.parametrize("lose", [leave_gap, begin_late, lose_worker, lose_source])
def test_a_hole_makes_a_run_incomplete(lose: Callable[[WrittenRun], None]) -> None:
    """The run is not complete, and says what shows it."""
    run = WrittenRun("r")
    lose(run)
    [read] = read_quietly(run.spans())
    assert not read.complete
    assert "task_missing" in {problem.code for problem in read.problems}


def test_an_error_comes_from_a_task() -> None:
    """A run that ended in an error of which no task knows has lost one; LangGraph's own errors come from no task."""
    for error, complete in (("ValueError", False), ("langgraph.errors.GraphRecursionError", True)):
        run = WrittenRun("r")
        run.task("a", 1)
        [read] = read_quietly(run.spans(error=error))
        assert (read.status, read.complete) == ("error", complete)


def test_a_late_beginning_needs_a_thread() -> None:
    """A run without a thread begins at 1; on a thread it may begin where earlier runs have left off."""
    for thread, complete in ((None, False), ("t", True)):
        run = WrittenRun("r", thread=thread)
        run.task("a", 5)
        [read] = read_quietly(run.spans())
        assert read.complete is complete


def test_an_entrypoint_may_begin_anywhere() -> None:
    """The functional API's second run on a thread begins at 2."""
    run = WrittenRun("r")
    run.task("wf", 2, triggers=["__start__"])
    [read] = read_quietly(run.spans())
    assert (read.steps, read.complete) == ([["wf"]], True)


def test_an_empty_thread_has_nothing_to_go_on_with() -> None:
    """A call that failed because there was nothing to resume is whole: nothing ran."""
    [read] = read_quietly(WrittenRun("r", inputs="null").spans(error="langgraph.errors.EmptyInputError"))
    assert (read.steps, read.status, read.complete) == ([], "error", True)
