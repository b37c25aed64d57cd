"""What recording costs: a graph of 200 nodes that do nothing, with our handler, with the floor, and with none.

The floor is the least that any recorder must do: a handler that makes the same number of spans, with a parent and
six attributes, and knows nothing else. All send through a batch processor to an exporter that drops everything.
Rounds take turns in changing order; what counts is the ratio of the medians of what each adds to a run without a
handler. `python benchmarks/record.py` prints the table, `--json PATH` writes the same as JSON.

It is the quick look, in one process. `record_peers.py` measures the same graphs beside other recorders; so this
imports nothing of ours before it measures it, and the graphs, the floor and the clock are those of both.
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
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from langchain_core.callbacks import BaseCallbackHandler
from langgraph.graph import START, StateGraph
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from langchain_core.runnables import RunnableConfig
    from langgraph.graph.state import CompiledStateGraph
    from opentelemetry.sdk.trace import ReadableSpan

__all__ = [
    "MODES",
    "NODES",
    "ROUNDS",
    "DroppingExporter",
    "FloorHandler",
    "Taken",
    "build_graphs",
    "main",
    "make_provider",
    "measure",
    "run_once",
]

NODES = 200
ROUNDS = 41
MODES = ("sync", "async")
PACKAGES = ("otel-traj", "langgraph", "langchain-core", "opentelemetry-sdk")


class Taken(NamedTuple):
    """What one run took, in seconds."""

    wall: float
    """Until the caller had its answer."""
    processor: float
    """Of all threads, until the last span was exported."""


class State(TypedDict, total=False):
    """A state of one number."""

    x: int


class DroppingExporter(SpanExporter):
    """Counts spans and drops them."""

    def __init__(self) -> None:
        self.count = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Say that all went well."""
        self.count += len(spans)
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


def build_graphs(nodes: int) -> dict[str, CompiledStateGraph[State, None, State, State]]:
    """Return the graph of each mode."""
    return {"sync": build_graph(nodes), "async": build_async_graph(nodes)}


def make_provider(exporter: DroppingExporter) -> TracerProvider:
    """Return a provider whose spans go nowhere, in batches."""
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=65_536))
    return provider


def run_once(
    graph: CompiledStateGraph[State, None, State, State],
    mode: str,
    callbacks: list[BaseCallbackHandler],
    provider: TracerProvider,
) -> Taken:
    """Run a graph once and return what that took.

    Args:
        graph: The graph of that mode.
        mode: `sync` or `async`.
        callbacks: Handlers to run it with.
        provider: Whose spans are exported before the processor's time is read.
    """
    config: RunnableConfig = {"callbacks": callbacks, "recursion_limit": len(graph.nodes) + 10}
    gc.collect()
    processor, began = time.process_time(), time.perf_counter()
    if mode == "async":
        asyncio.run(graph.ainvoke({"x": 0}, config))
    else:
        graph.invoke({"x": 0}, config)
    wall = time.perf_counter() - began
    provider.force_flush()
    return Taken(wall, time.process_time() - processor)


def measure(*, nodes: int = NODES, rounds: int = ROUNDS, is_async: bool = False) -> dict[str, float]:
    """Return what each adds to a run, in microseconds of wall time per node, and the ratio of ours to the floor.

    Args:
        nodes: Nodes of the graph.
        rounds: How often all take turns.
        is_async: Whether nodes are coroutines, run by `ainvoke`.
    """
    from otel_traj import TrajectoryCallbackHandler

    mode = "async" if is_async else "sync"
    graph = build_graphs(nodes)[mode]
    provider = make_provider(DroppingExporter())
    handlers: dict[str, list[BaseCallbackHandler]] = {
        "none": [],
        "floor": [FloorHandler(provider)],
        "ours": [TrajectoryCallbackHandler(tracer_provider=provider)],
    }
    for callbacks in handlers.values():
        run_once(graph, mode, callbacks, provider)
    times: dict[str, list[float]] = {name: [] for name in handlers}
    order = list(handlers)
    for _ in range(rounds):
        for name in order:
            times[name].append(run_once(graph, mode, handlers[name], provider).wall)
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
    rows = {mode: measure(is_async=mode == "async") for mode in MODES}
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
