"""The records that flow from a source to a verdict; plain data, no OpenTelemetry import.

Ids are lower-case hex (trace 32, span 16 digits), times integer nanoseconds since the epoch, `0` where a span
has no end. Records are msgspec structs: as frozen dataclasses the millions that a large source makes would
cost several times more. All are frozen and keyword-only; a list inside one belongs to the record, and nobody
changes it.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, TypedDict

from msgspec import Struct

__all__ = [
    "NAMED_ONLY",
    "Arrival",
    "AttributeValue",
    "ChosenTool",
    "GraphRunTrajectory",
    "Invocation",
    "ModelCall",
    "Problem",
    "ProblemCode",
    "Run",
    "RunStatus",
    "SourceProblem",
    "SourceProblemCode",
    "Span",
    "SpanEvent",
    "SpanLink",
    "SpanStatus",
    "Task",
    "TaskStatus",
    "ToolCall",
    "ToolCallStatus",
    "Usage",
]

AttributeValue: TypeAlias = (
    "str | bool | int | float | bytes | list[AttributeValue] | dict[str, AttributeValue] | None"
)
"""A decoded OTLP AnyValue."""

SpanStatus: TypeAlias = Literal["unset", "ok", "error"]
RunStatus: TypeAlias = Literal["ok", "error", "interrupted", "cancelled", "open"]
TaskStatus: TypeAlias = Literal["ok", "error", "interrupted", "cancelled", "open"]
ToolCallStatus: TypeAlias = Literal["ok", "error", "interrupted", "cancelled", "open"]

ProblemCode: TypeAlias = Literal[
    "root_missing",
    "root_open",
    "task_open",
    "orphan",
    "manifest_mismatch",
    "late_span",
    "key_missing",
    "key_cut",
    "partial_response",
    "beginning_missing",
    "conflicting_copy",
    "no_node_tasks",
    "task_missing",
    "unreadable",
    # Named, but they leave a run complete (`NAMED_ONLY`):
    "step_gap",
    "content_cut",
    "spans_missing",
    "pause_unknown",
]
"""What can be wrong with one run."""

NAMED_ONLY: Final[frozenset[ProblemCode]] = frozenset(
    {"step_gap", "content_cut", "spans_missing", "pause_unknown"}
)
"""Codes that are named and leave a run complete."""

SourceProblemCode: TypeAlias = Literal[
    "unreadable_line",
    "unfinished_line",
    "not_spans",
    "empty_source",
    "bad_span",
    "unreadable_file",
    "partial_response",
    "limit_reached",
]
"""What can be wrong with a source: a line or message that can't be decoded, a last one without its end, something
that is no spans, a source without a single span, a span without usable ids, one file of several that can't be
opened, a trace that its backend did not give whole, a search that ended at its limit of traces."""


class SpanEvent(Struct, frozen=True, kw_only=True):
    """One event of a span."""

    name: str
    time_ns: int = 0
    attributes: dict[str, AttributeValue] = {}


class SpanLink(Struct, frozen=True, kw_only=True):
    """A link from a span to another."""

    trace_id: str
    span_id: str
    attributes: dict[str, AttributeValue] = {}


class Span(Struct, frozen=True, kw_only=True):
    """One finished or open span, whoever wrote it, wherever it was read from."""

    trace_id: str
    """32 lower-case hex digits."""
    span_id: str
    """16 lower-case hex digits."""
    parent_span_id: str = ""
    """16 lower-case hex digits; empty for a root."""
    name: str = ""
    start_ns: int = 0
    end_ns: int = 0
    """0: the span had not ended when it was written."""
    status: SpanStatus = "unset"
    status_message: str = ""
    attributes: dict[str, AttributeValue] = {}
    resource: dict[str, AttributeValue] = {}
    """Resource attributes; one dict is shared by all spans of a batch."""
    scope_name: str = ""
    scope_version: str = ""
    events: tuple[SpanEvent, ...] = ()
    links: tuple[SpanLink, ...] = ()
    kind: int = 0
    """OTLP's number: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer."""
    dropped_attributes: int = 0
    """How many attributes the SDK dropped at its limit."""
    unreadable: tuple[str, ...] = ()
    """Keys of attributes whose value could not be decoded."""


