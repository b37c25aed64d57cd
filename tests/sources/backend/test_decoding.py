"""What an answer with a trace says of itself, in whatever documents it comes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from otel_traj.sources.backend.decoding import AnswerDecoder, NotJsonError
from otel_traj.sources.problems import ProblemLog
from tests.sources.contract_spans import SPANS, TRACE
from tests.sources.encoding import encode_document
from tests.sources.jaeger.legacy import encode_legacy_trace

if TYPE_CHECKING:
    from otel_traj.model import SourceProblem, Span

OWN: Final = [span for span in SPANS if span.trace_id == TRACE]
OTLP: Final = encode_document(OWN)
ERROR: Final = {"code": 13, "message": "storage gone"}


def decode(body: bytes) -> tuple[list[Span], list[SourceProblem]]:
    """Return the spans of an answer to a question for one trace, and what is said of it."""
    problems: list[SourceProblem] = []
    spans = list(AnswerDecoder(ProblemLog("place", problems.append)).decode_json(body, TRACE))
    return spans, problems


def write(*documents: object) -> bytes:
    """Return documents one a line."""
    return b"\n".join(json.dumps(document).encode() for document in documents)


@pytest.mark.parametrize(
    "body",
    [
        write({"result": OTLP, "error": ERROR}),
        write({"error": ERROR, "result": OTLP}),
        write({"result": OTLP}, {"error": ERROR}),
        write({"result": OTLP}) + write({"error": ERROR}),
        write({**OTLP, "error": "storage gone"}),
        write({"data": [encode_legacy_trace(OWN)], "errors": [{"code": 500, "msg": "storage gone"}]}),
    ],
    ids=["beside", "before", "behind", "glued", "unwrapped", "legacy"],
)
def test_an_error_inside_an_answer_is_told_with_the_trace(body: bytes) -> None:
    """The spans are used, and the trace is known not to be whole; it is said once."""
    spans, problems = decode(body)
    assert len(spans) == len(OWN)
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", (TRACE,))]
    assert "storage gone" in problems[0].message


@pytest.mark.parametrize(
    "document",
    [
        {"error": ERROR},
        {"error": {"code": 13}},
        {"result": None, "error": ERROR},
        {"data": None, "errors": [{"code": 500, "msg": "storage gone"}]},
    ],
)
def test_an_error_alone_is_told_with_the_trace(document: object) -> None:
    """With status 200, as in a stream that fails at once."""
    spans, problems = decode(write(document))
    assert spans == []
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", (TRACE,))]


@pytest.mark.parametrize("status", ["PARTIAL", "partial", "TRACE_PARTIAL", 1])
@pytest.mark.parametrize(
    "fields", [{"trace": OTLP}, {"batches": OTLP["resourceSpans"]}, OTLP], ids=["wrapped", "batches", "plain"]
)
def test_p14_a_status_says_that_a_trace_is_not_whole(fields: dict[str, object], status: object) -> None:
    """P14: wherever it stands beside the spans, in each spelling; with what the place says of it."""
    spans, problems = decode(write({**fields, "status": status, "message": "too large"}))
    assert len(spans) == len(OWN)
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", (TRACE,))]
    assert "too large" in problems[0].message


@pytest.mark.parametrize(
    "said", [{}, {"error": None}, {"errors": []}, {"status": "COMPLETE", "message": ""}, {"status": 0}]
)
def test_what_says_nothing_of_the_kind_is_whole(said: dict[str, object]) -> None:
    """Empty errors and other statuses are no word about a part."""
    for fields in ({"result": OTLP}, {"trace": OTLP}, OTLP):
        spans, problems = decode(write({**fields, **said}))
        assert (len(spans), problems) == (len(OWN), [])


@pytest.mark.parametrize("separator", [b"", b"\n", b"\r\n\r\n", b" "], ids=repr)
@pytest.mark.parametrize("indent", [None, 1])
def test_documents_are_read_however_they_are_joined(indent: int | None, separator: bytes) -> None:
    """A proxy may take out the line breaks of a stream, or print it for people."""
    chunks = [json.dumps({"result": encode_document([span])}, indent=indent).encode() for span in OWN]
    spans, problems = decode(separator.join(chunks))
    assert [span.span_id for span in spans] == [span.span_id for span in OWN]
    assert problems == []


@pytest.mark.parametrize(
    "body", [b"", b"  ", b"hello", write({"result": OTLP}) + b'{"result":', write({"result": OTLP}) + b"x"]
)
def test_what_is_no_json_is_refused(body: bytes) -> None:
    """As a whole: an answer that broke off is no answer."""
    with pytest.raises(NotJsonError):
        decode(body)


def test_an_answer_of_very_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small as it is in bytes, it would take gigabytes once it is decoded."""
    monkeypatch.setattr("otel_traj.sources.files.json_text.MAX_VALUES", 1_000)
    body = b'{"result":{"resourceSpans":[' + b"{}," * 2_000 + b"{}]}}"
    with pytest.raises(NotJsonError, match="1,000 values"):
        list(AnswerDecoder(ProblemLog("place", lambda _: None)).decode_json(body, "0" * 32))
