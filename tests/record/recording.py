"""A handler that records into memory, and questions to ask of what it recorded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import LangGraphInstrumentor
from otel_traj import semconv as sc
from otel_traj.record import TrajectoryCallbackHandler

if TYPE_CHECKING:
    from collections.abc import Iterable

    from langchain_core.runnables import RunnableConfig
    from opentelemetry.sdk.trace import ReadableSpan, SpanLimits
    from opentelemetry.sdk.trace.sampling import Sampler

__all__ = ["Recording", "get_handler", "get_id", "get_parent_id", "has_error", "read", "read_steps"]


class Recording:
    """A handler, its provider, and the spans that have ended."""

    def __init__(
        self,
        *,
        sampler: Sampler | None = None,
        limits: SpanLimits | None = None,
        **options: Any,  # noqa: ANN401 - the handler's own
    ) -> None:
        """Make a provider of its own and a handler with these options."""
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(sampler=sampler, span_limits=limits, shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.handler = TrajectoryCallbackHandler(tracer_provider=self.provider, **options)
        self.tracer = self.provider.get_tracer("the user's own")

    def config(self, thread_id: str | None = None, **more: object) -> RunnableConfig:
        """Return a config with the handler, on a thread where one is named."""
        config = cast("RunnableConfig", {"callbacks": [self.handler], **more})
        if thread_id is not None:
            config["configurable"] = {"thread_id": thread_id}
        return config

    @property
    def spans(self) -> list[ReadableSpan]:
        """All ended spans, by start."""
        return sorted(self.exporter.get_finished_spans(), key=lambda span: span.start_time or 0)

    def list_named(self, name: str) -> list[ReadableSpan]:
        """Return the spans of a name, by start."""
        return [span for span in self.spans if span.name == name]

    def get(self, name: str) -> ReadableSpan:
        """Return the one span of a name."""
        (span,) = self.list_named(name)
        return span

    def list_operation(self, *operations: str) -> list[ReadableSpan]:
        """Return the spans with one of these operations, by start."""
        return [span for span in self.spans if read(span).get(sc.OPERATION_NAME) in operations]

    @property
    def graph_runs(self) -> list[ReadableSpan]:
        """Graph-run spans, by start."""
        return self.list_operation(sc.INVOKE_WORKFLOW, sc.INVOKE_AGENT)

    @property
    def roots(self) -> list[ReadableSpan]:
        """Graph-run spans of top-level runs, by start."""
        return [span for span in self.graph_runs if sc.PARENT_RUN_ID not in read(span)]

    @property
    def tasks(self) -> list[ReadableSpan]:
        """Node-task spans, by start."""
        return self.list_operation(sc.INVOKE_NODE)

    def get_parent(self, span: ReadableSpan) -> ReadableSpan | None:
        """Return the span's parent, where it was recorded."""
        return next((each for each in self.spans if get_id(each) == get_parent_id(span)), None)

    def name_parent(self, name: str) -> str | None:
        """Return the name of the parent of the one span of a name."""
        parent = self.get_parent(self.get(name))
        return parent.name if parent is not None else None

    def list_below(self, span: ReadableSpan) -> list[ReadableSpan]:
        """Return all spans that have this one above them."""
        below: list[ReadableSpan] = []
        level = {get_id(span)}
        while level:
            children = [each for each in self.spans if get_parent_id(each) in level]
            below += children
            level = {get_id(each) for each in children}
        return below

    def is_empty(self) -> bool:
        """Whether the handler keeps nothing of any run, ended roots apart."""
        return self.handler.open_count == 0


def read(span: ReadableSpan) -> dict[str, Any]:
    """Return the span's attributes."""
    return dict(span.attributes or {})


def get_id(span: ReadableSpan) -> int:
    """Return the span's id."""
    return cast("trace.SpanContext", span.get_span_context()).span_id


def get_parent_id(span: ReadableSpan) -> int | None:
    """Return the id of the span's parent, None for a root."""
    return span.parent.span_id if span.parent is not None else None


def has_error(spans: Iterable[ReadableSpan]) -> bool:
    """Whether any of these spans has the status ERROR or an exception event."""
    return any(
        span.status.status_code is trace.StatusCode.ERROR or [e for e in span.events if e.name == "exception"]
        for span in spans
    )


def read_steps(span: ReadableSpan) -> list[list[str]]:
    """Return the trajectory in a graph-run span's manifest."""
    return cast("list[list[str]]", json.loads(read(span)[sc.STEPS]))


def get_handler() -> TrajectoryCallbackHandler:
    """Return the handler that the instrumentor records with."""
    handler = LangGraphInstrumentor().handler
    assert handler is not None
    return handler
