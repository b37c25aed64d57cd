"""Files that hold given spans, in every form and packing that is read."""

from __future__ import annotations

import gzip
import io
import json
import sys
from typing import TYPE_CHECKING

from tests.sources.encoding import encode_document, encode_lines, respell, spell_as_tempo
from tests.sources.jaeger.legacy import encode_legacy_trace
from tests.sources.packing import encode_message, frame, pack_zstd
from tests.sources.sdk import print_to_console
from tests.sources.serving import Request
from tests.sources.tempo.stand_in import TempoStandIn

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from otel_traj.model import Span
    from tests.sources.rig import Rig

__all__ = ["FILES", "make_directory", "make_file", "make_glob", "make_stdin", "make_tempo_answers"]


def split_lines(spans: list[Span]) -> list[bytes]:
    """Return OTLP JSON lines, a span each."""
    return [encode_lines([span]) for span in spans]


def split_traces(spans: list[Span]) -> dict[str, list[Span]]:
    """Return the spans of each trace."""
    return {
        trace_id: [span for span in spans if span.trace_id == trace_id]
        for trace_id in dict.fromkeys(span.trace_id for span in spans)
    }


def indent(spans: list[Span]) -> bytes:
    """Return one pretty-printed document."""
    return json.dumps(encode_document(spans), indent=2).encode()


def wrap(spans: list[Span]) -> bytes:
    """Return what Jaeger's API v3 answers."""
    return json.dumps({"result": encode_document(spans)}).encode()


def spell_otherwise(spans: list[Span]) -> bytes:
    """Return one document in snake_case with ids, numbers and enums spelled otherwise."""

    class Never:
        def random(self) -> float:
            return 1.0

        def choice(self, options: list[object]) -> object:
            return options[-1]

    rng: random.Random = Never()  # type: ignore[assignment]  # always the last spelling
    return json.dumps(respell(encode_document(spans), rng, is_snake=True)).encode()


def answer_legacy(spans: list[Span]) -> bytes:
    """Return what Jaeger's legacy search answers."""
    traces = [encode_legacy_trace(trace) for trace in split_traces(spans).values()]
    return json.dumps({"data": traces, "total": 0, "limit": 0, "offset": 0, "errors": None}).encode()


def switch_framing(spans: list[Span], *, ends_native: bool) -> bytes:
    """Return what a collector leaves that was restarted in the middle with its other zstd framing."""
    lines = split_lines(spans)
    native = [pack_zstd(line) for line in lines]
    records = [frame(pack_zstd(line)) for line in lines]
    first, second = (records, native) if ends_native else (native, records)
    half = len(lines) // 2
    return b"".join(first[:half] + second[half:])


def cut_in_a_line(spans: list[Span]) -> bytes:
    """Return two gzip members, the first of which ends inside a line."""
    lines = encode_lines(spans)
    half = len(lines) // 2
    return gzip.compress(lines[:half]) + gzip.compress(lines[half:])


FILES: dict[str, Callable[[list[Span]], bytes]] = {
    "lines": encode_lines,
    "document": indent,
    "saved answer of Jaeger": wrap,
    "snake_case document": spell_otherwise,
    "gzip": lambda spans: gzip.compress(encode_lines(spans)),
    "gzip, a member for each line": lambda spans: b"".join(map(gzip.compress, split_lines(spans))),
    "gzip, a member ends in a line": cut_in_a_line,
    "framed zstd": lambda spans: b"".join(frame(pack_zstd(line.strip())) for line in split_lines(spans)),
    "native zstd": lambda spans: b"".join(map(pack_zstd, split_lines(spans))),
    "framed zstd, then native": lambda spans: switch_framing(spans, ends_native=True),
    "native zstd, then framed": lambda spans: switch_framing(spans, ends_native=False),
    "framed zstd of protobuf": lambda spans: b"".join(
        frame(pack_zstd(encode_message([span]))) for span in spans
    ),
    "one protobuf message": encode_message,
    "framed protobuf": lambda spans: b"".join(frame(encode_message([span])) for span in spans),
    "saved answer of Jaeger's legacy API": answer_legacy,
    "SDK console": print_to_console,
}
"""A form -> the bytes of a file in it."""


def make_file(form: str) -> Callable[[Rig, list[Span]], object]:
    """Return what makes a file of a form, whose name says nothing about it."""

    def make(rig: Rig, spans: list[Span]) -> object:
        path = rig.folder / "traces"
        path.write_bytes(FILES[form](spans))
        return path

    return make


def make_directory(rig: Rig, spans: list[Span]) -> object:
    """Return what a collector with rotation leaves."""
    names = (
        "traces-2026-11-30T09-48-52.188-size.jsonl",
        "traces-2026-11-30T10-00-00.000-size.jsonl",
        "traces.jsonl",
    )
    for index, name in enumerate(names):
        (rig.folder / name).write_bytes(encode_lines(spans[index * 3 : index * 3 + 3]))
    return rig.folder


def make_glob(rig: Rig, spans: list[Span]) -> object:
    """Return the same by a pattern."""
    make_directory(rig, spans)
    return f"{rig.folder}/traces*.jsonl"


def make_stdin(rig: Rig, spans: list[Span]) -> object:
    """Return lines piped in."""
    rig.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(encode_lines(spans))))
    return "-"


def make_tempo_answers(*, is_json: bool) -> Callable[[Rig, list[Span]], object]:
    """Return what makes a folder of answers of Tempo's v2 route, one for each trace, as curl saves them."""

    def answer(trace_id: str, spans: list[Span]) -> bytes:
        if is_json:
            return json.dumps({"trace": spell_as_tempo(encode_document(spans))}).encode()
        return TempoStandIn(spans)(Request(f"/api/v2/traces/{trace_id}", {}, {})).body

    suffix = ".json" if is_json else ".pb"

    def make(rig: Rig, spans: list[Span]) -> object:
        for trace_id, trace in (split_traces(spans) or {"f" * 32: []}).items():
            (rig.folder / f"{trace_id}{suffix}").write_bytes(answer(trace_id, trace))
        return rig.folder

    return make
