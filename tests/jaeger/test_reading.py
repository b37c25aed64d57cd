"""Runs of real graphs, sent by OTLP to a real Jaeger v1.76.0, and read back as they were recorded."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest
from langchain_core.messages import HumanMessage
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import SpanExportResult

from otel_traj import read_runs
from otel_traj.errors import SourceError
from otel_traj.record.samples import build_approval, build_tool_agent
from tests.jaeger.running import running_jaeger
from tests.record.recording import Recording, get_id
from tests.recorded_runs import LARGE, has_nan, outline, record_runs
from tests.sources.reading import refuse
from tests.sources.real_jaeger import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from opentelemetry.sdk.trace import ReadableSpan

    from otel_traj import Run
    from tests.jaeger.running import Jaeger

pytestmark = pytest.mark.jaeger


def send(jaeger: Jaeger, spans: Sequence[ReadableSpan]) -> None:
    """Export spans over OTLP/HTTP in batches that mix the traces, and wait until the last can be read."""
    exporter = OTLPSpanExporter(endpoint=f"{jaeger.http_endpoint}/v1/traces")
    for index in range(0, len(spans), 100):
        assert exporter.export(spans[index : index + 100]) is SpanExportResult.SUCCESS
    exporter.shutdown()  # type: ignore[no-untyped-call]  # the SDK's own
    wait_for(jaeger, Counter(f"{span.context.trace_id:032x}" for span in spans))


@pytest.fixture(scope="module")
def recording() -> Recording:
    """Return the runs, recorded once."""
    return record_runs()


@pytest.fixture(scope="module")
def filled(
    recording: Recording, jaeger_binary: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Jaeger]:
    """A Jaeger that keeps all of them."""
    with running_jaeger(tmp_path_factory.mktemp("filled"), binary=jaeger_binary) as jaeger:
        send(jaeger, recording.spans)
        yield jaeger


def test_runs_are_those_of_memory_by_search_and_by_id(recording: Recording, filled: Jaeger) -> None:
    """Every kind of ending, large and odd values: nothing differs but the place's name."""
    expected = list(read_runs(recording.exporter, on_problem=refuse))
    assert len(expected) >= 30
    place = f"jaeger+http://{filled.query_address}"
    # Some runs have no end, which nobody has to wait for: all spans have arrived.
    found = list(read_runs(f"{place}?limit=1000", wait=0, on_problem=refuse))
    assert outline(found) == outline(expected)
    traces = dict.fromkeys(trace_id for run in expected for trace_id in run.trace_ids)
    names = "&".join(f"trace={trace_id}" for trace_id in traces)
    by_id = list(read_runs(f"{place}?{names}", wait=0, on_problem=refuse))
    assert outline(by_id) == outline(expected)


def test_selections_are_those_of_memory(recording: Recording, filled: Jaeger) -> None:
    """Pushed down to the search, and filtered again: by graph, thread, run and attribute."""
    place = f"jaeger+http://{filled.query_address}?limit=1000"
    everything = list(read_runs(recording.exporter, on_problem=refuse))
    resumed = next(run for run in everything if len(run.invocations) > 1)
    selections: list[dict[str, Any]] = [
        {"graph": "seven"},
        {"thread": resumed.thread_id},
        {"run": resumed.invocations[-1].run_id},
        {"trace": resumed.trace_ids[-1]},
        {"attributes": {"langgraph.metadata.note": LARGE}},
        {"status": "error", "since": "1h"},
    ]
    for selection in selections:
        expected = list(read_runs(recording.exporter, on_problem=refuse, **selection))
        assert expected, selection
        assert outline(list(read_runs(place, on_problem=refuse, wait=0, **selection))) == outline(expected), (
            selection
        )


