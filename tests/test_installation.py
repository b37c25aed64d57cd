"""The package as it is installed, which is not always the checkout."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import otel_traj

SITE_PACKAGES = Path(sysconfig.get_path("purelib"))
INSTALLED_AS = os.environ.get("OTEL_TRAJ_INSTALLED_AS", "")


@pytest.mark.skipif(
    INSTALLED_AS != "wheel", reason="the tests run against the checkout (`make test INSTALL_AS=wheel`)"
)
def test_the_wheel_is_what_is_tested() -> None:
    """Tests that are told to test the wheel, and the programs they start, import it and not the checkout."""
    assert Path(otel_traj.__file__).is_relative_to(SITE_PACKAGES)
    started = subprocess.run(
        [sys.executable, "-c", "import otel_traj; print(otel_traj.__file__)"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        check=True,
        text=True,
    )
    assert Path(started.stdout.strip()) == Path(otel_traj.__file__)


def test_version_is_the_distributions() -> None:
    """The version in the code is the one that was installed."""
    assert importlib.metadata.version("otel-traj") == otel_traj.__version__


def test_types_are_shipped() -> None:
    """`py.typed` lies in the package, so that type checkers of users read its annotations."""
    assert Path(otel_traj.__file__).with_name("py.typed").is_file()


def test_command_is_installed() -> None:
    """`otel-traj` starts from where Python keeps its scripts."""
    (command,) = importlib.metadata.entry_points(group="console_scripts", name="otel-traj")
    assert command.value == "otel_traj.cli:main"
    script = Path(sysconfig.get_path("scripts")) / "otel-traj"
    assert subprocess.run([script, "--help"], capture_output=True, check=False).returncode == 0
