"""A builder of spans as openinference writes them, for shapes that no recorded corpus has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.model import AttributeValue, Span, SpanEvent
from tests.spans import make_id, make_uuid

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["WrittenRun"]


class WrittenRun:
    """One call of a graph as openinference would have written it."""

    def __init__(
        self, name: str, *, thread: str | None = "t", start: int = 1_000, inputs: str | None = "{}"
    ) -> None:
        """Begin a call; `inputs` is JSON text, None where inputs are hidden."""
        self.name, self.thread, self.clock, self.inputs = name, thread, start, inputs
        self.trace_id = make_id(name, 32)
        self.root_id = make_id(name + "/root")
        self.start = start
        self.below: list[Span] = []

    def task(
        self,
        node: str,
        superstep: int,
        *,
        id: str | None = None,  # noqa: A002 - the word of the field
        error: str | None = None,
        push: int | None = None,
        triggers: Sequence[str] = (),
    ) -> None:
        """Add a node task that ended in an exception, if one is named."""
        key = id or f"{self.name}/{node}/{superstep}/{push}"
        path = ["__pregel_pull", node] if push is None else ["__pregel_push", push, False]
        metadata = {
            "langgraph_step": superstep,
            "langgraph_node": node,
            "langgraph_triggers": list(triggers) or [f"branch:to:{node}"],
            "langgraph_path": path,
            "langgraph_checkpoint_ns": f"{node}:{make_uuid(key)}",
        }
        self.below.append(
            self._span(f"{key}/{len(self.below)}", node, self.root_id, metadata, self.inputs and "{}", error)
        )

    def spans(self, *, error: str | None = None) -> list[Span]:
        """Return all spans of the call, which ended in an exception, if one is named."""
        root = self._span("root", "graph", "", {"ls_integration": "langgraph"}, self.inputs, error)
        return [*self.below, root]

    def _span(
        self,
        key: str,
        name: str,
        parent: str,
        metadata: dict[str, object],
        inputs: str | None,
        error: str | None,
    ) -> Span:
        self.clock += 10
        thread = {"thread_id": self.thread} if self.thread else {}
        attributes: dict[str, AttributeValue] = {
            "openinference.span.kind": "CHAIN",
            "metadata": json.dumps(thread | metadata),
        }
        if inputs is not None:
            attributes |= {"input.value": inputs, "input.mime_type": "application/json"}
        event = SpanEvent(name=sc.EXCEPTION_EVENT, attributes={sc.EXCEPTION_TYPE: error} if error else {})
        return Span(
            trace_id=self.trace_id,
            span_id=make_id(f"{self.name}/{key}") if parent else self.root_id,
            parent_span_id=parent,
            name=name,
            start_ns=self.clock if parent else self.start,
            end_ns=self.clock + 5,
            status="error" if error else "ok",
            events=(event,) if error else (),
            attributes=attributes,
            scope_name="openinference.instrumentation.langchain",
        )
