"""What an oracle is: a graph that drives itself, and the trajectories that LangGraph's behaviour implies.

The expected supersteps were measured on langgraph 1.2.22 (most of them on 0.6.11 and 1.0.5 too) and are
proved again by `test_scenarios.py` on the installed version, with a callback counter and a history walk that
share nothing with the package under test. What old versions can't run is in `tests.missing_api`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tests.missing_api import list_missing
from tests.oracles.driver import Driver, Graph, Mode, run_without_loop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.runnables import RunnableConfig

__all__ = ["INTERRUPT", "START_STEP", "Drive", "Driven", "Scenario", "Trajectories", "sort_names"]

Trajectories: TypeAlias = list[list[list[str]]]
"""Outer list = runs of the thread, in start order; then supersteps, ascending; then names."""
Drive: TypeAlias = Callable[[Driver], Awaitable[Graph]]
"""Builds a graph, invokes it as often as the row says and returns it; expected errors are caught."""

INTERRUPT = ["__interrupt__"]
"""The marker that follows an interrupted superstep."""
START_STEP = ["__start__"]
"""What a run that was begun by an input starts with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """What a scenario leaves behind when it has run."""

    graph: Graph
    """The compiled graph, its checkpointer inside."""
    thread_id: str
    """Unique to this drive; every recorded invocation of the graph used it."""

    @property
    def config(self) -> RunnableConfig:
        """The config that names the thread, without callbacks."""
        return {"configurable": {"thread_id": self.thread_id}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One row of the table."""

    number: int
    title: str
    drive: Drive
    declared_nodes: tuple[str, ...]
    """The graph's nodes in `add_node` order: the order of names in history."""
    steps_from_spans: Trajectories
    """What the executed tasks show; inside a superstep fan-out tasks by index, then the rest by name."""
    steps_from_history: Trajectories | None = None
    """What a walk over the checkpointer's history shows, where that differs; None where it is the same."""
    pending_only: bool = False
    """History differs by nothing but tasks that it lists as next and that never ran."""
    modes: tuple[Mode, ...] = ("sync", "async")

    @property
    def agrees(self) -> bool:
        """Spans and history tell the same trajectories."""
        return self.steps_from_history is None

    @property
    def history(self) -> Trajectories:
        """What a walk over the checkpointer's history shows."""
        return self.steps_from_spans if self.steps_from_history is None else self.steps_from_history

    @property
    def missing(self) -> list[str]:
        """The API that it needs and the installed versions lack; empty where the scenario can run."""
        return list_missing(f"oracle {self.number}")

    def run(self, callbacks: Sequence[BaseCallbackHandler]) -> Driven:
        """Drive the graph through its sync API, in the caller's thread, without an event loop."""
        driver = Driver("sync", callbacks)
        return Driven(graph=run_without_loop(self.drive(driver)), thread_id=driver.thread_id)

    async def arun(self, callbacks: Sequence[BaseCallbackHandler]) -> Driven:
        """Drive the graph through its async API."""
        driver = Driver("async", callbacks)
        return Driven(graph=await self.drive(driver), thread_id=driver.thread_id)


def sort_names(trajectories: Trajectories) -> Trajectories:
    """Return the trajectories with the names of every superstep sorted: the form that tests compare."""
    return [[sorted(step) for step in steps] for steps in trajectories]
