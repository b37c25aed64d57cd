"""An environment with other instrumentations in it: `python -m tests.reconstruct.dialects.peers` makes one.

They stay out of the project's own: their entry points would be loaded by everything there that loads all of them. The
package itself is not installed into it, but put on its path, so that all checkouts share one.
"""

from __future__ import annotations

import sys
from importlib.metadata import requires
from typing import TYPE_CHECKING

from tests.benchmark_scripts import load_script

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["find_peers", "make_peers"]

NAME = "beside"
PACKAGES = [
    *(needed for needed in requires("otel-traj") or () if "extra ==" not in needed),
    "pytest",  # which the oracles use
    "openinference-instrumentation-langchain",
    "opentelemetry-instrumentation-langchain",
]


def find_peers() -> Path | None:
    """Return the Python of the environment, None where it was not made yet."""
    found: Path | None = load_script("environments").find_environment(NAME, PACKAGES)
    return found


def make_peers() -> Path:
    """Return the Python of the environment, made now where there is none."""
    made: Path = load_script("environments").make_environment(NAME, PACKAGES)
    return made


if __name__ == "__main__":
    sys.stdout.write(f"{make_peers()}\n")
