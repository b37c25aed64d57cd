"""The same runs, sent by OTLP to a real collector, read from its files in every form: those of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import SpanExportResult

from otel_traj import read_runs
from tests.collector.running import running_collector
from tests.recorded_runs import outline, record_runs
from tests.sources.reading import refuse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from opentelemetry.sdk.trace import ReadableSpan

    from tests.collector.running import Collector
    from tests.record.recording import Recording

pytestmark = pytest.mark.collector

PROTO: Final = "--set=exporters.file.format=proto"
ZSTD: Final = "--set=exporters.file.compression=zstd"
NATIVE: Final = "--feature-gates=exporter.file.nativeCompression"
ROTATING: Final = "--set=exporters.file.rotation.max_megabytes=1"


@pytest.fixture(scope="module")
def recording() -> Recording:
    """Return the runs, recorded once."""
    return record_runs()


def send(collector: Collector, spans: Sequence[ReadableSpan]) -> None:
    """Export spans over OTLP/HTTP in batches that mix the traces."""
    exporter = OTLPSpanExporter(endpoint=f"{collector.http_endpoint}/v1/traces")
    for index in range(0, len(spans), 40):
        assert exporter.export(spans[index : index + 40]) is SpanExportResult.SUCCESS
    exporter.shutdown()  # type: ignore[no-untyped-call]  # the SDK's own


@pytest.mark.parametrize(
    "arguments",
    [[], [PROTO], [ZSTD], [ZSTD, NATIVE], [ZSTD, PROTO]],
    ids=["JSON", "protobuf", "zstd", "native zstd", "zstd, protobuf"],
)
def test_every_form_gives_the_runs(
    arguments: list[str], recording: Recording, collector_binary: Path, tmp_path: Path
) -> None:
    """Nothing differs from what was recorded, to the last attribute."""
    with running_collector(tmp_path, binary=collector_binary, arguments=arguments) as collector:
        send(collector, recording.spans)
        assert collector.stop() == 0
    expected = outline(read_runs(recording.exporter, on_problem=refuse))
    assert outline(read_runs(tmp_path / "traces", on_problem=refuse)) == expected


def test_rotated_files_give_the_runs(recording: Recording, collector_binary: Path, tmp_path: Path) -> None:
    """Sent three times, so that the collector rotates in the middle of runs; copies are dropped."""
    with running_collector(tmp_path, binary=collector_binary, arguments=[ROTATING]) as collector:
        for _ in range(3):
            send(collector, recording.spans)
        assert collector.stop() == 0
    assert len(list((tmp_path / "traces").iterdir())) > 1
    expected = outline(read_runs(recording.exporter, on_problem=refuse))
    assert outline(read_runs(tmp_path / "traces", on_problem=refuse)) == expected
