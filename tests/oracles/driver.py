"""Drive a graph by its sync or its async API from one and the same text.

A scenario is written once, as a coroutine. In async mode it is awaited and its nodes are coroutine functions;
in sync mode nothing in it ever suspends, so that it runs to its end at the first step, in the caller's thread
and without an event loop, and its nodes are plain functions.
"""

from __future__ import annotations

import asyncio
import operator
import threading
import uuid
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar, cast

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.runnables import RunnableConfig
    from langgraph.pregel import Pregel
    from langgraph.types import StateSnapshot

__all__ = ["Body", "Builder", "Driver", "Graph", "Mode", "Node", "Signal", "State", "run_without_loop"]

T = TypeVar("T")

Mode: TypeAlias = Literal["sync", "async"]
Graph: TypeAlias = "Pregel[Any, Any, Any, Any]"
Builder: TypeAlias = "StateGraph[State, None, State, State]"
Body: TypeAlias = "Callable[[State], Awaitable[object]]"
"""What a node does, written async; its result is a state update, a Command or None."""

WAIT_SECONDS = 30
"""Longest time that a node waits for its sibling: only a run that hangs comes near it."""


class State(TypedDict, total=False):
    """State of nearly every oracle: the nodes that ran, in the order of their writes."""

    nodes: Annotated[list[str], operator.add]


class Node(Protocol):
    """What LangGraph takes as a node."""

    def __call__(self, state: State) -> object:
        """Do it and return the update."""


class Signal:
    """Something that one node waits for and another says, in threads or in an event loop."""

    def __init__(self, mode: Mode) -> None:
        self._threads = threading.Event() if mode == "sync" else None
        self._loop = asyncio.Event()

    def set(self) -> None:
        """Let everybody go on who waits now or later."""
        (self._threads or self._loop).set()

    async def wait(self) -> None:
        """Wait until `set` was called; raise TimeoutError where it never is."""
        if self._threads is None:
            await asyncio.wait_for(self._loop.wait(), WAIT_SECONDS)
        elif not self._threads.wait(WAIT_SECONDS):
            raise TimeoutError


class Driver:
    """One drive of one scenario: a mode, a thread id and checkpointer of its own, the callbacks under test."""

    def __init__(self, mode: Mode, callbacks: Sequence[BaseCallbackHandler]) -> None:
        self.mode = mode
        self.callbacks = callbacks
        self.thread_id = uuid.uuid4().hex
        self.checkpointer = InMemorySaver()

    @property
    def config(self) -> RunnableConfig:
        """A fresh config with the thread id and the callbacks."""
        return {"configurable": {"thread_id": self.thread_id}, "callbacks": list(self.callbacks)}

    def node(self, body: Body) -> Node:
        """Return the node that does what `body` does, as a coroutine function or a plain one by mode."""

        async def run_async(state: State) -> object:
            return await body(state)

        def run_sync(state: State) -> object:
            return run_without_loop(body(state))

        return run_async if self.mode == "async" else run_sync

    def mark(self, name: str) -> Node:
        """Return a node that does nothing but add its name to the state."""

        async def body(_state: State) -> object:
            return {"nodes": [name]}

        return self.node(body)

    def chain(self, *names: str, **special: Body) -> Builder:
        """Return a builder of nodes that follow one another; those without a body in `special` only mark."""
        builder = StateGraph(State)
        for previous, name in zip((START, *names), names, strict=False):
            builder.add_node(name, self.node(special[name]) if name in special else self.mark(name))
            builder.add_edge(previous, name)
        return builder

    def compile(
        self,
        builder: Builder,
        *,
        interrupt_before: list[str] | None = None,
        interrupt_after: list[str] | None = None,
    ) -> Graph:
        """Return the graph "oracle" with the checkpointer of this drive."""
        return builder.compile(
            checkpointer=self.checkpointer,
            interrupt_before=interrupt_before,
            interrupt_after=interrupt_after,
            name="oracle",
        )

    async def invoke(
        self,
        graph: Graph,
        value: object,
        *,
        at: RunnableConfig | None = None,
        recursion_limit: int = 25,
        durability: Literal["sync", "async", "exit"] | None = None,
    ) -> None:
        """Invoke the graph under the callbacks on this thread, at the checkpoint of `at` where given."""
        config = self.config
        config["recursion_limit"] = recursion_limit
        if at is not None:
            config["configurable"] = at["configurable"]
        if self.mode == "async":
            await graph.ainvoke(value, config, durability=durability)
        else:
            graph.invoke(value, config, durability=durability)

    async def invoke_unseen(self, graph: Graph, value: object) -> None:
        """Invoke the graph on another thread, without the callbacks: preparation, no part of the oracle."""
        config: RunnableConfig = {"configurable": {"thread_id": uuid.uuid4().hex}}
        if self.mode == "async":
            await graph.ainvoke(value, config)
        else:
            graph.invoke(value, config)

    async def fail(
        self, error: type[Exception], graph: Graph, value: object, *, recursion_limit: int = 25
    ) -> None:
        """Invoke the graph and expect it to raise `error`."""
        with pytest.raises(error):
            await self.invoke(graph, value, recursion_limit=recursion_limit)

    async def call(self, graph: Graph, state: State) -> object:
        """Invoke a graph inside a node: config, callbacks and thread come from the context."""
        if self.mode == "async":
            return await graph.ainvoke(state)
        return graph.invoke(state)

    async def read_first_chunk(self, graph: Graph, value: object) -> None:
        """Stream the graph's updates, take the first one and close the stream."""
        if self.mode == "async":
            chunks = graph.astream(value, self.config, stream_mode="updates")
            await anext(chunks)
            await cast("Any", chunks).aclose()
        else:
            parts = graph.stream(value, self.config, stream_mode="updates")
            next(parts)
            cast("Any", parts).close()

    async def read_history(self, graph: Graph) -> list[StateSnapshot]:
        """Return the snapshots of the thread, newest first."""
        config: RunnableConfig = {"configurable": {"thread_id": self.thread_id}}
        if self.mode == "async":
            return [snapshot async for snapshot in graph.aget_state_history(config)]
        return list(graph.get_state_history(config))

    async def find_before(self, graph: Graph, node: str) -> RunnableConfig:
        """Return the config of the newest checkpoint whose next node is `node`."""
        return next(
            snapshot.config for snapshot in await self.read_history(graph) if snapshot.next == (node,)
        )

    async def update_state(self, graph: Graph, values: State, *, as_node: str) -> None:
        """Write to the thread's state as if the node had."""
        config: RunnableConfig = {"configurable": {"thread_id": self.thread_id}}
        if self.mode == "async":
            await graph.aupdate_state(config, values, as_node=as_node)
        else:
            graph.update_state(config, values, as_node=as_node)


def run_without_loop(awaitable: Awaitable[T]) -> T:
    """Run a coroutine that never suspends to its end and return its result."""
    try:
        next(awaitable.__await__())
    except StopIteration as end:
        return cast("T", end.value)
    raise RuntimeError("a scenario suspended in sync mode")
