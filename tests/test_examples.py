"""Each example runs as a person would run it, and prints what it promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES, DOCS = ROOT / "examples", ROOT / "docs"
PROMISED = {
    "seven_nodes.py": [
        "[['__start__'], ['node1'], ['node2'], ['node7']]",
        "[['__start__'], ['node1'], ['node3'], ['node4', 'node5'], ['node6'], ['node7']]",
        "results: {'shortcut': True, 'nodes': ['node1', 'node2', 'node7']}",
    ],
    "agent_with_tools.py": [
        "[['__start__'], ['model'], ['tools'], ['model']]",
        "superstep 2: tool get_weather ok",
    ],
    "interrupt.py": [
        "interrupted [['__start__'], ['draft'], ['ask'], ['__interrupt__']]",
        "ok [['__start__'], ['draft'], ['ask'], ['__interrupt__'], ['send']]",
        "2 traces, 2 invocations, one run",
    ],
    "existing_service.py": [
        "SELECT orders                  below invoke_node look_up",
        "invoke_workflow orders         below GET /orders/17",
        "shop orders [['__start__'], ['look_up']]",
    ],
    "own_telemetry.py": (DOCS / "by-hand.md")
    .read_text("utf-8")
    .partition("```text\n")[2]
    .partition("```")[0]
    .split("\n"),
}


def test_every_example_is_listed() -> None:
    """No example stands in the folder that no test runs."""
    assert sorted(PROMISED) == sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", sorted(PROMISED))
def test_example(name: str, tmp_path: Path) -> None:
    """The example ends well, prints what it promises and nothing to stderr."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for line in PROMISED[name]:
        assert line in done.stdout
