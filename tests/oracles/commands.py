"""Oracles 29 to 34 and 37: time travel, forks, edited state, goto as an input, checkpoints kept back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langgraph.types import Command

from tests.oracles.interrupts import build_ask_graph
from tests.oracles.scenario import INTERRUPT, START_STEP, Scenario

if TYPE_CHECKING:
    from tests.oracles.driver import Driver, Graph

__all__ = ["SCENARIOS"]

ABC = ("a", "b", "c")
ALL_THREE = [START_STEP, ["a"], ["b"], ["c"]]


async def _finish(driver: Driver) -> Graph:
    graph = driver.compile(driver.chain(*ABC))
    await driver.invoke(graph, {"nodes": []})
    return graph


async def _travel(driver: Driver) -> Graph:
    graph = await _finish(driver)
    await driver.invoke(graph, None, at=await driver.find_before(graph, "b"))
    return graph


async def _fork_with_input(driver: Driver) -> Graph:
    graph = await _finish(driver)
    await driver.invoke(graph, {"nodes": []}, at=await driver.find_before(graph, "b"))
    return graph


async def _edit_state(driver: Driver) -> Graph:
    graph = await _finish(driver)
    await driver.update_state(graph, {"nodes": ["edited"]}, as_node="a")
    await driver.invoke(graph, None)
    return graph


async def _go_to_b(driver: Driver) -> Graph:
    graph = await _finish(driver)
    await driver.invoke(graph, Command(goto="b"))
    return graph


async def _go_to_b_while_asked(driver: Driver) -> Graph:
    graph = build_ask_graph(driver)
    await driver.invoke(graph, {"nodes": []})
    await driver.invoke(graph, Command(goto="b"))
    return graph


async def _keep_last_checkpoint(driver: Driver) -> Graph:
    graph = driver.compile(driver.chain(*ABC))
    await driver.invoke(graph, {"nodes": []}, durability="exit")
    return graph


async def _go_to_b_at_once(driver: Driver) -> Graph:
    graph = driver.compile(driver.chain(*ABC))
    await driver.invoke(graph, Command(goto="b"))
    return graph


SCENARIOS = [
    Scenario(
        number=29,
        title="time travel: invoke(None) at the checkpoint before b",
        drive=_travel,
        declared_nodes=ABC,
        steps_from_spans=[[*ALL_THREE, ["b"], ["c"]]],
    ),
    Scenario(
        number=30,
        title="fork: an input at the checkpoint before b",
        drive=_fork_with_input,
        declared_nodes=ABC,
        steps_from_spans=[ALL_THREE, ALL_THREE],
    ),
    Scenario(
        number=31,
        title="update_state as node a, then invoke(None)",
        drive=_edit_state,
        declared_nodes=ABC,
        steps_from_spans=[[*ALL_THREE, ["b"], ["c"]]],
    ),
    Scenario(
        number=32,
        title="Command(goto=b) on a finished thread: history misses the node itself",
        drive=_go_to_b,
        declared_nodes=ABC,
        steps_from_spans=[[*ALL_THREE, ["b"], ["c"]]],
        steps_from_history=[[*ALL_THREE, ["c"]]],
    ),
    Scenario(
        number=33,
        title="interrupt, then Command(goto=b): history misses the node itself",
        drive=_go_to_b_while_asked,
        declared_nodes=("a", "ask", "b"),
        steps_from_spans=[[START_STEP, ["a"], ["ask", "b"], INTERRUPT]],
        steps_from_history=[[START_STEP, ["a"], ["ask"], INTERRUPT]],
    ),
    Scenario(
        number=34,
        title="durability=exit: history has only the last checkpoint",
        drive=_keep_last_checkpoint,
        declared_nodes=ABC,
        steps_from_spans=[ALL_THREE],
        steps_from_history=[[]],
    ),
    Scenario(
        number=37,
        title="Command(goto=b) on an empty thread",
        drive=_go_to_b_at_once,
        declared_nodes=ABC,
        steps_from_spans=[[START_STEP, ["a", "b"], ["b", "c"], ["c"]]],
    ),
]
"""By number."""
