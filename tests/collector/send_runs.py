"""A program that records three runs and exports them as the environment says, as a user's program would.

Run: python tests/collector/send_runs.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from otel_traj import TrajectoryCallbackHandler, configure
from otel_traj.record.samples import build_approval, build_seven_nodes

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

__all__ = ["main"]


def main() -> None:
    """Run the seven nodes both ways and an approval that is interrupted and resumed; leave without a flush."""
    configure(service_name="sender")
    handler = TrajectoryCallbackHandler()
    for shortcut in (True, False):
        build_seven_nodes().invoke({"shortcut": shortcut, "nodes": []}, config={"callbacks": [handler]})
    config: RunnableConfig = {"callbacks": [handler], "configurable": {"thread_id": "mail"}}
    approval = build_approval(InMemorySaver())
    approval.invoke({"topic": "lunch"}, config=config)
    approval.invoke(Command(resume=True), config=config)


if __name__ == "__main__":
    main()
