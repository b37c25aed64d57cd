"""One callback of LangChain as another emitter's span tells it: what all emitters have in common.

A span alone does not say what it stands for. A node's task, its conditional edge, a runnable inside it and a
subgraph carry the same metadata; their place in the tree tells them apart. So each emitter's spans become these
records, and `tree` turns the records of one emitter into facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
from msgspec import Struct

from otel_traj import semconv as sc
from otel_traj.model import AttributeValue, ChosenTool, TaskStatus
from otel_traj.reconstruct.dialects.endings import Ending, read_ending
from otel_traj.reconstruct.dialects.metadata import Metadata
from otel_traj.reconstruct.facts import Place
from otel_traj.reconstruct.typed_attributes import read_str

if TYPE_CHECKING:
    from otel_traj.model import Span

__all__ = ["Call", "CallbackRun", "Kind", "encode_text", "make_run"]

Kind: TypeAlias = Literal["chain", "graph", "model", "tool", "other"]
"""`graph`: the emitter itself says that it is a graph's run. `other`: only counted."""


class Call(Struct, frozen=True, kw_only=True):
    """What only the spans of model and tool calls say."""

    name: str | None = None
    call_id: str | None = None
    usage: tuple[int | None, int | None, int | None, int | None, int | None] = (None,) * 5
    """Input, output, cache read, cache write, reasoning."""
    finish_reasons: tuple[str, ...] = ()
    arguments: str | None = None
    """JSON text."""
    tools: tuple[str, ...] | None = None
    chosen: tuple[ChosenTool, ...] | None = None
    input_messages: AttributeValue = None
    """In the form of the GenAI conventions only."""
    output_messages: AttributeValue = None


class CallbackRun(Struct, frozen=True, kw_only=True):
    """One callback run, as an emitter's span tells it."""

    emitter: str
    kind: Kind
    name: str
    """The callback's, without what the emitter puts around it."""
    place: Place
    metadata: Metadata
    outcome: TaskStatus
    error_type: str | None
    interrupted: bool
    inputs: str | None
    """JSON text."""
    outputs: str | None
    call: Call | None
    service: tuple[str, str]
    attributes: dict[str, AttributeValue]
    """Of the resource and the span, where it may be a graph's run; else empty."""


def make_run(
    span: Span,
    emitter: str,
    kind: Kind,
    metadata: Metadata,
    *,
    name: str | None = None,
    ending: Ending | None = None,
    inputs: str | None = None,
    outputs: str | None = None,
    call: Call | None = None,
) -> CallbackRun:
    """Return the callback run that a span stands for.

    Args:
        span: The span.
        emitter: Its emitter's name.
        kind: What the callback was of.
        metadata: LangGraph's.
        name: Of the callback, where it is not the span's.
        ending: How it ended, where the exception does not tell it.
        inputs: JSON text, None where not recorded.
        outputs: JSON text, None where not recorded.
        call: What a model or tool call says.
    """
    name = span.name if name is None else name
    ending = read_ending(span) if ending is None else ending
    may_be_graph = kind in ("chain", "graph") and not (metadata.namespace and metadata.node == name)
    return CallbackRun(
        emitter=emitter,
        kind=kind,
        name=name,
        place=Place(
            trace_id=span.trace_id,
            span_id=span.span_id,
            parent_span_id=span.parent_span_id,
            name=span.name,
            start_ns=span.start_ns,
            end_ns=span.end_ns,
            unreadable=span.unreadable,
            dropped_attributes=span.dropped_attributes,
        ),
        metadata=metadata,
        outcome=ending.outcome,
        error_type=ending.error_type,
        interrupted=ending.interrupted,
        inputs=inputs,
        outputs=outputs,
        call=call,
        service=(
            read_str(span.resource, sc.SERVICE_NAMESPACE) or "",
            read_str(span.resource, sc.SERVICE_NAME) or "",
        ),
        attributes=span.resource | span.attributes if may_be_graph else {},
    )


def encode_text(text: str | None) -> str | None:
    """Return a plain text as JSON text."""
    return None if text is None else msgspec.json.encode(text).decode()
