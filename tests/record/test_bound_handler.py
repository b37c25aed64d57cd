"""A handler that is bound to a graph, which is then called by somebody else: the way of the LangGraph server."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import BaseCallbackHandler

from otel_traj import read_runs
from otel_traj import semconv as sc
from tests.record.graphs import build_chain
from tests.record.recording import Recording, read

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.pregel import Pregel

PAGE = Path(__file__).parents[2] / "docs" / "stacks.md"
BLOCK = re.compile(r"^```python\n(# my_agent\.py.*?)^```$", re.MULTILINE | re.DOTALL)


class Listener(BaseCallbackHandler):
    """Says whether it was called."""

    heard = False

    def on_chain_start(self, *args: object, **kwargs: object) -> None:  # noqa: ARG002 - LangChain's interface
        """Note the call."""
        self.heard = True


CONFIG: RunnableConfig = {
    "run_id": uuid.UUID("01a22dc1-9ddd-722a-82fb-0a3fc8bfe3a8"),
    "metadata": {"case": "greeting", "assistant_id": "one", "run_id": "the server's"},
    "configurable": {"thread_id": "t-1", "run_id": "the server's"},
}
"""What a server passes, callbacks apart."""


async def stream(graph: Pregel[Any, Any, Any, Any], config: RunnableConfig) -> None:
    """Call the graph as a server does."""
    async for _ in graph.astream({}, config):
        pass


def check_run(recording: Recording) -> None:
    """There is one run, under the caller's ids."""
    (root,) = recording.roots
    said = read(root)
    assert said[sc.RUN_ID] == str(CONFIG["run_id"])
    assert (said[sc.THREAD_ID], said[sc.CASE]) == ("t-1", "greeting")
    (run,) = read_runs(recording.exporter)
    assert (run.steps, run.complete) == ([["__start__"], ["a"], ["b"]], True)


def test_bound_handler_records_the_callers_ids(recording: Recording) -> None:
    """A caller's run id, thread and case are those of the run."""
    graph = build_chain("a", "b").with_config(callbacks=[recording.handler])
    asyncio.run(stream(graph, CONFIG))
    check_run(recording)


def test_bound_handler_records_wherever_langgraph_calls_it(recording: Recording) -> None:
    """Where the caller has callbacks of its own, a bound handler records unless LangGraph drops all bound ones."""
    listener = Listener()
    graph = build_chain("a", "b").with_config(callbacks=[listener, recording.handler])
    asyncio.run(stream(graph, {**CONFIG, "callbacks": [Listener()]}))
    assert bool(recording.roots) is listener.heard
    if listener.heard:
        check_run(recording)


def test_instrumentation_records_beside_the_callers_callbacks(instrumented: Recording) -> None:
    """The way without code needs nothing bound, and the caller's callbacks take nothing from it."""
    listener = Listener()
    asyncio.run(stream(build_chain("a", "b"), {**CONFIG, "callbacks": [listener]}))
    assert listener.heard
    check_run(instrumented)


SERVE = """
import asyncio, os, threading

writers = set()
real_write = os.write
def write(*args):
    writers.add(threading.current_thread() is threading.main_thread())
    return real_write(*args)
os.write = write
for _ in range(3):
    asyncio.run(graph.ainvoke({"messages": [("user", "hi")]}))
from opentelemetry import trace
trace.get_tracer_provider().shutdown()
"""


def test_file_of_the_recipe_is_written_beside_the_event_loop(tmp_path: Path) -> None:
    """The module of the page, called in an event loop, writes its file in another thread: `langgraph dev` allows that."""
    (block,) = BLOCK.findall(PAGE.read_text("utf-8"))
    printing = "\nprint(sorted(writers))"
    done = subprocess.run(
        [sys.executable, "-c", block + SERVE + printing],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "[False]\n"), done.stderr
    assert [run.steps for run in read_runs(tmp_path / "traces.jsonl")] == [[["__start__"], ["answer"]]] * 3
