"""Faults that people reported of other tools that pull traces, from end to end; each is named by its row.

Rows that belong to one backend or one decoder are tested beside it.
"""

from __future__ import annotations

import base64
import gzip
import json
import time
from typing import TYPE_CHECKING, Any, Final

import msgspec
import pytest

from otel_traj import ContentPolicy, read_runs
from otel_traj.sources import open_source
from tests.otlp_lines import write_lines
from tests.record.graphs import build_chain
from tests.record.recording import Recording
from tests.sources.encoding import encode_lines
from tests.sources.jaeger.stand_in import JaegerStandIn
from tests.sources.packing import pack_zstd
from tests.sources.reading import refuse
from tests.sources.serving import serve
from tests.sources.tempo.stand_in import TempoStandIn
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from pathlib import Path

    from otel_traj.model import SourceProblem, Span
    from tests.sources.serving import Reply, Request

STEPS: Final = [["__start__"], ["a"], ["b"]]


def record(name: str = "r", *, tasks: int = 2) -> list[Span]:
    """Return the spans of a run of a moment ago."""
    run = RecordedRun(name, graph="g", start=time.time_ns() - 10**10)
    for number in range(tasks):
        run.task("ab"[number % 2], number + 1)
    return run.spans()


class Lagging(TempoStandIn):
    """A stand-in for Tempo whose search knows a trace before its id gives it."""

    def __init__(self, spans: list[Span], *, refusals: int) -> None:
        """Answer 404 so often."""
        super().__init__(spans, has_v2=False)
        self.left = refusals

    def __call__(self, request: Request) -> Reply:
        """Answer one request."""
        is_by_id = request.path.startswith("/api/traces/")
        self.not_yet = {span.trace_id for span in self.spans} if is_by_id and self.left > 0 else set()
        self.left -= is_by_id
        return super().__call__(request)


def test_p01_404_404_200_by_a_stand_in_for_tempo() -> None:
    """P01: what a search finds and no id gives yet is asked for again, until it is there."""
    app = Lagging(record(), refusals=2)
    with serve(app) as served:
        [run] = read_runs(f"tempo+http://{served.place}", wait=30, on_problem=refuse)
    assert (run.steps, run.complete) == (STEPS, True)
    assert app.left < 0


@pytest.mark.parametrize("kind", ["jaeger", "tempo"])
def test_p09_a_trace_of_5000_tasks_by_stand_ins(kind: str) -> None:
    """P09: a very large trace is read whole."""
    spans = record(tasks=5_000)
    with serve(JaegerStandIn(spans) if kind == "jaeger" else TempoStandIn(spans)) as served:
        [run] = read_runs(f"{kind}+http://{served.place}", wait=0, on_problem=refuse)
    assert (len(run.steps), run.complete, run.verified) == (5_001, True, True)


def test_p12_starts_that_a_backend_moved() -> None:
    """P12: spans whose starts were moved by 300 ms, as Jaeger's adjuster does, give the same supersteps."""
    spans = record(tasks=6)
    moved = [
        msgspec.structs.replace(span, start_ns=span.start_ns + 300_000_000 * (number % 2))
        for number, span in enumerate(spans)
    ]
    assert [run.steps for run in read_runs(moved)] == [run.steps for run in read_runs(spans)]


