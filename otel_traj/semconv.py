"""Every attribute key, span name and scope name on the wire, once, with its origin.

Three origins:
* OpenTelemetry GenAI semantic conventions (development, `1.42.0-dev`): `gen_ai.*`, `error.type`. The Python
  constants of these live in a private module, so they are written out here. `invoke_node` and
  `gen_ai.node.name` are proposed there (semantic-conventions-genai #187), not yet accepted.
* `langgraph.*`: facts of LangGraph that have no accepted name (callback metadata of langgraph 1.2.22).
* `otel_traj.*`: facts of this recorder (its manifest and its outcome).

Values that the reader needs are short and typed: backends cut strings at 2,048 bytes (Tempo) or less.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "AGENT_NAME",
    "ATTEMPT",
    "CASE",
    "CHAT",
    "CHECKPOINT_ID",
    "CHECKPOINT_NS",
    "CLIENT_OPERATION_DURATION",
    "CLIENT_TOKEN_USAGE",
    "CONVERSATION_ID",
    "DATA_SOURCE_ID",
    "DOCUMENT_COUNT",
    "END_NODE",
    "ERROR_TYPE",
    "EVALUATION_EDITS",
    "EVALUATION_EXPLANATION",
    "EVALUATION_FITNESS",
    "EVALUATION_NAME",
    "EVALUATION_REFERENCE",
    "EVALUATION_RESULT",
    "EVALUATION_SCORE_LABEL",
    "EVALUATION_SCORE_VALUE",
    "EVALUATION_STEP_MODE",
    "EVALUATION_TRAJECTORY_MODE",
    "EVENT_DATA",
    "EVENT_NAME",
    "EVICTED",
    "EXCEPTION_EVENT",
    "EXCEPTION_MESSAGE",
    "EXCEPTION_STACKTRACE",
    "EXCEPTION_TYPE",
    "EXECUTE_TOOL",
    "GRAPH",
    "INPUTS",
    "INPUT_MESSAGES",
    "INPUT_TYPE",
    "INTERRUPTED",
    "INTERRUPTED_COUNT",
    "INTERRUPT_NODE",
    "INTERRUPT_ORIGIN",
    "INVOKE_AGENT",
    "INVOKE_NODE",
    "INVOKE_WORKFLOW",
    "KIND",
    "LATE",
    "LOG_RECORD_UID",
    "METADATA_PREFIX",
    "MODEL_TOOLS",
    "MODEL_TOOL_CALLS",
    "MODEL_TOOL_CALL_COUNT",
    "MODEL_TOOL_CALL_IDS",
    "MODEL_TOOL_COUNT",
    "NODE",
    "NODE_NAME",
    "OMITTED",
    "OPERATION_NAME",
    "OUTCOME",
    "OUTPUT_MESSAGES",
    "PARENT_RUN_ID",
    "PARENT_TASK_ID",
    "PATH",
    "PAUSE_UNKNOWN",
    "PREVIOUS_SPAN_ID",
    "PROVIDER_NAME",
    "REQUEST_CHOICE_COUNT",
    "REQUEST_FREQUENCY_PENALTY",
    "REQUEST_MAX_TOKENS",
    "REQUEST_MODEL",
    "REQUEST_PRESENCE_PENALTY",
    "REQUEST_SEED",
    "REQUEST_STOP_SEQUENCES",
    "REQUEST_STREAM",
    "REQUEST_TEMPERATURE",
    "REQUEST_TOP_K",
    "REQUEST_TOP_P",
    "RESPONSE_FINISH_REASONS",
    "RESPONSE_ID",
    "RESPONSE_MODEL",
    "RESPONSE_TIME_TO_FIRST_CHUNK",
    "RESULTS",
    "RESUMED",
    "RETRIEVAL",
    "RETRIEVAL_DOCUMENTS",
    "RETRIEVAL_QUERY_TEXT",
    "RUN_ID",
    "SCHEMA",
    "SCHEMA_VERSION",
    "SCOPE_NAME",
    "SERVICE_NAME",
    "SERVICE_NAMESPACE",
    "SERVICE_VERSION",
    "SPAN_COUNT",
    "START_NODE",
    "STEP",
    "STEPS",
    "STEPS_SHA256",
    "TAGS",
    "TASK_COUNT",
    "TASK_ID",
    "TASK_INPUTS",
    "TASK_OUTPUTS",
    "TASK_SPAN_COUNT",
    "TEXT_COMPLETION",
    "THREAD_ID",
    "TOKEN_TYPE",
    "TOOL_CALL_ARGUMENTS",
    "TOOL_CALL_ID",
    "TOOL_CALL_RESULT",
    "TOOL_DEFINITIONS",
    "TOOL_DESCRIPTION",
    "TOOL_NAME",
    "TOOL_TYPE",
    "TRIGGERS",
    "USAGE_CACHE_READ_INPUT_TOKENS",
    "USAGE_CACHE_WRITE_INPUT_TOKENS",
    "USAGE_INPUT_TOKENS",
    "USAGE_OUTPUT_TOKENS",
    "USAGE_REASONING_OUTPUT_TOKENS",
    "WORKFLOW_NAME",
]

SCOPE_NAME: Final = "otel_traj"
"""Instrumentation scope of every span we write; its version is the package's."""

