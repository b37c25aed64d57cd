from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.model import Span, SpanEvent, SpanLink
from otel_traj.sources.console_spans import decode_console_span, is_console_span
from otel_traj.sources.shared_resource import SharedResource
from tests.sources.reading import codes, read_bytes
from tests.sources.sdk import print_to_console

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = Span(
    trace_id=TRACE,
    span_id="b7ad6b7169203331",
    parent_span_id="00f067aa0ba902b7",
    name="invoke_node a",
    start_ns=1_796_026_887_587_440_000,
    end_ns=1_796_026_887_587_840_000,
    status="error",
    status_message="ValueError",
    attributes={"langgraph.step": 1, "langgraph.triggers": ["b", "c"], "on": True, "half": 0.5, "grüße": "✓"},
    resource={"service.name": "shop"},
    events=(
        SpanEvent(name="exception", time_ns=1_796_026_887_587_500_000, attributes={"exception.type": "E"}),
    ),
    links=(SpanLink(trace_id=TRACE, span_id="00f067aa0ba902b8", attributes={"x": 1}),),
    kind=3,
)
ROOT = Span(trace_id=TRACE, span_id="00f067aa0ba902b7", name="open", start_ns=SPAN.start_ns, kind=1)


def test_what_the_console_exporter_prints_is_read() -> None:
    """Several pretty-printed documents, one behind the other; an open span stays open."""
    spans, problems = read_bytes(print_to_console([SPAN, ROOT]))
    assert spans == [SPAN, ROOT]
    assert problems == []


def test_lines_of_a_log_between_the_spans_cost_nothing_but_themselves() -> None:
    """A program prints its spans where it prints everything."""
    spans, problems = read_bytes(
        b"INFO start\n", print_to_console([SPAN]), b"INFO end\n", print_to_console([ROOT])
    )
    assert spans == [SPAN, ROOT]
    assert codes(problems) == ["unreadable_line"] * 2


def test_a_span_without_usable_ids_is_left_out_alone() -> None:
    """It is named."""
    bad = json.dumps(
        json.loads(print_to_console([ROOT])) | {"context": {"trace_id": "0x0", "span_id": "0x0"}}
    ).encode()
    spans, problems = read_bytes(print_to_console([SPAN]), bad)
    assert spans == [SPAN]
    assert codes(problems) == ["bad_span"]
    assert "'open'" in problems[0].message


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"start_time": "yesterday"}, "start_time"),
        ({"start_time": 5}, "start_time"),
        ({"end_time": "1969-12-31T23:59:59Z"}, "end_time"),
        ({"end_time": "2026-11-30T00:00:00"}, "end_time"),
        ({"parent_id": "oops"}, "parent_id"),
        ({"status": {"status_code": "NEW"}}, "status"),
        ({"status": 5}, "status"),
        ({"attributes": [1]}, "attributes"),
        ({"events": {}}, "events"),
        ({"links": [5]}, "links"),
    ],
)
def test_what_can_not_be_decoded_is_named(changes: dict[str, object], name: str) -> None:
    """The span is used without it."""
    document = json.loads(print_to_console([ROOT])) | changes
    span = decode_console_span(document, SharedResource())
    assert span is not None
    assert span.unreadable == (name,)


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "name",
                "context",
                "kind",
                "parent_id",
                "start_time",
                "status",
                "attributes",
                "events",
                "links",
                "resource",
            ]
        ),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
            lambda inner: (
                st.lists(inner, max_size=2)
                | st.dictionaries(
                    st.sampled_from(["context", "attributes", "trace_id", "span_id", "x"]), inner, max_size=3
                )
            ),
            max_leaves=6,
        ),
    )
)
def test_no_document_makes_the_decoder_crash(changes: dict[str, object]) -> None:
    """Whatever stands in the fields."""
    document = json.loads(print_to_console([SPAN])) | changes
    if is_console_span(document):
        decode_console_span(document, SharedResource())
