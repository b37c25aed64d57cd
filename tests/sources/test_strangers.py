from __future__ import annotations

import pytest

from otel_traj.sources.strangers import describe_document


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (None, "JSON value"),
        (5, "JSON number"),
        ("x", "JSON string"),
        (["x"], "JSON list"),
        ({"error": {"httpCode": 404, "message": "No traces found"}}, "'No traces found'"),
        ({"error": "unauthorized"}, "'unauthorized'"),
        ({"code": 5, "message": "trace not found", "details": []}, "'trace not found'"),
        ({"traces": [{"traceID": "1", "spanSets": []}], "metrics": {}}, "ask for each trace by its id"),
        ({"summaries": [{"traceId": "1"}]}, "ask for each trace by its id"),
        ({"data": ["shop", "cart"], "total": 2, "errors": None}, "a list of names"),
        ({"traceId": "1", "spanId": "2"}, "without its OTLP envelope"),
        ({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}, "'a', 'b', 'c', 'd', 'e' and more"),
        ({"result": {"result": {"resourceSpans": []}}}, "'result'"),
        ({"result": "ok"}, "'result'"),
    ],
)
def test_what_holds_no_spans_is_described(document: object, words: str) -> None:
    """A reader learns what they named instead, and what a backend said stands in it."""
    assert words in describe_document(document)
