"""A verdict as the event that OpenTelemetry's GenAI conventions have for evaluations, `gen_ai.evaluation.result`.

The event stands under the graph-run span of the run that was judged, of a resumed run that of its last call, of a
thread that of its last run: there whoever looks at the trace finds it. Judging the same runs twice gives the same
events: their time is the end of the run and not of the judging, and `log.record.uid` is made from what is judged and
how, so that a backend can tell a repetition from a second opinion.

An explanation names nodes and tools only, no content; it is cut where backends cut, by us, so that it says so.
Source: semantic-conventions-genai, `gen-ai-events`; the general attributes of logs (`log.record.uid`).
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from otel_traj import semconv as sc
from otel_traj.byte_cap import cap_text
from otel_traj.rendering import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.evaluate.judging.verdict import Verdict

__all__ = ["VerdictEvent", "make_event"]

_MAX_BYTES: Final = 2_048
_UIDS: Final = uuid.uuid5(uuid.NAMESPACE_URL, "otel_traj.evaluation")


class VerdictEvent(Struct, frozen=True, kw_only=True):
    """What one log event says, and where it stands."""

    trace_id: str
    """Empty where nothing of the run names a trace."""
    span_id: str
    """Empty where the graph-run span is missing."""
    timestamp_ns: int
    """The end of the run, or its start where the end is not known."""
    attributes: dict[str, str | float | int]


def make_event(verdict: Verdict) -> VerdictEvent:
    """Return the event of a verdict.

    Args:
        verdict: With the runs that it is about.
    """
    invocations = [each for run in verdict.runs for each in run.invocations]
    last = invocations[-1] if invocations else None
    attributes = dict(_describe(verdict))
    attributes[sc.LOG_RECORD_UID] = _identify(last.span_id if last else "", attributes)
    return VerdictEvent(
        trace_id=last.trace_id if last else "",
        span_id=last.span_id if last else "",
        timestamp_ns=(last.ended_ns or last.started_ns) if last else 0,
        attributes=attributes,
    )


def _identify(span_id: str, attributes: dict[str, str | float | int]) -> str:
    return str(uuid.uuid5(_UIDS, json.dumps([span_id, attributes], sort_keys=True)))


def _describe(verdict: Verdict) -> Iterator[tuple[str, str | float | int]]:
    metadata = verdict.metadata or {}
    yield sc.EVALUATION_NAME, clean_text(verdict.key)
    error = metadata.get("error_type")
    if isinstance(error, str):
        yield sc.ERROR_TYPE, clean_text(error)
    else:
        yield sc.EVALUATION_SCORE_LABEL, verdict.verdict
        if verdict.score is not None:
            yield sc.EVALUATION_SCORE_VALUE, float(verdict.score)
    if verdict.comment:
        yield sc.EVALUATION_EXPLANATION, cap_text(clean_text(verdict.comment), _MAX_BYTES)
    if verdict.reference is not None:
        yield sc.EVALUATION_REFERENCE, clean_text(verdict.reference)
    if verdict.run_id is not None:
        yield sc.RUN_ID, clean_text(verdict.run_id)
    if verdict.thread_id is not None:
        yield sc.CONVERSATION_ID, clean_text(verdict.thread_id)
    for key, name in (
        (sc.EVALUATION_STEP_MODE, "step_mode"),
        (sc.EVALUATION_TRAJECTORY_MODE, "trajectory_mode"),
        (sc.EVALUATION_EDITS, "edits"),
        (sc.EVALUATION_FITNESS, "fitness"),
    ):
        value = metadata.get(name)
        if isinstance(value, str | int | float):
            yield key, value
