"""Metrics by node, live: what `collector-config.yaml` counts and shows to Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_traj import TrajectoryCallbackHandler, read_runs
from otel_traj.record.samples import build_seven_nodes
from tests.collector.fragments import write_fragment
from tests.collector.running import CONFIG, running_collector
from tests.collector.scraping import Series, scrape_until
from tests.record.graphs import State, new_chain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

pytestmark = pytest.mark.collector

OFTEN = "--set=connectors.span_metrics.metrics_flush_interval=100ms"
NO_SAMPLE = {"sampling_percentage: 10": "sampling_percentage: 0"}
YOURS = """
receivers: {otlp: {protocols: {grpc: {endpoint: "${env:OTEL_TRAJ_OTLP_GRPC}"}}}}
processors: {memory_limiter: {check_interval: 1s, limit_mib: 512}}
exporters: {debug: {}}
extensions: {health_check: {endpoint: "${env:OTEL_TRAJ_HEALTH}"}}
service:
  extensions: [health_check]
  pipelines: {traces: {receivers: [otlp], exporters: [debug]}}
  telemetry: {metrics: {level: none}}
"""


def record(grpc_endpoint: str) -> None:
    """Record the seven nodes both ways, and a graph that fails."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(endpoint=grpc_endpoint, insecure=True)))
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    for shortcut in (False, True):
        build_seven_nodes().invoke({"shortcut": shortcut, "nodes": []}, {"callbacks": [handler]})

    def fail(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        raise ValueError("no")

    builder = new_chain("first")
    builder.add_node("fail", fail)
    builder.add_edge("first", "fail")
    with pytest.raises(ValueError, match="no"):
        builder.compile(name="failing").invoke({}, {"callbacks": [handler]})
    provider.shutdown()


def count(series: Sequence[Series], name: str, labels: Mapping[str, str]) -> float:
    """Return the sum of a metric's series that have these labels."""
    return sum(each.value for each in series if each.name == name and labels.items() <= each.labels.items())


def is_whole(series: Sequence[Series]) -> bool:
    """Say whether all three runs are counted; a counter is shown as 0 at first."""
    return count(series, "traces_span_metrics_calls_total", {"gen_ai_operation_name": "invoke_workflow"}) == 3


def check_counts(series: Sequence[Series]) -> None:
    """The counters that docs/stacks.md names."""
    expected: list[tuple[dict[str, str], int]] = [
        ({"langgraph_graph": "failing", "otel_traj_outcome": "error"}, 1),
        ({"langgraph_graph": "seven", "otel_traj_outcome": "ok"}, 2),
        ({"langgraph_node": "node4"}, 1),
        ({"langgraph_node": "node1", "gen_ai_operation_name": "invoke_node"}, 2),
        ({"langgraph_node": "fail", "error_type": "ValueError"}, 1),
    ]
    for labels, calls in expected:
        assert count(series, "traces_span_metrics_calls_total", labels) == calls, labels
        assert count(series, "traces_span_metrics_duration_seconds_count", labels) == calls, labels


def test_metrics_are_counted_before_sampling(tmp_path: Path, collector_binary: Path) -> None:
    """Counters by graph, outcome and node, of runs that sampling drops as well."""
    fragment = write_fragment(tmp_path, "agent-traces.yaml", NO_SAMPLE)
    arguments = [OFTEN, f"--config={fragment}"]
    with running_collector(tmp_path, binary=collector_binary, arguments=arguments) as collector:
        record(collector.grpc_endpoint)
        check_counts(scrape_until(collector.span_metrics_address, is_whole))
        assert collector.stop() == 0
    assert {run.graph for run in read_runs(collector.traces_path)} == {"failing"}


def test_no_label_is_an_id(tmp_path: Path, collector_binary: Path) -> None:
    """A series per run would fill any store: no id of a run, thread, task or span is a label."""
    with running_collector(tmp_path, binary=collector_binary, arguments=[OFTEN]) as collector:
        record(collector.grpc_endpoint)
        series = scrape_until(collector.span_metrics_address, is_whole)
    assert {key for each in series for key in each.labels if key.endswith("_id")} <= {
        "service_instance_id",
        "collector_instance_id",
    }


def test_parts_for_a_collector_that_is_there_are_enough(tmp_path: Path, collector_binary: Path) -> None:
    """What docs/stacks.md says to copy (connectors, an exporter, two pipelines) counts beside a stranger's file."""
    document = yaml.safe_load(CONFIG.read_text("utf-8"))
    pipelines = document["service"]["pipelines"]
    copied = {
        "connectors": document["connectors"],
        "exporters": {"prometheus": document["exporters"]["prometheus"]},
        "service": {"pipelines": {name: pipelines[name] for name in ("traces/metrics", "metrics")}},
    }
    yours, parts = tmp_path / "yours.yaml", tmp_path / "parts.yaml"
    yours.write_text(YOURS, "utf-8")
    parts.write_text(yaml.safe_dump(copied), "utf-8")
    with running_collector(
        tmp_path, binary=collector_binary, config=yours, arguments=[f"--config={parts}", OFTEN]
    ) as collector:
        record(collector.grpc_endpoint)
        check_counts(scrape_until(collector.span_metrics_address, is_whole))
