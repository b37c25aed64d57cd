from __future__ import annotations

import json
import math
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.trace import SpanKind, Status, StatusCode

from otel_traj.errors import SinkError
from otel_traj.record import JsonLinesSpanExporter


def make_provider(path: Path) -> TracerProvider:
    """Return a provider that writes to a file."""
    provider = TracerProvider(resource=Resource({"service.name": "svc"}), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(JsonLinesSpanExporter(path)))
    return provider


def read_spans(path: Path) -> list[dict[str, Any]]:
    """Return the spans of all lines."""
    return [
        span
        for line in path.read_text("utf-8").splitlines()
        for resource in json.loads(line)["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def test_line_is_otlp_json(tmp_path: Path) -> None:
    """Hex ids, 64-bit integers as text, enums as numbers, camelCase keys, one request per line."""
    path = tmp_path / "traces.jsonl"
    tracer = make_provider(path).get_tracer("scope", "1.0")
    with tracer.start_as_current_span("outer", kind=SpanKind.CLIENT) as outer:
        inner = tracer.start_span("inner", links=[trace.Link(outer.get_span_context())], start_time=1)
        inner.set_attribute("n", 2**40)
        inner.set_status(Status(StatusCode.ERROR, "why"))
        inner.add_event("seen", {"ok": True}, timestamp=2)
        inner.end(3)
    context = outer.get_span_context()
    inner_line, _ = path.read_text().splitlines()
    (resource,) = json.loads(inner_line)["resourceSpans"]
    assert resource["resource"] == {"attributes": [{"key": "service.name", "value": {"stringValue": "svc"}}]}
    (scope,) = resource["scopeSpans"]
    assert scope["scope"] == {"name": "scope", "version": "1.0"}
    (span,) = scope["spans"]
    trace_id, span_id = format(context.trace_id, "032x"), format(context.span_id, "016x")
    assert span.pop("spanId") == format(inner.get_span_context().span_id, "016x")
    assert span.pop("links")[0].items() >= {"traceId": trace_id, "spanId": span_id}.items()
    span.pop("flags", None)
    assert span == {
        "traceId": trace_id,
        "parentSpanId": span_id,
        "name": "inner",
        "kind": 1,
        "startTimeUnixNano": "1",
        "endTimeUnixNano": "3",
        "attributes": [{"key": "n", "value": {"intValue": str(2**40)}}],
        "events": [
            {
                "timeUnixNano": "2",
                "name": "seen",
                "attributes": [{"key": "ok", "value": {"boolValue": True}}],
            }
        ],
        "status": {"message": "why", "code": 2},
    }
    root = read_spans(path)[1]
    assert "parentSpanId" not in root
    assert root["kind"] == 3


def test_values_of_every_kind(tmp_path: Path) -> None:
    """NaN, infinity, empty text, false, zero, bytes and arrays have OTLP's JSON form."""
    path = tmp_path / "traces.jsonl"
    values: dict[str, Any] = {
        "nan": math.nan,
        "inf": -math.inf,
        "empty": "",
        "no": False,
        "zero": 0,
        "bytes": b"ok",
        "array": ["a", "b"],
        "text": "süß\n\u2028",
    }
    span = make_provider(path).get_tracer("s").start_span("x")
    for key, value in values.items():
        span.set_attribute(key, value)
    span.end()
    assert path.read_bytes().count(b"\n") == 1
    (shown,) = read_spans(path)
    read = {each["key"]: each["value"] for each in shown["attributes"]}
    # Older SDKs (1.33) make text of bytes.
    assert read.pop("bytes") in ({"bytesValue": "b2s="}, {"stringValue": "ok"})
    assert read == {
        "nan": {"doubleValue": "NaN"},
        "inf": {"doubleValue": "-Infinity"},
        "empty": {"stringValue": ""},
        "no": {"boolValue": False},
        "zero": {"intValue": "0"},
        "array": {"arrayValue": {"values": [{"stringValue": "a"}, {"stringValue": "b"}]}},
        "text": {"stringValue": "süß\n\u2028"},
    }


def test_file_and_folder_are_made_and_lines_appended(tmp_path: Path) -> None:
    """Missing folders are made; a second exporter goes on where the first stopped."""
    path = tmp_path / "deep" / "er" / "traces.jsonl"
    for name in ("one", "two"):
        provider = make_provider(path)
        provider.get_tracer("s").start_span(name).end()
        provider.shutdown()
    assert [span["name"] for span in read_spans(path)] == ["one", "two"]


@pytest.mark.parametrize("name", ["~/new/traces.jsonl", Path("~/new/traces.jsonl")])
def test_leading_tilde_is_the_home_directory(
    name: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shell takes it, and where no user is called so, as a name."""
    monkeypatch.setenv("HOME", os.fspath(tmp_path))
    monkeypatch.setenv("USERPROFILE", os.fspath(tmp_path))
    assert JsonLinesSpanExporter(name).path == tmp_path / "new" / "traces.jsonl"
    monkeypatch.chdir(tmp_path)
    JsonLinesSpanExporter("~traces.jsonl")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new", "~traces.jsonl"]


def test_unfinished_last_line_spoils_no_other(tmp_path: Path) -> None:
    """A line that a killed process left behind is closed before the first of ours."""
    path = tmp_path / "traces.jsonl"
    path.write_text('{"resourceSpans":[{"reso')
    make_provider(path).get_tracer("s").start_span("x").end()
    first, second = path.read_text().splitlines()
    assert first == '{"resourceSpans":[{"reso'
    assert json.loads(second)["resourceSpans"]


def test_span_is_in_the_file_when_it_has_ended(tmp_path: Path) -> None:
    """Nothing waits in a buffer: another reader of the file sees the span at once."""
    path = tmp_path / "traces.jsonl"
    tracer = make_provider(path).get_tracer("s")
    for number in range(3):
        tracer.start_span("x").end()
        assert len(read_spans(path)) == number + 1


def test_threads_do_not_mix_their_lines(tmp_path: Path) -> None:
    """Lines of many threads and of two exporters on one file stay whole."""
    path = tmp_path / "traces.jsonl"
    tracers = [make_provider(path).get_tracer("s") for _ in range(2)]
    barrier = threading.Barrier(8)

    def write(number: int) -> None:
        barrier.wait(30)
        for _ in range(50):
            tracers[number % 2].start_span("x", attributes={"filler": "y" * 5_000}).end()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_spans(path)) == 400


def test_deleted_file_is_made_again(tmp_path: Path) -> None:
    """Where somebody deletes or rotates the file, the next span goes into a new one of its name."""
    path = tmp_path / "traces.jsonl"
    tracer = make_provider(path).get_tracer("s")
    tracer.start_span("old").end()
    path.rename(tmp_path / "traces-1.jsonl")
    tracer.start_span("new").end()
    assert [span["name"] for span in read_spans(path)] == ["new"]
    path.unlink()
    tracer.start_span("newest").end()
    assert [span["name"] for span in read_spans(path)] == ["newest"]


def test_deleted_folder_is_made_again(tmp_path: Path) -> None:
    """Where the folder goes too, it is made as it was at the beginning."""
    path = tmp_path / "new" / "traces.jsonl"
    tracer = make_provider(path).get_tracer("s")
    tracer.start_span("old").end()
    path.unlink()
    path.parent.rmdir()
    tracer.start_span("new").end()
    assert [span["name"] for span in read_spans(path)] == ["new"]


def test_line_that_did_not_fit_spoils_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """After a full disk, here a limit on the file's size, the next line begins on its own."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "traces.jsonl"
    tracer = make_provider(path).get_tracer("s")
    tracer.start_span("before").end()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 100, hard))
    try:
        tracer.start_span("cut").end()
        tracer.start_span("lost").end()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    tracer.start_span("after").end()
    first, cut, last = path.read_text().splitlines()
    assert "before" in first
    assert len(cut) == 100
    assert json.loads(last)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["name"] == "after"
    assert [record.name for record in caplog.records] == ["otel_traj"]


def test_path_that_can_not_be_opened_is_an_error(tmp_path: Path) -> None:
    """A folder in the file's place, or a file in its folder's, is refused with the path."""
    with pytest.raises(SinkError, match="can't be opened") as caught:
        JsonLinesSpanExporter(tmp_path)
    assert caught.value.path == os.fspath(tmp_path)
    assert isinstance(caught.value, OSError)
    (tmp_path / "file").touch()
    for wrong in (tmp_path / "file" / "traces.jsonl", tmp_path / "a\0b", tmp_path / ("x" * 300)):
        with pytest.raises(SinkError):
            JsonLinesSpanExporter(wrong)


def test_export_after_shutdown_fails_and_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Spans after the shutdown are refused, not raised; one line says so."""
    source = tmp_path / "source.jsonl"
    provider = make_provider(source)
    span = provider.get_tracer("s").start_span("x")
    span.end()
    exporter = JsonLinesSpanExporter(tmp_path / "traces.jsonl")
    exporter.shutdown()
    exporter.shutdown()
    assert exporter.export([span]) is SpanExportResult.FAILURE  # type: ignore[list-item]  # the SDK's span
    assert exporter.export([span]) is SpanExportResult.FAILURE  # type: ignore[list-item]  # the SDK's span
    assert exporter.export([]) is SpanExportResult.SUCCESS
    assert exporter.force_flush()
    assert [record.name for record in caplog.records] == ["otel_traj"]


def test_exporter_that_is_dropped_closes_its_file(tmp_path: Path) -> None:
    """Without a shutdown the file is closed with the exporter."""
    exporter = JsonLinesSpanExporter(tmp_path / "traces.jsonl")
    descriptor = exporter._descriptor
    os.fstat(descriptor)
    del exporter
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
