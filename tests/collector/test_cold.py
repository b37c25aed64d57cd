"""The fragments for S3 and Kafka, whose exporters no collector here has: their keys, and what they write as documented."""

from __future__ import annotations

import gzip
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from otel_traj import read_runs
from tests.collector.fragments import read_fragment, write_fragment
from tests.collector.running import CONFIG
from tests.collector.test_metrics import record
from tests.sources.reading import refuse

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collector.running import Collector

# README.md and config.go of exporter/awss3exporter and exporter/kafkaexporter, and exporterhelper's README.md.
QUEUE = {"sending_queue.batch.flush_timeout", "sending_queue.batch.sizer", "sending_queue.batch.min_size"}
DOCUMENTED = {
    "awss3": QUEUE
    | {f"s3uploader.{key}" for key in ("region", "s3_bucket", "s3_prefix", "s3_partition_format")}
    | {"s3uploader.compression", "s3uploader.unique_key_func_name", "marshaler", "timeout"},
    "kafka": {
        "brokers",
        "traces.topic",
        "traces.encoding",
        "partition_traces_by_id",
        "producer.max_message_bytes",
        "producer.required_acks",
        "producer.compression",
    },
}
FRAGMENTS = {"awss3": "agent-cold.yaml", "kafka": "agent-kafka.yaml"}


def list_keys(document: dict[str, Any], before: str = "") -> set[str]:
    """Return the dotted keys of all values that are no maps."""
    return {
        key
        for name, value in document.items()
        for key in (list_keys(value, f"{before}{name}.") if isinstance(value, dict) else [f"{before}{name}"])
    }


@pytest.mark.parametrize("exporter", sorted(FRAGMENTS))
def test_keys_are_documented(exporter: str) -> None:
    """No key is one that the exporter's documentation does not have; the pipeline names the exporter."""
    document = yaml.safe_load(read_fragment(FRAGMENTS[exporter]))
    assert list(document["exporters"]) == [exporter]
    assert list_keys(document["exporters"][exporter]) <= DOCUMENTED[exporter]
    assert exporter in document["service"]["pipelines"]["traces"]["exporters"]


@pytest.mark.collector
@pytest.mark.parametrize("exporter", sorted(FRAGMENTS))
def test_a_collector_misses_the_exporter_and_nothing_else(
    tmp_path: Path, collector_binary: Path, exporter: str
) -> None:
    """Beside the project's file the fragment says nothing else that a collector without the exporter refuses."""
    fragment = write_fragment(tmp_path, FRAGMENTS[exporter])
    answer = subprocess.run(
        [collector_binary, "validate", f"--config={CONFIG}", f"--config={fragment}"],
        env={name: value for name, value in os.environ.items() if not name.startswith("OTEL_")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert answer.returncode != 0
    assert f'unknown type: "{exporter}"' in answer.stderr


@pytest.mark.collector
def test_objects_of_s3_are_read(collector: Collector, tmp_path: Path) -> None:
    """A gzipped JSON document an object, in folders by the hour of the upload: the runs of a trace in many are whole."""
    record(collector.grpc_endpoint)
    assert collector.stop() == 0
    for number, document in enumerate(collector.traces_path.read_bytes().splitlines()):
        folder = tmp_path / "cold" / "year=2026" / "month=11" / "day=30" / f"hour={number % 24:02}"
        folder.mkdir(parents=True, exist_ok=True)
        name = f"traces_019ad6f2-0000-7000-8000-{(number * 7919) % 999983:012}.json.gz"
        (folder / name).write_bytes(gzip.compress(document))
    runs = list(read_runs(f"{tmp_path}/cold/**/*.json.gz", on_problem=refuse))
    assert [(run.graph, run.complete, run.verified) for run in runs] == [
        ("seven", True, True),
        ("seven", True, True),
        ("failing", True, True),
    ]


@pytest.mark.collector
def test_messages_of_kafka_are_read(collector: Collector, tmp_path: Path) -> None:
    """A JSON document a message, one message a line, of several partitions one behind the other."""
    record(collector.grpc_endpoint)
    assert collector.stop() == 0
    messages = collector.traces_path.read_bytes().splitlines()
    path = tmp_path / "kafka.jsonl"
    path.write_bytes(b"\n".join([*messages[1::2], *messages[::2]]) + b"\n")
    assert [run.complete for run in read_runs(path, on_problem=refuse)] == [True, True, True]
