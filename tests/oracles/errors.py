"""Oracles 21 to 25, 28, 36 and 41 to 43: runs that fail, retry, hit a limit, are closed or time out."""

from __future__ import annotations

import asyncio

from langgraph.errors import EmptyInputError, GraphRecursionError
from langgraph.graph import START, StateGraph
from langgraph.types import Command, RetryPolicy

from tests.oracles.driver import Driver, Graph, Signal, State
from tests.oracles.scenario import START_STEP, Scenario

__all__ = ["SCENARIOS"]


class BrokenNodeError(RuntimeError):
    """What a node of these oracles raises."""


def _build_bad_beside_sib(driver: Driver) -> Graph:
    """Return the graph a, then bad and sib, then z; `bad` raises the first time that it is called.

    It raises when `sib` has begun: a sibling that is still in the queue would be given up without a callback.
    """
    sib_began = Signal(driver.mode)
    calls: list[None] = []

    async def bad(_state: State) -> object:
        calls.append(None)
        await sib_began.wait()
        if len(calls) == 1:
            raise BrokenNodeError
        return {"nodes": ["bad"]}

    async def sib(_state: State) -> object:
        sib_began.set()
        return {"nodes": ["sib"]}

    builder = driver.chain("a")
    builder.add_node("bad", driver.node(bad))
    builder.add_node("sib", driver.node(sib))
    builder.add_node("z", driver.mark("z"))
    for name in ("bad", "sib"):
        builder.add_edge("a", name)
        builder.add_edge(name, "z")
    return driver.compile(builder)


async def _break(driver: Driver) -> Graph:
    graph = _build_bad_beside_sib(driver)
    await driver.fail(BrokenNodeError, graph, {"nodes": []})
    return graph


async def _break_then_retry(driver: Driver) -> Graph:
    graph = await _break(driver)
    await driver.invoke(graph, None)
    return graph


async def _break_then_begin_anew(driver: Driver) -> Graph:
    graph = await _break(driver)
    await driver.invoke(graph, {"nodes": []})
    return graph


async def _retry_by_policy(driver: Driver) -> Graph:
    calls: list[None] = []

    async def flaky(_state: State) -> object:
        calls.append(None)
        if len(calls) < 3:
            raise BrokenNodeError
        return {"nodes": ["flaky"]}

    policy = RetryPolicy(
        max_attempts=3, initial_interval=0.001, backoff_factor=1, jitter=False, retry_on=BrokenNodeError
    )
    builder = StateGraph(State)
    builder.add_node("flaky", driver.node(flaky), retry_policy=policy)
    builder.add_edge(START, "flaky")
    graph = driver.compile(builder)
    await driver.invoke(graph, {"nodes": []})
    return graph


async def _loop_to_limit(driver: Driver) -> Graph:
    builder = driver.chain("l")
    builder.add_edge("l", "l")
    graph = driver.compile(builder)
    await driver.fail(GraphRecursionError, graph, {"nodes": []}, recursion_limit=3)
    return graph


async def _close_stream(driver: Driver) -> Graph:
    graph = driver.compile(driver.chain("a", "ask", "b"))
    await driver.read_first_chunk(graph, {"nodes": []})
    return graph


async def _begin_with_nothing(driver: Driver) -> Graph:
    graph = driver.compile(driver.chain("a", "b", "c"))
    await driver.fail(EmptyInputError, graph, None)
    return graph


async def _cancel_sibling(driver: Driver) -> Graph:
    slow_began = Signal(driver.mode)

    async def slow(_state: State) -> object:
        slow_began.set()
        await asyncio.Event().wait()
        return None

    async def fail(_state: State) -> object:
        await slow_began.wait()
        raise BrokenNodeError

    builder = StateGraph(State)
    builder.add_node("slow", driver.node(slow))
    builder.add_node("fail", driver.node(fail))
    builder.add_edge(START, "slow")
    builder.add_edge(START, "fail")
    graph = driver.compile(builder)
    await driver.fail(BrokenNodeError, graph, {"nodes": []})
    return graph


