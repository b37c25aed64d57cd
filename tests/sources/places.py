"""Every kind of source there is: how to make one that holds given spans, and where it is excused."""

from __future__ import annotations

import gzip
import io
import json
import sys
from typing import TYPE_CHECKING, NamedTuple

from tests.sources.encoding import encode_document, encode_lines, respell
from tests.sources.jaeger.legacy import flatten
from tests.sources.jaeger.stand_in import JaegerStandIn
from tests.sources.packing import encode_message, frame, pack_zstd
from tests.sources.real_jaeger import start_with
from tests.sources.sdk import export_to_memory, to_sdk_span
from tests.sources.serving import serve
from tests.sources.tempo.stand_in import TempoStandIn

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from contextlib import ExitStack
    from pathlib import Path

    import pytest

    from otel_traj.model import Span

__all__ = ["PLACES", "WINDOW", "Place", "Rig"]

WINDOW = "since=2001-09-09T01:00:00Z&until=2001-09-09T02:00:00Z"
"""Parameters of a search that finds the spans of the contract."""


class Rig(NamedTuple):
    """What a place is made with."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    stack: ExitStack
    """Closed when the test has ended."""


class Place(NamedTuple):
    """A kind of source: how to make one that holds given spans, and its excuses."""

    make: Callable[[Rig, list[Span]], object]
    is_read_once: bool = False
    trusts_ids: bool = False
    """Span records have usable ids by their contract."""
    keeps: Callable[[Span], Span] = lambda span: span
    """What of a span the place keeps."""
    selects: bool = False
    """It applies a query itself."""
    is_real: bool = False
    """It needs a real Jaeger."""


def make_lines(rig: Rig, spans: list[Span]) -> object:
    """Return OTLP JSON lines in a file."""
    path = rig.folder / "traces.jsonl"
    path.write_bytes(encode_lines(spans))
    return path


def make_document(rig: Rig, spans: list[Span]) -> object:
    """Return one pretty-printed document."""
    path = rig.folder / "trace.json"
    path.write_text(json.dumps(encode_document(spans), indent=2), encoding="utf-8")
    return str(path)


def make_wrapped(rig: Rig, spans: list[Span]) -> object:
    """Return an answer of Jaeger saved with curl."""
    path = rig.folder / "answer.json"
    path.write_text(json.dumps({"result": encode_document(spans)}), encoding="utf-8")
    return path


def make_snake(rig: Rig, spans: list[Span]) -> object:
    """Return one document in snake_case with ids, numbers and enums spelled otherwise."""

    class Never:
        def random(self) -> float:
            return 1.0

        def choice(self, options: list[object]) -> object:
            return options[-1]

    rng: random.Random = Never()  # type: ignore[assignment]  # always the last spelling
    path = rig.folder / "snake.json"
    path.write_text(json.dumps(respell(encode_document(spans), rng, is_snake=True)), encoding="utf-8")
    return path


def make_gzip(rig: Rig, spans: list[Span]) -> object:
    """Return gzipped lines."""
    path = rig.folder / "traces.jsonl.gz"
    path.write_bytes(gzip.compress(encode_lines(spans)))
    return path


def make_framed_zstd(rig: Rig, spans: list[Span]) -> object:
    """Return what the collector's file exporter writes with compression: each message a frame with its length."""
    path = rig.folder / "traces.zst"
    path.write_bytes(b"".join(frame(pack_zstd(encode_lines([span]).strip())) for span in spans))
    return path


def make_protobuf(rig: Rig, spans: list[Span]) -> object:
    """Return what the collector's file exporter writes with `format: proto`."""
    path = rig.folder / "traces.binpb"
    path.write_bytes(b"".join(frame(encode_message([span])) for span in spans))
    return path


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


def make_exporter(_: Rig, spans: list[Span]) -> object:
    """Return the SDK's in-memory exporter."""
    return export_to_memory(spans)


def make_sdk_list(_: Rig, spans: list[Span]) -> object:
    """Return a list of SDK spans."""
    return [to_sdk_span(span) for span in spans]


