"""What a span shrinks to: the few facts that rebuilding a run needs.

A reader of large sources can't keep every span; it keeps these. Each dialect turns its spans into the same
facts, so that everything after this module is the same for all emitters.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from otel_traj.model import AttributeValue, ChosenTool, TaskStatus

__all__ = ["CallFact", "Fact", "GraphFact", "Manifest", "OtherFact", "Place", "TaskFact"]


class Place(Struct, frozen=True, kw_only=True):
    """Where a fact was seen: its span, when it ran, and what of the span is damaged."""

    trace_id: str
    span_id: str
    parent_span_id: str
    name: str
    start_ns: int
    end_ns: int
    """0: open."""
    late: bool = False
    missing_keys: tuple[str, ...] = ()
    """Key attributes that are not there."""
    cut_keys: tuple[str, ...] = ()
    """Key attributes whose value is not whole."""
    mended_keys: tuple[str, ...] = ()
    """Attributes whose value is not whole, and of which all that was needed could be read."""
    unreadable: tuple[str, ...] = ()
    dropped_attributes: int = 0


class Manifest(Struct, frozen=True, kw_only=True):
    """What the recorder says it saw of one graph run."""

    steps_sha256: str
    task_count: int
    task_span_count: int
    span_count: int | None
    """None on a subgraph's run."""
    interrupted_count: int | None
    """Distinct tasks that ended in an interrupt."""
    steps: str | None
    """The trajectory's JSON; None where it was too long to write."""


class GraphFact(Struct, frozen=True, kw_only=True):
    """A graph-run span."""

    place: Place
    graph: str | None
    run_id: str
    """Callback run id; empty where it is missing."""
    parent_run_id: str | None
    parent_task_id: str | None
    thread_id: str | None
    case: str | None
    resumed: bool
    input_type: str | None
    outcome: TaskStatus
    pause_unknown: bool
    """The outcome is ok, and may be a pause at a static interrupt."""
    error_type: str | None
    manifest: Manifest | None
    linked_spans: tuple[tuple[str, str], ...]
    """(trace id, span id) of the root before it on its thread, as far as its recorder knew."""
    previous_span_id: str | None
    """The same root's span id alone."""
    names_checkpoint: bool
    """Its caller named the checkpoint to go on from."""
    inputs: str | None
    results: str | None
    service: tuple[str, str]
    """Namespace and name of the service; empty strings where not given."""
    attributes: dict[str, AttributeValue]
    """Of the resource and the span; the span's win."""
    omitted: tuple[str, ...] = ()
    """Kinds of spans that its recorder was told to leave out."""

    @property
    def names_previous(self) -> bool:
        """Whether its recorder saw a call before it on its thread."""
        return bool(self.linked_spans) or self.previous_span_id is not None

    @property
    def is_subgraph(self) -> bool:
        """Whether it is no top-level run: it names its caller, or its manifest lacks what only those count."""
        if self.parent_run_id is not None:
            return True
        has_parent = bool(self.place.parent_span_id)
        return has_parent and self.manifest is not None and self.manifest.span_count is None


class TaskFact(Struct, frozen=True, kw_only=True):
    """A span of one attempt of a node task."""

    place: Place
    node: str
    superstep: int
    task_id: str
    run_id: str
    thread_id: str | None
    push_index: int | None
    checkpoint_ns: str
    triggers: tuple[str, ...]
    attempt: int
    outcome: TaskStatus
    interrupted: bool
    """It ended in an interrupt that asks something; a static interrupt inside a subgraph does not."""
    error_type: str | None
    inputs: str | None
    outputs: str | None
    service: tuple[str, str]


class CallFact(Struct, frozen=True, kw_only=True):
    """A span of a model or tool call."""

    place: Place
    kind: Literal["model", "tool"]
    name: str | None
    """Model or tool."""
    call_id: str | None
    thread_id: str | None
    run_id: str | None
    task_id: str | None
    node: str | None
    superstep: int | None
    outcome: TaskStatus
    error_type: str | None
    usage: tuple[int | None, int | None, int | None, int | None, int | None]
    """Input, output, cache read, cache write, reasoning."""
    finish_reasons: tuple[str, ...]
    arguments: AttributeValue
    tools: tuple[str, ...] | None = None
    """Offered to the model; None where not recorded."""
    chosen: tuple[ChosenTool, ...] | None = None
    """By the model; None where not recorded."""
    input_messages: AttributeValue = None
    """As JSON text, or as a store has kept its structure."""
    output_messages: AttributeValue = None


class OtherFact(Struct, frozen=True, kw_only=True):
    """Another span of the emitter, only counted."""

    place: Place
    thread_id: str | None
    run_id: str | None


Fact: TypeAlias = GraphFact | TaskFact | CallFact | OtherFact
