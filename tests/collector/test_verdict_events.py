"""Verdicts that `eval --emit otlp` sends through a real collector: they arrive under the spans that they are about."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from otel_traj import JsonLinesSpanExporter, read_runs
from otel_traj.cli import main
from tests.record.graphs import build_chain
from tests.record.recording import Recording

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collector.running import Collector

pytestmark = pytest.mark.collector

REFERENCES = """
version: 1
references:
  - {name: long, applies_to: {thread: t1}, steps: [a, b]}
  - {name: short, applies_to: {thread: t2}, steps: [a]}
"""


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_verdicts_arrive_with_trace_and_span_of_their_run(
    tmp_path: Path,
    collector: Collector,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    protocol: str,
) -> None:
    """A pass and a fail each stand in the collector's file with the ids of their run's graph-run span."""
    recording = Recording()
    for thread in ("t1", "t2"):
        build_chain("a", "b").invoke({}, recording.config(thread))
    traces = tmp_path / "recorded.jsonl"
    _write(recording, traces)
    references = tmp_path / "references.yaml"
    references.write_text(REFERENCES, "utf-8")
    endpoint = collector.grpc_endpoint if protocol == "grpc" else collector.http_endpoint
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
    assert main(["eval", str(traces), "--references", str(references), "--emit", "otlp"]) == 1
    assert "2 verdicts sent as log events" in capsys.readouterr().err
    arrived = _wait_for_events(collector.events_path, 2)
    expected = {
        (run.invocations[0].trace_id, run.invocations[0].span_id, label)
        for run, label in zip(read_runs(traces), ("pass", "fail"), strict=True)
    }
    assert {_read_event(event) for event in arrived} == expected


def _write(recording: Recording, path: Path) -> None:
    exporter = JsonLinesSpanExporter(path)
    exporter.export(recording.exporter.get_finished_spans())
    exporter.shutdown()


def _wait_for_events(path: Path, count: int) -> list[dict[str, object]]:
    deadline = time.monotonic() + 30
    while True:
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        events = [
            event
            for line in lines
            for resource in json.loads(line)["resourceLogs"]
            for scope in resource["scopeLogs"]
            for event in scope["logRecords"]
        ]
        if len(events) >= count:
            return events
        assert time.monotonic() < deadline, f"{len(events)} of {count} events arrived"
        time.sleep(0.05)


def _read_event(event: dict[str, object]) -> tuple[object, object, object]:
    attributes = {each["key"]: each["value"] for each in event["attributes"]}  # type: ignore[attr-defined]
    assert event.get("eventName", "gen_ai.evaluation.result") == "gen_ai.evaluation.result"
    return event["traceId"], event["spanId"], attributes["gen_ai.evaluation.score.label"]["stringValue"]
