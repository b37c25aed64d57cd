"""The project in examples/pytest_project, run as its team runs it, and after each change that a gate is for."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.workflows import copy_project

if TYPE_CHECKING:
    from pathlib import Path

PARALLEL = 'builder.add_edge("find_order", "write")\n'
SKIPPED = 'return ["find_order", "find_policy"] if'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of the project with a rootdir of its own."""
    return copy_project(tmp_path / "project")


def run(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a module of Python in the project, by its own configuration alone.

    In CI (by the variables `CI` and `BUILD_NUMBER`) pytest says each reason a second time, in its summary.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTEST_") and name not in ("CI", "BUILD_NUMBER")
    }
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def change(project: Path, old: str, new: str) -> None:
    """Replace one place of the agent."""
    path = project / "agent.py"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def test_the_project_passes(project: Path) -> None:
    """Its tests pass without a warning of ours, and what they recorded passes the gate with every demand."""
    done = run(project, "pytest", "-p", "no:asyncio", "--otel-traj-out", "traces.jsonl")
    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout
    assert "warning" not in done.stdout
    judged = run(
        project,
        "otel_traj",
        "eval",
        "traces.jsonl",
        "--references",
        "references.yaml",
        "--require-all",
        "--require-manifest",
    )
    assert (judged.returncode, judged.stderr) == (0, "")
    assert "14 passed, 0 failed, 0 not evaluated" in judged.stdout


def test_a_skipped_node_is_named(project: Path) -> None:
    """The policy is looked up no more: every test of that case says so, the repeated one with its count."""
    change(project, SKIPPED, 'return ["find_order"] if')
    done = run(project, "pytest", "-p", "no:asyncio")
    assert done.returncode == 1
    assert "3 failed, 2 passed" in done.stdout
    lines = done.stdout.splitlines()
    reason = "  superstep 2: expected {find_order, find_policy}, got {find_order}; missing find_policy"
    assert lines.count(reason) == 2
    assert (
        "E       AssertionError: FAIL 0 of 10 attempts passed, at least 9 wanted: 10 failed, 0 not evaluated"
        in lines
    )
    assert "E           10 times: {__start__} {understand} {find_order} {write}" in lines


def test_nodes_that_run_one_after_another_are_named(project: Path) -> None:
    """Order, then policy: the hint says that they were expected in parallel."""
    change(project, SKIPPED, 'return ["find_order"] if')
    change(project, PARALLEL, 'builder.add_edge("find_order", "find_policy")\n')
    done = run(project, "pytest", "-p", "no:asyncio", "-k", "order_is_looked_up")
    assert done.returncode == 1
    assert "hint: find_order and find_policy ran one after another, expected in parallel" in done.stdout


def test_a_case_without_its_reference_is_no_pass(project: Path) -> None:
    """A typo in the reference file leaves a case unjudged, which is told as such."""
    path = project / "references.yaml"
    path.write_text(path.read_text("utf-8").replace("case: greeting", "case: greetings"), "utf-8")
    done = run(project, "pytest", "-p", "no:asyncio", "-k", "every_case")
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout
    assert "  no reference applies to graph 'shop', case 'greeting'" in done.stdout
