"""Builders of span records in our own form, for tests that need a shape no real run gives on demand."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from otel_traj import semconv as sc
from otel_traj.manifest import digest_steps, encode_steps, sibling_sort_key
from otel_traj.model import AttributeValue, Span, SpanLink

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["RecordedRun", "change_attributes", "make_id"]


def make_id(text: str, digits: int = 16) -> str:
    """Return an id of so many hex digits that a text stands for."""
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


def make_uuid(text: str) -> str:
    """Return a dashed UUID that a text stands for."""
    digits = make_id(text, 32)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def change_attributes(span: Span, **changes: AttributeValue) -> Span:
    """Return a span with other attributes; keys are the names of `semconv` in lower case, "" removes one."""
    attributes = dict(span.attributes)
    for name, value in changes.items():
        key = getattr(sc, name.upper())
        attributes.pop(key, None)
        if value != "":
            attributes[key] = value
    return msgspec.structs.replace(span, attributes=attributes)


class RecordedRun:
    """One call of a graph as the recorder would have written it; `spans` is finished with its root."""

    def __init__(
        self,
        name: str,
        *,
        graph: str = "g",
        thread: str | None = None,
        start: int = 1_000,
        resumed: bool = False,
        outcome: str = "ok",
        service: str = "svc",
        parent: RecordedRun | None = None,
        parent_task: str | None = None,
        trace: str | None = None,
        previous: RecordedRun | None = None,
    ) -> None:
        """Begin a run; `name` is what its ids stand for."""
        self.name, self.graph, self.thread, self.start = name, graph, thread, start
        self.resumed, self.outcome, self.parent, self.previous = resumed, outcome, parent, previous
        self.trace_id: str = parent.trace_id if parent else make_id(trace or name, 32)
        self.run_id = make_uuid(name)
        self.span_id = make_id(name + "/root")
        self.parent_task = make_uuid(parent_task) if parent_task else None
        self.parent_task_span = make_id(f"{parent.name}/{parent_task}/1") if parent and parent_task else ""
        self.resource: dict[str, AttributeValue] = {sc.SERVICE_NAME: service}
        self.below: list[Span] = []
        self.tasks: list[tuple[int, str, str, int | None]] = []
        self.clock = start

    def task(
        self,
        node: str,
        superstep: int,
        *,
        id: str | None = None,  # noqa: A002 - the word of the field
        push: int | None = None,
        attempt: int = 1,
        interrupted: bool = False,
        **attributes: AttributeValue,
    ) -> str:
        """Add a task; return the text that its id stands for."""
        key = id or f"{self.name}.{node}.{superstep}.{push}"
        self.clock += 10
        values: dict[str, AttributeValue] = {
            sc.OPERATION_NAME: sc.INVOKE_NODE,
            sc.NODE_NAME: node,
            sc.NODE: node,
            sc.STEP: superstep,
            sc.TASK_ID: make_uuid(key),
            sc.CHECKPOINT_NS: f"{node}:{make_uuid(key)}",
            sc.PATH: "pull" if push is None else f"push:{push}",
            sc.TRIGGERS: [f"branch:to:{node}"],
            sc.RUN_ID: self.run_id,
            sc.ATTEMPT: attempt,
        }
        if self.thread:
            values[sc.THREAD_ID] = self.thread
        if interrupted:
            values[sc.INTERRUPTED] = True
        values |= {getattr(sc, name.upper()): value for name, value in attributes.items()}
        self.tasks.append((superstep, node, key, push))
        self.below.append(
            self._span(f"{self.name}/{key}/{attempt}", f"invoke_node {node}", self.span_id, values)
        )
        return key

    def call(self, operation: str, name: str, task: str, **attributes: AttributeValue) -> None:
        """Add a model or tool call below a task."""
        superstep, node = next((s, n) for s, n, key, _ in self.tasks if key == task)
        name_key = sc.TOOL_NAME if operation == sc.EXECUTE_TOOL else sc.REQUEST_MODEL
        values: dict[str, AttributeValue] = {
            sc.OPERATION_NAME: operation,
            name_key: name,
            sc.STEP: superstep,
            sc.NODE: node,
            sc.TASK_ID: make_uuid(task),
            sc.RUN_ID: self.run_id,
        }
        values |= {getattr(sc, key.upper()): value for key, value in attributes.items()}
        parent = make_id(f"{self.name}/{task}/1")
        key = f"{self.name}/{task}/{operation}/{name}/{len(self.below)}"
        self.below.append(self._span(key, f"{operation} {name}", parent, values))

    def _span(self, key: str, name: str, parent: str, attributes: dict[str, AttributeValue]) -> Span:
        self.clock += 1
        return Span(
            trace_id=self.trace_id,
            span_id=make_id(key),
            parent_span_id=parent,
            name=name,
            start_ns=self.clock,
            end_ns=self.clock + 5,
            attributes=attributes,
            resource=self.resource,
            scope_name=sc.SCOPE_NAME,
            scope_version="0",
            kind=1,
        )

    def steps(self) -> list[list[str]]:
        """Return the node names by superstep, as the manifest lists them."""
        siblings: dict[int, dict[str, tuple[str, int | None]]] = {}
        for superstep, node, key, push in self.tasks:
            siblings.setdefault(superstep, {})[key] = (node, push)
        listed = [
            [node for node, _ in sorted(group.values(), key=lambda item: sibling_sort_key(*item))]
            for _, group in sorted(siblings.items())
        ]
        return [kept for names in listed if (kept := [name for name in names if name != "__start__"])]

    def root(self, *, below: Sequence[RecordedRun] = (), **attributes: AttributeValue) -> Span:
        """Return the graph-run span, its manifest counting the runs below as well."""
        encoded = encode_steps(self.steps())
        values: dict[str, AttributeValue] = {
            sc.OPERATION_NAME: sc.INVOKE_WORKFLOW,
            sc.WORKFLOW_NAME: self.graph,
            sc.GRAPH: self.graph,
            sc.RUN_ID: self.run_id,
            sc.RESUMED: self.resumed,
            sc.INPUT_TYPE: "Command" if self.resumed else "dict",
            sc.OUTCOME: self.outcome,
            sc.TASK_COUNT: len({key for _, _, key, _ in self.tasks}),
            sc.TASK_SPAN_COUNT: len(self.tasks),
            sc.STEPS: encoded,
            sc.STEPS_SHA256: digest_steps(encoded),
            sc.SCHEMA: sc.SCHEMA_VERSION,
        }
        if self.thread:
            values |= {sc.THREAD_ID: self.thread, sc.CONVERSATION_ID: self.thread}
        if self.parent:
            values |= {sc.PARENT_RUN_ID: self.parent.run_id}
        else:
            values[sc.SPAN_COUNT] = len(self.below) + sum(len(run.spans()) for run in below)
        if self.parent_task:
            values[sc.PARENT_TASK_ID] = self.parent_task
        values |= {getattr(sc, name.upper()): value for name, value in attributes.items()}
        links = (
            ()
            if self.previous is None
            else (SpanLink(trace_id=self.previous.trace_id, span_id=self.previous.span_id),)
        )
        return Span(
            trace_id=self.trace_id,
            span_id=self.span_id,
            parent_span_id=self.parent_task_span,
            name=f"invoke_workflow {self.graph}",
            start_ns=self.start,
            end_ns=self.clock + 100,
            status="error" if self.outcome == "error" else "unset",
            attributes=values,
            resource=self.resource,
            scope_name=sc.SCOPE_NAME,
            scope_version="0",
            links=links,
            kind=1,
        )

    def spans(self, *, below: Sequence[RecordedRun] = (), **attributes: AttributeValue) -> list[Span]:
        """Return all spans of the run, the root last, and those of the runs below it."""
        inner = [span for run in below for span in run.spans()]
        return [*inner, *self.below, self.root(below=below, **attributes)]
