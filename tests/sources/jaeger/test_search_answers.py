from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.sources.backend.answer import Answer
from otel_traj.sources.backend.listing import read_number
from otel_traj.sources.jaeger.search_answers import (
    find_in_legacy,
    find_in_summaries,
    find_in_traces,
    read_services,
)

if TYPE_CHECKING:
    from collections.abc import Callable

TRACE = "0af7651916cd43dd8448eb211c80319c"
READERS: list[Callable[[bytes], object]] = [find_in_legacy, find_in_summaries, find_in_traces, read_services]
KEYS = [
    "result",
    "resourceSpans",
    "scopeSpans",
    "spans",
    "traceId",
    "traceID",
    "data",
    "summaries",
    "services",
]
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(TRACE),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("read", READERS)
@given(body=st.binary(max_size=60) | DOCUMENTS.map(lambda document: json.dumps(document).encode()))
def test_an_answer_is_read_or_refused(read: Callable[[bytes], object], body: bytes) -> None:
    """Nothing but a ValueError, which the source makes an error of ours."""
    with contextlib.suppress(ValueError):
        read(body)


@given(body=st.binary(max_size=60) | DOCUMENTS.map(lambda document: json.dumps(document).encode()))
def test_any_answer_can_be_described(body: bytes) -> None:
    """For the message of an error."""
    answer = Answer(status=500, body=body)
    assert answer.describe().startswith("500")
    assert isinstance(answer.read_error(), str)


@pytest.mark.parametrize(
    ("read", "document"),
    [
        (find_in_traces, {"result": {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": TRACE}]}]}]}}),
        # Adjusted answers leave a scope without its `spans` (seen with 1.76.0).
        (
            find_in_traces,
            {"result": {"resourceSpans": [{"scopeSpans": [{}, {"spans": [{"traceId": TRACE}]}]}]}},
        ),
        (find_in_summaries, {"summaries": [{"traceId": TRACE, "minStartTimeUnixNano": "7", "services": []}]}),
        (find_in_legacy, {"data": [{"traceID": TRACE[0:], "spans": [{"startTime": 7}]}], "errors": None}),
    ],
)
def test_ids_are_found(read: Callable[[bytes], Any], document: object) -> None:
    """Of each form that Jaeger answers a search in."""
    assert [found.trace_id for found in read(json.dumps(document).encode()).found] == [TRACE]


def test_p03_short_ids_are_padded() -> None:
    """P03: older Jaegers strip leading zeros."""
    body = json.dumps({"data": [{"traceID": "7", "spans": [{"startTime": 2}, {"startTime": 1}]}]}).encode()
    [found] = find_in_legacy(body).found
    assert (found.trace_id, found.start_ns) == ("7".zfill(32), 1_000)


@pytest.mark.parametrize(
    ("read", "document"),
    [
        (
            find_in_traces,
            {"result": {"resourceSpans": [5, {"scopeSpans": [{"spans": [{"traceId": TRACE}]}]}]}},
        ),
        (
            find_in_traces,
            {
                "result": {
                    "resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": None}, {"traceId": TRACE}]}]}]
                }
            },
        ),
        (find_in_summaries, {"summaries": [{"traceId": None}, {"traceId": TRACE}]}),
        (find_in_summaries, {"summaries": [None, {"traceId": TRACE, "minStartTimeUnixNano": {}}]}),
        (find_in_legacy, {"data": [{"spans": []}, {"traceID": TRACE, "spans": [{"startTime": "x"}]}]}),
    ],
)
def test_one_entry_that_cannot_be_read_costs_only_itself(
    read: Callable[[bytes], Any], document: object
) -> None:
    """It is counted; a time that is none is no time, and the trace is found all the same."""
    listing = read(json.dumps(document).encode())
    assert [(found.trace_id, found.start_ns) for found in listing.found] == [(TRACE, 0)]
    assert listing.unusable == 1


@pytest.mark.parametrize(
    ("read", "document"),
    [
        (find_in_traces, {"result": {"resourceSpans": []}, "error": {"code": 13, "message": "storage gone"}}),
        (find_in_traces, {"error": {"code": 13, "message": "storage gone"}}),
        (find_in_summaries, {"summaries": [], "error": "storage gone"}),
        (find_in_legacy, {"data": [], "errors": [{"code": 500, "msg": "storage gone"}]}),
    ],
)
def test_an_error_inside_an_answer_is_found(read: Callable[[bytes], Any], document: object) -> None:
    """Beside what the answer gives, or alone: traces may be missing for it."""
    assert read(json.dumps(document).encode()).error == "storage gone"


@pytest.mark.parametrize(
    ("written", "number"),
    [
        *(
            (7, 7),
            ("7", 7),
            ("1.5", 1),
            (1.5, 1),
            ("1e3", 1_000),
            (-7, 0),
            ("-7", 0),
            (None, 0),
            ([], 0),
            ("x", 0),
        ),
        *((float("inf"), 0), ("nan", 0), ("9" * 10_000, 0), ("\u00b2", 0)),
    ],
)
def test_a_number_is_read_in_every_spelling(written: object, number: int) -> None:
    """And what is none is 0, which is what it is where nothing is said."""
    assert read_number(written) == number
