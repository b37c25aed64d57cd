"""Environments for what does not belong into this project's own: other recorders, other tools.

Each is a `venv` under the user's cache folder (`$XDG_CACHE_HOME/otel-traj/benchmarks`, else
`~/.cache/otel-traj/benchmarks`), filled by pip out of the package index, kept for the next time, and made anew when
what is asked for changes. What all of them share is pinned to what the Python that runs the benchmark has, so that
two recorders are never compared on two releases of LangGraph.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree

__all__ = ["CHECKOUT", "SHARED", "find_environment", "make_environment", "read_versions"]

CHECKOUT = Path(__file__).resolve().parent.parent
SHARED = ("langchain", "langchain-core", "langgraph", "opentelemetry-api", "opentelemetry-sdk")
"""Packages that are pinned to one release everywhere."""


def find_environment(name: str, packages: list[str], *, shared: tuple[str, ...] = SHARED) -> Path | None:
    """Return the Python of an environment that `make_environment` has made of just these, None where there is none.

    Args:
        name: As for `make_environment`, and so are the others.
        packages: See there.
        shared: See there.
    """
    folder = _locate(name)
    stamp = folder / "made_of.json"
    is_made = stamp.exists() and stamp.read_text("utf-8") == _describe(_list_wanted(packages, shared))
    return folder / "bin" / "python" if is_made else None


def make_environment(name: str, packages: list[str], *, shared: tuple[str, ...] = SHARED) -> Path:
    """Return the Python of an environment that has these packages.

    Args:
        name: Its name, a folder's.
        packages: What pip installs; `--editable PATH` is two of them.
        shared: Packages that are installed too, in the release that runs this.

    Raises:
        SystemExit: pip could not install them; what it said is the message.
    """
    found = find_environment(name, packages, shared=shared)
    if found is not None:
        return found
    folder, wanted = _locate(name), _list_wanted(packages, shared)
    python = folder / "bin" / "python"
    print(f"making an environment of {', '.join(packages)}", file=sys.stderr)
    rmtree(folder, ignore_errors=True)
    # Without pip: that of the Python which runs this fills it, so none has to be fetched.
    venv.create(folder, with_pip=False, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", *wanted]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{name}: pip could not install {' '.join(wanted)}\n{done.stderr}")
    (folder / "made_of.json").write_text(_describe(wanted), "utf-8")
    return python


def _locate(name: str) -> Path:
    configured = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(configured) if configured.startswith("/") else Path.home() / ".cache"
    return cache / "otel-traj" / "benchmarks" / name


def _list_wanted(packages: list[str], shared: tuple[str, ...]) -> list[str]:
    return [*(f"{package}=={version(package)}" for package in shared), *packages]


def _describe(wanted: list[str]) -> str:
    return json.dumps([sys.version, *wanted])


def read_versions(python: Path, packages: tuple[str, ...]) -> dict[str, str]:
    """Return the releases that an environment has of these packages."""
    program = "import json, sys, importlib.metadata as m; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"
    done = subprocess.run([str(python), "-c", program, *packages], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))
