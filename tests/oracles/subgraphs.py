"""Oracles 7, 8, 9 and 17: subgraphs as nodes and inside node functions, left early or interrupted.

Only the outer graph's supersteps are told here; a subgraph's run has its own.
"""

from __future__ import annotations

from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from tests.oracles.driver import Driver, Graph, State
from tests.oracles.scenario import INTERRUPT, START_STEP, Scenario

__all__ = ["SCENARIOS"]


async def _leave_for_parent(driver: Driver) -> Graph:
    async def leave(_state: State) -> object:
        return Command(goto="after", graph=Command.PARENT, update={"nodes": ["leave"]})

    builder = StateGraph(State)
    builder.add_node("sub", driver.chain("leave", leave=leave).compile(), destinations=("after",))
    builder.add_node("after", driver.mark("after"))
    builder.add_edge(START, "sub")
    graph = driver.compile(builder)
    await driver.invoke(graph, {"nodes": []})
    return graph


async def _nest(driver: Driver) -> Graph:
    builder = driver.chain("a")
    builder.add_node("sg", driver.chain("s1", "s2").compile())
    builder.add_edge("a", "sg")
    graph = driver.compile(builder)
    await driver.invoke(graph, {"nodes": []})
    await driver.invoke(graph, {"nodes": []})
    return graph


async def _call_twice(driver: Driver) -> Graph:
    inner = driver.chain("s1", "s2").compile(name="inner")

    async def call(_state: State) -> object:
        await driver.call(inner, {"nodes": []})
        await driver.call(inner, {"nodes": []})
        return {"nodes": ["call"]}

    graph = driver.compile(driver.chain("call", "z", call=call))
    await driver.invoke(graph, {"nodes": []})
    return graph


async def _interrupt_inside(driver: Driver) -> Graph:
    async def ask(_state: State) -> object:
        return {"nodes": [interrupt("go on?")]}

    builder = driver.chain("a")
    builder.add_node("sg", driver.chain("s1", "ask", ask=ask).compile())
    builder.add_node("z", driver.mark("z"))
    builder.add_edge("a", "sg")
    builder.add_edge("sg", "z")
    graph = driver.compile(builder)
    await driver.invoke(graph, {"nodes": []})
    await driver.invoke(graph, Command(resume="yes"))
    return graph


SCENARIOS = [
    Scenario(
        number=7,
        title="Command(graph=PARENT) out of a subgraph",
        drive=_leave_for_parent,
        declared_nodes=("sub", "after"),
        steps_from_spans=[[START_STEP, ["sub"], ["after"]]],
    ),
    Scenario(
        number=8,
        title="subgraph as a node, two runs",
        drive=_nest,
        declared_nodes=("a", "sg"),
        steps_from_spans=[[START_STEP, ["a"], ["sg"]], [START_STEP, ["a"], ["sg"]]],
    ),
    Scenario(
        number=9,
        title="subgraph called twice in a node function",
        drive=_call_twice,
        declared_nodes=("call", "z"),
        steps_from_spans=[[START_STEP, ["call"], ["z"]]],
    ),
    Scenario(
        number=17,
        title="interrupt inside a subgraph, resumed",
        drive=_interrupt_inside,
        declared_nodes=("a", "sg", "z"),
        steps_from_spans=[[START_STEP, ["a"], ["sg"], INTERRUPT, ["z"]]],
    ),
]
"""By number."""
