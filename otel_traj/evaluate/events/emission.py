"""Verdicts back to OpenTelemetry, as log events by OTLP; only where it is asked for.

The events of a report are made first and then handed to the exporter itself, in parts, without a queue between: a
queue drops what it can't hold, and here whoever asked is told how many arrived. Nothing is raised: a gate must not
change its verdict because a backend is away.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any, Final, Self

from msgspec import Struct
from opentelemetry import trace

import otel_traj
from otel_traj import semconv as sc
from otel_traj.errors import OtelTrajError
from otel_traj.evaluate.events.verdict_events import make_event
from otel_traj.log_event import find_export_class, make_log_event
from otel_traj.otlp_exporters import make_exporters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry._logs import Logger, LoggerProvider

    from otel_traj.evaluate.events.verdict_events import VerdictEvent
    from otel_traj.evaluate.judging.verdict import Report

__all__ = ["Emission", "emit_verdicts"]

_PART: Final = 512
"""Events in one request; as many as the SDK's own batches hold."""
_EXPORTERS: Final = "opentelemetry.exporter"
_SERVICE: Final = "otel-traj"


class Emission(Struct, frozen=True, kw_only=True):
    """What became of the verdicts of a report."""

    sent: int
    """Events that were handed over: to the backend, which took them, or to the logger provider that was given."""
    failure: str | None = None
    """Why the rest was not sent, or none; None where all were."""


def emit_verdicts(report: Report, *, logger_provider: LoggerProvider | None = None) -> Emission:
    """Send each verdict of a report as a log event `gen_ai.evaluation.result` of the run that it is about.

    It goes to the exporters that `OTEL_LOGS_EXPORTER` names, by default OTLP as the `OTEL_EXPORTER_OTLP_*` variables
    say. A report that is sent twice gives the same events, with the same `log.record.uid`. It never raises.

    Args:
        report: What `evaluate_runs` returned.
        logger_provider: Where the events go instead.

    Returns:
        How many were sent, and why the rest was not: `OTEL_SDK_DISABLED` or `OTEL_LOGS_EXPORTER=none` is set, a
        variable can't be meant, a backend did not take them.
    """
    try:
        events = [make_event(verdict) for verdict in report.verdicts]
        if logger_provider is not None:
            return _hand_over(events, logger_provider)
        return _send(events)
    except OtelTrajError as error:
        return Emission(sent=0, failure=str(error))
    except Exception as error:  # noqa: BLE001 - a verdict stands, whatever becomes of its event
        return Emission(sent=0, failure=f"it failed with {type(error).__name__}: {error}")


def _hand_over(events: Sequence[VerdictEvent], provider: LoggerProvider) -> Emission:
    logger = provider.get_logger(sc.SCOPE_NAME, otel_traj.__version__)
    if type(logger).__module__.startswith("opentelemetry._logs"):
        return Emission(
            sent=0, failure="the logger provider has no OpenTelemetry SDK behind it, or a disabled one"
        )
    for event in events:
        _emit(logger, event)
    return Emission(sent=len(events))


def _emit(logger: Logger, event: VerdictEvent) -> None:
    span = trace.SpanContext(
        int(event.trace_id or "0", 16),
        int(event.span_id or "0", 16),
        is_remote=True,
        trace_flags=trace.TraceFlags(trace.TraceFlags.SAMPLED),
    )
    logger.emit(
        make_log_event(
            logger, sc.EVALUATION_RESULT, event.attributes, span=span, timestamp_ns=event.timestamp_ns or None
        )
    )


def _send(events: Sequence[VerdictEvent]) -> Emission:
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return Emission(sent=0, failure="OTEL_SDK_DISABLED is set")
    exporters = make_exporters("logs")
    if not exporters:
        return Emission(sent=0, failure="OTEL_LOGS_EXPORTER is none")
    records = _make_records(events)
    sent = len(records)
    failure = None
    for exporter in exporters:
        with _Listener() as listener:
            taken = _export(exporter, records)
            exporter.shutdown()  # type: ignore[no-untyped-call]
        if taken < len(records):
            failure = listener.said or "the backend did not take them"
        sent = min(sent, taken)
    return Emission(sent=sent, failure=failure)


class _Listener(logging.Handler):
    """Keeps the last thing that an exporter says, which is why it failed; its result is a word."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.said = record.getMessage()

    def __enter__(self) -> Self:
        logging.getLogger(_EXPORTERS).addHandler(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        logging.getLogger(_EXPORTERS).removeHandler(self)


def _make_records(events: Sequence[VerdictEvent]) -> list[Any]:
    """Return the events as exporters take them, whose class differs from release to release."""
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource

    memory = find_export_class("InMemoryLogRecordExporter", "InMemoryLogExporter")()
    resource = Resource.create()
    if str(resource.attributes.get(SERVICE_NAME, "")).startswith("unknown_service"):
        resource = resource.merge(Resource({SERVICE_NAME: _SERVICE}))
    provider = LoggerProvider(resource, shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(memory))
    _hand_over(events, provider)
    return list(memory.get_finished_logs())


def _export(exporter: Any, records: Sequence[Any]) -> int:  # noqa: ANN401 - its class differs from release to release
    """Return how many records an exporter delivered; after the first part that fails no other is tried."""
    for start in range(0, len(records), _PART):
        result = exporter.export(records[start : start + _PART])
        if result.name != "SUCCESS":
            return start
    return len(records)
