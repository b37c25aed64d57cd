"""What a real collector's file exporter writes in each of its forms: the spans that were sent, to the last field."""

from __future__ import annotations

import http.client
import os
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec
import pytest

from otel_traj.model import Span, SpanEvent, SpanLink
from tests.collector.find import require_collector
from tests.collector.running import Collector, running_collector
from tests.sources.packing import encode_message
from tests.sources.reading import codes, fingerprint, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

pytestmark = pytest.mark.collector

TRACE = "0000000000000000d8448eb211c80319"
SPANS = [
    Span(
        trace_id=TRACE,
        span_id=f"{number:016x}",
        parent_span_id=f"{number - 1:016x}" if number > 1 else "",
        name=f"invoke_node grüße {number}",
        start_ns=1_796_026_887_587_440_636 + number,
        end_ns=0 if number == 3 else 1_796_026_887_587_840_929 + number,
        status=("unset", "ok", "error")[number % 3],
        status_message="" if number % 3 != 2 else "ValueError",
        attributes={
            "langgraph.step": number,
            "langgraph.triggers": ["a", "b"],
            "big": -(2**63),
            "nan": float("nan"),
            "none": None,
            "raw": b"\x00\xff\n",
            "map": {"k": [1, None, {"x": 0.5}], "": ""},
            "mixed": [1, "x", True, []],
            "text": "\x00\n✓" * 20_000,
        },
        resource={"service.name": "sender", "cores": 2},
        scope_name="otel_traj",
        scope_version="0.1.0",
        events=(
            SpanEvent(
                name="exception", time_ns=1_796_026_887_587_500_000, attributes={"exception.type": "E"}
            ),
        ),
        links=(
            SpanLink(
                trace_id="4bf92f3577b34da6a3ce929d0e0e4736", span_id="00f067aa0ba902b8", attributes={"x": 1}
            ),
        ),
        kind=number % 6,
        dropped_attributes=number,
    )
    for number in range(1, 9)
]
PROTO = "--set=exporters.file.format=proto"
ZSTD = "--set=exporters.file.compression=zstd"
NATIVE = "--feature-gates=exporter.file.nativeCompression"
ROTATING = "--set=exporters.file.rotation.max_megabytes=1"


@pytest.fixture(scope="session")
def binary() -> Path:
    """The executable of a collector; the test is skipped where there is none."""
    return require_collector()


def collect(folder: Path, binary: Path, arguments: Sequence[str], batches: Iterable[list[Span]]) -> None:
    """Send spans, a batch at a time, to a collector that runs with these arguments; end it when it has all."""
    with running_collector(folder, binary=binary, arguments=arguments) as collector:
        send(collector, batches)
        assert collector.stop() == 0


def send(collector: Collector, batches: Iterable[list[Span]]) -> None:
    """Send spans, a batch at a time."""
    host, _, port = collector.http_endpoint.removeprefix("http://").partition(":")
    for batch in batches:
        with closing(http.client.HTTPConnection(host, int(port), timeout=30)) as connection:
            headers = {"Content-Type": "application/x-protobuf"}
            connection.request("POST", "/v1/traces", encode_message(batch), headers)
            with connection.getresponse() as answer:
                answer.read()
        assert answer.status == 200


def one_by_one(spans: Iterable[Span]) -> list[list[Span]]:
    """Return a batch per span."""
    return [[span] for span in spans]


@pytest.mark.parametrize(
    "arguments",
    [[], [PROTO], [ZSTD], [ZSTD, PROTO], [ZSTD, NATIVE], [ZSTD, PROTO, NATIVE]],
    ids=["JSON", "protobuf", "zstd", "zstd, protobuf", "native zstd", "native zstd, protobuf"],
)
def test_each_form_of_the_file_exporter_is_read(tmp_path: Path, binary: Path, arguments: list[str]) -> None:
    """By its bytes: the file's name says lines of JSON, whatever is in it."""
    collect(tmp_path, binary, arguments, one_by_one(SPANS))
    spans, problems = read(tmp_path / "traces" / "traces.jsonl")
    assert problems == []
    assert fingerprint(spans) == fingerprint(SPANS)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([ZSTD], [ZSTD, NATIVE]),
        ([ZSTD, NATIVE], [ZSTD]),
        ([], [ZSTD, NATIVE]),
        ([], [ZSTD]),
        ([PROTO], []),
        ([ZSTD, PROTO], [ZSTD, PROTO, NATIVE]),
    ],
)
def test_a_file_that_was_written_on_in_another_form_is_read(
    tmp_path: Path, binary: Path, first: list[str], second: list[str]
) -> None:
    """A collector that is restarted with other settings appends to the file it finds."""
    collect(tmp_path, binary, first, one_by_one(SPANS[:4]))
    collect(tmp_path, binary, second, one_by_one(SPANS[4:]))
    spans, problems = read(tmp_path / "traces" / "traces.jsonl")
    assert problems == []
    assert fingerprint(spans) == fingerprint(SPANS)


@pytest.mark.parametrize("arguments", [[PROTO], [ZSTD, NATIVE]], ids=["protobuf", "native zstd"])
def test_rotated_files_are_read_together(tmp_path: Path, binary: Path, arguments: list[str]) -> None:
    """A directory is all of them, the oldest first."""
    noise = [bytes(index % 251 for index in range(start, start + 300_000)).hex() for start in range(12)]
    many = [
        Span(
            trace_id=TRACE, span_id=f"{number:016x}", name=f"{number:02}", attributes={"noise": text}, kind=1
        )
        for number, text in enumerate(noise, 1)
    ]
    collect(tmp_path, binary, [*arguments, ROTATING], one_by_one(many))
    folder = tmp_path / "traces"
    spans, problems = read(folder)
    assert problems == []
    assert [span.name for span in spans] == [span.name for span in many]
    if arguments == [PROTO]:
        assert len(list(folder.iterdir())) > 1


@pytest.mark.parametrize(
    "arguments",
    [[], [PROTO], [ZSTD], [ZSTD, PROTO], [ZSTD, NATIVE], [ZSTD, PROTO, NATIVE]],
    ids=["JSON", "protobuf", "zstd", "zstd, protobuf", "native zstd", "native zstd, protobuf"],
)
@pytest.mark.parametrize("lost_bytes", [0, 17])
def test_what_a_killed_collector_wrote_is_read(
    tmp_path: Path, binary: Path, arguments: list[str], lost_bytes: int
) -> None:
    """And all that the next one wrote on behind it, where the last record of the first is cut, too."""
    first = [msgspec.structs.replace(span, trace_id="1" * 32) for span in SPANS]
    path = tmp_path / "traces" / "traces.jsonl"
    with running_collector(tmp_path, binary=binary, arguments=arguments) as collector:
        send(collector, one_by_one(first))
        collector.kill()
    os.truncate(path, path.stat().st_size - lost_bytes)
    before, problems = read(path)
    assert set(codes(problems)) == ({"unfinished_line"} if lost_bytes else set())
    # Of a frame without its checksum, all that it holds may be there.
    assert fingerprint(before) in [fingerprint(first), fingerprint(first[:-1])][: 1 + bool(lost_bytes)]
    collect(tmp_path, binary, arguments, one_by_one(SPANS))
    spans, problems = read(path)
    assert set(codes(problems)) == ({"unreadable_line"} if lost_bytes else set())
    assert fingerprint(spans) == fingerprint([*before, *SPANS])
