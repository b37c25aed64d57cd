"""Model calls, tool calls and retrievals: from their callbacks to their spans.

They have no callback runs of LangGraph below them that matter to a trajectory; each starts, runs and ends. With
`models=False` or `tools=False` their entries are kept without a span: what they call still finds its place.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from opentelemetry.trace import SpanKind

from otel_traj import semconv as sc
from otel_traj.record.endings import describe_ending
from otel_traj.record.graph_spans import describe_conversation
from otel_traj.record.messages import list_answers, list_messages, list_prompts
from otel_traj.record.model_spans import (
    describe_request,
    describe_response,
    list_generations,
    read_request_model,
)
from otel_traj.record.token_usage import find_chunk_usage, is_running_total, read_usage
from otel_traj.record.tool_choices import describe_chosen_calls, describe_offered_tools
from otel_traj.record.tool_spans import (
    describe_documents,
    describe_retrieval,
    describe_tool,
    find_failure,
    find_tool_call_id,
    pick_tool_result,
    read_tool_description,
)
from otel_traj.rendering import clean_text

if TYPE_CHECKING:
    from collections.abc import Hashable

    from opentelemetry.util.types import AttributeValue

    from otel_traj.record.content_writer import ContentWriter
    from otel_traj.record.endings import Endings
    from otel_traj.record.entry import Entry
    from otel_traj.record.model_metrics import ModelMetrics
    from otel_traj.record.recorder import Recorder
    from otel_traj.record.settings import Settings
    from otel_traj.record.table import CallbackTable

__all__ = ["CallRecorder"]


class CallRecorder:
    """The model calls, tool calls and retrievals of one handler."""

    def __init__(
        self,
        *,
        recorder: Recorder,
        endings: Endings,
        table: CallbackTable,
        settings: Settings,
        content: ContentWriter | None,
        metrics: ModelMetrics | None,
    ) -> None:
        """Keep the parts that a handler is made of."""
        self._content = content
        self._metrics = metrics
        self._recorder = recorder
        self._endings = endings
        self._table = table
        self._settings = settings

    def _put(self, entry: Entry, key: str, text: str | None) -> None:
        span = entry.span
        if text is not None and span is not None:
            span.set_attribute(key, text)

    def start_model(self, entry: Entry, operation: str, given: object, parameters: object) -> None:
        """Start a model call.

        Args:
            entry: Its entry.
            operation: `chat` or `text_completion`.
            given: Its messages (chat) or prompts.
            parameters: LangChain's `invocation_params`.
        """
        if not self._settings.models:
            return
        options = parameters if isinstance(parameters, dict) else {}
        model = read_request_model(entry.metadata, options)
        self._recorder.start_leaf(
            entry,
            f"{operation} {model}" if model else operation,
            SpanKind.CLIENT,
            lambda: {
                **describe_request(operation, entry.metadata, options),
                **describe_offered_tools(options),
                **describe_conversation(entry),
            },
        )
        if self._metrics is not None and entry.keys is None:
            entry.keys = describe_request(operation, entry.metadata, options)
        if self._content is not None and entry.recording:
            list_given = list_messages if operation == sc.CHAT else list_prompts
            text = self._content.write_made("messages", lambda show: list_given(given, show))
            self._put(entry, sc.INPUT_MESSAGES, text)
            tools = options.get("tools")
            if isinstance(tools, (list, tuple)) and tools:
                self._put(entry, sc.TOOL_DEFINITIONS, self._content.write("tool_definitions", tools))

    def note_token(self, run_id: Hashable, chunk: object = None) -> None:
        """Note when the first piece of a streamed answer came, and what each says of its tokens."""
        entry = self._table.get_open(run_id)
        if entry is None:
            return
        if entry.first_token_ns is None:
            entry.first_token_ns = time.time_ns()
        usage = find_chunk_usage(chunk)
        if usage is not None:
            entry.repeats_usage = entry.repeats_usage or is_running_total(entry.stream_usage, usage)
            entry.stream_usage = usage

    def note_stream_event(self, run_id: Hashable, event: object) -> None:
        """Note the same of an answer that is streamed as events, of which the first only say that one begins."""
        kind = event.get("event") if isinstance(event, dict) else None
        if isinstance(kind, str) and kind.startswith("content-block"):
            self.note_token(run_id)

    def end_model(self, run_id: Hashable, response: object, error: BaseException | None) -> None:
        """End a model call; a failed one may have a response too."""
        entry = self._endings.take(run_id)
        if entry is None:
            return
        asked = entry.keys
        said: dict[str, AttributeValue] = {}

        def describe() -> dict[str, AttributeValue]:
            said.update(self._describe_answer(entry, response, error))
            return said

        try:
            self._endings.finish_as_described(entry, describe, error)
        finally:
            if self._metrics is not None and asked is not None:
                self._metrics.record(entry, {**asked, **said}, error)

    def _describe_answer(
        self, entry: Entry, response: object, error: BaseException | None
    ) -> dict[str, AttributeValue]:
        if not entry.recording and self._metrics is None:
            return {}
        attributes = describe_response(response)
        if entry.repeats_usage:
            # LangChain has added up totals.
            attributes.update(read_usage([entry.stream_usage], []))
        if not entry.recording:
            return attributes
        if entry.first_token_ns is not None:
            seconds = (entry.first_token_ns - entry.start_ns) / 1e9
            attributes[sc.RESPONSE_TIME_TO_FIRST_CHUNK] = seconds
            attributes[sc.REQUEST_STREAM] = True
        generations = list_generations(response)
        if generations and error is None:
            # What came of an answer before it broke off is not what the model chose.
            attributes.update(describe_chosen_calls(generations))
        if generations and self._content is not None:
            text = self._content.write_made("messages", lambda show: list_answers(generations, show))
            if text is not None:
                attributes[sc.OUTPUT_MESSAGES] = text
        return attributes

    def start_tool(self, entry: Entry, serialized: object, tool_call_id: object, arguments: object) -> None:
        """Start a tool call.

        Args:
            entry: Its entry.
            serialized: LangChain's description of the tool.
            tool_call_id: The model's id of the call, where there is one.
            arguments: What the tool was called with.
        """
        if not self._settings.tools:
            return
        self._recorder.start_leaf(
            entry,
            f"{sc.EXECUTE_TOOL} {entry.name}",
            SpanKind.INTERNAL,
            lambda: describe_tool(entry.name, tool_call_id),
        )
        if self._content is not None and entry.recording:
            description = read_tool_description(serialized)
            if description is not None:
                text = self._content.write_text("tool_definitions", description)
                self._put(entry, sc.TOOL_DESCRIPTION, text)
            self._put(entry, sc.TOOL_CALL_ARGUMENTS, self._content.write("tool_arguments", arguments))

    def end_tool(
        self, run_id: Hashable, output: object, error: BaseException | None, tool_call_id: object
    ) -> None:
        """End a tool call."""
        entry = self._endings.take(run_id)
        if entry is None:
            return
        attributes = describe_ending(error)
        named = clean_text(tool_call_id) if isinstance(tool_call_id, str) else find_tool_call_id(output)
        if named and sc.TOOL_CALL_ID not in (entry.keys or ()):
            attributes[sc.TOOL_CALL_ID] = named
        if error is None and self._content is not None and entry.recording:
            text = self._content.write("tool_results", pick_tool_result(output))
            if text is not None:
                attributes[sc.TOOL_CALL_RESULT] = text
        known = named or (entry.keys or {}).get(sc.TOOL_CALL_ID)
        failure = find_failure(output, known if isinstance(known, str) else None)
        self._endings.finish(entry, attributes, error, failure=failure)

    def start_retrieval(self, entry: Entry, query: object) -> None:
        """Start a retrieval."""
        self._recorder.start_leaf(
            entry,
            f"{sc.RETRIEVAL} {entry.name}",
            SpanKind.CLIENT,
            lambda: describe_retrieval(entry.name),
        )
        if self._content is not None and entry.recording:
            self._put(entry, sc.RETRIEVAL_QUERY_TEXT, self._content.write("retriever_queries", query))

    def end_retrieval(self, run_id: Hashable, documents: object, error: BaseException | None) -> None:
        """End a retrieval."""
        entry = self._endings.take(run_id)
        if entry is None:
            return
        self._endings.finish_as_described(
            entry, lambda: self._describe_documents(entry, documents, error), error
        )

    def _describe_documents(
        self, entry: Entry, documents: object, error: BaseException | None
    ) -> dict[str, AttributeValue]:
        if error is not None or not entry.recording:
            return {}
        attributes = describe_documents(documents)
        if self._content is not None:
            text = self._content.write("retriever_documents", documents)
            if text is not None:
                attributes[sc.RETRIEVAL_DOCUMENTS] = text
        return attributes
