"""What recording keeps: thousands of runs through one handler, ended in every way, and what is left of them.

Small graphs are run in turn and end well, by an error, at an interrupt (resumed or not), cancelled, in a stream that
is broken off, sync and async; a fan-out and a subgraph are among them. After a warm-up, long enough to fill the
bounded table of the last 1,000 ended top-level runs, the heap (tracemalloc, after a collection) and the resident
memory are read, and again at the end. A second process does the same without a handler: what grows there is not ours.

    python benchmarks/memory.py --json benchmarks/memory.json > benchmarks/memory.txt

The exit code is 1 where the heap grew by more than 1 MiB, or where anything but that table holds something.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import multiprocessing
import operator
import platform
import sys
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt
from record import DroppingExporter, make_provider

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.runnables import RunnableConfig
    from langgraph.graph.state import CompiledStateGraph

    from otel_traj import TrajectoryCallbackHandler

__all__ = ["BOUNDED", "ENDINGS", "Kept", "Runs", "list_containers", "main", "measure"]

RUNS = 10_000
WARM_UP = 1_500
LIMIT = 1024 * 1024
BOUNDED = ("_ended_roots", "_last_of_thread")
"""What may hold something when no run is under way: the last 1,000 ended top-level runs, and the last of each thread."""
PACKAGES = ("otel-traj", "langgraph", "langchain-core", "opentelemetry-sdk")


class State(TypedDict, total=False):
    """What the small graphs pass on."""

    seen: Annotated[list[str], operator.add]
    how: str


class Runs:
    """Runs of a small graph that end in one way each, on a thread each that is forgotten afterwards."""

    def __init__(self, callbacks: list[BaseCallbackHandler]) -> None:
        """Build the graph; all of its runs are recorded by these handlers."""
        self._callbacks = callbacks
        self._saver = InMemorySaver()
        self._graph = build_graph(self._saver)
        self._count = 0

    def run(self, ending: str) -> None:
        """Run the graph until it ends in this way."""
        ENDINGS[ending](self)

    @contextlib.contextmanager
    def _thread(self) -> Iterator[RunnableConfig]:
        self._count += 1
        thread = f"thread-{self._count}"
        yield {"callbacks": self._callbacks, "configurable": {"thread_id": thread}}
        self._saver.delete_thread(thread)

    def succeed(self) -> None:
        """Run to the end."""
        with self._thread() as config:
            self._graph.invoke({"how": "ok"}, config)

    def succeed_async(self) -> None:
        """The same as a coroutine."""
        with self._thread() as config:
            asyncio.run(self._graph.ainvoke({"how": "ok"}, config))

    def fail(self) -> None:
        """End by an exception of a node."""
        with self._thread() as config, contextlib.suppress(ValueError):
            self._graph.invoke({"how": "fail"}, config)

    def fail_async(self) -> None:
        """The same as a coroutine."""
        with self._thread() as config, contextlib.suppress(ValueError):
            asyncio.run(self._graph.ainvoke({"how": "fail"}, config))

    def resume(self) -> None:
        """Stop at an interrupt, and go on to the end."""
        with self._thread() as config:
            self._graph.invoke({"how": "ask"}, config)
            self._graph.invoke(Command(resume="yes"), config)

    def wait(self) -> None:
        """Stop at an interrupt for good."""
        with self._thread() as config:
            self._graph.invoke({"how": "ask"}, config)

    def break_stream(self) -> None:
        """Leave a stream after its first item."""
        with self._thread() as config:
            for _ in self._graph.stream({"how": "ok"}, config):
                break

    def break_stream_async(self) -> None:
        """Close an asynchronous stream after its first item."""

        async def leave(config: RunnableConfig) -> None:
            stream: Any = self._graph.astream({"how": "ok"}, config)
            async for _ in stream:
                break
            await stream.aclose()

        with self._thread() as config:
            asyncio.run(leave(config))

    def cancel(self) -> None:
        """Cancel a run whose node waits."""

        async def give_up(config: RunnableConfig) -> None:
            task = asyncio.create_task(self._graph.ainvoke({"how": "hang"}, config))
            await asyncio.sleep(0.005)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

        with self._thread() as config:
            asyncio.run(give_up(config))


ENDINGS: dict[str, Callable[[Runs], None]] = {
    "ok": Runs.succeed,
    "ok, async": Runs.succeed_async,
    "error": Runs.fail,
    "error, async": Runs.fail_async,
    "interrupted and resumed": Runs.resume,
    "interrupted for good": Runs.wait,
    "broken stream": Runs.break_stream,
    "broken stream, async": Runs.break_stream_async,
    "cancelled": Runs.cancel,
}
"""By name: how a run may end."""


def build_graph(saver: InMemorySaver) -> CompiledStateGraph[State, None, State, State]:
    """Return a graph of a node that does as told, a fan-out, and a subgraph."""

    def act(state: State) -> State:
        if state["how"] == "fail":
            raise ValueError(state["how"])
        return {"seen": [interrupt("?") if state["how"] == "ask" else "act"]}

    async def act_async(state: State) -> State:
        if state["how"] == "hang":
            await asyncio.sleep(60)
        return act(state)

    from langchain_core.runnables import RunnableLambda

    inner = StateGraph(State).add_node("deep", lambda _: {"seen": ["deep"]}).add_edge(START, "deep")
    builder = StateGraph(State)
    builder.add_node("first", lambda _: {"seen": ["first"]})
    builder.add_node("act", RunnableLambda(act, act_async))
    builder.add_node("worker", lambda _: {"seen": ["worker"]})
    builder.add_node("inner", inner.compile(name="inner"))
    builder.add_edge(START, "first").add_edge("first", "act").add_edge("worker", "inner")
    builder.add_conditional_edges("act", lambda _: [Send("worker", {"how": "ok"})] * 2, ["worker"])
    return builder.compile(checkpointer=saver, name="small")


def list_containers(handler: TrajectoryCallbackHandler) -> dict[str, int]:
    """Return the length of every container that a handler and its parts have, by where it is.

    It follows whatever attributes there are, so that a container which is added one day is among them.
    """
    found: dict[str, int] = {}
    waiting: list[tuple[str, object]] = [("handler", handler)]
    seen = set()
    while waiting:
        path, owner = waiting.pop()
        if id(owner) in seen:
            continue
        seen.add(id(owner))
        for name, value in list_attributes(owner):
            if isinstance(value, (str, bytes, tuple, frozenset)):
                continue
            if hasattr(value, "__len__") and hasattr(value, "__iter__"):
                found[f"{path}.{name}"] = len(value)
            elif type(value).__module__.startswith("otel_traj"):
                waiting.append((f"{path}.{name}", value))
    return found


def list_attributes(owner: object) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of an object, whether it has slots or not."""
    yield from getattr(owner, "__dict__", {}).items()
    for each in type(owner).__mro__:
        slots = each.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(owner, name):
                yield name, getattr(owner, name)


