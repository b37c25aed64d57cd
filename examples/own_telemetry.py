"""Record what only the program itself knows: events, a span and attributes of its own, and what a person said.

A plan and an exceeded budget become events of the node they happen in, the search is a span of its own below its
node, the number of hits an attribute of the node's span. `on_run_end` keeps the ids of the run, by which a person's
judgement is attached to it later.

Run: python examples/own_telemetry.py
"""

from __future__ import annotations

import asyncio
from typing import TypedDict

import opentelemetry.sdk._logs.export as log_exports
from langchain_core.callbacks import adispatch_custom_event, dispatch_custom_event
from langgraph.graph import START, StateGraph
from opentelemetry import trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import ContentPolicy, RunEnd, TrajectoryCallbackHandler, configure, read_runs, record_feedback


class State(TypedDict, total=False):
    """The questions to search for, and what was found."""

    queries: list[str]
    found: list[str]


tracer = trace.get_tracer("research")


def plan(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
    """Decide what to search for, and say so."""
    queries = ["rain", "wind", "snow"]
    dispatch_custom_event("plan_made", {"queries": queries})
    return {"queries": queries}


async def search(state: State) -> State:
    """Search as often as the budget allows; the node's own span is the current one."""
    found = []
    for query in state["queries"][:2]:
        with tracer.start_as_current_span("search index", attributes={"research.query": query}):
            found.append(f"{query} tomorrow")
    await adispatch_custom_event("budget_exceeded", {"left_out": state["queries"][2:]})
    trace.get_current_span().set_attribute("research.hits", len(found))
    return {"found": found}


builder = StateGraph(State)
builder.add_node("plan", plan)
builder.add_node("search", search)
builder.add_edge(START, "plan")
builder.add_edge("plan", "search")
graph = builder.compile(name="research")

spans = InMemorySpanExporter()
provider = configure(service_name="research", exporter=spans)
# The exporter's name until OpenTelemetry 1.39 is the second one.
keep = getattr(log_exports, "InMemoryLogRecordExporter", None) or log_exports.InMemoryLogExporter
logs = keep()
logger_provider = LoggerProvider()
logger_provider.add_log_record_processor(log_exports.SimpleLogRecordProcessor(logs))

# The data of events are content, which is off unless it is asked for: here for events alone.
ends: list[RunEnd] = []
handler = TrajectoryCallbackHandler(content=ContentPolicy(kinds=("events",)), on_run_end=ends.append)
asyncio.run(graph.ainvoke({}, config={"callbacks": [handler]}))
(end,) = ends
record_feedback(end, True, "that was quick", logger_provider=logger_provider)

provider.force_flush()
finished = {span.context.span_id: span for span in spans.get_finished_spans() if span.context}
for span in finished.values():
    print(f"{span.name:24} below {finished[span.parent.span_id].name if span.parent else 'nothing'}")
    for key, value in (span.attributes or {}).items():
        if key.startswith("research."):
            print("    attribute", key, "=", value)
    for event in span.events:
        print("    event", event.name, (event.attributes or {}).get("otel_traj.event.data"))
for each in logs.get_finished_logs():
    record = each.log_record
    said = {key: value for key, value in (record.attributes or {}).items() if "evaluation" in key}
    print("feedback", said, "on", finished[record.span_id or 0].name)
for run in read_runs(spans, run=end.run_id):
    print(end.graph, end.outcome, run.steps)
