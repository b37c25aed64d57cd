"""Small graphs for the recorder's tests."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.runnables import Runnable
    from langgraph.graph.state import CompiledStateGraph

__all__ = ["Graph", "Node", "State", "build_chain", "mark", "new_chain"]

Node: TypeAlias = "Callable[..., object] | Runnable[Any, Any]"
Graph: TypeAlias = "CompiledStateGraph[State, None, State, State]"


class State(TypedDict, total=False):
    """The nodes that ran, and whatever a test passes through."""

    nodes: Annotated[list[str], operator.add]
    value: Any


def mark(name: str) -> Node:
    """Return a node that adds its name to the state."""

    def node(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        return {"nodes": [name]}

    return node


def new_chain(*names: str, **bodies: Node) -> StateGraph[State, None, State, State]:
    """Return a builder of nodes that follow one another; those without a body only mark themselves."""
    builder = StateGraph(State)
    for before, name in zip((START, *names), names, strict=False):
        builder.add_node(name, bodies.get(name) or mark(name))
        builder.add_edge(before, name)
    return builder


def build_chain(*names: str, saved: bool = False, graph_name: str = "chain", **bodies: Node) -> Graph:
    """Return a graph of nodes that follow one another, with a checkpointer where asked for."""
    checkpointer = InMemorySaver() if saved else None
    return new_chain(*names, **bodies).compile(checkpointer=checkpointer, name=graph_name)
