"""The main job: LangGraph runs, over OTLP, through a real collector, out of its file, to trajectories."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from otel_traj import read_runs

if TYPE_CHECKING:
    from tests.collector.running import Collector

pytestmark = pytest.mark.collector

PROGRAM = Path(__file__).with_name("send_runs.py")
TRAJECTORIES = [
    [["__start__"], ["node1"], ["node2"], ["node7"]],
    [["__start__"], ["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]],
    [["__start__"], ["draft"], ["ask"], ["__interrupt__"], ["send"]],
]


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_runs_come_back_from_the_collectors_file(protocol: str, collector: Collector) -> None:
    """What a program sends by `configure()` and the standard variables is read back from the collector's file."""
    endpoint = collector.grpc_endpoint if protocol == "grpc" else collector.http_endpoint
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol}
    done = subprocess.run(
        [sys.executable, str(PROGRAM)],
        cwd=collector.traces_path.parent,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    collector.stop()
    runs = list(read_runs(collector.traces_path))
    assert [run.steps for run in runs] == TRAJECTORIES
    assert all(run.complete and run.verified for run in runs)
    assert {run.service for run in runs} == {"sender"}
    assert [run.steps for run in read_runs(collector.traces_path.parent)] == TRAJECTORIES
