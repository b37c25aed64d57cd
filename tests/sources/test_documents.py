from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.model import Span
from tests.sources.encoding import encode_document
from tests.sources.jaeger.legacy import encode_legacy_trace
from tests.sources.reading import codes, read_bytes
from tests.sources.sdk import to_sdk_span

TRACE = "0af7651916cd43dd8448eb211c80319c"


def make_span(number: int) -> Span:
    """Return the span of a number."""
    return Span(
        trace_id=TRACE,
        span_id=f"{number:016x}",
        name=f"span {number}",
        start_ns=10**18,
        end_ns=10**18,
        kind=1,
    )


SPANS = [make_span(number) for number in range(1, 6)]
FORMS: list[dict[str, Any]] = [
    encode_document([SPANS[0]]),
    {"data": [encode_legacy_trace([SPANS[1]])], "total": 0, "limit": 0, "offset": 0, "errors": None},
    json.loads(to_sdk_span(SPANS[2]).to_json()),
    {"trace": encode_document([SPANS[3]])},
    encode_document([SPANS[4]])["resourceSpans"][0],
]
STRANGER = {"hello": 1}


def names(spans: list[Span]) -> list[str]:
    """Return the names of spans, without the word they all begin with."""
    return [span.name.removeprefix("span ") for span in spans]


@pytest.mark.parametrize(
    "lay_out",
    [
        lambda documents: json.dumps(documents),
        lambda documents: "\n".join(map(json.dumps, documents)),
        lambda documents: "\n".join(json.dumps(document, indent=2) for document in documents),
        lambda documents: "".join(map(json.dumps, documents)),
    ],
    ids=["list", "lines", "pretty-printed", "one behind the other"],
)
def test_forms_may_be_mixed(lay_out: Any) -> None:  # noqa: ANN401 - any function
    """Each document says by itself what it is."""
    spans, problems = read_bytes(lay_out(FORMS).encode())
    assert names(spans) == ["1", "2", "3", "4", "5"]
    assert problems == []


def test_a_stranger_among_them_is_told() -> None:
    """It costs nothing but itself."""
    spans, problems = read_bytes(json.dumps([FORMS[0], STRANGER, FORMS[1]]).encode())
    assert names(spans) == ["1", "2"]
    assert codes(problems) == ["not_spans"]
    assert "of the 3 parts of this list 1 hold no spans" in problems[0].message


_keys = st.sampled_from(
    [
        "data",
        "spans",
        "traceID",
        "traceId",
        "spanID",
        "spanId",
        "processes",
        "context",
        "trace_id",
        "span_id",
        "start_time",
        "result",
        "trace",
        "status",
        "batches",
        "resourceSpans",
        "resource_spans",
        "scopeSpans",
        "error",
        "errors",
        "message",
        "traces",
        "attributes",
        "tags",
        "key",
        "value",
        "kvlistValue",
        "values",
    ]
)
_documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "PARTIAL", "0x1", "1", "truncated"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=4),
    max_leaves=20,
)


@given(st.lists(_documents, min_size=1, max_size=3))
def test_no_document_makes_reading_crash(documents: list[object]) -> None:
    """Whatever stands under the keys that are known: spans, or words about it."""
    spans, problems = read_bytes("\n".join(map(json.dumps, documents)).encode())
    assert spans or problems


def test_an_error_behind_what_a_gateway_streamed_ends_the_trace_before_it() -> None:
    """The trace that it gave last is not whole; without one the error is a stranger."""
    error = {"error": {"code": 13, "message": "deadline"}}
    lines = [{"result": FORMS[0]}, {"result": encode_document([SPANS[4]])}, error]
    spans, problems = read_bytes("\n".join(map(json.dumps, lines)).encode())
    assert names(spans) == ["1", "5"]
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", (TRACE,))]
    assert "deadline" in problems[0].message
    _, problems = read_bytes("\n".join(map(json.dumps, [FORMS[0], error])).encode())
    assert codes(problems) == ["not_spans"]


def test_both_spellings_of_a_list_are_read() -> None:
    """A document that two writers wrote."""
    batch = encode_document([SPANS[0]])["resourceSpans"][0]
    batch["scope_spans"] = encode_document([SPANS[1]])["resourceSpans"][0]["scopeSpans"]
    spans, problems = read_bytes(json.dumps({"resourceSpans": [batch]}).encode())
    assert names(spans) == ["1", "2"]
    assert problems == []
