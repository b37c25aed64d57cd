from __future__ import annotations

import gc
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from langgraph.types import RetryPolicy
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_traj.record import TrajectoryCallbackHandler, table
from tests.benchmark_scripts import load_script
from tests.record.graphs import State, new_chain

if TYPE_CHECKING:
    from types import ModuleType

ENDINGS = 9
MAX_ENDED_ROOTS = 20
ROUNDS = 20
OURS = [
    tracemalloc.Filter(inclusive=True, filename_pattern=f"*/{name}/*")
    for name in ("otel_traj", "opentelemetry")
]


@pytest.fixture(scope="module")
def memory() -> ModuleType:
    """The benchmark of memory, whose runs these are."""
    return load_script("memory")


@pytest.fixture
def handler() -> TrajectoryCallbackHandler:
    """A handler whose spans are dropped when they end."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(load_script("record").DroppingExporter()))
    return TrajectoryCallbackHandler(tracer_provider=provider)


def trace_ours() -> int:
    """Return how many bytes are alive that we, or the SDK for us, have allocated."""
    gc.collect()
    return sum(each.size for each in tracemalloc.take_snapshot().filter_traces(OURS).statistics("filename"))


def test_every_ending_is_among_them(memory: ModuleType) -> None:
    """The endings are the benchmark's, which have to be as many as here is counted on."""
    assert len(memory.ENDINGS) == ENDINGS


@pytest.mark.parametrize("number", range(ENDINGS))
def test_nothing_is_held_after_an_ending(
    memory: ModuleType, handler: TrajectoryCallbackHandler, number: int
) -> None:
    """However a run ends, every container of the handler is as it was, but for the table of ended runs."""
    fresh = memory.list_containers(handler)
    assert {name for path in fresh if (name := path.rpartition(".")[2]) in memory.BOUNDED} == set(
        memory.BOUNDED
    )
    runs = memory.Runs([handler])
    for _ in range(3):
        runs.run(list(memory.ENDINGS)[number])
    held = memory.list_containers(handler)
    changed = {path.rpartition(".")[2]: held[path] for path in held if held[path] != fresh[path]}
    assert set(changed) == set(memory.BOUNDED)
    assert min(changed.values()) == 3


def test_memory_is_flat_over_hundreds_of_runs(
    memory: ModuleType, handler: TrajectoryCallbackHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the table of ended runs is full, runs of every ending leave no byte for each of them."""
    monkeypatch.setattr(table, "MAX_ENDED_ROOTS", MAX_ENDED_ROOTS)
    runs, names = memory.Runs([handler]), list(memory.ENDINGS)
    tracemalloc.start()
    try:
        alive = []
        for rounds in (4, ROUNDS):
            for name in names * rounds:
                runs.run(name)
            alive.append(trace_ours())
    finally:
        tracemalloc.stop()
    # The least that can be kept of a run is an object of some 50 bytes.
    assert alive[1] - alive[0] < ROUNDS * ENDINGS * 40


def test_an_ended_root_keeps_nothing_of_its_tasks(handler: TrajectoryCallbackHandler) -> None:
    """A remembered root holds no list of its tasks, nor of those that were tried again, however many there were."""

    def fail(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        raise ConnectionError

    builder = new_chain("a")
    policy = RetryPolicy(max_attempts=3, initial_interval=0.001, jitter=False)
    builder.add_node("fail", fail, retry_policy=policy)
    builder.add_edge("a", "fail")
    with pytest.raises(ConnectionError):
        builder.compile().invoke({}, {"callbacks": [handler], "configurable": {"thread_id": "t"}})
    root = handler._table.find_last_root("t")
    assert root is not None
    assert root.graph is not None
    assert (root.graph.tasks, root.graph.retries) == ({}, {})