SCHEMA_VERSION: Final = 1
"""Value of `otel_traj.schema`: the form of the attributes below."""

# OpenTelemetry GenAI
OPERATION_NAME: Final = "gen_ai.operation.name"
PROVIDER_NAME: Final = "gen_ai.provider.name"
WORKFLOW_NAME: Final = "gen_ai.workflow.name"
AGENT_NAME: Final = "gen_ai.agent.name"
NODE_NAME: Final = "gen_ai.node.name"
CONVERSATION_ID: Final = "gen_ai.conversation.id"
REQUEST_MODEL: Final = "gen_ai.request.model"
REQUEST_TEMPERATURE: Final = "gen_ai.request.temperature"
REQUEST_TOP_P: Final = "gen_ai.request.top_p"
REQUEST_TOP_K: Final = "gen_ai.request.top_k"
REQUEST_MAX_TOKENS: Final = "gen_ai.request.max_tokens"
REQUEST_STOP_SEQUENCES: Final = "gen_ai.request.stop_sequences"
REQUEST_FREQUENCY_PENALTY: Final = "gen_ai.request.frequency_penalty"
REQUEST_PRESENCE_PENALTY: Final = "gen_ai.request.presence_penalty"
REQUEST_SEED: Final = "gen_ai.request.seed"
REQUEST_CHOICE_COUNT: Final = "gen_ai.request.choice.count"
REQUEST_STREAM: Final = "gen_ai.request.stream"
RESPONSE_ID: Final = "gen_ai.response.id"
RESPONSE_MODEL: Final = "gen_ai.response.model"
RESPONSE_FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
RESPONSE_TIME_TO_FIRST_CHUNK: Final = "gen_ai.response.time_to_first_chunk"
"""Of a streamed call, in seconds (float)."""
USAGE_INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
USAGE_OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
USAGE_CACHE_READ_INPUT_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
USAGE_CACHE_WRITE_INPUT_TOKENS: Final = "gen_ai.usage.cache_write.input_tokens"
USAGE_REASONING_OUTPUT_TOKENS: Final = "gen_ai.usage.reasoning.output_tokens"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
TOOL_DEFINITIONS: Final = "gen_ai.tool.definitions"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
TOOL_DESCRIPTION: Final = "gen_ai.tool.description"
TOOL_CALL_ID: Final = "gen_ai.tool.call.id"
TOOL_CALL_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
TOOL_CALL_RESULT: Final = "gen_ai.tool.call.result"
DATA_SOURCE_ID: Final = "gen_ai.data_source.id"
RETRIEVAL_QUERY_TEXT: Final = "gen_ai.retrieval.query.text"
RETRIEVAL_DOCUMENTS: Final = "gen_ai.retrieval.documents"
EVALUATION_RESULT: Final = "gen_ai.evaluation.result"
"""Name of the log event that holds a judgement of the span it stands under."""
EVALUATION_NAME: Final = "gen_ai.evaluation.name"
EVALUATION_SCORE_VALUE: Final = "gen_ai.evaluation.score.value"
EVALUATION_SCORE_LABEL: Final = "gen_ai.evaluation.score.label"
EVALUATION_EXPLANATION: Final = "gen_ai.evaluation.explanation"
LOG_RECORD_UID: Final = "log.record.uid"
"""Of two log records with the same one a backend may drop one."""
EVENT_NAME: Final = "event.name"
"""Name of a log event where its record has no field for it (before OpenTelemetry 1.35)."""
ERROR_TYPE: Final = "error.type"
EXCEPTION_EVENT: Final = "exception"
"""Name of the span event that holds an exception."""
EXCEPTION_TYPE: Final = "exception.type"
EXCEPTION_MESSAGE: Final = "exception.message"
"""Content: only where content is recorded (str)."""
EXCEPTION_STACKTRACE: Final = "exception.stacktrace"
"""Types and frames (file, line, function); messages and source lines only where content is recorded (str)."""
SERVICE_NAME: Final = "service.name"
SERVICE_NAMESPACE: Final = "service.namespace"
SERVICE_VERSION: Final = "service.version"

