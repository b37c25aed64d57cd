"""Runs of the sample agents, recorded into a file, and references to judge them by.

What `otel-traj demo` shows: a graph that takes each of its two ways, a model that calls two tools at once, a run
that stops to ask a person and is resumed. The spans go through a tracer provider made for these runs alone, so
that a program which has OpenTelemetry set up is not disturbed, whatever the environment says about samplers;
and LangSmith, which LangChain would call where the environment switches it on, stays off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from langsmith.run_helpers import tracing_context
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from otel_traj.record.handler import TrajectoryCallbackHandler
from otel_traj.record.otlp_lines import JsonLinesSpanExporter
from otel_traj.record.samples import build_approval, build_seven_nodes, build_tool_agent

if TYPE_CHECKING:
    import os

    from langchain_core.runnables import RunnableConfig

__all__ = ["SAMPLE_REFERENCES", "SAMPLE_SERVICE", "record_sample_runs"]

SAMPLE_SERVICE: Final = "otel-traj-demo"
"""`service.name` of the sample runs."""

SAMPLE_REFERENCES: Final = """\
# What the demo's runs are judged by. Change something, and judge again.
version: 1
references:
  - name: long path
    applies_to: {graph: seven}  # every run of this graph, so the one that takes the shortcut fails
    steps:
      - node1
      - node3
      - [node4, node5]          # one superstep: side by side, in any order
      - node6
      - node7
  - name: looks up, then answers
    applies_to: {graph: assistant}
    steps: [{repeat: [model, tools], max: 3}, model]  # looks up once, or up to three times
  - name: asks before it sends
    applies_to: {graph: approval}
    steps: [draft, ask, __interrupt__, send]
"""
"""A reference file (YAML) in which three of the four sample runs pass, and the shortcut fails."""


def record_sample_runs(path: str | os.PathLike[str]) -> None:
    """Run the sample agents, and write what a handler recorded.

    Args:
        path: The file that OTLP JSON lines are appended to; it and its folder are made.

    Raises:
        SinkError: The file can't be opened.
    """
    provider = TracerProvider(
        sampler=ALWAYS_ON, resource=Resource({SERVICE_NAME: SAMPLE_SERVICE}), shutdown_on_exit=False
    )
    provider.add_span_processor(SimpleSpanProcessor(JsonLinesSpanExporter(path)))
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    try:
        with tracing_context(enabled=False):
            _run_agents(handler)
    finally:
        provider.shutdown()


def _run_agents(handler: TrajectoryCallbackHandler) -> None:
    seven = build_seven_nodes(InMemorySaver())
    for case, shortcut in (("long", False), ("short", True)):
        seven.invoke({"shortcut": shortcut, "nodes": []}, _make_config(handler, "seven-1", case))
    question = HumanMessage("What is it like in Oslo now?")
    build_tool_agent().invoke({"messages": [question]}, _make_config(handler, "assistant-1", "weather"))
    approval = build_approval(InMemorySaver())
    config = _make_config(handler, "approval-1", "mail")
    approval.invoke({"topic": "lunch"}, config)
    approval.invoke(Command(resume=True), config)


def _make_config(handler: TrajectoryCallbackHandler, thread: str, case: str) -> RunnableConfig:
    return {"callbacks": [handler], "configurable": {"thread_id": thread}, "metadata": {"case": case}}
