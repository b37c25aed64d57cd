"""A LangGraph program without a line of telemetry in it; the tests run it under an instrumentation.

It imports langgraph late, pauses at a static interrupt, goes on, and prints its last state to stderr: stdout is for
the spans that a console exporter writes.
"""

from __future__ import annotations

import sys
from typing import TypedDict

__all__ = ["main"]


class State(TypedDict, total=False):
    """What the nodes pass on."""

    count: int


def add_one(state: State) -> State:
    """Count one more."""
    return {"count": state.get("count", 0) + 1}


def main() -> None:
    """Run the graph on one thread, in two calls."""
    assert "langgraph" not in sys.modules
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import START, StateGraph

    builder = StateGraph(State)
    builder.add_node("draft", add_one)
    builder.add_node("send", add_one)
    builder.add_edge(START, "draft")
    builder.add_edge("draft", "send")
    graph = builder.compile(checkpointer=InMemorySaver(), interrupt_before=["send"], name="plain")
    graph.invoke({"count": 0}, {"configurable": {"thread_id": "t1"}})
    state = graph.invoke(None, {"configurable": {"thread_id": "t1"}})
    sys.stderr.write(f"{state['count']}\n")


if __name__ == "__main__":
    main()