# Metrics, as the last release (1.41) names them.
CLIENT_OPERATION_DURATION: Final = "gen_ai.client.operation.duration"
"""Histogram, seconds."""
CLIENT_TOKEN_USAGE: Final = "gen_ai.client.token.usage"  # noqa: S105 - tokens of a model
"""Histogram, tokens, by `gen_ai.token.type`."""
TOKEN_TYPE: Final = "gen_ai.token.type"  # noqa: S105 - as above
"""On `gen_ai.client.token.usage`: input or output (str)."""

# Values of gen_ai.operation.name, also the first word of the span's name.
INVOKE_WORKFLOW: Final = "invoke_workflow"
INVOKE_AGENT: Final = "invoke_agent"
INVOKE_NODE: Final = "invoke_node"
"""Proposed (semantic-conventions-genai #187, open)."""
CHAT: Final = "chat"
TEXT_COMPLETION: Final = "text_completion"
EXECUTE_TOOL: Final = "execute_tool"
RETRIEVAL: Final = "retrieval"

# LangGraph
GRAPH: Final = "langgraph.graph"
"""Graph's name, on graph-run spans (str)."""
RUN_ID: Final = "langgraph.run_id"
"""Callback run id (dashed UUID) of the nearest graph run; a subgraph's own (str)."""
PARENT_RUN_ID: Final = "langgraph.parent_run_id"
"""On a subgraph's graph-run span only: callback run id of the graph run that called it (str)."""
PARENT_TASK_ID: Final = "langgraph.parent_task_id"
"""On a subgraph's graph-run span only: id of the node task that called it (str)."""
THREAD_ID: Final = "langgraph.thread_id"
RESUMED: Final = "langgraph.resumed"
"""On graph-run spans: the input resumed an earlier invocation of the thread (bool)."""
INPUT_TYPE: Final = "langgraph.input_type"
"""On graph-run spans: class name of the input, `NoneType` and `Command` among them (str)."""
CHECKPOINT_ID: Final = "langgraph.checkpoint_id"
"""On graph-run spans of top-level runs: the checkpoint that the caller's config names, where it names one (str)."""
TAGS: Final = "langgraph.tags"
METADATA_PREFIX: Final = "langgraph.metadata."
STEP: Final = "langgraph.step"
"""Superstep number as LangGraph counts it, over the thread (int)."""
NODE: Final = "langgraph.node"
TASK_ID: Final = "langgraph.task_id"
"""Id of the task, the same as in `StateSnapshot.tasks[i].id` (str)."""
CHECKPOINT_NS: Final = "langgraph.checkpoint_ns"
PATH: Final = "langgraph.path"
"""`pull`, or `push:<index>` for a fan-out task (str)."""
TRIGGERS: Final = "langgraph.triggers"
"""What triggered the task (str[])."""
ATTEMPT: Final = "langgraph.attempt"
"""Attempt of the task, from 1 (int)."""
INTERRUPTED: Final = "langgraph.interrupted"
"""The task ended in an interrupt that asks something (bool, only where true)."""
INTERRUPT_ORIGIN: Final = "langgraph.interrupt_origin"
"""The innermost task that was interrupted (bool, only where true)."""

