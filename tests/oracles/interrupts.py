"""Oracles 10 to 16 and 18 to 20: dynamic and static interrupts, left alone or resumed."""

from __future__ import annotations

from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from tests.oracles.driver import Driver, Graph, State
from tests.oracles.scenario import INTERRUPT, START_STEP, Scenario

__all__ = ["SCENARIOS", "build_ask_graph"]

ASK_NODES = ("a", "ask", "b")
ABC = ("a", "b", "c")


async def _ask(_state: State) -> object:
    return {"nodes": [interrupt("go on?")]}


def build_ask_graph(driver: Driver) -> Graph:
    """Return the graph a, ask, b, where `ask` interrupts until it is answered."""
    return driver.compile(driver.chain("a", "ask", "b", ask=_ask))


async def _stop_at_ask(driver: Driver) -> Graph:
    graph = build_ask_graph(driver)
    await driver.invoke(graph, {"nodes": []})
    return graph


async def _resume(driver: Driver) -> Graph:
    graph = build_ask_graph(driver)
    await driver.invoke(graph, {"nodes": []})
    await driver.invoke(graph, Command(resume="yes"))
    return graph


async def _begin_anew(driver: Driver) -> Graph:
    graph = build_ask_graph(driver)
    await driver.invoke(graph, {"nodes": []})
    await driver.invoke(graph, {"nodes": []})
    await driver.invoke(graph, Command(resume="yes"))
    return graph


async def _resume_with_nothing_first(driver: Driver) -> Graph:
    graph = build_ask_graph(driver)
    await driver.invoke(graph, {"nodes": []})
    await driver.invoke(graph, None)
    await driver.invoke(graph, Command(resume="yes"))
    return graph


async def _ask_twice(driver: Driver) -> Graph:
    async def ask2(_state: State) -> object:
        return {"nodes": [interrupt("first?"), interrupt("second?")]}

    graph = driver.compile(driver.chain("ask2", ask2=ask2))
    await driver.invoke(graph, {"nodes": []})
    await driver.invoke(graph, Command(resume="one"))
    await driver.invoke(graph, Command(resume="two"))
    return graph


async def _resume_one_by_one(driver: Driver) -> Graph:
    builder = StateGraph(State)
    builder.add_node("i1", driver.node(_ask))
    builder.add_node("i2", driver.node(_ask))
    builder.add_node("ok", driver.mark("ok"))
    builder.add_node("fin", driver.mark("fin"))
    for name in ("i1", "i2", "ok"):
        builder.add_edge(START, name)
    builder.add_edge(["i1", "i2", "ok"], "fin")
    graph = driver.compile(builder)
    await driver.invoke(graph, {"nodes": []})
    waiting = (await driver.read_history(graph))[0].tasks
    for asked in [each.id for task in waiting for each in task.interrupts]:
        await driver.invoke(graph, Command(resume={asked: "yes"}))
    return graph


async def _stop_before_b(driver: Driver) -> Graph:
    graph = driver.compile(driver.chain(*ABC), interrupt_before=["b"])
    await driver.invoke(graph, {"nodes": []})
    return graph


async def _go_on_at_b(driver: Driver) -> Graph:
    graph = await _stop_before_b(driver)
    await driver.invoke(graph, None)
    return graph


async def _go_on_after_b(driver: Driver) -> Graph:
    graph = driver.compile(driver.chain(*ABC), interrupt_after=["b"])
    await driver.invoke(graph, {"nodes": []})
    await driver.invoke(graph, None)
    return graph


STOPPED = [START_STEP, ["a"], ["ask"], INTERRUPT]
ANSWERED = [*STOPPED, ["b"]]

SCENARIOS = [
    Scenario(
        number=10,
        title="interrupt, not resumed",
        drive=_stop_at_ask,
        declared_nodes=ASK_NODES,
        steps_from_spans=[STOPPED],
    ),
    Scenario(
        number=11,
        title="interrupt, resumed",
        drive=_resume,
        declared_nodes=ASK_NODES,
        steps_from_spans=[ANSWERED],
    ),
    Scenario(
        number=12,
        title="interrupt, resumed (async)",
        drive=_resume,
        declared_nodes=ASK_NODES,
        steps_from_spans=[ANSWERED],
        modes=("async",),
    ),
    Scenario(
        number=13,
        title="interrupt, new input instead of a resume, which is resumed",
        drive=_begin_anew,
        declared_nodes=ASK_NODES,
        steps_from_spans=[STOPPED, ANSWERED],
    ),
    Scenario(
        number=14,
        title="interrupt, invoke(None) interrupts again, then a resume",
        drive=_resume_with_nothing_first,
        declared_nodes=ASK_NODES,
        steps_from_spans=[ANSWERED],
    ),
    Scenario(
        number=15,
        title="two interrupts in one node, resumed twice",
        drive=_ask_twice,
        declared_nodes=("ask2",),
        steps_from_spans=[[START_STEP, ["ask2"], INTERRUPT]],
    ),
    Scenario(
        number=16,
        title="three in parallel, two of them interrupt, resumed one by one",
        drive=_resume_one_by_one,
        declared_nodes=("i1", "i2", "ok", "fin"),
        steps_from_spans=[[START_STEP, ["i1", "i2", "ok"], INTERRUPT, ["fin"]]],
    ),
    Scenario(
        number=18,
        title="static interrupt before b, not resumed",
        drive=_stop_before_b,
        declared_nodes=ABC,
        steps_from_spans=[[START_STEP, ["a"]]],
        steps_from_history=[[START_STEP, ["a"], ["b"]]],
        pending_only=True,
    ),
    Scenario(
        number=19,
        title="static interrupt before b, resumed with None",
        drive=_go_on_at_b,
        declared_nodes=ABC,
        steps_from_spans=[[START_STEP, ["a"], ["b"], ["c"]]],
    ),
    Scenario(
        number=20,
        title="static interrupt after b, resumed with None",
        drive=_go_on_after_b,
        declared_nodes=ABC,
        steps_from_spans=[[START_STEP, ["a"], ["b"], ["c"]]],
    ),
]
"""By number."""
