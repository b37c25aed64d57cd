"""Record a run that stops to ask a person and is resumed: two traces, one run.

Run: python examples/interrupt.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from otel_traj import TrajectoryCallbackHandler, configure, read_runs
from otel_traj.record.samples import build_approval

path = Path(tempfile.mkdtemp()) / "traces.jsonl"
provider = configure(service_name="approval", path=path)
graph = build_approval(InMemorySaver())
config: RunnableConfig = {"callbacks": [TrajectoryCallbackHandler()], "configurable": {"thread_id": "mail-1"}}

graph.invoke({"topic": "lunch"}, config=config)
[run] = read_runs(path)
print(run.status, run.steps)

graph.invoke(Command(resume=True), config=config)
provider.shutdown()
[run] = read_runs(path)
print(run.status, run.steps)
print(len(run.trace_ids), "traces,", len(run.invocations), "invocations, one run")
