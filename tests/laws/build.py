"""From a random graph's data to a compiled graph that does it."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict

from langchain_core.runnables import RunnableLambda
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, RetryPolicy, Send, interrupt
from opentelemetry import trace

from tests.oracles.driver import run_without_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from langgraph.pregel import Pregel

    from tests.laws.spec import Graph, Node, Way
    from tests.oracles.driver import Mode

__all__ = ["BrokenNodeError", "Builder", "State", "begin_run"]

Inner: TypeAlias = "Pregel[Any, Any, Any, Any] | None"
Body: TypeAlias = "Callable[[State, Inner], Coroutine[Any, Any, object]]"


class BrokenNodeError(RuntimeError):
    """What a node raises."""


def take_later(one: int, two: int) -> int:
    """Return the higher number: `max` has no signature, which LangGraph asks for."""
    return max(one, two)


def merge_visits(one: dict[str, int], two: dict[str, int]) -> dict[str, int]:
    """Return the higher count of each; a subgraph gives back what it was given, so nothing may be added up."""
    return {key: max(one.get(key, 0), two.get(key, 0)) for key in one | two}


class State(TypedDict, total=False):
    """What nodes choose their ways by."""

    run: Annotated[int, take_later]
    """Number of the run on its thread."""
    visits: Annotated[dict[str, int], merge_visits]
    """Supersteps in which a node ran, by run and name."""


def begin_run(number: int) -> State:
    """Return the input that begins the so manieth run of a thread."""
    return {"run": number, "visits": {}}


def _look_up(word: str) -> str:
    return word


async def _look_up_async(word: str) -> str:
    return word


# A tool without an async form of its own runs in a thread pool, where a sibling's failure does not reach it, so that
# it may begin after its run has ended: a late span, and no run that the laws could call complete.
look_up = StructuredTool.from_function(
    _look_up, coroutine=_look_up_async, name="look_up", description="Look up a word."
)


class Builder:
    """Builds the graphs of one case."""

    def __init__(self, mode: Mode, *, noise: int = 0) -> None:
        """Begin with nothing.

        Args:
            mode: Whether nodes are functions or coroutine functions.
            noise: How many attributes of its own each node sets on the current span.
        """
        self._mode = mode
        self._noise = noise
        self._lock = threading.Lock()
        self._visits: Counter[int] = Counter()

    def build(
        self,
        graph: Graph,
        checkpointer: Any,  # noqa: ANN401 - as langgraph declares it
        name: str = "laws",
        exit_to: str = "",
    ) -> Pregel[Any, Any, Any, Any]:
        """Return the compiled graph.

        Args:
            graph: Its data.
            checkpointer: What it is compiled with.
            name: Its name.
            exit_to: Node of the graph above that its nodes leave for.
        """
        builder = StateGraph(State)
        for number, node in enumerate(graph.nodes):
            policy = (
                RetryPolicy(max_attempts=4, initial_interval=0, jitter=False, retry_on=BrokenNodeError)
                if node.retried
                else None
            )
            builder.add_node(
                node.name,
                self._make_node(node, f"{name}.{number}", exit_to),
                defer=node.defer,
                retry_policy=policy,
                destinations=_list_destinations(node) or None,
            )
        for target in graph.entry:
            builder.add_edge(START, target)
        if graph.entry_way:
            way = graph.entry_way
            builder.add_conditional_edges(START, lambda state: _take(way, state), _targets_of(way))
        for node in graph.nodes:
            for target in node.to:
                builder.add_edge(node.name, target)
            if node.ways and not node.by_command:
                builder.add_conditional_edges(node.name, _make_router(node), _targets_of(*node.ways))
        for sources, target in graph.joins:
            builder.add_edge(list(sources), target)
        return builder.compile(
            checkpointer=checkpointer,
            interrupt_before=list(graph.pause_before) or None,
            interrupt_after=list(graph.pause_after) or None,
            name=name,
        )

    def _make_node(self, node: Node, inner_name: str, exit_to: str) -> Any:  # noqa: ANN401 - whatever langgraph takes as a node
        inner = None
        if node.inner is not None:
            memory = InMemorySaver() if node.does == "alone" else node.memory
            inner = self.build(node.inner, memory, inner_name, node.exit)
        if node.does == "sub":
            return inner
        function = self._adapt(self._make_body(node, exit_to), inner)
        if node.does == "chain":
            return RunnableLambda(function, name=node.name) | RunnableLambda(_give_back, name=node.name)
        return function

    def _adapt(self, body: Body, inner: Inner) -> Callable[[State], Any]:
        """Return a node; LangGraph finds the graph that it calls among what it closes over."""

        async def run_async(state: State) -> object:
            return await body(state, inner)

        def run_sync(state: State) -> object:
            return run_without_loop(body(state, inner))

        return run_async if self._mode == "async" else run_sync

    def _make_body(self, node: Node, exit_to: str) -> Body:
        async def body(state: State, inner: Inner) -> object:
            for number in range(self._noise):
                trace.get_current_span().set_attribute(f"app.{number}", number)
            await self._act(node, inner, state)
            update = _count_visit(state, node.name)
            if node.does == "leave":
                return Command(graph=Command.PARENT, update=update, goto=exit_to)
            if not node.by_command:
                return update
            return Command(update=update, goto=_take(_choose(node, update), {**state, **update}))

        return body

    async def _act(self, node: Node, inner: Inner, state: State) -> None:
        if node.does == "ask":
            for number in range(node.times):
                interrupt(f"{node.name} {number}?")
        elif node.does == "fail":
            with self._lock:
                self._visits[id(node)] += 1
                is_broken = self._visits[id(node)] <= node.times
            if is_broken:
                raise BrokenNodeError(node.name)
        elif node.does == "tool":
            await self._invoke(look_up, {"word": node.name})
        elif inner is not None:
            for number in range(node.times):
                config = {"configurable": {"thread_id": f"{node.name}/{number}"}}
                await self._invoke(inner, state, config if node.does == "alone" else None)

    async def _invoke(self, runnable: Any, value: object, config: Any = None) -> None:  # noqa: ANN401 - any runnable
        if self._mode == "async":
            await runnable.ainvoke(value, config)
        else:
            runnable.invoke(value, config)


def _give_back(update: object) -> object:
    return update


def _count_visit(state: State, name: str) -> State:
    run = state.get("run", 0)
    key = f"{run}/{name}"
    return {"run": run, "visits": {key: state.get("visits", {}).get(key, 0) + 1}}


def _choose(node: Node, state: State) -> Way:
    number = state.get("visits", {}).get(f"{state.get('run', 0)}/{node.name}", 1)
    return node.ways[number - 1] if number <= len(node.ways) else ()


def _make_router(node: Node) -> Callable[[State], list[Any]]:
    def route(state: State) -> list[Any]:
        return _take(_choose(node, state), state)

    return route


def _take(way: Way, state: State) -> list[Any]:
    taken: list[Any] = []
    for target in way:
        taken += [Send(target.node, dict(state)) for _ in range(target.copies)] or [target.node]
    return taken


def _list_destinations(node: Node) -> tuple[str, ...]:
    """Return where a node's own commands, and those out of its inner graph, may lead."""
    commanded = _targets_of(*node.ways) if node.by_command else []
    return tuple(dict.fromkeys([*commanded, *([node.exit] if node.exit else [])]))


def _targets_of(*ways: Way) -> list[str]:
    return list(dict.fromkeys(target.node for way in ways for target in way))
