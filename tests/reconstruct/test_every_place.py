"""The same runs, written once, read from every place that a file can be, and from stand-ins of backends.

Of real backends the same is tested beside them: `tests/collector/test_every_form.py`, `tests/jaeger/test_reading.py`.
"""

from __future__ import annotations

import gzip
from collections import Counter
from typing import TYPE_CHECKING, Final

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

from otel_traj import JsonLinesSpanExporter, read_runs
from otel_traj.sources import open_source
from tests.recorded_runs import outline, record_runs
from tests.sources.jaeger.stand_in import JaegerStandIn
from tests.sources.packing import frame, pack_zstd
from tests.sources.reading import refuse
from tests.sources.serving import serve
from tests.sources.tempo.stand_in import TempoStandIn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from opentelemetry.sdk.trace import ReadableSpan

    from otel_traj.model import Span
    from tests.record.recording import Recording
    from tests.sources.serving import Reply, Request

BATCH: Final = 40
ROTATED: Final = (
    "traces-2026-11-30T09-48-52.188-size.jsonl",
    "traces-2026-11-30T10-00-00.000-size.jsonl",
    "traces.jsonl",
)


@pytest.fixture(scope="module")
def recording() -> Recording:
    """Return the runs, recorded once."""
    return record_runs()


@pytest.fixture(scope="module")
def expected(recording: Recording) -> list[str]:
    """Return the runs as they are read from memory."""
    return outline(read_runs(recording.exporter, on_problem=refuse))


def write_lines(spans: Sequence[ReadableSpan], path: Path) -> list[bytes]:
    """Write lines as our own exporter does, a line for each batch; return them."""
    exporter = JsonLinesSpanExporter(path)
    for index in range(0, len(spans), BATCH):
        exporter.export(spans[index : index + BATCH])
    exporter.shutdown()
    return path.read_bytes().splitlines(keepends=True)


def write_protobuf(spans: Sequence[ReadableSpan]) -> list[bytes]:
    """Return an OTLP message for each batch."""
    return [
        encode_spans(spans[index : index + BATCH]).SerializeToString()
        for index in range(0, len(spans), BATCH)
    ]


FORMS: Final[dict[str, Callable[[list[bytes], list[bytes]], bytes]]] = {
    "lines": lambda lines, _: b"".join(lines),
    "gzip": lambda lines, _: gzip.compress(b"".join(lines)),
    "zstd stream": lambda lines, _: b"".join(map(pack_zstd, lines)),
    "zstd records": lambda lines, _: b"".join(frame(pack_zstd(line.strip())) for line in lines),
    "zstd records, then a stream": lambda lines, _: (
        b"".join(frame(pack_zstd(line)) for line in lines[:3]) + b"".join(map(pack_zstd, lines[3:]))
    ),
    "protobuf records": lambda _, messages: b"".join(map(frame, messages)),
    "protobuf zstd records": lambda _, messages: b"".join(frame(pack_zstd(each)) for each in messages),
}


def test_the_runs_are_of_every_kind(recording: Recording) -> None:
    """Thirty at least, of every ending and of none, some resumed, some with content and some without."""
    runs = list(read_runs(recording.exporter, on_problem=refuse))
    assert len(runs) >= 30
    assert set(Counter(run.status for run in runs)) == {"ok", "error", "interrupted", "cancelled", "open"}
    assert {
        (run.status, *(problem.code for problem in run.problems)) for run in runs if not run.complete
    } == {
        ("open", "root_open"),
        ("open", "root_missing"),
        ("open", "root_open", "task_open"),
        ("ok", "task_open"),
    }
    assert any(len(run.invocations) > 1 for run in runs)
    assert {run.inputs is None for run in runs} == {True, False}


@pytest.mark.parametrize("form", FORMS)
def test_files(form: str, recording: Recording, expected: list[str], tmp_path: Path) -> None:
    """In every form of a file the runs are those of memory."""
    lines = write_lines(recording.spans, tmp_path / "traces.jsonl")
    path = tmp_path / "packed"
    path.write_bytes(FORMS[form](lines, write_protobuf(recording.spans)))
    assert outline(read_runs(path, on_problem=refuse)) == expected


def test_rotated_directory(recording: Recording, expected: list[str], tmp_path: Path) -> None:
    """So they are over the files of a directory that was rotated in the middle of runs."""
    lines = write_lines(recording.spans, tmp_path / "all.jsonl")
    (tmp_path / "traces").mkdir()
    for number, name in enumerate(ROTATED):
        part = lines[2 * number : 2 * number + 2] if number < 2 else lines[4:]
        (tmp_path / "traces" / name).write_bytes(b"".join(part))
    assert outline(read_runs(tmp_path / "traces", on_problem=refuse)) == expected


STAND_INS: Final[dict[str, tuple[str, Callable[[list[Span]], Callable[[Request], Reply]]]]] = {
    "stand-in for Jaeger after 2.20.0": ("jaeger", lambda spans: JaegerStandIn(spans, line="newer")),
    "stand-in for Tempo": ("tempo", TempoStandIn),
    "stand-in for Tempo v1": ("tempo", lambda spans: TempoStandIn(spans, has_v2=False, gives="json")),
}


@pytest.mark.parametrize("backend", STAND_INS)
def test_stand_ins(backend: str, recording: Recording, expected: list[str]) -> None:
    """And over the HTTP interfaces of backends that can't be run here."""
    kind, build = STAND_INS[backend]
    with serve(build(list(open_source(recording.exporter).read_spans(refuse)))) as served:
        found = read_runs(f"{kind}+http://{served.place}?limit=1000&since=1h", wait=0, on_problem=refuse)
        assert outline(found) == expected
