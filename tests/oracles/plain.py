"""Oracles 1 to 6, 26 and 27: branches, fan-outs, goto, deferred and cached nodes, without a break."""

from __future__ import annotations

from langgraph.cache.memory import InMemoryCache
from langgraph.graph import START, StateGraph
from langgraph.types import CachePolicy, Command, Send

from otel_traj.record.samples import build_seven_nodes
from tests.oracles.driver import Driver, Graph, State
from tests.oracles.scenario import START_STEP, Scenario

__all__ = ["SCENARIOS"]

SEVEN = tuple(f"node{number}" for number in range(1, 8))
LONG_WAY = [START_STEP, ["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]]
SHORT_WAY = [START_STEP, ["node1"], ["node2"], ["node7"]]


async def _take_long_way(driver: Driver) -> Graph:
    graph = build_seven_nodes(driver.checkpointer)
    await driver.invoke(graph, {"shortcut": False, "nodes": []})
    return graph


async def _take_short_way(driver: Driver) -> Graph:
    graph = build_seven_nodes(driver.checkpointer)
    await driver.invoke(graph, {"shortcut": True, "nodes": []})
    return graph


async def _take_both_ways(driver: Driver) -> Graph:
    graph = build_seven_nodes(driver.checkpointer)
    await driver.invoke(graph, {"shortcut": False, "nodes": []})
    await driver.invoke(graph, {"shortcut": True, "nodes": []})
    return graph


def _send_four(state: State) -> list[Send]:
    return [Send("work", state) for _ in range(4)]


async def _fan_out(driver: Driver) -> Graph:
    builder = StateGraph(State)
    for name in ("plan", "work", "a_static", "zz", "join"):
        builder.add_node(name, driver.mark(name))
    builder.add_edge(START, "plan")
    builder.add_conditional_edges("plan", _send_four, ["work"])
    for name in ("a_static", "zz"):
        builder.add_edge("plan", name)
    for name in ("work", "a_static", "zz"):
        builder.add_edge(name, "join")
    graph = driver.compile(builder)
    await driver.invoke(graph, {"nodes": []})
    return graph


def _enter_both(_state: State) -> list[str]:
    return ["n1", "n2"]


async def _enter_conditionally(driver: Driver) -> Graph:
    builder = StateGraph(State)
    for name in ("n2", "n1"):
        builder.add_node(name, driver.mark(name))
    builder.add_conditional_edges(START, _enter_both, ["n1", "n2"])
    graph = driver.compile(builder)
    await driver.invoke(graph, {"nodes": []})
    await driver.invoke(graph, {"nodes": []})
    return graph


async def _go_to(driver: Driver) -> Graph:
    async def to_nodes(_state: State) -> object:
        return Command(goto=["c2", "c3"], update={"nodes": ["c1"]})

    async def to_sends(state: State) -> object:
        return Command(goto=[Send("c4", state), Send("c4", state)], update={"nodes": ["c2"]})

    builder = StateGraph(State)
    builder.add_node("c1", driver.node(to_nodes))
    builder.add_node("c2", driver.node(to_sends))
    builder.add_node("c3", driver.mark("c3"))
    builder.add_node("c4", driver.mark("c4"))
    builder.add_edge(START, "c1")
    graph = driver.compile(builder)
    await driver.invoke(graph, {"nodes": []})
    return graph


async def _defer(driver: Driver) -> Graph:
    builder = driver.chain("a", "b", "b2")
    builder.add_node("d", driver.mark("d"), defer=True)
    builder.add_edge("a", "d")
    builder.add_edge("b2", "d")
    graph = driver.compile(builder)
    await driver.invoke(graph, {"nodes": []})
    return graph


async def _hit_cache(driver: Driver) -> Graph:
    builder = StateGraph(State)
    builder.add_node("c", driver.mark("c"), cache_policy=CachePolicy())
    builder.add_node("d", driver.mark("d"))
    builder.add_edge(START, "c")
    builder.add_edge("c", "d")
    graph = builder.compile(checkpointer=driver.checkpointer, cache=InMemoryCache(), name="oracle")
    await driver.invoke_unseen(graph, {"nodes": []})
    await driver.invoke(graph, {"nodes": []})
    return graph


SCENARIOS = [
    Scenario(
        number=1,
        title="seven nodes, parallel branch",
        drive=_take_long_way,
        declared_nodes=SEVEN,
        steps_from_spans=[LONG_WAY],
    ),
    Scenario(
        number=2,
        title="seven nodes, sequential branch",
        drive=_take_short_way,
        declared_nodes=SEVEN,
        steps_from_spans=[SHORT_WAY],
    ),
    Scenario(
        number=3,
        title="seven nodes, two runs on one thread",
        drive=_take_both_ways,
        declared_nodes=SEVEN,
        steps_from_spans=[LONG_WAY, SHORT_WAY],
    ),
    Scenario(
        number=4,
        title="Send map-reduce over four, beside two static edges",
        drive=_fan_out,
        declared_nodes=("plan", "work", "a_static", "zz", "join"),
        steps_from_spans=[
            [START_STEP, ["plan"], ["work", "work", "work", "work", "a_static", "zz"], ["join"]]
        ],
    ),
    Scenario(
        number=5,
        title="conditional entry point, two runs, nodes declared against their names' order",
        drive=_enter_conditionally,
        declared_nodes=("n2", "n1"),
        steps_from_spans=[[START_STEP, ["n1", "n2"]], [START_STEP, ["n1", "n2"]]],
    ),
    Scenario(
        number=6,
        title="Command(goto=list), then Command(goto=[Send, Send])",
        drive=_go_to,
        declared_nodes=("c1", "c2", "c3", "c4"),
        steps_from_spans=[[START_STEP, ["c1"], ["c2", "c3"], ["c4", "c4"]]],
    ),
    Scenario(
        number=26,
        title="deferred node",
        drive=_defer,
        declared_nodes=("a", "b", "b2", "d"),
        steps_from_spans=[[START_STEP, ["a"], ["b"], ["b2"], ["d"]]],
    ),
    Scenario(
        number=27,
        title="cached node, hit: a cached task has no callback",
        drive=_hit_cache,
        declared_nodes=("c", "d"),
        steps_from_spans=[[START_STEP, ["d"]]],
        steps_from_history=[[START_STEP, ["c"], ["d"]]],
    ),
]
"""By number."""