@dataclass(frozen=True, slots=True)
class Kept:
    """What one process kept of its runs."""

    recorded: bool
    heap_start: int
    """Bytes after the warm-up."""
    heap_end: int
    """Bytes after the last run."""
    resident_start: int
    resident_end: int
    spans: int
    containers: dict[str, int]
    """What the handler's containers hold at the end, those left out that hold as much as a new handler's."""

    @property
    def growth(self) -> int:
        """Bytes that the heap grew by."""
        return self.heap_end - self.heap_start


def measure(runs: int, warm_up: int, *, recorded: bool) -> Kept:
    """Run every ending in turn.

    Args:
        runs: How many runs are measured.
        warm_up: How many go before them.
        recorded: Whether a handler records them.
    """
    from otel_traj import TrajectoryCallbackHandler

    exporter = DroppingExporter()
    provider = make_provider(exporter)
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    fresh = list_containers(handler)
    tracemalloc.start()
    driver = Runs([handler] if recorded else [])
    names = list(ENDINGS)
    readings = []
    for count in (warm_up, runs):
        for number in range(count):
            driver.run(names[number % len(names)])
        provider.force_flush()
        gc.collect()
        readings.append((tracemalloc.get_traced_memory()[0], read_resident()))
    (heap_start, resident_start), (heap_end, resident_end) = readings
    return Kept(
        recorded,
        heap_start,
        heap_end,
        resident_start,
        resident_end,
        exporter.count,
        {path: held for path, held in list_containers(handler).items() if held != fresh.get(path)},
    )


def read_resident() -> int:
    """Return the resident memory of this process in bytes, 0 where the system has no /proc."""
    status = Path("/proc/self/status")
    lines = status.read_text("utf-8").splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS")), 0)


def print_report(found: list[Kept], facts: dict[str, str], runs: int) -> bool:
    """Print what was kept, first without a handler, last with ours; return whether it is as it has to be."""
    print(f"{runs:,} runs, ended in {len(ENDINGS)} ways: {'; '.join(ENDINGS)}.")
    print(", ".join(f"{key} {value}" for key, value in facts.items()) + ".")
    print("\n| | heap grew by KiB | resident, MiB at start | at end | spans |\n|---|---:|---:|---:|---:|")
    for kept in found:
        sizes = [f"{size / LIMIT:.1f}" for size in (kept.resident_start, kept.resident_end)]
        name = "our handler" if kept.recorded else "no handler"
        print(f"| {name} | {kept.growth / 1024:.1f} | {' | '.join(sizes)} | {kept.spans:,} |")
    held = {path.rpartition(".")[2]: size for path, size in found[-1].containers.items()}
    left = held.keys() - BOUNDED
    added = found[-1].growth - found[0].growth
    is_flat = added <= LIMIT
    print(
        f"\n- our handler adds {added / 1024:.1f} KiB to what grows without it; at most 1 MiB: {'yes' if is_flat else 'NO'}"
    )
    print(
        f"- held when no run is under way: {', '.join(f'{name} {size:,}' for name, size in held.items())}; ",
        end="",
    )
    print(f"besides the bounded table of ended runs: {', '.join(sorted(left)) or 'nothing'}")
    return is_flat and not left


def main() -> int:
    """Measure in two processes, print, and write JSON where asked to."""
    parser = argparse.ArgumentParser(description="Measure what recording keeps of runs that have ended.")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the numbers as JSON, too")
    parser.add_argument("--runs", type=int, default=RUNS, help="how many are measured (%(default)s)")
    parser.add_argument("--warm-up", type=int, default=WARM_UP, help="how many go before (%(default)s)")
    given = parser.parse_args()
    facts = {"date": datetime.now(UTC).date().isoformat(), "python": platform.python_version()}
    facts |= {name: version(name) for name in PACKAGES}
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as bare, ProcessPoolExecutor(1, spawn) as recording:
        waiting = [
            pool.submit(measure, given.runs, given.warm_up, recorded=pool is recording)
            for pool in (bare, recording)
        ]
        found = [each.result() for each in waiting]
    is_good = print_report(found, facts, given.runs)
    if given.json is not None:
        rows = [asdict(kept) for kept in found]
        given.json.write_text(
            json.dumps({**facts, "runs": given.runs, "rows": rows}, indent=1) + "\n", "utf-8"
        )
    return int(not is_good)


if __name__ == "__main__":
    sys.exit(main())
