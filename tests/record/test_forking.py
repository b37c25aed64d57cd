"""Forks while other threads record. Each case runs in a process of its own, whose threads are its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

FORK = """
import os, sys, threading
from langgraph.graph import START, StateGraph
from otel_traj import TrajectoryCallbackHandler, configure
from otel_traj.record import JsonLinesSpanExporter

def build(name):
    builder = StateGraph(dict)
    builder.add_node("a", lambda state: {})
    builder.add_edge(START, "a")
    return builder.compile(name=name)

exporter = JsonLinesSpanExporter(sys.argv[1])
configure(exporter=exporter)
handler = TrajectoryCallbackHandler()
parts = (handler._table.lock, handler._counters._lock, handler._tracers._lock, exporter._lock)
held, done = threading.Event(), threading.Event()

def hold():
    for lock in parts:
        lock.acquire()
    held.set()
    done.wait()
    for lock in reversed(parts):
        lock.release()

thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    import signal
    signal.alarm(60)
    build("in the child").invoke({}, {"callbacks": [handler]})
    os._exit(0)
_, status = os.waitpid(child, 0)
done.set()
thread.join()
build("in the parent").invoke({}, {"callbacks": [handler]})
sys.exit(status)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_child_records_although_another_thread_held_every_lock(tmp_path: Path) -> None:
    """A fork while another thread holds all locks leaves a child, and a parent, that record."""
    path = tmp_path / "traces.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", FORK, os.fspath(path)],
        check=False,
        timeout=120,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    names = [
        span["name"]
        for line in path.read_text().splitlines()
        for each in json.loads(line)["resourceSpans"]
        for span in each["scopeSpans"][0]["spans"]
    ]
    assert names == [
        "invoke_node a",
        "invoke_workflow in the child",
        "invoke_node a",
        "invoke_workflow in the parent",
    ]
