"""Record a graph that branches and fans out, both ways, and read its trajectories back.

Run: python examples/seven_nodes.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from langgraph.checkpoint.memory import InMemorySaver

from otel_traj import TrajectoryCallbackHandler, configure, extract_trajectories
from otel_traj.record.samples import build_seven_nodes

path = Path(tempfile.mkdtemp()) / "traces.jsonl"
provider = configure(service_name="seven-nodes", path=path)
graph = build_seven_nodes(InMemorySaver())
handler = TrajectoryCallbackHandler(content=True)
for shortcut in (True, False):
    graph.invoke(
        {"shortcut": shortcut, "nodes": []},
        config={"callbacks": [handler], "configurable": {"thread_id": "one"}},
    )
provider.shutdown()

for trajectory in extract_trajectories(path):
    print(trajectory["steps"])
    print("   results:", trajectory["results"])
