from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.record import TrajectoryCallbackHandler
from tests.record.graphs import build_chain
from tests.record.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from opentelemetry.sdk.trace import ReadableSpan

    from otel_traj.record import RunEnd

LONG = 60


class HangingExporter(SpanExporter):
    """Exports nothing until it is let go."""

    def __init__(self) -> None:
        """Hang."""
        self.let_go = threading.Event()
        self.names: list[str] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Wait, then keep the names."""
        self.let_go.wait(LONG)
        self.names += [span.name for span in spans]
        return SpanExportResult.SUCCESS


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[HangingExporter]:
    """An exporter that hangs until the test is over."""
    # Before 1.35 the SDK's batch processor keeps the time itself, and says so.
    monkeypatch.setattr(logging.getLogger("opentelemetry.sdk.trace.export"), "disabled", True)
    exporter = HangingExporter()
    yield exporter
    exporter.let_go.set()
    for thread in list_flush_threads():
        thread.join(LONG)
    assert list_flush_threads() == []


class FlushCount(SpanProcessor):
    """Counts flushes, and asks something at each."""

    def __init__(self) -> None:
        """Count from 0."""
        self.count = 0

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 - OpenTelemetry's interface
        """Count."""
        self.count += 1
        return True


def list_flush_threads() -> list[threading.Thread]:
    """Return the threads that flush now."""
    return [thread for thread in threading.enumerate() if thread.name == "otel_traj-flush"]


def record_batches(exporter: SpanExporter, **options: Any) -> Recording:  # noqa: ANN401 - the handler's own
    """Return a recording that also feeds an exporter by batches that nothing but a flush sends."""
    recording = Recording(**options)
    recording.provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=LONG * 1000))
    return recording


def test_what_ended_is_sent_when_the_run_returns() -> None:
    """With `flush_on_end` the spans of a run are out when it returns, those that `on_run_end` made among them."""
    exporter = HangingExporter()
    exporter.let_go.set()

    def note(end: RunEnd) -> None:
        recording.tracer.start_span(f"after {end.graph}").end()

    recording = record_batches(exporter, on_run_end=note, flush_on_end=LONG)
    build_chain("a").invoke({}, recording.config())
    assert exporter.names == ["invoke_node a", "invoke_workflow chain", "after chain"]
    assert recording.handler.counters["flush_failures"] == 0


def test_nothing_is_flushed_unless_asked_for(hanging: HangingExporter) -> None:
    """Without the option no flush happens, and an exporter that hangs is not felt."""
    recording = record_batches(hanging)
    flushes = FlushCount()
    recording.provider.add_span_processor(flushes)
    build_chain("a").invoke({}, recording.config())
    assert flushes.count == 0


@pytest.mark.parametrize("mode", ["invoke", "ainvoke", "stream"])
def test_an_exporter_that_hangs_costs_no_more_than_the_time_given(
    hanging: HangingExporter, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    """A run ends in time and with its result although the exporter hangs; it is counted, and logged once."""
    recording = record_batches(hanging, flush_on_end=0.05)
    graph = build_chain("a")
    before = time.monotonic()
    for _ in range(3):
        if mode == "invoke":
            assert graph.invoke({}, recording.config()) == {"nodes": ["a"]}
        elif mode == "ainvoke":
            assert asyncio.run(graph.ainvoke({}, recording.config())) == {"nodes": ["a"]}
        else:
            updates = list(graph.stream({}, recording.config(), stream_mode="updates"))
            assert updates == [{"a": {"nodes": ["a"]}}]
    assert time.monotonic() - before < LONG / 2
    assert recording.handler.counters["flush_failures"] == 3
    assert recording.handler.counters["callback_errors"] == 0
    (line,) = [record.getMessage() for record in caplog.records]
    assert re.match("flush_on_end=0.05: the flush at the end of a run (timed out|said that it failed),", line)


def test_many_runs_at_once_hold_one_thread(hanging: HangingExporter) -> None:
    """Thirty runs that end while the exporter hangs leave one thread; once it goes on, all their spans come."""
    recordings = record_batches(hanging, flush_on_end=0.05)
    graph = build_chain("a")
    with ThreadPoolExecutor(30) as pool:
        results = list(pool.map(lambda _: graph.invoke({}, recordings.config()), range(30)))
    assert results == [{"nodes": ["a"]}] * 30
    assert recordings.handler.counters["flush_failures"] == 30
    (thread,) = list_flush_threads()
    hanging.let_go.set()
    thread.join(LONG)
    assert sorted(hanging.names) == ["invoke_node a"] * 30 + ["invoke_workflow chain"] * 30


def test_a_run_is_flushed_once_at_its_very_end() -> None:
    """Subgraph runs flush nothing of their own, and a run that a sampler left out nothing at all."""
    flushes = FlushCount()
    recording = Recording(flush_on_end=LONG)
    recording.provider.add_span_processor(flushes)
    inner = build_chain("s1", graph_name="inner")
    build_chain("sub", graph_name="outer", sub=inner).invoke({}, recording.config())
    assert flushes.count == 1
    silent = Recording(flush_on_end=LONG, sampler=ALWAYS_OFF)
    silent.provider.add_span_processor(flushes)
    build_chain("a").invoke({}, silent.config())
    assert flushes.count == 1


def test_a_run_that_fails_is_flushed_too() -> None:
    """The exception of a node reaches the caller, and the spans of the run are out."""
    exporter = HangingExporter()
    exporter.let_go.set()
    recording = record_batches(exporter, flush_on_end=LONG)

    def fail(state: object) -> None:  # noqa: ARG001 - LangGraph passes it
        raise LookupError

    with pytest.raises(LookupError):
        build_chain("a", a=fail).invoke({}, recording.config())
    assert exporter.names == ["invoke_node a", "invoke_workflow chain"]


def test_no_lock_is_held_while_the_provider_is_flushed() -> None:
    """What flushes may wait for another run: none of the handler's locks is held meanwhile."""
    free: list[bool] = []

    class Asking(SpanProcessor):
        def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 - OpenTelemetry's interface
            handler = recording.handler
            for lock in (handler._table.lock, handler._counters._lock, handler._tracers._lock):
                free.append(lock.acquire(blocking=False))
                if free[-1]:
                    lock.release()
            return True

    recording = Recording(flush_on_end=LONG)
    recording.provider.add_span_processor(Asking())
    build_chain("a").invoke({}, recording.config())
    assert free == [True, True, True]


