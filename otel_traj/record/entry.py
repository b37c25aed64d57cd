"""What is kept of one callback run, from its start to its end.

After its end an entry stays for a while without anything heavy in it: callbacks of children may come late, and
still need to know what they ran in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Hashable, Mapping, Sequence

    from opentelemetry.trace import Span, SpanContext, Tracer
    from opentelemetry.util.types import AttributeValue

    from otel_traj.record.classify import Kind
    from otel_traj.record.graph_run import GraphRun, InputFacts
    from otel_traj.record.live_span import LiveSpan

__all__ = ["Entry", "Tree"]

_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(slots=True, kw_only=True, eq=False)
class Tree:
    """All callback runs below one whose caller is not known."""

    tracer: Tracer
    ended_ids: deque[Hashable]
    """Keys of its ended callback runs that the table still remembers; bounded."""
    ended: bool = False
    """The one at its top has ended."""


@dataclass(slots=True, eq=False)
class Entry:
    """One callback run.

    Made by position: keywords in the call of a class cost CPython 3.11 a dict that it takes apart again, at each
    callback run.
    """

    run_id: Hashable
    kind: Kind
    name: str
    start_ns: int
    tree: Tree
    metadata: Mapping[str, object]
    tags: Sequence[str] = ()
    ns: str | None = None
    caller_id: Hashable = None
    """Id of the callback run that called it, None for a root."""
    parent: Entry | None = None
    """The callback run that called it, as far as known."""
    outer: Span | None = None
    """What was current at its start, where that is the parent of its span; None where `parent` decides."""
    graph: GraphRun | None = None
    """The graph run that it, or for a graph run what it calls, belongs to."""
    task_keys: Mapping[str, AttributeValue] | None = field(init=False, default=None)
    """The attributes of the node task that it, or for a node task what it calls, runs in."""
    step: int | None = field(init=False, default=None)
    """Of a chain, the superstep that it shows: its own, or that of the node task around it."""
    may_pause_untold: bool = field(init=False, default=False)
    """It has static interrupts, and LangGraph tells nobody when it pauses at one."""
    key: Hashable = field(init=False, default=None)
    """What the table keeps it under."""
    links: dict[int, Kind] | None = field(init=False, default=None)
    """Kinds of its traced children by their `seq:step` number."""
    input_facts: InputFacts | None = field(init=False, default=None)
    inputs: object = field(init=False, default=None)
    """Only where content is recorded, until it is written."""
    span: Span | None = field(init=False, default=None)
    """Its own span, or its caller's that does not record; None where none is written, and after its end."""
    span_context: SpanContext | None = field(init=False, default=None)
    """Identity of its span, kept after its end."""
    recording: bool = field(init=False, default=False)
    """Its span records; False where a sampler or a missing SDK decided so."""
    late: bool = field(init=False, default=False)
    """It started when the manifests that would count its span had been written."""
    keys: dict[str, AttributeValue] | None = field(init=False, default=None)
    """The attributes its span started with."""
    attachment: LiveSpan | None = field(init=False, default=None)
    interrupted_inside: bool = field(init=False, default=False)
    """A task below it was interrupted, and that is what interrupts it."""
    first_token_ns: int | None = field(init=False, default=None)
    stream_usage: object = field(init=False, default=None)
    """What the last chunk of a model's answer said of its tokens."""
    repeats_usage: bool = field(init=False, default=False)
    """Its chunks say the total so far, and not what came new."""
    ended: bool = field(init=False, default=False)

    def forget(self) -> None:
        """Drop everything but what late children need."""
        self.ended = True
        self.inputs = self.keys = self.attachment = self.input_facts = self.links = self.span = None
        self.stream_usage = None
        self.tags = ()
        self.metadata = _NOTHING