def test_the_legacy_api_loses_nanoseconds_and_no_superstep(
    recording: Recording, jaeger_binary: Path, tmp_path: Path
) -> None:
    """Without the run that has a NaN: equal but for times, which are equal to the microsecond."""
    odd = {span.context.trace_id for span in recording.spans if has_nan(span)}
    spans = [span for span in recording.spans if span.context.trace_id not in odd]
    expected = list(read_runs(spans, on_problem=refuse))
    with running_jaeger(tmp_path, binary=jaeger_binary) as jaeger:
        send(jaeger, spans)
        place = f"jaeger+http://{jaeger.query_address}?api=legacy"
        found = list(read_runs(f"{place}&limit=1000", wait=0, on_problem=refuse))
        traces = dict.fromkeys(trace_id for run in expected for trace_id in run.trace_ids)
        names = "&".join(f"trace={trace_id}" for trace_id in traces)
        by_id = list(read_runs(f"{place}&{names}", wait=0, on_problem=refuse))
    assert outline(found, times=False) == outline(expected, times=False)
    assert outline(by_id, times=False) == outline(expected, times=False)
    recorded = list_times(expected)
    for times in (list_times(found), list_times(by_id)):
        assert times.keys() == recorded.keys()
        for name, time_ns in recorded.items():
            # A start is cut to its microsecond, and so is the duration that an end is counted from.
            assert 0 <= time_ns - times[name] < (2_000 if name[-1] == "ended_ns" else 1_000), name


def list_times(runs: Iterable[Run]) -> dict[tuple[str | int, ...], int]:
    """Return every time in runs, of tasks, calls, invocations and subgraph runs too, by run id and place."""
    return {
        (run.run_id, *place): time_ns
        for run in runs
        for place, time_ns in _walk_times(msgspec.to_builtins(run))
    }


def _walk_times(value: object) -> Iterator[tuple[tuple[str | int, ...], int]]:
    if isinstance(value, dict):
        entries = list(value.items())
    elif isinstance(value, list):
        entries = list(enumerate(value))
    else:
        return
    for key, item in entries:
        if str(key).endswith("_ns") and isinstance(item, int):
            yield (key,), item
        else:
            yield from (((key, *place), time_ns) for place, time_ns in _walk_times(item))


def test_a_nan_over_the_legacy_api_is_an_error_that_names_it(recording: Recording, filled: Jaeger) -> None:
    """Jaeger answers 500 there; the newer API gives the run."""
    [odd] = [span for span in recording.roots if has_nan(span)]
    place = f"jaeger+http://{filled.query_address}"
    with pytest.raises(SourceError, match="can't write a number that is NaN or infinite"):
        list(read_runs(f"{place}?api=legacy&limit=1000", on_problem=refuse))
    [run] = read_runs(place, trace=f"{odd.context.trace_id:032x}", on_problem=refuse)
    assert math.isnan(cast("float", run.attributes["langgraph.metadata.score"]))


def test_a_trace_on_its_way_is_waited_for(jaeger: Jaeger) -> None:
    """404 right after an export is lag: the run is read when it has arrived, root last."""
    recording = Recording()
    build_tool_agent().invoke({"messages": [HumanMessage("Weather and time?")]}, config=recording.config())
    spans = recording.spans
    [root] = recording.roots
    send(jaeger, [span for span in spans if get_id(span) != get_id(root)])
    place = f"jaeger+http://{jaeger.query_address}"
    [run] = read_runs(place, wait=0)
    assert (run.complete, {problem.code for problem in run.problems}) == (False, {"root_missing"})
    send(jaeger, [root])
    [run] = read_runs(place, on_problem=refuse)
    assert (run.complete, run.verified) == (True, True)


def test_a_restart_forgets_and_what_is_left_is_incomplete(jaeger_binary: Path, tmp_path: Path) -> None:
    """What was kept in memory is gone: of a run in two halves the second alone is no run that ended."""
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    recording = Recording()
    graph = build_approval(InMemorySaver())
    graph.invoke({"topic": "lunch"}, config=recording.config("mail"))
    first = recording.spans
    (tmp_path / "one").mkdir()
    with running_jaeger(tmp_path / "one", binary=jaeger_binary) as jaeger:
        send(jaeger, first)
        [run] = read_runs(f"jaeger+http://{jaeger.query_address}", on_problem=refuse)
        assert (run.status, run.complete) == ("interrupted", True)
        jaeger.stop()
        with pytest.raises(SourceError, match="look whether it runs"):
            list(read_runs(f"jaeger+http://{jaeger.query_address}"))
    graph.invoke(Command(resume=True), config=recording.config("mail"))
    known = {get_id(span) for span in first}
    (tmp_path / "two").mkdir()
    with running_jaeger(tmp_path / "two", binary=jaeger_binary) as jaeger:
        send(jaeger, [span for span in recording.spans if get_id(span) not in known])
        [run] = read_runs(f"jaeger+http://{jaeger.query_address}", wait=0, on_problem=refuse)
    assert (run.complete, {problem.code for problem in run.problems}) == (False, {"beginning_missing"})
