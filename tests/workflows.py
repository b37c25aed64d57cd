"""The workflows in examples/ci, their steps, and a step run as a runner would, in a copy of the example project."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROJECT", "WORKFLOWS", "copy_project", "list_commands", "list_steps", "run_step"]

_EXAMPLES = Path(__file__).parent.parent / "examples"
PROJECT = _EXAMPLES / "pytest_project"
WORKFLOWS = sorted((_EXAMPLES / "ci").glob("*.yaml"))


def list_steps(path: Path) -> list[dict[str, str]]:
    """Return the steps of the one job of a workflow that run something."""
    (job,) = yaml.safe_load(path.read_text("utf-8"))["jobs"].values()
    return [step for step in job["steps"] if "run" in step]


def list_commands(path: Path) -> list[list[str]]:
    """Return the words of each command of a workflow."""
    scripts = [step["run"].replace("\\\n", " ") for step in list_steps(path)]
    return [shlex.split(line) for script in scripts for line in script.splitlines()]


def copy_project(folder: Path) -> Path:
    """Return a copy of the example project, which is its own rootdir."""
    ignored = shutil.ignore_patterns("__pycache__", ".pytest_cache")
    return Path(shutil.copytree(PROJECT, folder, ignore=ignored, dirs_exist_ok=True))


def run_step(
    step: Mapping[str, str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a step with the programs of this environment.

    Args:
        step: One that runs something.
        folder: Where the repository is checked out.
        environment: Variables beside those of this process, what pytest sets for itself excepted.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=folder,
        env=inherited | {"PATH": path, "NO_COLOR": "1"} | dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )
