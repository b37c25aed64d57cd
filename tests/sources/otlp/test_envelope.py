from __future__ import annotations

import pytest

from otel_traj.sources.otlp.envelope import find_batches

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


@pytest.mark.parametrize("status", ["PARTIAL", "partial", "TRACE_PARTIAL", 1])
@pytest.mark.parametrize(
    "answer", [{"trace": {"batches": [BATCH]}}, {"batches": [BATCH]}, {"resourceSpans": [BATCH]}]
)
def test_a_partial_answer_is_told(status: object, answer: dict[str, object]) -> None:
    """Tempo marks an answer that is not whole; its message is kept."""
    batches = find_batches({**answer, "status": status, "message": "too big"})
    assert batches is not None
    assert (batches.resource_spans, batches.partial) == ([BATCH], "too big")


@pytest.mark.parametrize("error", [{"code": 13, "message": "too big"}, "too big"])
@pytest.mark.parametrize("answer", [{"result": {"resourceSpans": [BATCH]}}, {"resourceSpans": [BATCH]}])
def test_spans_beside_an_error_are_not_all(error: object, answer: dict[str, object]) -> None:
    """A backend that fails half way gives what it had."""
    batches = find_batches({**answer, "error": error})
    assert batches is not None
    assert (batches.resource_spans, batches.partial) == ([BATCH], "too big")


@pytest.mark.parametrize(
    "document",
    [
        {"resourceSpans": [BATCH], "resource_spans": [BATCH]},
        {"resourceSpans": [BATCH], "batches": [BATCH]},
        {**BATCH, "resourceSpans": [BATCH]},
    ],
)
def test_no_field_hides_another(document: object) -> None:
    """Two spellings of one, or fields of two forms: the spans of both count."""
    batches = find_batches(document)
    assert batches is not None
    assert len(batches.resource_spans) == 2


@pytest.mark.parametrize(
    "document",
    [None, 5, "x", {"a": 1}, {"result": {"result": {"resourceSpans": []}}}, {"result": "ok"}],
)
def test_what_is_no_otlp_has_no_batches(document: object) -> None:
    """Nothing is guessed, and a wrapper inside a wrapper is nobody's answer."""
    assert find_batches(document) is None
