"""Our own spans, read into facts.

A span is ours by its instrumentation scope, or, where a store has lost the scope, by a key that no other emitter
writes. Which kind it is says `gen_ai.operation.name`; where that is gone (a redaction
processor whose allow list lacks it) or cut, the first word of the span's name says it. Source: DESIGN of the
attributes in `semconv`, schema 1.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.reconstruct.facts import CallFact, Fact, GraphFact, Manifest, OtherFact, Place, TaskFact
from otel_traj.reconstruct.tool_choices import read_chosen_calls, read_offered_tools
from otel_traj.reconstruct.typed_attributes import (
    read_bool,
    read_flag,
    read_int,
    read_name,
    read_str,
    read_str_tuple,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.model import AttributeValue, Span, TaskStatus

__all__ = ["read_own_fact"]

_UUID_START = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{0,4}){0,3}(-[0-9a-f]{0,12})?\Z", re.IGNORECASE)
_UUID_LENGTH = 36
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_GRAPH_OPERATIONS = (sc.INVOKE_WORKFLOW, sc.INVOKE_AGENT)
_MODEL_OPERATIONS = (sc.CHAT, sc.TEXT_COMPLETION)
_OPERATIONS = (*_GRAPH_OPERATIONS, sc.INVOKE_NODE, *_MODEL_OPERATIONS, sc.EXECUTE_TOOL, sc.RETRIEVAL)
_OWN_KEYS = frozenset(
    (
        sc.RUN_ID,
        sc.TASK_ID,
        sc.SCHEMA,
        sc.OUTCOME,
        sc.STEPS_SHA256,
        sc.TASK_COUNT,
        sc.TASK_SPAN_COUNT,
        sc.SPAN_COUNT,
    )
)
_OUTCOMES: dict[str, TaskStatus] = {
    "ok": "ok",
    "error": "error",
    "interrupted": "interrupted",
    "cancelled": "cancelled",
}


def read_own_fact(span: Span) -> Fact | None:
    """Return what our span says, or None for a span of somebody else."""
    if span.scope_name != sc.SCOPE_NAME and _OWN_KEYS.isdisjoint(span.attributes):
        return None
    operation = read_str(span.attributes, sc.OPERATION_NAME)
    if operation not in _OPERATIONS:
        operation = span.name.partition(" ")[0]
    if read_str(span.attributes, sc.KIND) is None:
        if operation in _GRAPH_OPERATIONS:
            return _read_graph(span)
        if operation == sc.INVOKE_NODE:
            return _read_task(span)
        if operation in _MODEL_OPERATIONS or operation == sc.EXECUTE_TOOL:
            return _read_call(span, is_model=operation != sc.EXECUTE_TOOL)
    return OtherFact(
        place=_read_place(span, (), ()),
        thread_id=read_name(span.attributes, sc.THREAD_ID),
        run_id=read_name(span.attributes, sc.RUN_ID),
    )


def _read_place(span: Span, missing_keys: tuple[str, ...], cut_keys: tuple[str, ...]) -> Place:
    return Place(
        trace_id=span.trace_id,
        span_id=span.span_id,
        parent_span_id=span.parent_span_id,
        name=span.name,
        start_ns=span.start_ns,
        end_ns=span.end_ns,
        late=read_bool(span.attributes, sc.LATE),
        missing_keys=missing_keys,
        cut_keys=cut_keys,
        unreadable=span.unreadable,
        dropped_attributes=span.dropped_attributes,
    )


def _read_outcome(span: Span) -> TaskStatus:
    """An open span has no outcome; the recorder's word goes before the status, which stores may rewrite."""
    if not span.end_ns:
        return "open"
    if read_bool(span.attributes, sc.INTERRUPTED):
        return "interrupted"
    said = _OUTCOMES.get(read_str(span.attributes, sc.OUTCOME) or "")
    return said or ("error" if span.status == "error" else "ok")


def _read_service(span: Span) -> tuple[str, str]:
    return (
        read_str(span.resource, sc.SERVICE_NAMESPACE) or "",
        read_str(span.resource, sc.SERVICE_NAME) or "",
    )


