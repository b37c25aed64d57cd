"""Spans of a plain OpenTelemetry SDK on their way through a real collector into its file."""

from __future__ import annotations

import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, ClassVar

import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpanExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter

from tests.collector.running import Collector, running_collector
from tests.collector.scraping import scrape_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.collector


def grpc_exporter(collector: Collector) -> SpanExporter:
    """Make an exporter that speaks OTLP/gRPC."""
    return GrpcSpanExporter(endpoint=collector.grpc_endpoint, insecure=True)


def http_exporter(collector: Collector) -> SpanExporter:
    """Make an exporter that speaks OTLP/HTTP."""
    return HttpSpanExporter(endpoint=f"{collector.http_endpoint}/v1/traces")


def send_spans(exporter: SpanExporter, *, count: int, text: str = "") -> set[str]:
    """Send one parent and its children; return the ids of all, as OTLP JSON writes them."""
    provider = TracerProvider(resource=Resource({"service.name": "sender"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("plain")
    sent = set()
    with tracer.start_as_current_span("parent") as parent:
        sent.add(f"{parent.get_span_context().span_id:016x}")
        for number in range(count - 1):
            with tracer.start_as_current_span("child", attributes={"number": number, "text": text}) as child:
                sent.add(f"{child.get_span_context().span_id:016x}")
    provider.shutdown()
    return sent


def read_span_ids(folder: Path) -> list[str]:
    """Return the ids of all spans in a folder's files, rotated ones included, copies kept."""
    return [
        span["spanId"]
        for path in folder.glob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
        for resource in json.loads(line)["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


@pytest.mark.parametrize("make_exporter", [grpc_exporter, http_exporter], ids=["grpc", "http"])
def test_every_span_reaches_the_file(
    collector: Collector, make_exporter: Callable[[Collector], SpanExporter]
) -> None:
    """What is sent by either protocol stands in the file once the collector has ended, each span once."""
    sent = send_spans(make_exporter(collector), count=50)
    assert collector.stop() == 0
    assert sorted(read_span_ids(collector.traces_path.parent)) == sorted(sent)


def test_file_can_be_read_while_the_collector_runs(collector: Collector) -> None:
    """The file is written within seconds of the spans, not at the end only."""
    sent = send_spans(grpc_exporter(collector), count=5)
    collector.wait_for_spans(5)
    assert set(read_span_ids(collector.traces_path.parent)) == sent
    assert collector.process.poll() is None


def test_restart_appends(tmp_path: Path, collector_binary: Path) -> None:
    """A collector that is started again keeps what the one before it wrote."""
    sent = set()
    for _ in range(2):
        with running_collector(tmp_path, binary=collector_binary) as running:
            sent |= send_spans(grpc_exporter(running), count=5)
    assert len(sent) == 10
    assert set(read_span_ids(tmp_path / "traces")) == sent


def test_rotation_loses_nothing(tmp_path: Path, collector_binary: Path) -> None:
    """Files that were rotated away hold the spans that the live file no longer has."""
    rotation = "--set=exporters.file.rotation.max_megabytes=1"
    with running_collector(tmp_path, binary=collector_binary, arguments=[rotation]) as running:
        sent = set()
        for _ in range(4):
            sent |= send_spans(grpc_exporter(running), count=41, text="x" * 10_000)
    assert len(list((tmp_path / "traces").iterdir())) > 1
    assert set(read_span_ids(tmp_path / "traces")) == sent


def test_batch_over_the_usual_message_limit_is_taken(collector: Collector) -> None:
    """Spans that carry messages may exceed 4 MiB in one request, and arrive."""
    sent = send_spans(grpc_exporter(collector), count=61, text="x" * 100_000)
    assert collector.stop() == 0
    assert set(read_span_ids(collector.traces_path.parent)) == sent


def test_backends_get_spans_when_switched_on(
    tmp_path: Path, collector_binary: Path, collector: Collector
) -> None:
    """Switched on, the Jaeger exporter delivers, and a Tempo that is down holds up neither it nor the file."""
    (tmp_path / "switched").mkdir()
    switched = {
        "OTEL_TRAJ_EXPORTERS": "[file, otlp_grpc/jaeger, otlp_http/tempo]",
        "OTEL_TRAJ_JAEGER": collector.grpc_endpoint.removeprefix("http://"),
        "OTEL_TRAJ_TEMPO": "http://127.0.0.1:1",
    }
    with running_collector(tmp_path / "switched", binary=collector_binary, environment=switched) as running:
        sent = send_spans(http_exporter(running), count=5)
        collector.wait_for_spans(5)
        running.wait_for_spans(5)
    assert set(read_span_ids(collector.traces_path.parent)) == sent


class Tempo(BaseHTTPRequestHandler):
    """Stands in for a Tempo: takes everything, and keeps whose it is said to be."""

    tenants: ClassVar[list[str | None]] = []

    def do_POST(self) -> None:
        """Take a batch."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.tenants.append(self.headers["X-Scope-OrgID"])
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize(
    ("variables", "tenant"),
    [
        ({}, "single-tenant"),
        ({"OTEL_TRAJ_TENANT": "my-team"}, "my-team"),
        ({"OTEL_TRAJ_TENANT": "042"}, "042"),
    ],
    ids=["no tenants", "a tenant", "a number"],
)
def test_tempo_is_told_the_tenant(
    tmp_path: Path, collector_binary: Path, variables: dict[str, str], tenant: str
) -> None:
    """By the variable, or by the name that a Tempo without tenants uses (a stand-in for Tempo listens)."""
    Tempo.tenants.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Tempo) as server:
        threading.Thread(target=server.serve_forever).start()
        switched = {
            "OTEL_TRAJ_EXPORTERS": "[file, otlp_http/tempo]",
            "OTEL_TRAJ_TEMPO": f"http://127.0.0.1:{server.server_port}",
        }
        try:
            with running_collector(
                tmp_path, binary=collector_binary, environment=switched | variables
            ) as running:
                send_spans(http_exporter(running), count=5)
                # What waits in the queue is sent at the end.
                assert running.stop() == 0
        finally:
            server.shutdown()
    assert set(Tempo.tenants) == {tenant}


def test_backends_that_are_down_hold_up_nobody(tmp_path: Path, collector_binary: Path) -> None:
    """With Jaeger and Tempo both gone the file gets every span, metrics are counted, and the collector ends."""
    switched = {
        "OTEL_TRAJ_EXPORTERS": "[file, otlp_grpc/jaeger, otlp_http/tempo]",
        "OTEL_TRAJ_JAEGER": "127.0.0.1:1",
        "OTEL_TRAJ_TEMPO": "http://127.0.0.1:1",
    }
    often = "--set=connectors.span_metrics.metrics_flush_interval=100ms"
    with running_collector(
        tmp_path, binary=collector_binary, environment=switched, arguments=[often]
    ) as running:
        sent = set()
        for _ in range(3):
            sent |= send_spans(grpc_exporter(running), count=50)
        running.wait_for_spans(150)
        scrape_until(
            running.span_metrics_address,
            lambda series: sum(each.value for each in series if each.name.endswith("calls_total")) == 150,
        )
        assert running.stop() == 0
    assert set(read_span_ids(tmp_path / "traces")) == sent


def test_metrics_count_spans(collector: Collector) -> None:
    """The collector's own numbers, which the configuration's comment points to, say how many spans came in."""
    send_spans(grpc_exporter(collector), count=5)
    connection = http.client.HTTPConnection(*collector.metrics_address, timeout=30)
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    connection.close()
    accepted = [line for line in lines if line.startswith("otelcol_receiver_accepted_spans")]
    assert [line.rpartition(" ")[2] for line in accepted] == ["5"]