def make_generator(_: Rig, spans: list[Span]) -> object:
    """Return SDK spans that can be asked for once."""
    return (to_sdk_span(span) for span in spans)


def make_records(_: Rig, spans: list[Span]) -> object:
    """Return a list of our own records."""
    return list(spans)


def make_several(rig: Rig, spans: list[Span]) -> object:
    """Return a file and a list in one."""
    file = make_lines(rig, spans[:3])
    return [file, spans[3:]] if spans[3:] else [file]


def make_older_jaeger(rig: Rig, spans: list[Span]) -> object:
    """Return a stand-in for Jaeger v1.76.0, searched by v3."""
    served = rig.stack.enter_context(serve(JaegerStandIn(spans)))
    return f"jaeger+http://{served.place}?{WINDOW}"


def make_newer_jaeger(rig: Rig, spans: list[Span]) -> object:
    """Return a stand-in for a Jaeger after 2.20.0."""
    served = rig.stack.enter_context(serve(JaegerStandIn(spans, line="newer")))
    return f"jaeger+http://{served.place}?{WINDOW}"


def make_legacy_jaeger(rig: Rig, spans: list[Span]) -> object:
    """Return a stand-in for Jaeger v1.76.0, asked by its legacy API alone."""
    served = rig.stack.enter_context(serve(JaegerStandIn(spans)))
    return f"jaeger+http://{served.place}?api=legacy&{WINDOW}"


def make_tempo(rig: Rig, spans: list[Span]) -> object:
    """Return a stand-in for Tempo, by its documentation."""
    served = rig.stack.enter_context(serve(TempoStandIn(spans)))
    return f"tempo+http://{served.place}?{WINDOW}"


def make_json_tempo(rig: Rig, spans: list[Span]) -> object:
    """Return a stand-in for a Tempo without v2, behind something that gives JSON only."""
    served = rig.stack.enter_context(serve(TempoStandIn(spans, has_v2=False, gives="json")))
    return f"tempo+http://{served.place}?{WINDOW}"


def make_real_jaeger(rig: Rig, spans: list[Span]) -> object:
    """Return a real Jaeger v1.76.0, searched and read by v3."""
    return f"jaeger+http://{start_with(spans, rig.folder, rig.stack).query_address}?{WINDOW}"


def make_real_legacy_jaeger(rig: Rig, spans: list[Span]) -> object:
    """Return a real Jaeger v1.76.0, searched and read by its legacy API."""
    jaeger = start_with(spans, rig.folder, rig.stack)
    return f"jaeger+http://{jaeger.query_address}?api=legacy&{WINDOW}"


PLACES = {
    "lines": Place(make_lines),
    "document": Place(make_document),
    "wrapped answer": Place(make_wrapped),
    "snake_case document": Place(make_snake),
    "gzip": Place(make_gzip),
    "framed zstd": Place(make_framed_zstd),
    "framed protobuf": Place(make_protobuf),
    "directory": Place(make_directory),
    "glob": Place(make_glob),
    "stdin": Place(make_stdin, is_read_once=True),
    "in-memory exporter": Place(make_exporter),
    "list of SDK spans": Place(make_sdk_list),
    "generator of SDK spans": Place(make_generator, is_read_once=True),
    "list of Span records": Place(make_records, trusts_ids=True),
    "several sources": Place(make_several, trusts_ids=True),
    "stand-in for Jaeger v1.76.0": Place(make_older_jaeger, selects=True),
    "stand-in for Jaeger v1.76.0, legacy API": Place(make_legacy_jaeger, keeps=flatten, selects=True),
    "stand-in for Jaeger after 2.20.0": Place(make_newer_jaeger, selects=True),
    "real Jaeger v1.76.0": Place(make_real_jaeger, selects=True, is_real=True),
    "real Jaeger v1.76.0, legacy API": Place(
        make_real_legacy_jaeger, keeps=flatten, selects=True, is_real=True
    ),
    "stand-in for Tempo": Place(make_tempo, selects=True),
    "stand-in for Tempo, v1 and JSON": Place(make_json_tempo, selects=True),
}
