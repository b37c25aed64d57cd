from __future__ import annotations

import pytest

from otel_traj.model import Span, SpanLink
from otel_traj.sources.otlp.span import SpanContext, decode_span

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"
PARENT = "00f067aa0ba902b7"


def decode(**fields: object) -> Span:
    """Return the span of a message with usable ids and these fields."""
    span = decode_span({"traceId": TRACE, "spanId": SPAN} | fields, SpanContext())
    assert span is not None
    return span


def test_a_span_needs_nothing_but_its_ids() -> None:
    """Every other field has a default, and none is unreadable by being absent."""
    assert decode() == Span(trace_id=TRACE, span_id=SPAN)


@pytest.mark.parametrize(
    "absent", [{}, {"endTimeUnixNano": None}, {"endTimeUnixNano": 0}, {"endTimeUnixNano": "0"}]
)
def test_a_span_without_an_end_is_open(absent: dict[str, object]) -> None:
    """Absent, null, 0 and "0" all say that it had not ended; never a negative duration."""
    span = decode(startTimeUnixNano="5", **absent)
    assert (span.start_ns, span.end_ns, span.unreadable) == (5, 0, ())


@pytest.mark.parametrize("value", [None, "", "0" * 16])
def test_a_root_has_no_parent(value: object) -> None:
    """Null, an empty and a zero parent id are the same as none."""
    span = decode(parentSpanId=value)
    assert (span.parent_span_id, span.unreadable) == ("", ())


def test_a_parent_that_can_not_be_read_does_not_make_a_root() -> None:
    """The span is used, and says that its parent is unknown."""
    assert decode(parentSpanId="?").unreadable == ("parentSpanId",)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, 0),
        (1, 1),
        ("3", 3),
        ("SPAN_KIND_CLIENT", 3),
        ("Internal", 1),
        ("SPAN_KIND_UNSPECIFIED", 0),
        (9, 9),
        ("SPAN_KIND_OF_THE_FUTURE", 0),
        ([], 0),
        (True, 0),
    ],
)
def test_kinds_in_every_spelling(value: object, kind: int) -> None:
    """Numbers, numbers as text, names; an unknown number is kept, and nothing is made of the rest."""
    span = decode(kind=value)
    assert (span.kind, span.unreadable) == (kind, ())


@pytest.mark.parametrize(
    ("value", "status", "message"),
    [
        (None, "unset", ""),
        ({}, "unset", ""),
        ({"code": None, "message": None}, "unset", ""),
        ({"deprecatedCode": 0, "fieldOfTheFuture": 1}, "unset", ""),
        ({"code": 1, "deprecatedCode": 2}, "ok", ""),
        ({"code": 2, "message": "boom"}, "error", "boom"),
        ({"code": "2"}, "error", ""),
        ({"code": "STATUS_CODE_ERROR"}, "error", ""),
        ({"code": "Ok"}, "ok", ""),
        ("STATUS_CODE_OK", "ok", ""),
    ],
)
def test_statuses_in_every_spelling(value: object, status: str, message: str) -> None:
    """Numbers, numbers as text, names, and nothing at all."""
    span = decode(status=value)
    assert (span.status, span.status_message, span.unreadable) == (status, message, ())


@pytest.mark.parametrize(
    "value",
    [
        {"code": 7},
        {"code": "STATUS_CODE_OF_THE_FUTURE"},
        {"code": []},
        [1],
        {"status_code": "ERROR"},
        {"deprecatedCode": 2},
    ],
)
def test_an_unknown_status_is_named(value: object) -> None:
    """It may be an error, so it is not taken for a good end in silence."""
    span = decode(status=value)
    assert (span.status, span.unreadable) == ("unset", ("status",))


@pytest.mark.parametrize(
    "name",
    [
        "attributes",
        "events",
        "links",
        "startTimeUnixNano",
        "endTimeUnixNano",
        "name",
        "droppedAttributesCount",
    ],
)
def test_null_is_the_default_and_nonsense_is_named(name: str) -> None:
    """A null field is an absent one; a field of the wrong type is named, and the span is used all the same."""
    assert decode(**{name: None}) == decode()
    assert decode(**{name: {"no": "sense"}}).unreadable == (name,)


def test_events_and_links_are_read() -> None:
    """Whatever case their keys are in; what can't be decoded in them is named like an attribute of the span."""
    span = decode(
        events=[
            {"name": "e", "time_unix_nano": "7", "attributes": [{"key": "k", "value": {"stringValue": "v"}}]},
            {"timeUnixNano": -1, "attributes": [{"key": "bad", "value": 5}]},
        ],
        links=[{"trace_id": TRACE.upper(), "span_id": PARENT}],
    )
    assert [(event.name, event.time_ns, event.attributes) for event in span.events] == [
        ("e", 7, {"k": "v"}),
        ("", 0, {}),
    ]
    assert span.links == (SpanLink(trace_id=TRACE, span_id=PARENT),)
    assert span.unreadable == ("bad",)


def test_a_link_to_nowhere_is_dropped() -> None:
    """Empty links are what some backends keep of none."""
    assert decode(links=[{}, {"traceId": "0" * 32, "spanId": ""}]).links == ()


def test_what_the_envelope_says_is_in_the_span() -> None:
    """Resource, scope, and what of the resource could not be read."""
    context = SpanContext(
        resource={"service.name": "x"}, scope_name="s", scope_version="1", unreadable=("bad",)
    )
    span = decode_span({"trace_id": TRACE, "span_id": SPAN}, context)
    assert span == Span(
        trace_id=TRACE,
        span_id=SPAN,
        resource={"service.name": "x"},
        scope_name="s",
        scope_version="1",
        unreadable=("bad",),
    )


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"traceId": TRACE},
        {"spanId": SPAN},
        {"traceId": "0" * 32, "spanId": SPAN},
        {"traceId": "?", "spanId": SPAN},
    ],
)
def test_without_usable_ids_there_is_no_span(message: dict[str, object]) -> None:
    """Both ids are needed; zeros are none."""
    assert decode_span(message, SpanContext()) is None