async def _time_out(driver: Driver) -> Graph:
    from langgraph.errors import NodeTimeoutError  # not in langgraph 1.0

    async def slow(_state: State) -> object:
        await asyncio.Event().wait()
        return None

    builder = StateGraph(State)
    builder.add_node("slow", driver.node(slow), timeout=0.05)
    builder.add_edge(START, "slow")
    graph = driver.compile(builder)
    await driver.fail(NodeTimeoutError, graph, {"nodes": []})
    return graph


async def _handle_error(driver: Driver) -> Graph:
    async def boom(_state: State) -> object:
        raise BrokenNodeError

    async def handle(_state: State) -> object:
        return Command(goto="z", update={"nodes": ["handled"]})

    builder = StateGraph(State)
    builder.add_node("boom", driver.node(boom), error_handler=driver.node(handle))
    builder.add_node("z", driver.mark("z"))
    builder.add_edge(START, "boom")
    graph = driver.compile(builder)
    await driver.invoke(graph, {"nodes": []})
    return graph


BAD_NODES = ("a", "bad", "sib", "z")
BROKEN = [START_STEP, ["a"], ["bad", "sib"]]
MENDED = [*BROKEN, ["z"]]

SCENARIOS = [
    Scenario(
        number=21,
        title="node error beside a sibling",
        drive=_break,
        declared_nodes=BAD_NODES,
        steps_from_spans=[BROKEN],
    ),
    Scenario(
        number=22,
        title="node error, retried with invoke(None)",
        drive=_break_then_retry,
        declared_nodes=BAD_NODES,
        steps_from_spans=[MENDED],
    ),
    Scenario(
        number=23,
        title="node error, then a new input",
        drive=_break_then_begin_anew,
        declared_nodes=BAD_NODES,
        steps_from_spans=[BROKEN, MENDED],
    ),
    Scenario(
        number=24,
        title="RetryPolicy, three attempts",
        drive=_retry_by_policy,
        declared_nodes=("flaky",),
        steps_from_spans=[[START_STEP, ["flaky"]]],
    ),
    Scenario(
        number=25,
        title="recursion limit of 3 on a node that leads to itself",
        drive=_loop_to_limit,
        declared_nodes=("l",),
        steps_from_spans=[[START_STEP, ["l"], ["l"], ["l"]]],
        steps_from_history=[[START_STEP, ["l"], ["l"], ["l"], ["l"]]],
        pending_only=True,
    ),
    Scenario(
        number=28,
        title="stream closed after the first node",
        drive=_close_stream,
        declared_nodes=("a", "ask", "b"),
        steps_from_spans=[[START_STEP, ["a"]]],
        steps_from_history=[[START_STEP, ["a"], ["ask"]]],
        pending_only=True,
    ),
    Scenario(
        number=36,
        title="None on an empty thread",
        drive=_begin_with_nothing,
        declared_nodes=("a", "b", "c"),
        steps_from_spans=[],
    ),
    Scenario(
        number=41,
        title="sibling cancelled by a failure (async), nodes declared against their names' order",
        drive=_cancel_sibling,
        declared_nodes=("slow", "fail"),
        steps_from_spans=[[START_STEP, ["fail", "slow"]]],
        modes=("async",),
    ),
    Scenario(
        number=42,
        title="node timeout (async)",
        drive=_time_out,
        declared_nodes=("slow",),
        steps_from_spans=[[START_STEP, ["slow"]]],
        modes=("async",),
    ),
    Scenario(
        number=43,
        title="error handler on a node, which goes on to z (the node's own edges are not followed)",
        drive=_handle_error,
        declared_nodes=("boom", "z"),
        steps_from_spans=[[START_STEP, ["boom"], ["z"]]],
    ),
]
"""By number."""
