"""Nodes in which the user opens spans, and the check that these nest."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from langgraph.graph import START, StateGraph

from tests.record.graphs import Graph, Node, State

if TYPE_CHECKING:
    from tests.record.recording import Recording

__all__ = ["build_diamond", "check_nesting", "open_span", "open_span_async"]


def open_span(recording: Recording, name: str) -> Node:
    """Return a node in whose body the user opens a span."""

    def node(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        with recording.tracer.start_as_current_span(name):
            return {"nodes": [name]}

    return node


def open_span_async(recording: Recording, name: str) -> Node:
    """Return an async node in whose body the user opens a span, after giving way to others."""

    async def node(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        await asyncio.sleep(0)
        with recording.tracer.start_as_current_span(name):
            await asyncio.sleep(0)
            return {"nodes": [name]}

    return node


def build_diamond(recording: Recording, opener: Any) -> Graph:  # noqa: ANN401 - one of the two above
    """Return start, then left and right side by side, then end; each node opens a span of its own name."""
    builder = StateGraph(State)
    for name in ("start", "left", "right", "end"):
        builder.add_node(name, opener(recording, f"http {name}"))
    builder.add_edge(START, "start")
    builder.add_edge("start", "left")
    builder.add_edge("start", "right")
    builder.add_edge(["left", "right"], "end")
    return builder.compile(name="diamond")


def check_nesting(recording: Recording) -> None:
    """Each span `http x` lies directly below `invoke_node x`."""
    opened = [span for span in recording.spans if span.name.startswith("http ")]
    assert opened
    for span in opened:
        parent = recording.get_parent(span)
        assert parent is not None
        assert parent.name == span.name.replace("http", "invoke_node")
