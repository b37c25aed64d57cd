"""Every third oracle, through a real collector and out of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

from otel_traj import read_runs
from tests.oracles import ALL, sort_names
from tests.recorded import record_scenario

if TYPE_CHECKING:
    from tests.collector.running import Collector
    from tests.oracles.scenario import Trajectories

pytestmark = pytest.mark.collector

A_THIRD = [scenario for scenario in ALL if scenario.number % 3 == 2]


def test_a_third_of_the_oracles_comes_back_from_the_collectors_file(collector: Collector) -> None:
    """Runs sent by OTLP/gRPC and read from the collector's file, all scenarios in one, equal their oracles."""
    expected: dict[str, Trajectories] = {}
    for scenario in A_THIRD:
        for mode in () if scenario.missing else scenario.modes:
            exporter = OTLPSpanExporter(endpoint=collector.grpc_endpoint, insecure=True)
            driven = record_scenario(scenario, mode, exporter)
            expected[driven.thread_id] = sort_names(scenario.steps_from_spans)
    collector.stop()
    found: dict[str, Trajectories] = {thread: [] for thread in expected}
    for run in read_runs(collector.traces_path):
        assert run.complete
        assert run.verified
        if run.steps:
            found[run.thread_id or ""] += sort_names([run.steps])
    assert found == expected
    assert len(found) >= len(ALL) // 3
