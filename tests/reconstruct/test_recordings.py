"""One run that two handlers recorded is one run."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import TrajectoryCallbackHandler, read_runs
from otel_traj.record.samples import build_approval, build_seven_nodes
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig


@pytest.mark.parametrize("thread", [None, "t"])
def test_two_handlers_on_one_graph_are_one_run(thread: str | None) -> None:
    """Two handlers, one bound to the graph and one passed to the call, give one run, complete and verified."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    one, two = (TrajectoryCallbackHandler(tracer_provider=provider) for _ in range(2))
    graph = build_seven_nodes().with_config(callbacks=[one])
    configurable = {"thread_id": thread} if thread else {}
    graph.invoke({"shortcut": True, "nodes": []}, {"callbacks": [two], "configurable": configurable})
    [run] = read_runs(exporter)
    assert run.steps == [["__start__"], ["node1"], ["node2"], ["node7"]]
    assert (run.complete, run.verified) == (True, True)


def test_two_handlers_on_a_resumed_run_are_one_run() -> None:
    """Both halves of an interrupted and resumed run, each recorded twice, give one run."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handlers = [TrajectoryCallbackHandler(tracer_provider=provider) for _ in range(2)]
    graph = build_approval(InMemorySaver())
    config: RunnableConfig = {"callbacks": [*handlers], "configurable": {"thread_id": "t"}}
    graph.invoke({"topic": "lunch"}, config)
    graph.invoke(Command(resume=True), config)
    [run] = read_runs(exporter)
    assert run.steps == [["__start__"], ["draft"], ["ask"], ["__interrupt__"], ["send"]]
    assert (run.complete, len(run.invocations)) == (True, 2)


def test_the_fuller_recording_is_kept_in_any_order() -> None:
    """Of two recordings of which one lost a task, the whole one is kept, whichever arrives first."""
    spans = []
    for number in range(2):
        recorded = RecordedRun("same", trace=f"trace{number}")
        recorded.span_id = f"{number + 1:016x}"
        recorded.task("a", 1, id="a")
        recorded.task("b", 2, id="b")
        spans.append(recorded.spans()[number:])
    for order in itertools.permutations(spans):
        [run] = read_runs([span for part in order for span in part])
        assert (run.complete, run.trace_ids[0]) == (True, spans[0][0].trace_id)


def test_calls_that_only_share_a_run_id_are_two_runs() -> None:
    """A run id that a caller gave to two calls, one after the other, does not make them one."""
    one, two = RecordedRun("same", trace="x"), RecordedRun("same", trace="y", start=9_000)
    two.span_id = "00000000000000ff"
    for run in (one, two):
        run.task("a", 1)
    assert len(list(read_runs(one.spans() + two.spans()))) == 2
