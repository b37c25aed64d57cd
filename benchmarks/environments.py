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

__all__ = ["CHECKOUT", "SHARED", "make_environment", "read_versions"]

CHECKOUT = Path(__file__).resolve().parent.parent
SHARED = ("langchain", "langchain-core", "langgraph", "opentelemetry-api", "opentelemetry-sdk")
"""Packages that are pinned to one release everywhere."""


def make_environment(name: str, packages: list[str], *, shared: tuple[str, ...] = SHARED) -> Path:
    """Return the Python of an environment that has these packages.

    Args:
        name: Its name, a folder's.
        packages: What pip installs; `--editable PATH` is two of them.
        shared: Packages that are installed too, in the release that runs this.

    Raises:
        SystemExit: pip could not install them; what it said is the message.
    """
    configured = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(configured) if configured.startswith("/") else Path.home() / ".cache"
    folder = cache / "otel-traj" / "benchmarks" / name
    python = folder / "bin" / "python"
    wanted = [*(f"{package}=={version(package)}" for package in shared), *packages]
    made_of = json.dumps([sys.version, *wanted])
    stamp = folder / "made_of.json"
    if not stamp.exists() or stamp.read_text("utf-8") != made_of:
        print(f"making an environment of {', '.join(packages)}", file=sys.stderr)
        rmtree(folder, ignore_errors=True)
        # Without pip: that of the Python which runs this fills it, so none has to be fetched.
        venv.create(folder, with_pip=False, symlinks=True)
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", *wanted]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{name}: pip could not install {' '.join(wanted)}\n{done.stderr}")
        stamp.write_text(made_of, "utf-8")
    return python


def read_versions(python: Path, packages: tuple[str, ...]) -> dict[str, str]:
    """Return the releases that an environment has of these packages."""
    program = "import json, sys, importlib.metadata as m; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"
    done = subprocess.run([str(python), "-c", program, *packages], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))