@pytest.mark.parametrize("answer", [False, ZeroDivisionError()], ids=["says no", "raises"])
def test_a_provider_that_fails_is_counted(answer: object, caplog: pytest.LogCaptureFixture) -> None:
    """A flush that raises, or says that it failed, is counted and logged once; the agent's result is untouched."""

    class Failing(SpanProcessor):
        def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 - OpenTelemetry's interface
            if isinstance(answer, Exception):
                raise answer
            return False

    recording = Recording(flush_on_end=LONG)
    recording.provider.add_span_processor(Failing())
    for _ in range(2):
        assert build_chain("a").invoke({}, recording.config()) == {"nodes": ["a"]}
    assert recording.handler.counters["flush_failures"] == 2
    assert [record.name for record in caplog.records] == ["otel_traj"]


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 10**12])
def test_a_time_that_can_not_be_waited_for_is_refused(seconds: float) -> None:
    """A flush without bound, or without time, is refused where the handler is made."""
    with pytest.raises(TrajectoryValueError, match="flush_on_end is"):
        TrajectoryCallbackHandler(flush_on_end=seconds)


@pytest.mark.parametrize("seconds", [True, "5", [5]])
def test_what_is_no_number_is_refused(seconds: Any) -> None:  # noqa: ANN401 - anything
    """What is no number of seconds is refused where the handler is made."""
    with pytest.raises(TrajectoryTypeError, match="flush_on_end is"):
        TrajectoryCallbackHandler(flush_on_end=seconds)


JOB = """
import json, os, sys
from langgraph.graph import START, StateGraph
from otel_traj import LangGraphInstrumentor, TrajectoryCallbackHandler, configure
from otel_traj.record import JsonLinesSpanExporter

exporter = JsonLinesSpanExporter(sys.argv[1])
configure(exporter=exporter, batch=True)
options = {"flush_on_end": json.loads(sys.argv[2])}
config = {}
if sys.argv[3] == "handler":
    config["callbacks"] = [TrajectoryCallbackHandler(**options)]
else:
    LangGraphInstrumentor().instrument(**options)
builder = StateGraph(dict)
builder.add_node("a", lambda state: {})
builder.add_edge(START, "a")
builder.compile(name="job").invoke({}, config)
os._exit(0)
"""
JOB_WITHOUT_COLLECTOR = """
import os, sys, time
from langgraph.graph import START, StateGraph
from otel_traj import TrajectoryCallbackHandler, configure

configure()
handler = TrajectoryCallbackHandler(flush_on_end=0.2)
builder = StateGraph(dict)
builder.add_node("a", lambda state: {"answer": 42})
builder.add_edge(START, "a")
before = time.monotonic()
result = builder.compile(name="job").invoke({}, {"callbacks": [handler]})
print(result, time.monotonic() - before < 5, flush=True)
os._exit(0)
"""


def run_program(text: str, *arguments: str, **variables: str) -> str:
    """Run a program to its end and return what it printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    done = subprocess.run(
        [sys.executable, "-c", text, *arguments],
        env=kept | variables,
        check=False,
        timeout=LONG,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("way", ["handler", "instrumentor"])
@pytest.mark.parametrize(("seconds", "count"), [("30", 2), ("null", 0)])
def test_a_job_that_is_gone_at_once_delivers(tmp_path: Path, way: str, seconds: str, count: int) -> None:
    """A job that leaves by `os._exit` delivers all its spans by the global provider; without the option none."""
    path = tmp_path / "traces.jsonl"
    run_program(JOB, os.fspath(path), seconds, way, OTEL_BSP_SCHEDULE_DELAY="60000")
    lines = path.read_text().splitlines() if path.exists() else []
    spans = [
        span
        for line in lines
        for each in json.loads(line)["resourceSpans"]
        for span in each["scopeSpans"][0]["spans"]
    ]
    assert len(spans) == count


@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
def test_a_collector_that_is_down_does_not_hold_a_job(protocol: str) -> None:
    """Where nobody listens at the other end, a job has its answer in time."""
    printed = run_program(
        JOB_WITHOUT_COLLECTOR,
        OTEL_EXPORTER_OTLP_PROTOCOL=protocol,
        OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9",
    )
    assert printed == "{'answer': 42} True\n"
