"""Model and tool calls of a run, in one order, and the tokens they used.

Order: the task they ran in (by superstep, then canonical order), then their start; calls of a subgraph run
stand at the task that called the subgraph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from otel_traj.model import ModelCall, ToolCall, Usage
from otel_traj.reconstruct.content import read_content

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otel_traj.model import Run, Task
    from otel_traj.reconstruct.choosers import Choosers
    from otel_traj.reconstruct.facts import CallFact

__all__ = ["list_model_calls", "list_tool_calls", "sum_usage"]

_Call = TypeVar("_Call", ModelCall, ToolCall)


def list_model_calls(
    facts: Iterable[CallFact], tasks: Sequence[Task], children: Iterable[Run]
) -> list[ModelCall]:
    """Return the model calls of a run and of the runs below it."""
    own = [_make_model_call(fact) for fact in facts if fact.kind == "model"]
    return _order(own, [(child, child.model_calls) for child in children], tasks)


def list_tool_calls(
    facts: Iterable[CallFact], tasks: Sequence[Task], children: Iterable[Run], choosers: Choosers
) -> list[ToolCall]:
    """Return the tool calls of a run and of the runs below it, each with the model call that chose it."""
    own = [_make_tool_call(fact, choosers.find(fact)) for fact in facts if fact.kind == "tool"]
    return _order(own, [(child, child.tool_calls) for child in children], tasks)


def _order(own: list[_Call], below: list[tuple[Run, list[_Call]]], tasks: Sequence[Task]) -> list[_Call]:
    # Time travel with an old LangGraph runs a task again under its old id; the graph run tells the two apart.
    place_of = {task.task_id: place for place, task in enumerate(tasks)}
    place_in_run = {(task.run_id, task.task_id): place for place, task in enumerate(tasks)}
    nowhere = len(place_of)
    placed = [
        (
            place_in_run.get(
                (call.run_id or "", call.task_id or ""), place_of.get(call.task_id or "", nowhere)
            ),
            call,
        )
        for call in own
    ]
    for child, calls in below:
        place = place_of.get(child.parent_task_id or "", nowhere)
        placed += [(place, call) for call in calls]
    placed.sort(key=lambda item: (item[0], item[1].started_ns, item[1].span_id))
    return [call for _, call in placed]


def _make_model_call(fact: CallFact) -> ModelCall:
    return ModelCall(
        superstep=fact.superstep,
        node=fact.node,
        model=fact.name,
        usage=_make_usage(fact.usage),
        finish_reasons=fact.finish_reasons,
        run_id=fact.run_id,
        task_id=fact.task_id,
        status=fact.outcome,
        error_type=fact.error_type,
        started_ns=fact.place.start_ns,
        ended_ns=fact.place.end_ns,
        span_id=fact.place.span_id,
        tools=fact.tools,
        tool_calls=fact.chosen,
        input_messages=read_content(fact.input_messages),
        output_messages=read_content(fact.output_messages),
    )


def _make_tool_call(fact: CallFact, model_call: str | None) -> ToolCall:
    return ToolCall(
        name=fact.name or "",
        id=fact.call_id,
        args=read_content(fact.arguments),
        superstep=fact.superstep,
        node=fact.node,
        run_id=fact.run_id,
        task_id=fact.task_id,
        status=fact.outcome,
        error_type=fact.error_type,
        started_ns=fact.place.start_ns,
        ended_ns=fact.place.end_ns,
        span_id=fact.place.span_id,
        parent_span_id=fact.place.parent_span_id,
        model_call=model_call,
    )


def _make_usage(counts: Sequence[int | None]) -> Usage:
    sent, received, cache_read, cache_write, reasoning = counts
    return Usage(
        input_tokens=sent,
        output_tokens=received,
        cache_read_input_tokens=cache_read,
        cache_write_input_tokens=cache_write,
        reasoning_output_tokens=reasoning,
    )


def sum_usage(calls: Iterable[ModelCall]) -> Usage:
    """Return the tokens of all calls; a kind that no call told is None."""
    totals: list[int | None] = [None] * 5
    for call in calls:
        usage = call.usage
        counts = (
            usage["input_tokens"],
            usage["output_tokens"],
            usage["cache_read_input_tokens"],
            usage["cache_write_input_tokens"],
            usage["reasoning_output_tokens"],
        )
        totals = [
            total if count is None else count + (total or 0)
            for total, count in zip(totals, counts, strict=True)
        ]
    return _make_usage(totals)