class SourceProblem(Struct, frozen=True, kw_only=True):
    """Something of a source that could not be used; the rest of the source was."""

    code: SourceProblemCode
    message: str
    """What was found, why it stops us, what to do."""
    source: str
    """File name, or the source as the user named it."""
    line: int | None = None
    """Line number from 1, for text."""
    offset: int | None = None
    """Byte offset of the object, for binary forms."""
    trace_ids: tuple[str, ...] = ()
    """Traces of which spans are missing, where that is known."""


class Problem(Struct, frozen=True, kw_only=True):
    """Something that is missing from or wrong with one run."""

    code: ProblemCode
    message: str
    """Which span, which run, why it matters, what to do."""
    span_ids: tuple[str, ...] = ()


class Usage(TypedDict):
    """Tokens; None where no call said it. Input includes cached, output includes reasoning tokens."""

    input_tokens: int | None
    output_tokens: int | None
    cache_read_input_tokens: int | None
    cache_write_input_tokens: int | None
    reasoning_output_tokens: int | None


class Task(Struct, frozen=True, kw_only=True):
    """One execution of a node, its attempts joined."""

    node: str
    superstep: int
    """LangGraph's own number, counted over the thread."""
    task_id: str
    run_id: str
    """Callback run id of the graph run it belongs to."""
    push_index: int | None = None
    """Index of a fan-out task, None for a task that an edge triggered."""
    checkpoint_ns: str = ""
    triggers: tuple[str, ...] = ()
    attempts: int = 1
    status: TaskStatus = "ok"
    """Of the last attempt."""
    interrupted: bool = False
    """Some attempt of it ended in an interrupt, also where a resume finished it later."""
    error_type: str | None = None
    started_ns: int = 0
    ended_ns: int = 0
    """0 while open."""
    span_ids: tuple[str, ...] = ()
    """One per attempt, in order."""
    inputs: AttributeValue = None
    """Where content was recorded."""
    outputs: AttributeValue = None
    """Where content was recorded."""


class ChosenTool(Struct, frozen=True, kw_only=True):
    """One tool call that a model chose, whether or not it was run."""

    name: str
    id: str | None = None
    """The call's id, None where the model gave none or it was not recorded."""
    args: AttributeValue = None
    """None where content was not recorded."""


class ModelCall(Struct, frozen=True, kw_only=True):
    """One call of a model."""

    superstep: int | None
    node: str | None
    model: str | None
    usage: Usage
    finish_reasons: tuple[str, ...] = ()
    run_id: str | None = None
    task_id: str | None = None
    status: ToolCallStatus = "ok"
    error_type: str | None = None
    started_ns: int = 0
    ended_ns: int = 0
    span_id: str = ""
    tools: tuple[str, ...] | None = None
    """Names of the tools that it could choose from, in the order offered; None where not recorded."""
    tool_calls: tuple[ChosenTool, ...] | None = None
    """What it chose, in order, of all its choices; None where not recorded, and where no answer came."""
    input_messages: AttributeValue = None
    """Messages in the form of the GenAI conventions, where content was recorded."""
    output_messages: AttributeValue = None
    """The same of its answers."""


class ToolCall(Struct, frozen=True, kw_only=True):
    """One execution of a tool."""

    name: str
    id: str | None
    """The model's id of the call, None where the tool was called directly."""
    args: AttributeValue
    """None where content was not recorded."""
    superstep: int | None
    node: str | None
    run_id: str | None = None
    task_id: str | None = None
    status: ToolCallStatus = "ok"
    error_type: str | None = None
    started_ns: int = 0
    ended_ns: int = 0
    span_id: str = ""
    parent_span_id: str = ""
    """What it ran under: the attempt of its task, or something inside that."""
    model_call: str | None = None
    """Span id of the model call that chose it, None where none is known."""


