"""Runs of one thread as a recorder would have written them, and references for the whole of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.evaluate import AppliesTo, Reference
from otel_traj.evaluate.references.reference import ExpectedThread
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from otel_traj.match import RunsMode
    from otel_traj.model import Span

__all__ = ["ANSWERS", "ASKS", "expect_thread", "lose", "record_turn"]

ASKS = Reference(name="asks", steps=[["ask"]], applies_to=AppliesTo(case="named by threads alone"))
ANSWERS = Reference(
    name="answers",
    steps=[["answer"]],
    trajectory_mode="contains",
    applies_to=AppliesTo(case="named by threads alone"),
)


def record_turn(
    name: str,
    *supersteps: str,
    thread: str | None = "t",
    start: int = 1_000,
    first: int = 1,
    graph: str = "chat",
    outcome: str = "ok",
    case: str = "",
) -> list[Span]:
    """Return the spans of one run; each superstep is names with spaces between, `first` the number of the first."""
    run = RecordedRun(name, graph=graph, thread=thread, start=start, outcome=outcome)
    for number, names in enumerate(supersteps, first):
        interrupted = outcome == "interrupted" and number == first + len(supersteps) - 1
        for index, node in enumerate(names.split()):
            run.task(node, number, id=f"{name}/{number}/{index}", interrupted=interrupted)
    return run.spans(case=case) if case else run.spans()


def lose(spans: list[Span], name: str) -> list[Span]:
    """Return spans without those whose name begins so."""
    return [span for span in spans if not span.name.startswith(name)]


def expect_thread(
    *runs: str, mode: RunsMode = "strict", name: str = "talk", applies_to: AppliesTo | None = None
) -> Reference:
    """Return a reference of the threads of the graph "chat", or of others."""
    thread = ExpectedThread(runs=runs, mode=mode)
    return Reference(name=name, thread=thread, applies_to=applies_to or AppliesTo(graph="chat"))
