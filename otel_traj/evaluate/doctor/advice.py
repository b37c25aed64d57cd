"""What to do about each problem, by its code: the one table that the doctor prints and docs/doctor.md shows.

The message of a problem says what is wrong with one run; the advice is the same for all runs that have it, so it is
said once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.model import ProblemCode, SourceProblemCode

__all__ = ["ADVICE", "SOURCE_ADVICE"]

_LOST: Final = (
    "Read again later (`--wait SECONDS`). If they stay away, they were dropped on the way: let the process flush "
    "before it ends (`provider.shutdown()`), raise `OTEL_BSP_MAX_QUEUE_SIZE` where its exporter's queue was full, and "
    "look at the collector's `otelcol_exporter_enqueue_failed_spans`, `otelcol_exporter_send_failed_spans` and "
    "`otelcol_receiver_refused_spans`, and at its filters and sampling."
)

ADVICE: Final[Mapping[ProblemCode, str]] = {
    "root_missing": _LOST,
    "root_open": "Read again when the run has ended. If its process died, nothing more will come: run it again.",
    "task_open": _LOST,
    "orphan": _LOST,
    "manifest_mismatch": _LOST,
    "late_span": "Wait, inside the graph, for the work that it starts (threads, tasks, background calls).",
    "key_missing": (
        "Keep `langgraph.*`, `otel_traj.*` and `gen_ai.*` in every redaction and attributes processor; if the SDK "
        "dropped them, raise `OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT`."
    ),
    "key_cut": (
        "Raise `OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT`, or the limit of the place that keeps the spans (Tempo: "
        "`max_attribute_bytes`)."
    ),
    "partial_response": (
        "Read again later, or the trace by its id (`--trace ID`); if it stays cut, raise the limit of the backend "
        "(Jaeger: `max_trace_size`, Tempo: `max_bytes_per_trace`), or keep the spans in a file as well."
    ),
    "beginning_missing": (
        "Read from further back (`--since`), or the file before this one too: the part of the run before its resume is "
        "elsewhere."
    ),
    "conflicting_copy": (
        "Spans arrive on two paths, one of which rewrites them: make both alike, or read only one of them."
    ),
    "no_node_tasks": "Record node tasks: with the handler of this package, or with an emitter that writes them.",
    "task_missing": (
        "Read again later (`--wait SECONDS`). If it stays away, record with the handler of this package too, whose "
        "manifest tells a lost span from a cached node."
    ),
    "unreadable": "Look for a tool that rewrote the spans; read them where they came from, if they are still there.",
    "step_gap": "Nothing, if nodes are cached or `update_state` is used: such supersteps leave no span.",
    "content_cut": (
        "Raise `max_bytes` of the `ContentPolicy`, or the limit on attribute values on the way (Tempo: "
        "`max_attribute_bytes`). Supersteps are not affected."
    ),
    "spans_missing": _LOST,
    "pause_unknown": "Use LangGraph 1.1.8 or newer, or `interrupt()` inside a node.",
}
"""By the code of a run's problem."""

SOURCE_ADVICE: Final[Mapping[SourceProblemCode, str]] = {
    "unreadable_line": "Look for what damaged the file; read the spans from another copy, if there is one.",
    "unfinished_line": "Read again: something is still being written, or its writer was killed.",
    "not_spans": "Leave what holds no spans out of the source, or look at what the backend said there.",
    "empty_source": "Look whether anything was exported, and to here.",
    "bad_span": "Look for a tool that wrote spans without usable ids.",
    "unreadable_file": "Make the file readable, or leave it out of the source.",
    "partial_response": ADVICE["partial_response"],
    "limit_reached": "Raise `limit` in the name of the source, or narrow its time, to see the other traces.",
}
"""By the code of a source's problem."""
