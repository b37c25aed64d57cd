"""Runs of every kind, recorded and sent to a Jaeger."""

from __future__ import annotations

import uuid
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, cast

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, RetryPolicy
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_traj import RunEnd, TrajectoryCallbackHandler
from otel_traj.record import samples
from tests.record.graphs import State, build_chain, new_chain

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from langchain_core.runnables import RunnableConfig

    from tests.jaeger.running import Jaeger

__all__ = ["RUN_ID", "SERVICE", "send_runs", "send_unfinished"]

SERVICE = "shop"
RUN_ID = "01a22dc1-9ddd-722a-82fb-0a3fc8bfe3a8"
"""Id of the run `long`."""


@contextmanager
def recording_into(jaeger: Jaeger, ends: list[RunEnd]) -> Iterator[RunnableConfig]:
    """Yield a config whose handler sends each span when it ends."""
    provider = TracerProvider(resource=Resource.create({"service.name": SERVICE}), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=jaeger.grpc_endpoint, insecure=True)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield {"callbacks": [TrajectoryCallbackHandler(tracer_provider=provider, on_run_end=ends.append)]}
    provider.shutdown()


def send_runs(jaeger: Jaeger) -> dict[str, str]:
    """Record runs that end in every way; return their trace ids by what is special about each."""
    ends: list[RunEnd] = []
    with recording_into(jaeger, ends) as config:
        seven = samples.build_seven_nodes()
        long: RunnableConfig = {**config, "metadata": {"case": "long"}, "run_id": uuid.UUID(RUN_ID)}
        seven.invoke({"shortcut": False, "nodes": []}, long)
        seven.invoke({"shortcut": True, "nodes": []}, config)
        approval = samples.build_approval(InMemorySaver())
        mail: RunnableConfig = {**config, "configurable": {"thread_id": "mail"}}
        approval.invoke({"topic": "lunch"}, mail)
        approval.invoke(Command(resume=True), mail)
        _fail(config)
        _leave(config, "first", "second")
        samples.build_tool_agent().invoke({"messages": [HumanMessage("Weather and time?")]}, config)
    names = ("long", "short", "asked", "answered", "failed", "left", "agent")
    return dict(zip(names, (end.trace_id for end in ends), strict=True))


def send_unfinished(jaeger: Jaeger) -> None:
    """Record the first node of a run whose process then dies."""
    with recording_into(jaeger, []) as config:
        stream = build_chain("node1", "node2").stream({}, config)
        next(stream)
    # The provider is shut down: what ends now is sent to nobody.
    cast("Generator[Any]", stream).close()


def _fail(config: RunnableConfig) -> None:
    def fail(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        raise ValueError("no")

    retry = RetryPolicy(max_attempts=2, initial_interval=0.01, retry_on=ValueError)
    builder = new_chain("first")
    builder.add_node("fail", fail, retry_policy=retry)
    builder.add_edge("first", "fail")
    with pytest.raises(ValueError, match="no"):
        builder.compile(name="failing").invoke({}, config)


def _leave(config: RunnableConfig, *names: str) -> None:
    stream = build_chain(*names, graph_name="left").stream({}, config)
    with closing(cast("Generator[Any]", stream)):
        next(stream)
