"""Runs from files of every form: the same runs, whatever wrote them down."""

from __future__ import annotations

import gzip
import io
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from opentelemetry.sdk.trace.export import ConsoleSpanExporter

from otel_traj import read_runs
from tests.sources.encoding import encode_document, encode_lines
from tests.sources.jaeger.legacy import encode_legacy_trace
from tests.sources.packing import encode_message, frame, pack_zstd
from tests.sources.reading import refuse
from tests.sources.sdk import to_sdk_span
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from otel_traj import Run
    from otel_traj.model import SourceProblem, Span


def record() -> list[Span]:
    """Return the spans of a run, children first."""
    run = RecordedRun("run-1", graph="shop", thread="t-1")
    run.task("a", 1)
    run.task("b", 2)
    run.task("c", 2)
    run.task("d", 3)
    return run.spans()


def print_spans(spans: list[Span]) -> bytes:
    """Return what the console exporter prints."""
    out = io.StringIO()
    ConsoleSpanExporter(out=out).export([to_sdk_span(span) for span in spans])
    return out.getvalue().encode()


FORMS: dict[str, Callable[[list[Span]], bytes]] = {
    "gzip": lambda spans: gzip.compress(encode_lines(spans)),
    "native zstd": lambda spans: b"".join(pack_zstd(encode_lines([span])) for span in spans),
    "zstd with lengths": lambda spans: b"".join(frame(pack_zstd(encode_lines([span]))) for span in spans),
    "protobuf with lengths": lambda spans: b"".join(frame(encode_message([span])) for span in spans),
    "one protobuf message": encode_message,
    "Jaeger's v3 answer": lambda spans: json.dumps({"result": encode_document(spans)}).encode(),
    "Jaeger's legacy answer": lambda spans: json.dumps({"data": [encode_legacy_trace(spans)]}).encode(),
    "console": print_spans,
}


def look(run: Run) -> dict[str, Any]:
    """Return what of a run does not depend on where it was read, times to the microsecond."""
    fields = msgspec.to_builtins(run)
    del fields["source"]
    return _cut_times(fields)  # type: ignore[no-any-return]  # a dict stays one


def _cut_times(value: Any) -> Any:  # noqa: ANN401 - any field
    if isinstance(value, dict):
        return {
            key: item // 1_000 if key in ("started_ns", "ended_ns") else _cut_times(item)
            for key, item in value.items()
        }
    return [_cut_times(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("form", list(FORMS))
def test_runs_are_the_same_from_every_form(form: str, tmp_path: Path) -> None:
    """Complete, verified, and equal to the one in memory."""
    spans = record()
    path = tmp_path / "traces"
    path.write_bytes(FORMS[form](spans))
    (run,) = read_runs(path, on_problem=refuse)
    (expected,) = read_runs(spans, on_problem=refuse)
    assert run.verified
    assert look(run) == look(expected)


def mark_as_cut(span: Span) -> Span:
    """Return a span with the attribute that Jaeger gives the first span of a trace that it cut."""
    warning = {"jaeger.warning": "Trace truncated: only first 9 spans loaded"}
    return msgspec.structs.replace(span, attributes=span.attributes | warning)


@pytest.mark.parametrize(
    "encode",
    [
        lambda spans: json.dumps(
            {"trace": encode_document(spans), "status": "PARTIAL", "message": "too large"}
        ).encode(),
        lambda spans: json.dumps(
            {
                "result": encode_document([mark_as_cut(spans[0]), *spans[1:]]),
            }
        ).encode(),
    ],
    ids=["Tempo", "Jaeger"],
)
def test_runs_of_a_trace_that_a_backend_cut_are_incomplete(
    encode: Callable[[list[Span]], bytes], tmp_path: Path
) -> None:
    """From a saved answer as from the backend: nothing passes or fails on it."""
    path = tmp_path / "answer.json"
    path.write_bytes(encode(record()))
    problems: list[SourceProblem] = []
    (run,) = read_runs(path, on_problem=problems.append)
    assert [problem.code for problem in problems] == ["partial_response"]
    assert not run.complete
    assert "partial_response" in {problem.code for problem in run.problems}


def test_a_span_whose_trace_id_lost_its_half_is_missing_from_its_run(tmp_path: Path) -> None:
    """A hop kept 16 of 32 digits (jaegertracing/jaeger#3084): nothing is guessed, and no verdict rests on it."""
    spans = record()
    task = next(span for span in spans if span.name.endswith("b"))
    shortened = [
        encode_legacy_trace([span for span in spans if span is not task]),
        encode_legacy_trace([task]),
    ]
    shortened[1]["spans"][0]["traceID"] = task.trace_id[16:]
    path = tmp_path / "answer.json"
    path.write_text(json.dumps({"data": shortened}), encoding="utf-8")
    runs = list(read_runs(path, on_problem=refuse))
    assert not any(run.complete for run in runs)
    assert {"manifest_mismatch", "root_missing"} <= {problem.code for run in runs for problem in run.problems}