class Arrival(Struct, frozen=True, kw_only=True):
    """What arrived of one call of a graph, beside what its recorder counted; late spans are in neither."""

    tasks: int
    task_spans: int
    """Attempts included."""
    spans: int
    """Below the graph-run span; of a subgraph's call only its own tasks and calls."""
    expected_tasks: int | None = None
    """This and the following are None where no manifest says it."""
    expected_task_spans: int | None = None
    expected_spans: int | None = None
    """None on a subgraph's call too."""
    expected_steps: list[list[str]] | None = None
    """None also where exactly these arrived, and where they were too long to be written."""
    dropped_attributes: int = 0
    """Of the call's spans, dropped by the SDK at its limit."""


class Invocation(Struct, frozen=True, kw_only=True):
    """One call of a graph: a whole run, or one part of a resumed run."""

    run_id: str
    trace_id: str
    span_id: str
    """Of the graph-run span; empty where it is missing."""
    resumed: bool
    status: RunStatus
    steps: list[list[str]]
    """Outer list = supersteps, ascending; inner = names in canonical order; no `__start__`, no
    `__interrupt__` of ours."""
    supersteps: list[int]
    """LangGraph's number of each superstep, beside `steps`."""
    started_ns: int
    ended_ns: int
    arrival: Arrival | None = None
    """What arrived of it against its manifest."""


class Run(Struct, frozen=True, kw_only=True):
    """One input to a graph until it ends, resumes included; rebuilt from spans."""

    graph: str | None
    """None where the graph-run span is missing."""
    run_id: str
    """Callback run id of the first invocation."""
    thread_id: str | None
    case: str | None
    trace_ids: tuple[str, ...]
    """In the order of the invocations."""
    status: RunStatus
    steps: list[list[str]]
    """Outer list = supersteps, ascending; inner = node names. Starts with `["__start__"]`; an interrupted
    superstep is followed by `["__interrupt__"]`."""
    step_task_ids: list[list[str]]
    """Task ids beside `steps`; an empty list beside a marker."""
    tasks: list[Task]
    """Of the run's own graph, by superstep, then canonical order."""
    invocations: list[Invocation]
    children: list[Run]
    """Subgraph runs, by start."""
    inputs: AttributeValue
    """The input as given; None where content was not recorded."""
    results: AttributeValue
    started_ns: int
    ended_ns: int
    """The latest end of the run and all below it; 0 while open."""
    usage: Usage
    """Sum over `model_calls`, children included."""
    model_calls: list[ModelCall]
    """Of the run and its children, by superstep, task, start."""
    tool_calls: list[ToolCall]
    complete: bool
    """Nothing that a verdict on nodes needs is missing."""
    verified: bool
    """A manifest was there and was met."""
    problems: list[Problem]
    service: str | None
    attributes: dict[str, AttributeValue]
    """Attributes of the resource and of the first graph-run span (the span's win)."""
    parent_task_id: str | None
    """Of a subgraph run: the task that called it."""
    error_type: str | None
    source: str
    parent_run_id: str | None = None
    """Of a subgraph run: callback run id of the graph run that called it, at its first invocation."""
    omitted: tuple[str, ...] = ()
    """`models`, `tools`: calls that the recorder of some invocation was told to leave out."""
    emitter: str = "otel_traj"
    """Who recorded it: `otel_traj`, or the short name of another emitter."""

    def __repr__(self) -> str:
        """Return which run it is and its trajectory: all of it is long, and may hold content that no log should."""
        return (
            f"<Run {self.run_id} of {self.graph!r}, {self.status}, "
            f"{'complete' if self.complete else 'incomplete'}, steps {self.steps!r}>"
        )


class GraphRunTrajectory(TypedDict):
    """One run as the matching functions take it."""

    inputs: dict[str, AttributeValue] | None
    results: dict[str, AttributeValue] | None
    steps: list[list[str]]
