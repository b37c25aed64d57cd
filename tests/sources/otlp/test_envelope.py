from __future__ import annotations

import pytest

from otel_traj.sources.otlp.envelope import describe_document, find_batches

BATCH: dict[str, object] = {"resource": {}, "scopeSpans": []}


@pytest.mark.parametrize(
    "document",
    [
        {"resourceSpans": [BATCH]},
        {"resource_spans": [BATCH]},
        {"batches": [BATCH]},
        {"result": {"resourceSpans": [BATCH]}},
        {"result": {"resource_spans": [BATCH]}},
        {"trace": {"resourceSpans": [BATCH]}, "metrics": {"inspectedBytes": "7"}},
        {"trace": {"batches": [BATCH]}, "status": "COMPLETE"},
        {"resourceSpans": [BATCH], "fieldOfTheFuture": 1},
        BATCH,
    ],
)
def test_the_batches_are_found_in_every_wrapper(document: object) -> None:
    """OTLP itself, and the answers of Jaeger and Tempo."""
    batches = find_batches(document)
    assert batches is not None
    assert batches.resource_spans == [BATCH]
    assert batches.partial is None


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"resourceSpans": []},
        {"resourceSpans": None},
        {"resource_spans": None},
        {"batches": None},
        {"result": {}},
        {"trace": None},
        {"trace": {}},
    ],
)
def test_otlp_without_spans_is_otlp(document: object) -> None:
    """Nothing there is not the same as something else there."""
    batches = find_batches(document)
    assert batches is not None
    assert (batches.resource_spans, batches.other_signal) == ([], "")


@pytest.mark.parametrize(
    ("key", "signal"),
    [("resourceLogs", "logs"), ("resource_metrics", "metrics"), ("resourceProfiles", "profiles")],
)
def test_other_signals_are_told(key: str, signal: str) -> None:
    """Logs and metrics are OTLP, and hold no spans."""
    batches = find_batches({key: [{}]})
    assert batches is not None
    assert batches.other_signal == signal


@pytest.mark.parametrize("status", ["PARTIAL", 1])
def test_a_partial_answer_is_told(status: object) -> None:
    """Tempo marks an answer that is not whole; its message is kept."""
    batches = find_batches({"trace": {"batches": [BATCH]}, "status": status, "message": "too big"})
    assert batches is not None
    assert batches.partial == "too big"


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (None, "JSON value"),
        (5, "JSON number"),
        ("x", "JSON string"),
        (["x"], "JSON list"),
        ({"error": {"httpCode": 404, "message": "No traces found"}}, "'No traces found'"),
        ({"data": [{"traceID": "1", "spans": []}]}, "Jaeger's legacy JSON"),
        ({"traceID": "1", "spans": [], "processes": {}}, "Jaeger's legacy JSON"),
        ({"name": "x", "context": {"trace_id": "0x1"}, "start_time": "2026"}, "console exporter"),
        ({"traceId": "1", "spanId": "2"}, "without its OTLP envelope"),
        ({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}, "'a', 'b', 'c', 'd', 'e' and more"),
        ({"result": {"result": {"resourceSpans": []}}}, "'result'"),
        ({"result": "ok"}, "'result'"),
    ],
)
def test_what_is_no_otlp_is_described(document: object, words: str) -> None:
    """A reader learns what they named instead."""
    assert find_batches(document) is None
    assert words in describe_document(document)
