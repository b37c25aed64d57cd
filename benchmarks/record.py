"""What recording costs: a graph of 200 nodes that do nothing, with our handler, with the floor, and with none.

The floor is the least that any recorder must do: a handler that makes the same number of spans, with a parent and
six attributes, and knows nothing else. All send through a batch processor to an exporter that drops everything.
Rounds take turns in changing order; what counts is the ratio of the medians of what each adds to a run without a
handler. `python benchmarks/record.py` prints the table, `--json PATH` writes the same as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import platform
import statistics
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from langchain_core.callbacks import BaseCallbackHandler
from langgraph.graph import START, StateGraph
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from otel_traj import TrajectoryCallbackHandler

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from langgraph.graph.state import CompiledStateGraph
    from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["main", "measure"]

NODES = 200
ROUNDS = 41
PACKAGES = ("otel-traj", "langgraph", "langchain-core", "opentelemetry-sdk")


class State(TypedDict, total=False):
    """A state of one number."""

    x: int


class DroppingExporter(SpanExporter):
    """Drops everything."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:  # noqa: ARG002 - the interface
        """Say that all went well."""
        return SpanExportResult.SUCCESS


class FloorHandler(BaseCallbackHandler):
    """Makes a span with six attributes for the graph run and each node, under its parent."""

    run_inline = True

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("floor")
        self._open: dict[UUID, trace.Span] = {}

    def on_chain_start(
        self,
        serialized: object,  # noqa: ARG002 - the interface
        inputs: object,  # noqa: ARG002 - as above
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, object] | None = None,
        **kwargs: object,
    ) -> None:
        """Begin a span."""
        parent = self._open.get(parent_run_id) if parent_run_id is not None else None
        context = None if parent is None else trace.set_span_in_context(parent)
        known = metadata or {}
        self._open[run_id] = self._tracer.start_span(
            str(kwargs.get("name")),
            context,
            attributes={
                "operation": "invoke_node",
                "node": str(known.get("langgraph_node")),
                "step": int(str(known.get("langgraph_step", 0))),
                "namespace": str(known.get("langgraph_checkpoint_ns")),
                "run": str(run_id),
                "name": str(kwargs.get("name")),
            },
        )

    def on_chain_end(self, outputs: object, *, run_id: UUID, **kwargs: object) -> None:  # noqa: ARG002 - the interface
        """End it."""
        self._open.pop(run_id).end()


def build_graph(nodes: int) -> CompiledStateGraph[State, None, State, State]:
    """Return a chain of nodes that do nothing."""
    builder = StateGraph(State)
    previous = START
    for number in range(nodes):
        builder.add_node(f"n{number}", lambda state: {"x": 1})  # noqa: ARG005 - a node takes the state
        builder.add_edge(previous, f"n{number}")
        previous = f"n{number}"
    return builder.compile()


def build_async_graph(nodes: int) -> CompiledStateGraph[State, None, State, State]:
    """Return the same with coroutines."""

    async def idle(state: State) -> State:  # noqa: ARG001 - as above
        return {"x": 1}

    builder = StateGraph(State)
    previous = START
    for number in range(nodes):
        builder.add_node(f"n{number}", idle)
        builder.add_edge(previous, f"n{number}")
        previous = f"n{number}"
    return builder.compile()


def make_provider() -> TracerProvider:
    """Return a provider whose spans go nowhere."""
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(DroppingExporter(), max_queue_size=65_536))
    return provider


def measure(*, nodes: int = NODES, rounds: int = ROUNDS, is_async: bool = False) -> dict[str, float]:
    """Return what each adds to a run, in microseconds of wall time per node, and the ratio of ours to the floor.

    Args:
        nodes: Nodes of the graph.
        rounds: How often all take turns.
        is_async: Whether nodes are coroutines, run by `ainvoke`.
    """
    graph = build_async_graph(nodes) if is_async else build_graph(nodes)
    handlers: dict[str, list[BaseCallbackHandler]] = {
        "none": [],
        "floor": [FloorHandler(make_provider())],
        "ours": [TrajectoryCallbackHandler(tracer_provider=make_provider())],
    }

    def run(name: str) -> float:
        config = {"callbacks": handlers[name], "recursion_limit": nodes + 10}
        began = time.perf_counter()
        if is_async:
            asyncio.run(graph.ainvoke({"x": 0}, config))  # type: ignore[arg-type] # a config by hand
        else:
            graph.invoke({"x": 0}, config)  # type: ignore[arg-type] # as above
        return time.perf_counter() - began

    for name in handlers:
        run(name)
    times: dict[str, list[float]] = {name: [] for name in handlers}
    order = list(handlers)
    for _ in range(rounds):
        gc.collect()
        for name in order:
            times[name].append(run(name))
        order = [*order[1:], order[0]]
    added = {
        name: statistics.median(mine - base for mine, base in zip(times[name], times["none"], strict=True))
        for name in ("floor", "ours")
    }
    per_node = {name: seconds / nodes * 1e6 for name, seconds in added.items()}
    return {
        "none": statistics.median(times["none"]) / nodes * 1e6,
        **per_node,
        "ratio": added["ours"] / added["floor"],
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, help="write the same to this file")
    arguments = parser.parse_args()
    rows = {mode: measure(is_async=mode == "async") for mode in ("sync", "async")}
    facts = {"date": datetime.now(UTC).date().isoformat(), "python": platform.python_version()}
    facts |= {name: version(name) for name in PACKAGES}
    print(", ".join(f"{key} {value}" for key, value in facts.items()))
    print("\n| nodes | none, us each | floor adds | ours adds | ours / floor |\n|---|---:|---:|---:|---:|")
    for mode, row in rows.items():
        print(f"| {mode} | {row['none']:.0f} | {row['floor']:.0f} | {row['ours']:.0f} | {row['ratio']:.2f} |")
    if arguments.json:
        arguments.json.write_text(json.dumps({**facts, "rows": rows}, indent=1), "utf-8")


if __name__ == "__main__":
    main()