# otel_traj
SCHEMA: Final = "otel_traj.schema"
KIND: Final = "otel_traj.kind"
"""On spans of `inner=True` only: functional_task, conditional_edge, error_handler or runnable (str)."""
CASE: Final = "otel_traj.case"
"""The config's metadata `case`: which test case this run is (str)."""
OUTCOME: Final = "otel_traj.outcome"
"""Graph run: ok, error, interrupted, cancelled. Tasks, tools, models: cancelled or parent_command (str)."""
PAUSE_UNKNOWN: Final = "otel_traj.pause_unknown"
"""Graph run whose outcome is ok: it may have paused at a static interrupt, this LangGraph does not tell (bool, only
where true)."""
STEPS: Final = "otel_traj.steps"
"""Manifest: the trajectory of this invocation as JSON, while short (str)."""
STEPS_SHA256: Final = "otel_traj.steps_sha256"
TASK_COUNT: Final = "otel_traj.task_count"
"""Manifest: distinct task ids, a traced `__start__` among them (int)."""
TASK_SPAN_COUNT: Final = "otel_traj.task_span_count"
"""Manifest: spans of these tasks, attempts included (int)."""
INTERRUPTED_COUNT: Final = "otel_traj.interrupted_count"
"""Manifest: distinct task ids that ended in an interrupt (int)."""
PREVIOUS_SPAN_ID: Final = "otel_traj.previous_span_id"
"""Top-level runs: span id (16 hex digits) of the run before it on its thread, where the same handler saw one."""
SPAN_COUNT: Final = "otel_traj.span_count"
"""Manifest, top-level runs only: spans started below this one before it ended (int)."""
LATE: Final = "otel_traj.late"
"""The span started when its graph run, or the top-level run, had ended, uncounted (bool, only where true)."""
EVICTED: Final = "otel_traj.evicted"
"""The recorder ended the span without having seen its end, to bound its memory (bool, only where true)."""
OMITTED: Final = "otel_traj.omitted"
"""On graph-run spans: what the handler was told to leave out, `models` or `tools` (str[], only where there is some)."""
MODEL_TOOL_COUNT: Final = "otel_traj.model.tool_count"
"""Model calls: tools that the model could choose from, 0 where it had none (int)."""
MODEL_TOOLS: Final = "otel_traj.model.tools"
"""Their names, as many as `tool_count` unless the list was cut (str[], only where there are some)."""
MODEL_TOOL_CALL_COUNT: Final = "otel_traj.model.tool_call_count"
"""Model calls that were answered: tool calls that the model chose, in all its choices, 0 where it chose none (int)."""
MODEL_TOOL_CALLS: Final = "otel_traj.model.tool_calls"
"""Names of the tools of these calls, as many as `tool_call_count` unless cut (str[], only where there are some)."""
MODEL_TOOL_CALL_IDS: Final = "otel_traj.model.tool_call_ids"
"""Ids of these calls, beside their names; empty for one without (str[])."""
DOCUMENT_COUNT: Final = "otel_traj.retrieval.document_count"
"""Retrievals that were answered: documents that were found, 0 where there were none (int)."""
EVALUATION_REFERENCE: Final = "otel_traj.evaluation.reference"
"""Of a verdict: the name of the reference."""
EVALUATION_STEP_MODE: Final = "otel_traj.evaluation.step_mode"
EVALUATION_TRAJECTORY_MODE: Final = "otel_traj.evaluation.trajectory_mode"
EVALUATION_EDITS: Final = "otel_traj.evaluation.edits"
"""Cost of the cheapest alignment of a run that failed."""
EVALUATION_FITNESS: Final = "otel_traj.evaluation.fitness"
EVENT_DATA: Final = "otel_traj.event.data"
"""Data of a custom event as JSON, where content is recorded (str)."""
INPUTS: Final = "otel_traj.inputs"
RESULTS: Final = "otel_traj.results"
TASK_INPUTS: Final = "otel_traj.task.inputs"
TASK_OUTPUTS: Final = "otel_traj.task.outputs"

START_NODE: Final = "__start__"
END_NODE: Final = "__end__"
INTERRUPT_NODE: Final = "__interrupt__"
