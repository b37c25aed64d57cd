"""Record an agent that calls two tools in one turn, and print what each model and tool call did.

Run: python examples/agent_with_tools.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from langchain_core.messages import HumanMessage

from otel_traj import TrajectoryCallbackHandler, configure, read_runs
from otel_traj.record.samples import build_tool_agent

path = Path(tempfile.mkdtemp()) / "traces.jsonl"
provider = configure(service_name="assistant", path=path)
agent = build_tool_agent()
agent.invoke(
    {"messages": [HumanMessage("How is the morning in Oslo?")]},
    config={"callbacks": [TrajectoryCallbackHandler()]},
)
provider.shutdown()

for run in read_runs(path):
    print(run.steps)
    for model_call in run.model_calls:
        print(
            f"superstep {model_call.superstep}: model {model_call.model}, {model_call.usage['input_tokens']} tokens in"
        )
    for tool_call in run.tool_calls:
        print(f"superstep {tool_call.superstep}: tool {tool_call.name} {tool_call.status}")
