"""Code that begins with `configure`, run in a process of its own: it sets a global that a process has once."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

__all__ = ["run_python"]

RUN = """
from langgraph.graph import START, StateGraph
from otel_traj import TrajectoryCallbackHandler, configure
def run(handler=None):
    builder = StateGraph(dict)
    builder.add_node("a", lambda state: {})
    builder.add_edge(START, "a")
    handler = handler or TrajectoryCallbackHandler()
    builder.compile(name="chain").invoke({}, {"callbacks": [handler]})
"""


def run_python(code: str, *, setup: str = RUN, **environment: str) -> str:
    """Run code in a fresh interpreter, warnings as errors; return what it printed."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("OTEL_")}
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", setup + textwrap.dedent(code)],
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
