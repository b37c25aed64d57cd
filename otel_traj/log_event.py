"""Make a log event that stands under a span which may be long gone, on any OpenTelemetry.

The class to make it with, and what it takes, changed while logs were no stable part of OpenTelemetry. Up to 1.38 the
SDK has a `LogRecord` of its own, which its loggers want, and which carries the resource; since then they take the
API's. Until 1.34 it knows neither a context nor the name of an event: ids go in by themselves, and the attribute
`event.name` carries the name, as the conventions had it then (seen with opentelemetry-sdk 1.33.0, 1.34.1, 1.35.0,
1.37.0, 1.38.0, 1.39.0 and 1.45.2). What is asked for is always the class, never a version.
"""

from __future__ import annotations

import inspect
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from opentelemetry import trace
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.context import Context

from otel_traj import semconv as sc

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry._logs import Logger
    from opentelemetry.trace import SpanContext
    from opentelemetry.util.types import AttributeValue

__all__ = ["find_export_class", "make_log_event"]


def make_log_event(
    logger: Logger,
    name: str,
    attributes: Mapping[str, AttributeValue],
    *,
    span: SpanContext,
    timestamp_ns: int | None = None,
) -> LogRecord:
    """Return an event of severity INFO, without a body.

    Args:
        logger: Who will emit it.
        name: Name of the event.
        attributes: What it says.
        span: The span that it is about.
        timestamp_ns: When it happened, in Unix nanoseconds; None for now.
    """
    of_sdk = getattr(import_module("opentelemetry.sdk._logs"), "LogRecord", None)
    make: Any = of_sdk or LogRecord
    given: dict[str, Any] = {
        "timestamp": time.time_ns() if timestamp_ns is None else timestamp_ns,
        "observed_timestamp": time.time_ns(),
        "severity_number": SeverityNumber.INFO,
        "severity_text": "INFO",
        "attributes": dict(attributes),
    }
    if of_sdk is not None:
        given["resource"] = getattr(logger, "resource", None)
    if "event_name" in inspect.signature(make.__init__).parameters:
        given["event_name"] = name
        given["context"] = trace.set_span_in_context(trace.NonRecordingSpan(span), Context())
    else:
        given["attributes"][sc.EVENT_NAME] = name
        given |= {"trace_id": span.trace_id, "span_id": span.span_id, "trace_flags": span.trace_flags}
    record: LogRecord = make(**given)
    return record


def find_export_class(*names: str) -> Any:  # noqa: ANN401 - what has several names has no type of its own
    """Return the first class of `opentelemetry.sdk._logs.export` that is there: some were renamed in 1.39.

    Args:
        names: The newest first, for the old ones stay and warn.
    """
    exports = import_module("opentelemetry.sdk._logs.export")
    return next(getattr(exports, name) for name in names if hasattr(exports, name))
