from __future__ import annotations

import asyncio
import concurrent.futures

import pytest
from langgraph.errors import GraphBubbleUp, GraphInterrupt, GraphRecursionError, ParentCommand
from langgraph.types import Command

from otel_traj.record.outcome import classify_ending, decide_outcome


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (None, "ok"),
        (GraphInterrupt(()), "interrupted"),
        (GraphBubbleUp(), "interrupted"),
        (ParentCommand(Command(goto="a")), "parent_command"),
        (asyncio.CancelledError(), "cancelled"),
        (concurrent.futures.CancelledError(), "cancelled"),
        (GeneratorExit(), "cancelled"),
        (ValueError(), "error"),
        (GraphRecursionError(), "error"),
        (KeyboardInterrupt(), "error"),
        (SystemExit(), "error"),
    ],
)
def test_ending(error: BaseException | None, ending: str) -> None:
    """Control flow is told from errors by the exception's class."""
    assert classify_ending(error) == ending


@pytest.mark.parametrize(
    ("error", "task_interrupted", "pause_seen", "outcome"),
    [
        (None, False, False, "ok"),
        (None, True, False, "interrupted"),
        (None, False, True, "interrupted"),
        (GraphInterrupt(()), False, False, "interrupted"),
        (ParentCommand(Command(goto="a")), False, False, "ok"),
        (GeneratorExit(), False, False, "cancelled"),
        (GeneratorExit(), True, False, "interrupted"),
        (GeneratorExit(), False, True, "interrupted"),
        (asyncio.CancelledError(), True, False, "cancelled"),
        (ValueError(), True, True, "error"),
    ],
)
def test_outcome_of_a_graph_run(
    error: BaseException | None, task_interrupted: bool, pause_seen: bool, outcome: str
) -> None:
    """A run is interrupted where one of its tasks was, or LangGraph said so, and it did not go on to fail."""
    assert decide_outcome(error, task_interrupted=task_interrupted, pause_seen=pause_seen) == outcome
