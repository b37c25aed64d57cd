"""examples/ci/github-actions-collector.yaml with a real collector in place of its container."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workflows import WORKFLOWS, copy_project, list_steps, run_step

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collector.running import Collector

pytestmark = pytest.mark.collector


def test_the_agent_is_judged_by_what_the_collector_wrote(collector: Collector, tmp_path: Path) -> None:
    """The agent's OTLP becomes the collector's file, and every run of it passes the gate as proved complete."""
    copy_project(tmp_path)
    summary = tmp_path / "summary.md"
    environment = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.grpc_endpoint,
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    (path,) = (path for path in WORKFLOWS if path.stem == "github-actions-collector")
    names = []
    for step in list_steps(path):
        if "docker stop" in step["run"]:
            assert collector.stop() == 0
        elif "docker" not in step["run"] and "pip" not in step["run"]:
            done = run_step(step, tmp_path, environment)
            assert done.returncode == 0, done.stdout + done.stderr
            names.append(step["name"])
    assert names[:3] == ["Run the agent", "Judge all runs by the references", "Write the summary"]
    said = summary.read_text("utf-8")
    assert "answers a greeting" in said
    assert "looks up order and policy" in said
