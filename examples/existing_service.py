"""A service that already has OpenTelemetry: its provider is used, and its own spans nest rightly.

The request's span is the parent of the graph run, and the span that the service opens inside a node is a child of
that node's span.

Run: python examples/existing_service.py
"""

from __future__ import annotations

from typing import TypedDict

from langgraph.graph import START, StateGraph
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import TrajectoryCallbackHandler, read_runs


class State(TypedDict):
    """What the one node fills in."""

    answer: str


# What the service had before: a provider of its own, and an exporter (here one that keeps spans in memory).
exporter = InMemorySpanExporter()
provider = TracerProvider(resource=Resource.create({"service.name": "shop"}))
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("shop")


def look_up(state: State) -> State:
    """Answer, with a span of the service's own around its database."""
    with tracer.start_as_current_span("SELECT orders"):
        return {"answer": f"{state['answer']}: on its way"}


builder = StateGraph(State)
builder.add_node("look_up", look_up)
builder.add_edge(START, "look_up")
graph = builder.compile(name="orders")

# What is new: the handler. It finds the global provider by itself.
handler = TrajectoryCallbackHandler()
with tracer.start_as_current_span("GET /orders/17"):
    graph.invoke({"answer": "order 17"}, config={"callbacks": [handler]})

spans = {span.name: span for span in exporter.get_finished_spans()}
names = {span.context.span_id: span.name for span in spans.values() if span.context}
for span in spans.values():
    print(f"{span.name:30} below {names[span.parent.span_id] if span.parent else 'nothing'}")
for run in read_runs(exporter):
    print(run.service, run.graph, run.steps)
