"""Oracle 35: an entrypoint with tasks, which has no `__start__` of its own; tasks are no superstep members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langgraph.func import entrypoint, task
from langgraph.types import Command, interrupt

from tests.oracles.scenario import INTERRUPT, Scenario

if TYPE_CHECKING:
    from tests.oracles.driver import Driver, Graph

__all__ = ["SCENARIOS"]


@task
def _double(number: int) -> int:
    return 2 * number


@task
async def _adouble(number: int) -> int:
    return 2 * number


def _build(driver: Driver) -> Graph:
    @entrypoint(checkpointer=driver.checkpointer)
    def wf(number: int) -> str:
        return f"{_double(number).result()}: {interrupt('go on?')}"

    return wf


def _abuild(driver: Driver) -> Graph:
    @entrypoint(checkpointer=driver.checkpointer)
    async def wf(number: int) -> str:
        return f"{await _adouble(number)}: {interrupt('go on?')}"

    return wf


async def _resume_and_begin_anew(driver: Driver) -> Graph:
    graph = _abuild(driver) if driver.mode == "async" else _build(driver)
    await driver.invoke(graph, 1)
    await driver.invoke(graph, Command(resume="yes"))
    await driver.invoke(graph, 2)
    return graph


SCENARIOS = [
    Scenario(
        number=35,
        title="functional API: interrupt, resumed, then a second run",
        drive=_resume_and_begin_anew,
        declared_nodes=("wf",),
        steps_from_spans=[[["wf"], INTERRUPT], [["wf"], INTERRUPT]],
    ),
]
"""By number."""
