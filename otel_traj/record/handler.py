"""The handler that turns LangGraph's callbacks into OpenTelemetry spans.

A sync handler that runs inline: only so it is called in the context of the node it reports, in sync, threaded
and async graphs alike (langgraph 0.6.11 and 1.2.24). It is built on `GraphCallbackHandler` where LangGraph has
it, because only such handlers hear of interrupts and resumes. Nothing that goes wrong in here reaches the
agent: every callback is wrapped, the first failure is logged, all are counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_core.callbacks import BaseCallbackHandler

from otel_traj import semconv as sc
from otel_traj.errors import TrajectoryTypeError
from otel_traj.record.call_recorder import CallRecorder
from otel_traj.record.chain_recorder import ChainRecorder
from otel_traj.record.content_option import read_content_option
from otel_traj.record.content_writer import ContentWriter
from otel_traj.record.copies import Copies
from otel_traj.record.counters import Counters
from otel_traj.record.end_flush import EndFlush
from otel_traj.record.endings import Endings
from otel_traj.record.guard import guarded
from otel_traj.record.intake import Intake
from otel_traj.record.model_metrics import make_model_metrics
from otel_traj.record.quiet_callbacks import QuietCallbacks
from otel_traj.record.recorder import Recorder
from otel_traj.record.settings import Settings
from otel_traj.record.table import CallbackTable
from otel_traj.record.tool_spans import read_retriever_name, read_tool_name
from otel_traj.record.tracer_source import TracerSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from uuid import UUID

    from langgraph.callbacks import GraphCallbackHandler as _Base
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from otel_traj.record.content_policy import ContentPolicy
    from otel_traj.record.run_end import RunEnd
else:
    try:
        from langgraph.callbacks import GraphCallbackHandler as _Base
    except ImportError:  # langgraph before 1.1.8
        _Base = BaseCallbackHandler

__all__ = ["TrajectoryCallbackHandler"]


class TrajectoryCallbackHandler(Copies, QuietCallbacks, _Base):
    """Records LangGraph runs as spans; pass it as a callback of any invocation.

    One handler serves any number of runs at once, from any thread and event loop. A copy of it is itself; pickled
    (only without a provider of its own) it becomes a new one with the same options.

    Args:
        tracer_provider: Where spans go; the global provider, whenever it is set, if None.
        meter_provider: Where the duration and the tokens of each model call go, as metrics; nowhere if None.
        content: True records inputs, outputs, messages, arguments and the text of exceptions, a `ContentPolicy`
            some of it or masked; False records names, numbers and structure only; None does what
            `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` says when the handler is made.
        models: Whether model calls get spans; without, what they call hangs under their caller.
        tools: Whether tool calls get spans.
        inner: Whether functional-API tasks, conditional edges, error handlers and inner runnables get spans;
            they never count as node tasks.
        on_run_end: Called with a `RunEnd` after each top-level run, in the thread that ended it. What it raises
            is logged once and counted.
        metadata_keys: Keys of the config's metadata that are written as `langgraph.metadata.<key>`.
        max_open: Most callback runs that are kept open at once; above it the span of the one that was used
            least recently is ended with `otel_traj.evicted`.
        flush_on_end: Seconds that the end of each top-level run waits, at most, until the provider has sent what
            it has, after `on_run_end`; in an async graph the event loop waits too. None leaves that to the provider.

    Raises:
        TrajectoryTypeError: `content` is no policy, bool or None, `metadata_keys` is one string, `flush_on_end`
            no number, or `meter_provider` has no meters.
        TrajectoryValueError: `max_open` is below 1, or `flush_on_end` no time that can be waited for.
    """

    run_inline = True
    raise_error = False

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        content: bool | ContentPolicy | None = None,
        models: bool = True,
        tools: bool = True,
        inner: bool = False,
        on_run_end: Callable[[RunEnd], object] | None = None,
        metadata_keys: Iterable[str] = ("case",),
        max_open: int = 10_000,
        flush_on_end: float | None = None,
    ) -> None:
        super().__init__()
        self._settings = settings = Settings(
            content=(policy := read_content_option(content)),
            models=models,
            tools=tools,
            inner=inner,
            metadata_keys=_list_keys(metadata_keys),
            on_run_end=on_run_end,
            max_open=max_open,
            flush_on_end=flush_on_end,
        )
        self._counters = counters = Counters()
        self._table = table = CallbackTable(max_open)
        writer = ContentWriter(policy, counters) if policy is not None else None
        self._tracers = tracers = TracerSource(tracer_provider)
        flush = EndFlush(tracers=tracers, counters=counters, seconds=flush_on_end)
        endings = Endings(table=table, settings=settings, counters=counters, content=writer, flush=flush)
        recorder = Recorder(table=table, settings=settings, counters=counters, content=writer)
        self._intake = Intake(
            table=table, settings=settings, counters=counters, tracers=tracers, evict=endings.evict
        )
        self._chains = ChainRecorder(
            recorder=recorder, endings=endings, table=table, settings=settings, content=writer
        )
        self._metrics = metrics = make_model_metrics(meter_provider)
        self._calls = CallRecorder(
            recorder=recorder,
            endings=endings,
            table=table,
            settings=settings,
            content=writer,
            metrics=metrics,
        )

    @property
    def counters(self) -> dict[str, int]:
        """What could not be recorded as usual, by kind, as it is now.

        `callback_errors` (a callback of ours failed), `content_dropped` (a value could not be redacted or written),
        `duplicate_starts` (the handler is bound twice), `evicted` (more callback runs open than `max_open`),
        `flush_failures` (a flush of `flush_on_end` took too long, raised, or said that it failed),
        `late_starts` (after their run had ended), `mask_timeouts` (mask patterns took too long on a value),
        `run_end_errors` (`on_run_end` raised), `unknown_ends` (an end whose start was not seen).
        """
        return self._counters.read()

    @property
    def open_count(self) -> int:
        """How many callback runs are kept now; 0 when no run is under way."""
        return len(self._table)

    @guarded
    def on_chain_start(
        self,
        serialized: object,
        inputs: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, object] | None = None,
        **kwargs: object,
    ) -> None:
        """Take in a graph run, a node task or something inside one."""
        name = kwargs.get("name") or (serialized.get("name") if isinstance(serialized, dict) else None)
        entry = self._intake.begin(
            run_id, parent_run_id, name=name, tags=tags, metadata=metadata, inputs=inputs
        )
        if entry is not None:
            self._chains.start(entry)

    @guarded
    def on_chain_end(
        self,
        outputs: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,  # noqa: ARG002 - LangChain's interface
        **kwargs: object,  # noqa: ARG002 - as above
    ) -> None:
        """End what `on_chain_start` began."""
        self._chains.end(run_id, outputs, None)

    @guarded
    def on_chain_error(
        self,
        error: BaseException,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,  # noqa: ARG002 - LangChain's interface
        **kwargs: object,  # noqa: ARG002 - as above
    ) -> None:
        """End what `on_chain_start` began, by an exception."""
        self._chains.end(run_id, None, error)

    @guarded
    def on_interrupt(self, event: object) -> None:
        """Note that a graph run paused."""
        self._chains.note_pause(getattr(event, "run_id", None))

    @guarded
    def on_resume(self, event: object) -> None:
        """Note that a graph run goes on from a checkpoint."""
        self._chains.note_resume(getattr(event, "run_id", None))

    @guarded
    def on_chat_model_start(
        self,
        serialized: object,  # noqa: ARG002 - holds a repr of the whole model, secrets included
        messages: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, object] | None = None,
        **kwargs: object,
    ) -> None:
        """Begin a chat call."""
        entry = self._intake.begin(run_id, parent_run_id, kind="model", tags=tags, metadata=metadata)
        if entry is not None:
            self._calls.start_model(entry, sc.CHAT, messages, kwargs.get("invocation_params"))

    @guarded
    def on_llm_start(
        self,
        serialized: object,  # noqa: ARG002 - holds a repr of the whole model, secrets included
        prompts: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, object] | None = None,
        **kwargs: object,
    ) -> None:
        """Begin a text completion."""
        entry = self._intake.begin(run_id, parent_run_id, kind="model", tags=tags, metadata=metadata)
        if entry is not None:
            self._calls.start_model(entry, sc.TEXT_COMPLETION, prompts, kwargs.get("invocation_params"))

    @guarded
    def on_llm_new_token(
        self,
        token: object,  # noqa: ARG002 - only that it came is recorded
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,  # noqa: ARG002 - LangChain's interface
        **kwargs: object,
    ) -> None:
        """Note when the first piece of an answer came, and what each says of its tokens."""
        self._calls.note_token(run_id, kwargs.get("chunk"))

    @guarded
    def on_stream_event(self, event: object, *, run_id: UUID, **kwargs: object) -> None:  # noqa: ARG002 - LangChain's
        """Note when the first piece of an answer came that is streamed as events (`stream_events(version="v3")`)."""
        self._calls.note_stream_event(run_id, event)

    @guarded
    def on_llm_end(
        self,
        response: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,  # noqa: ARG002 - LangChain's interface
        **kwargs: object,  # noqa: ARG002 - as above
    ) -> None:
        """End a model call."""
        self._calls.end_model(run_id, response, None)

    @guarded
    def on_llm_error(
        self,
        error: BaseException,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,  # noqa: ARG002 - LangChain's interface
        **kwargs: object,
    ) -> None:
        """End a model call by an exception."""
        self._calls.end_model(run_id, kwargs.get("response"), error)

    @guarded
    def on_tool_start(
        self,
        serialized: object,
        input_str: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, object] | None = None,
        inputs: dict[str, object] | None = None,
        **kwargs: object,
    ) -> None:
        """Begin a tool call."""
        name = read_tool_name(serialized, kwargs.get("name"))
        entry = self._intake.begin(
            run_id, parent_run_id, kind="tool", name=name, tags=tags, metadata=metadata
        )
        if entry is not None:
            arguments = input_str if inputs is None else inputs
            self._calls.start_tool(entry, serialized, kwargs.get("tool_call_id"), arguments)

    @guarded
    def on_tool_end(
        self,
        output: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,  # noqa: ARG002 - LangChain's interface
        **kwargs: object,
    ) -> None:
        """End a tool call."""
        self._calls.end_tool(run_id, output, None, kwargs.get("tool_call_id"))

    @guarded
    def on_tool_error(
        self,
        error: BaseException,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,  # noqa: ARG002 - LangChain's interface
        **kwargs: object,
    ) -> None:
        """End a tool call by an exception."""
        self._calls.end_tool(run_id, None, error, kwargs.get("tool_call_id"))

    @guarded
    def on_retriever_start(
        self,
        serialized: object,
        query: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, object] | None = None,
        **kwargs: object,
    ) -> None:
        """Begin a retrieval."""
        name = read_retriever_name(serialized, kwargs.get("name"), metadata)
        entry = self._intake.begin(
            run_id, parent_run_id, kind="retriever", name=name, tags=tags, metadata=metadata
        )
        if entry is not None:
            self._calls.start_retrieval(entry, query)

    @guarded
    def on_retriever_end(
        self,
        documents: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,  # noqa: ARG002 - LangChain's interface
        **kwargs: object,  # noqa: ARG002 - as above
    ) -> None:
        """End a retrieval."""
        self._calls.end_retrieval(run_id, documents, None)

    @guarded
    def on_retriever_error(
        self,
        error: BaseException,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,  # noqa: ARG002 - LangChain's interface
        **kwargs: object,  # noqa: ARG002 - as above
    ) -> None:
        """End a retrieval by an exception."""
        self._calls.end_retrieval(run_id, None, error)

    @guarded
    def on_custom_event(
        self,
        name: str,
        data: object,
        *,
        run_id: UUID,
        tags: list[str] | None = None,  # noqa: ARG002 - LangChain's interface
        metadata: dict[str, object] | None = None,  # noqa: ARG002 - as above
        **kwargs: object,  # noqa: ARG002 - as above
    ) -> None:
        """Write an event of the user on the span it happened in."""
        self._chains.add_event(run_id, name, data)


def _list_keys(metadata_keys: Iterable[str]) -> tuple[str, ...]:
    if isinstance(metadata_keys, str):
        raise TrajectoryTypeError(
            f"metadata_keys is the string {metadata_keys!r}, its letters would be the keys. Pass a tuple."
        )
    return tuple(metadata_keys)
