from __future__ import annotations

import inspect

from opentelemetry._logs import LogRecord, NoOpLogger, SeverityNumber
from opentelemetry.trace import SpanContext, TraceFlags

from otel_traj import semconv as sc
from otel_traj.log_event import make_log_event


def test_the_name_stands_once_where_this_opentelemetry_wants_it() -> None:
    """The event is named by its record's field, else by `event.name`; ids and severity are its own; the mapping stays."""
    span = SpanContext(0xABC, 0xDEF, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))
    given = {"a": 1}
    record = make_log_event(NoOpLogger("a logger of no SDK"), "something.happened", given, span=span)
    assert (record.trace_id, record.span_id, record.trace_flags) == (0xABC, 0xDEF, TraceFlags.SAMPLED)
    assert record.severity_number is SeverityNumber.INFO
    assert record.body is None
    has_field = "event_name" in inspect.signature(LogRecord.__init__).parameters
    expected = {"a": 1} if has_field else {"a": 1, sc.EVENT_NAME: "something.happened"}
    assert dict(record.attributes or {}) == expected
    assert getattr(record, "event_name", None) == ("something.happened" if has_field else None)
    assert given == {"a": 1}