def test_p15_a_blank_line_and_one_that_is_half_written(tmp_path: Path) -> None:
    """P15: lines are read one by one; what is wrong is named with its number, the others are used."""
    path = write_lines(tmp_path / "traces.jsonl", record())
    whole = path.read_bytes()
    first = json.loads(whole.splitlines()[0])
    first["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["traceId"] = ""
    path.write_bytes(b"\n" + whole + json.dumps(first).encode() + b"\n" + whole.splitlines()[0][:-40])
    problems: list[SourceProblem] = []
    [run] = read_runs(path, on_problem=problems.append)
    assert (run.steps, run.complete) == (STEPS, True)
    count = whole.count(b"\n")
    assert [(each.code, each.line) for each in problems] == [
        ("bad_span", count + 2),
        ("unfinished_line", count + 3),
    ]


def test_p16_p17_ids_are_hex_and_base64_is_taken_too(tmp_path: Path) -> None:
    """P16, P17: hex is what OTLP says; base64 of the same bytes, with `/` and `=`, gives the same run."""
    trace_id = base64.b64decode("In34NtT/Ay92zZ0Akx1KYg==").hex()
    spans = [msgspec.structs.replace(span, trace_id=trace_id) for span in record()]
    path = write_lines(tmp_path / "hex.jsonl", spans)
    [by_hex] = read_runs(path, on_problem=refuse)
    other = tmp_path / "base64.jsonl"
    other.write_text(
        "".join(
            json.dumps(_to_base64(json.loads(line))) + "\n" for line in path.read_text("utf-8").splitlines()
        ),
        "utf-8",
    )
    assert "In34NtT/Ay92zZ0Akx1KYg==" in other.read_text("utf-8")
    [by_base64] = read_runs(other, on_problem=refuse)
    assert by_hex.trace_ids == by_base64.trace_ids == (trace_id,)
    assert by_hex.steps == by_base64.steps == STEPS


def _to_base64(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_to_base64(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64encode(bytes.fromhex(item)).decode()
        if key in ("traceId", "spanId", "parentSpanId")
        else _to_base64(item)
        for key, item in value.items()
    }


def test_p19_packed_and_rotated_files_are_one_place(tmp_path: Path) -> None:
    """P19: a directory of rotated files, one gzip, one zstd, one plain, is read whole and in order."""
    lines = write_lines(tmp_path / "all.jsonl", record()).read_bytes().splitlines(keepends=True)
    assert len(lines) >= 3
    folder = tmp_path / "traces"
    folder.mkdir()
    (folder / "traces-2026-11-30T09-48-52.188-size.jsonl.gz").write_bytes(gzip.compress(lines[0]))
    (folder / "traces-2026-11-30T10-48-52.188-size.jsonl.zst").write_bytes(pack_zstd(lines[1]))
    (folder / "traces.jsonl").write_bytes(b"".join(lines[2:]))
    [run] = read_runs(folder, on_problem=refuse)
    assert (run.steps, run.complete) == (STEPS, True)


def test_p25_a_trace_of_odd_values_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """P25: unknown enums, kinds as words and as numbers, a missing resource, null attributes: nothing fails in silence."""
    path = write_lines(tmp_path / "traces.jsonl", record())
    documents = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for number, document in enumerate(documents):
        for batch in document["resourceSpans"]:
            batch.pop("resource", None)
            for span in (span for scope in batch["scopeSpans"] for span in scope["spans"]):
                span["kind"] = ("SPAN_KIND_INTERNAL", 1, 99)[number % 3]
                span["attributes"].append({"key": "odd", "value": None})
                span["links"] = span["events"] = None
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), "utf-8")
    [run] = read_runs(path, on_problem=refuse)
    assert run.steps == STEPS


@pytest.mark.parametrize("kind", ["file", "jaeger", "legacy", "tempo", "tempo that cuts"])
def test_p26_a_stack_trace_of_5_kb_keeps_its_head_and_its_tail(kind: str, tmp_path: Path) -> None:
    """P26: no place that is read takes anything from it; below the bound of a Tempo that cuts, a policy leaves both."""
    cuts = kind == "tempo that cuts"
    said = f"head {'of a long story, ' * 300}tail"

    def fail(_: object) -> None:
        raise RuntimeError(said)

    recording = Recording(content=ContentPolicy(max_bytes=1_000 if cuts else 20_000))
    with pytest.raises(RuntimeError, match="head"):
        build_chain("fail", fail=fail).invoke({}, recording.config())
    spans = list(open_source(recording.exporter).read_spans(refuse))
    path = tmp_path / "traces.jsonl"
    path.write_bytes(encode_lines(spans))
    app = TempoStandIn(spans, cuts=cuts) if "tempo" in kind else JaegerStandIn(spans)
    with serve(app) as served:
        by_id = f"{served.place}?trace={spans[0].trace_id}"
        name = {
            "file": str(path),
            "jaeger": f"jaeger+http://{by_id}",
            "legacy": f"jaeger+http://{by_id}&api=legacy",
        }.get(kind, f"tempo+http://{by_id}")
        pulled = list(open_source(name).read_spans(refuse))
        [run] = read_runs(name, wait=0, on_problem=refuse)
    assert (run.status, run.complete) == ("error", True)
    shown = [event.attributes for span in pulled for event in span.events if event.name == "exception"]
    assert shown
    for attributes in shown:
        message, trace = str(attributes["exception.message"]), str(attributes["exception.stacktrace"])
        assert (message.startswith("head"), message.endswith("tail")) == (True, True)
        assert (message == said, said in trace) == (not cuts, not cuts)
