"""Jaeger's legacy JSON to spans: answers of `/api/traces`, and what its page saves.

`{"data": [{"traceID", "spans", "processes"}], "errors"}`; one such trace alone is read too. The form keeps
microseconds, and what OTLP has a field for stands among the tags: kind, status, scope (as the collector's Jaeger
translator writes them; seen with Jaeger 1.76.0). Those tags become fields again, so that a span reads the same
from this form and from OTLP, but for what the form can't hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.sources.jaeger.legacy_span import decode_legacy_span, decode_processes
from otel_traj.sources.jaeger.warnings import describe_cut, find_cuts
from otel_traj.sources.otlp.ids import TRACE_ID_DIGITS, normalise_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.model import Span
    from otel_traj.sources.position import Position
    from otel_traj.sources.problems import ProblemLog

__all__ = ["LegacyDecoder", "is_legacy_form"]

_ANSWER_FIELDS = frozenset({"total", "limit", "offset", "errors"})


def is_legacy_form(document: object) -> bool:
    """Return whether a document is Jaeger's legacy JSON: an answer with traces or errors, or one trace.

    Args:
        document: A decoded JSON document.
    """
    if not isinstance(document, dict):
        return False
    if _is_trace(document):
        return True
    traces = document.get("data")
    if isinstance(traces, list) and traces:
        return any(_is_trace(trace) for trace in traces)
    return "data" in document and not traces and not _ANSWER_FIELDS.isdisjoint(document)


def _is_trace(document: object) -> bool:
    return (
        isinstance(document, dict)
        and "spans" in document
        and ("traceID" in document or "processes" in document)
    )


class LegacyDecoder:
    """Decodes documents of one place, and reports what in them is no span."""

    def __init__(self, log: ProblemLog) -> None:
        """Begin with nothing decoded.

        Args:
            log: Where problems are reported.
        """
        self._log = log

    def decode(self, document: dict[str, object], at: Position) -> Iterator[Span]:
        """Yield the spans of a document.

        Args:
            document: One that `is_legacy_form` accepts.
            at: Where it begins.
        """
        traces = [document] if _is_trace(document) else document.get("data")
        for trace in traces if isinstance(traces, list) else ():
            if isinstance(trace, dict):
                yield from self._decode_trace(trace, at)
            else:
                self._log.report_at(
                    at,
                    "not_spans",
                    "what should be a trace is none; nothing is read from it; look for what rewrote it",
                )
        self._report_errors(document.get("errors"), has_traces=bool(traces), at=at)

    def _decode_trace(self, trace: dict[str, object], at: Position) -> Iterator[Span]:
        processes = decode_processes(trace.get("processes"))
        spans = trace.get("spans")
        if not isinstance(spans, list | None) or "spans" not in trace:
            self._log.report_at(
                at,
                "not_spans",
                "a trace has no list 'spans'; the spans that should stand there are not read; look for what rewrote the document "
                "on the way",
            )
            return
        self._report_cut(trace, at)
        for message in spans or ():
            span = (
                decode_legacy_span(message, processes, trace.get("traceID"))
                if isinstance(message, dict)
                else None
            )
            if span is None:
                self._report_bad_span(message, at)
            else:
                yield span

    def _report_cut(self, trace: dict[str, object], at: Position) -> None:
        trace_id = normalise_id(trace.get("traceID"), TRACE_ID_DIGITS)
        warnings = trace.get("warnings")
        for said in find_cuts(warnings if isinstance(warnings, list) else (warnings,)):
            self._log.report_at(
                at, *describe_cut(trace_id or "", said), trace_ids=(trace_id,) if trace_id else ()
            )

    def _report_bad_span(self, message: object, at: Position) -> None:
        found = "something that is no object stands where a span should"
        if isinstance(message, dict):
            name, span_id, trace_id = (
                str(message.get(key))[:100] for key in ("operationName", "spanID", "traceID")
            )
            found = f"the span {name!r} has the span id {span_id!r} and the trace id {trace_id!r}, not both usable"
        self._log.report_at(
            at,
            "bad_span",
            f"{found}; it belongs to no trace and is left out, the others are used; look for what changed the ids on "
            "the way",
        )

    def _report_errors(self, errors: object, *, has_traces: bool, at: Position) -> None:
        for error in errors if isinstance(errors, list) else ():
            fields = error if isinstance(error, dict) else {}
            said = f"Jaeger answered with an error ({str(fields.get('msg', error))[:200]!r})"
            trace_id = normalise_id(fields.get("traceID"), TRACE_ID_DIGITS)
            self._log.report_at(
                at,
                "partial_response" if has_traces else "not_spans",
                f"{said}; the spans that it could not give are missing; look into Jaeger's log, and ask again",
                trace_ids=(trace_id,) if trace_id else (),
            )
