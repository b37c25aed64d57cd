"""What decoding costs: the same recorded spans in each form, read from a file, against parsing the same bytes.

The floor of a form is what has to be done to its bytes at least, with the same libraries: unpack them, then parse
each line, document or message into dicts (msgspec) or messages (protobuf). It makes no span, checks nothing and
knows no other form. Both are measured in turn in one run, as in `match.py`. `python benchmarks/decoding.py` prints the
table, `--json PATH` writes the same as JSON. The kept result is `decoding.txt`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec
import zstandard
from environments import CHECKOUT
from match import Row, compare
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import TrajectoryCallbackHandler
from otel_traj.record.otlp_lines import encode_line
from otel_traj.record.samples import build_seven_nodes, build_tool_agent
from otel_traj.sources import open_source

sys.path.append(str(CHECKOUT))  # or what writes Jaeger's older form would be here and in the tests
from tests.sources.jaeger.legacy import encode_legacy_trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.sdk.trace import ReadableSpan

    from otel_traj.model import SourceProblem

__all__ = ["FORMS", "Decoded", "main", "make_files", "measure", "record"]

SPANS = 4_000
PER_BATCH = 512
"""Spans in a line or message: what the SDK's batch processor exports at once."""
ROUNDS = 9
PACKAGES = ("otel-traj", "msgspec", "protobuf", "zstandard", "opentelemetry-sdk")

_Floor: TypeAlias = Callable[[bytes], object]


class File(NamedTuple):
    """The spans in one form."""

    path: Path
    floor: _Floor
    """Does the least to its bytes."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """One line of the table."""

    form: str
    floor: str
    mebibytes: float
    ratio: float
    """Median of the rounds: time of decoding / time of the floor."""
    spans_per_second: float
    """By processor time, of the machine that measured."""


def record(count: int) -> list[ReadableSpan]:
    """Return at least so many spans of two sample agents, with their content."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider, content=True)
    seven = build_seven_nodes()
    spans: list[ReadableSpan] = []
    while len(spans) < count:
        seven.invoke({"shortcut": False, "nodes": []}, config={"callbacks": [handler]})
        question: Any = {"messages": [("user", "How is the weather in Oslo?")]}
        build_tool_agent().invoke(question, config={"callbacks": [handler]})
        spans += exporter.get_finished_spans()
        exporter.clear()
    return spans


def parse_lines(data: bytes) -> None:
    """Parse each line."""
    for line in data.splitlines():
        msgspec.json.decode(line)


def parse_messages(data: bytes) -> None:
    """Parse each message behind its length of four bytes."""
    start = 0
    while start < len(data):
        end = start + 4 + int.from_bytes(data[start : start + 4], "big")
        TracesData.FromString(data[start + 4 : end])
        start = end


def unpack_zstd(data: bytes) -> bytes:
    """Return what one frame holds."""
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


FORMS: dict[str, tuple[str, _Floor]] = {
    "OTLP JSON lines": ("msgspec", parse_lines),
    "the same, gzip": ("gzip, msgspec", lambda data: parse_lines(gzip.decompress(data))),
    "the same, zstd": ("zstandard, msgspec", lambda data: parse_lines(unpack_zstd(data))),
    "OTLP protobuf, a stream": ("protobuf", parse_messages),
    "Jaeger's legacy JSON": ("msgspec", msgspec.json.decode),
}
"""A form -> what its floor is made of, and does."""


def make_files(folder: Path, spans: Sequence[ReadableSpan]) -> dict[str, File]:
    """Write a file of each form; the name tells nothing about it."""
    batches = [spans[at : at + PER_BATCH] for at in range(0, len(spans), PER_BATCH)]
    lines = b"".join(map(encode_line, batches))
    messages = [encode_spans(batch).SerializeToString() for batch in batches]
    (folder / "lines").write_bytes(lines)
    by_trace = sorted(open_source(folder / "lines").read_spans(refuse), key=lambda span: span.trace_id)
    traces = [encode_legacy_trace(trace) for _, trace in groupby(by_trace, key=lambda span: span.trace_id)]
    contents = (
        lines,
        gzip.compress(lines, mtime=0),
        zstandard.ZstdCompressor().compress(lines),
        b"".join(len(message).to_bytes(4, "big") + message for message in messages),
        json.dumps({"data": traces, "total": 0, "limit": 0, "offset": 0, "errors": None}).encode(),
    )
    files: dict[str, File] = {}
    for (form, (_, floor)), data in zip(FORMS.items(), contents, strict=True):
        path = folder / f"spans-{len(files)}"
        path.write_bytes(data)
        files[form] = File(path, floor)
    return files


def refuse(problem: SourceProblem) -> None:
    """End the measurement: what is left out would cost nothing."""
    raise ValueError(problem)


def decode(path: Path) -> int:
    """Return how many spans a file holds, read by the way that every reader takes."""
    return sum(1 for _ in open_source(path).read_spans(refuse))


def measure(count: int = SPANS, *, rounds: int = ROUNDS) -> list[Decoded]:
    """Return a row for each form, of at least so many spans."""
    spans = record(count)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for form, file in make_files(Path(folder), spans).items():
            if (found := decode(file.path)) != len(spans):
                raise ValueError(f"{form}: {found} spans instead of {len(spans)}")
            floor = FORMS[form][0]
            row: Row = compare(
                form,
                lambda file=file: decode(file.path),  # type: ignore[misc] # binds the loop's
                floor,
                lambda file=file: file.floor(file.path.read_bytes()),  # type: ignore[misc] # as above
                rounds=rounds,
            )
            size = file.path.stat().st_size / 2**20
            rows.append(Decoded(form, floor, size, row.ratio, len(spans) / row.milliseconds * 1_000))
    return rows


def main() -> None:
    """Measure, print, and write JSON where asked to."""
    parser = argparse.ArgumentParser(description="Measure decoding.")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the rows as JSON, too")
    path: Path | None = parser.parse_args().json
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        **{package: version(package) for package in PACKAGES},
    }
    rows = measure()
    print(", ".join(f"{key} {value}" for key, value in about.items()), end="\n\n")
    print("| form | MiB | floor | times the floor | spans per second |\n|---|---:|---|---:|---:|")
    for row in rows:
        print(
            f"| {row.form} | {row.mebibytes:.2f} | {row.floor} | {row.ratio:.2f} | {row.spans_per_second:,.0f} |"
        )
    if path is not None:
        path.write_text(
            json.dumps({**about, "rows": [asdict(row) for row in rows]}, indent=1) + "\n", "utf-8"
        )


if __name__ == "__main__":
    main()
