"""What is kept of one callback run, from its start to its end.

After its end an entry stays for a while without anything heavy in it: callbacks of children may come late, and
still need to know what they ran in.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Hashable, Mapping, Sequence

    from opentelemetry.trace import Span, SpanContext, Tracer
    from opentelemetry.util.types import AttributeValue

    from otel_traj.record.classify import Kind
    from otel_traj.record.graph_run import GraphRun, InputFacts
    from otel_traj.record.live_span import Attachment

__all__ = ["Entry", "Tree"]

_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(slots=True, kw_only=True, eq=False)
class Tree:
    """All callback runs below one whose caller is not known."""

    tracer: Tracer
    ended_ids: deque[Hashable]
    """Ids of its ended callback runs that the table still remembers; bounded."""
    ended: bool = False
    """The one at its top has ended."""


@dataclass(slots=True, kw_only=True, eq=False)
class Entry:
    """One callback run."""

    run_id: Hashable
    kind: Kind
    name: str
    start_ns: int
    tree: Tree
    caller_id: Hashable = None
    """Id of the callback run that called it, None for a root."""
    parent: Entry | None = None
    """The callback run that called it, as far as known."""
    outer: Span | None = None
    """What was current at its start, where that is the parent of its span; None where `parent` decides."""
    ns: str | None = None
    tags: Sequence[str] = ()
    metadata: Mapping[str, object]
    links: dict[int, Kind] | None = None
    """Kinds of its traced children by their `seq:step` number."""
    graph: GraphRun | None = None
    """The graph run that it, or for a graph run what it calls, belongs to."""
    task_keys: Mapping[str, AttributeValue] | None = None
    """The five attributes of the node task that it, or for a node task what it calls, runs in."""
    may_pause_untold: bool = False
    """It has static interrupts, and LangGraph tells nobody when it pauses at one."""
    input_facts: InputFacts | None = None
    inputs: object = None
    """Only where content is recorded, until it is written."""
    span: Span | None = None
    """Its own span, or its caller's that does not record; None where none is written, and after its end."""
    span_context: SpanContext | None = None
    """Identity of its span, kept after its end."""
    recording: bool = False
    """Its span records; False where a sampler or a missing SDK decided so."""
    keys: dict[str, AttributeValue] | None = None
    """The attributes its span started with."""
    attachment: Attachment | None = None
    interrupted_inside: bool = False
    """A task below it was interrupted, and that is what interrupts it."""
    first_token_ns: int | None = None
    ended: bool = False

    def forget(self) -> None:
        """Drop everything but what late children need."""
        self.ended = True
        self.inputs = self.keys = self.attachment = self.input_facts = self.links = self.span = None
        self.tags = ()
        self.metadata = _NOTHING