def _find_cut_ids(span: Span, keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys whose value is only the beginning of a UUID."""
    values = ((key, read_str(span.attributes, key)) for key in keys)
    return tuple(
        key
        for key, value in values
        if value is not None and len(value) < _UUID_LENGTH and _UUID_START.match(value)
    )


def _find_cut_flags(span: Span, keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys that are there with a value which is neither true nor false."""
    return tuple(key for key in keys if key in span.attributes and read_flag(span.attributes, key) is None)


def _read_graph(span: Span) -> GraphFact:
    attributes = span.attributes
    manifest, missing, cut = _read_manifest(span)
    run_id = read_name(attributes, sc.RUN_ID)
    graph = (
        read_name(attributes, sc.GRAPH)
        or read_name(attributes, sc.WORKFLOW_NAME)
        or read_name(attributes, sc.AGENT_NAME)
    )
    lost, part = _find_damage(span, run_id, graph)
    return GraphFact(
        place=_read_place(span, lost + missing, part + cut),
        graph=graph,
        run_id=run_id or "",
        parent_run_id=read_name(attributes, sc.PARENT_RUN_ID),
        parent_task_id=read_name(attributes, sc.PARENT_TASK_ID),
        thread_id=read_name(attributes, sc.THREAD_ID) or read_name(attributes, sc.CONVERSATION_ID),
        case=read_name(attributes, sc.CASE),
        resumed=read_bool(attributes, sc.RESUMED),
        input_type=read_str(attributes, sc.INPUT_TYPE),
        outcome=_read_outcome(span),
        pause_unknown=read_bool(attributes, sc.PAUSE_UNKNOWN),
        error_type=read_str(attributes, sc.ERROR_TYPE),
        manifest=manifest,
        linked_spans=tuple((link.trace_id, link.span_id) for link in span.links),
        previous_span_id=read_str(attributes, sc.PREVIOUS_SPAN_ID),
        names_checkpoint=sc.CHECKPOINT_ID in attributes,
        inputs=read_str(attributes, sc.INPUTS),
        results=read_str(attributes, sc.RESULTS),
        service=_read_service(span),
        attributes=span.resource | attributes,
        omitted=read_str_tuple(attributes, sc.OMITTED),
    )


def _find_damage(
    span: Span, run_id: str | None, graph: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of a graph run that are not there, and those that are not whole; of the manifest none."""
    attributes = span.attributes
    outcome = attributes.get(sc.OUTCOME) if span.end_ns else "open"
    resumed = read_flag(attributes, sc.RESUMED)
    # Without new input a call can only go on with an earlier one.
    is_contradicted = resumed is False and read_str(attributes, sc.INPUT_TYPE) == "NoneType"
    is_masked = bool(attributes.get(sc.CASE)) and read_name(attributes, sc.CASE) is None
    wanted = (
        (sc.RUN_ID, run_id is not None),
        (sc.GRAPH, graph is not None),
        (sc.RESUMED, resumed is not None and not is_contradicted),
        (sc.OUTCOME, outcome is not None),
        (sc.CASE, not is_masked),
    )
    cut = _find_cut_ids(span, (sc.RUN_ID, sc.PARENT_RUN_ID)) + _find_cut_flags(span, (sc.PAUSE_UNKNOWN,))
    if outcome is not None and outcome not in ("open", *_OUTCOMES):
        cut = (*cut, sc.OUTCOME)
    # The span's name, which limits on attributes leave alone, tells the graph's name too.
    named = span.name.partition(" ")[2]
    if graph and named != graph and named.startswith(graph):
        cut = (*cut, sc.GRAPH)
    return tuple(key for key, is_there in wanted if not is_there), cut


def _read_manifest(span: Span) -> tuple[Manifest | None, tuple[str, ...], tuple[str, ...]]:
    """Return the manifest with the keys that it lacks and those that are cut; an open span owes none."""
    attributes = span.attributes
    if not span.end_ns:
        return None, (), ()
    digest = read_str(attributes, sc.STEPS_SHA256)
    tasks = read_int(attributes, sc.TASK_COUNT)
    task_spans = read_int(attributes, sc.TASK_SPAN_COUNT)
    wanted = ((sc.STEPS_SHA256, digest), (sc.TASK_COUNT, tasks), (sc.TASK_SPAN_COUNT, task_spans))
    missing = tuple(key for key, value in wanted if value is None)
    if digest is None or tasks is None or task_spans is None:
        return None, missing, ()
    if not _SHA256.match(digest):
        return None, (), (sc.STEPS_SHA256,)
    span_count = read_int(attributes, sc.SPAN_COUNT)
    is_top_level = read_name(attributes, sc.PARENT_RUN_ID) is None and not span.parent_span_id
    interrupted_count = read_int(attributes, sc.INTERRUPTED_COUNT)
    lacks = (
        (sc.SPAN_COUNT, is_top_level and span_count is None),
        (sc.INTERRUPTED_COUNT, interrupted_count is None and sc.INTERRUPTED_COUNT in attributes),
    )
    manifest = Manifest(
        steps_sha256=digest,
        task_count=tasks,
        task_span_count=task_spans,
        span_count=span_count,
        interrupted_count=interrupted_count,
        steps=read_str(attributes, sc.STEPS),
    )
    return manifest, tuple(key for key, is_lacking in lacks if is_lacking), ()


def _read_task(span: Span) -> TaskFact:
    attributes = span.attributes
    node = read_name(attributes, sc.NODE) or read_name(attributes, sc.NODE_NAME)
    superstep = read_int(attributes, sc.STEP)
    task_id = read_name(attributes, sc.TASK_ID)
    run_id = read_name(attributes, sc.RUN_ID)
    path = read_str(attributes, sc.PATH) or ""
    triggers = read_str_tuple(attributes, sc.TRIGGERS)
    wanted = (
        (sc.NODE, node),
        (sc.STEP, superstep),
        (sc.TASK_ID, task_id),
        (sc.RUN_ID, run_id),
        (sc.PATH, path or None),
        (sc.TRIGGERS, triggers or None),
        (sc.INTERRUPTED, _read_interrupted(attributes)),
    )
    missing = tuple(key for key, value in wanted if value is None)
    cut = _find_cut_ids(span, (sc.TASK_ID, sc.RUN_ID)) + _find_cut_flags(span, (sc.INTERRUPTED,))
    index = path.removeprefix("push:")
    return TaskFact(
        place=_read_place(span, missing, cut),
        node=node or span.name.partition(" ")[2] or span.name,
        superstep=-1 if superstep is None else superstep,
        task_id=task_id or span.span_id,
        run_id=run_id or "",
        thread_id=read_name(attributes, sc.THREAD_ID),
        push_index=int(index) if index != path and index.isascii() and index.isdigit() else None,
        checkpoint_ns=read_str(attributes, sc.CHECKPOINT_NS) or "",
        triggers=triggers,
        attempt=read_int(attributes, sc.ATTEMPT) or 1,
        outcome=_read_outcome(span),
        interrupted=_read_interrupted(attributes) is True and bool(span.end_ns),
        error_type=read_str(attributes, sc.ERROR_TYPE),
        inputs=read_str(attributes, sc.TASK_INPUTS),
        outputs=read_str(attributes, sc.TASK_OUTPUTS),
        service=_read_service(span),
    )


def _read_interrupted(attributes: Mapping[str, AttributeValue]) -> bool | None:
    """Return whether a task was interrupted; None where it says that it is what asked, and not that it was."""
    if sc.INTERRUPTED not in attributes and read_bool(attributes, sc.INTERRUPT_ORIGIN):
        return None
    return read_bool(attributes, sc.INTERRUPTED)


def _read_call(span: Span, *, is_model: bool) -> CallFact:
    attributes = span.attributes
    name_keys = (sc.RESPONSE_MODEL, sc.REQUEST_MODEL) if is_model else (sc.TOOL_NAME,)
    names = [name for key in name_keys if (name := read_name(attributes, key))]
    outcome = _read_outcome(span)
    return CallFact(
        place=_read_place(span, (), ()),
        kind="model" if is_model else "tool",
        name=names[-1] if names else span.name.partition(" ")[2] or None,
        call_id=read_str(attributes, sc.TOOL_CALL_ID),
        thread_id=read_name(attributes, sc.THREAD_ID),
        run_id=read_name(attributes, sc.RUN_ID),
        task_id=read_name(attributes, sc.TASK_ID),
        node=read_str(attributes, sc.NODE),
        superstep=read_int(attributes, sc.STEP),
        outcome=outcome,
        error_type=read_str(attributes, sc.ERROR_TYPE),
        usage=(
            read_int(attributes, sc.USAGE_INPUT_TOKENS),
            read_int(attributes, sc.USAGE_OUTPUT_TOKENS),
            read_int(attributes, sc.USAGE_CACHE_READ_INPUT_TOKENS),
            read_int(attributes, sc.USAGE_CACHE_WRITE_INPUT_TOKENS),
            read_int(attributes, sc.USAGE_REASONING_OUTPUT_TOKENS),
        ),
        finish_reasons=read_str_tuple(attributes, sc.RESPONSE_FINISH_REASONS),
        arguments=attributes.get(sc.TOOL_CALL_ARGUMENTS),
        tools=read_offered_tools(attributes) if is_model else None,
        chosen=read_chosen_calls(attributes) if is_model and outcome == "ok" else None,
        input_messages=attributes.get(sc.INPUT_MESSAGES),
        output_messages=attributes.get(sc.OUTPUT_MESSAGES),
    )
