"""What every source promises (`Source`), on every source there is."""

from __future__ import annotations

import gc
import io
import json
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from otel_traj.model import SourceProblem, Span, SpanEvent
from otel_traj.sources import Source, open_source
from tests.sources.encoding import encode_document, encode_lines, respell
from tests.sources.reading import codes, fingerprint, refuse
from tests.sources.sdk import export_to_memory, to_sdk_span

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator
    from pathlib import Path

TRACE = "0af7651916cd43dd8448eb211c80319c"
OTHER_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
RESOURCE = {"service.name": "shop", "cores": 2}


def make_span(number: int, **changes: object) -> Span:
    """Return the span of a number; children come before their parents, as they end."""
    fields: dict[str, object] = {
        "trace_id": TRACE if number % 2 else OTHER_TRACE,
        "span_id": f"{number:016x}",
        "parent_span_id": f"{number + 2:016x}" if number < 5 else "",
        "name": f"span {number}",
        "start_ns": 10**18 - number,
        "end_ns": 10**18 + number,
        "status": ("unset", "ok", "error")[number % 3],
        "attributes": {"langgraph.step": number, "tags": ["a", "b"], "half": 0.5, "on": True, "grüße": "✓"},
        "resource": RESOURCE,
        "scope_name": "otel_traj",
        "scope_version": "0.1.0",
        "events": (SpanEvent(name="exception", time_ns=10**18, attributes={"exception.type": "E"}),),
        "kind": 1,
    }
    return Span(**(fields | changes))  # type: ignore[arg-type]  # fields of a Span, by name


SPANS = [make_span(number) for number in range(1, 8)]
BAD = make_span(9, span_id="0" * 16)


class Place(NamedTuple):
    """A kind of source: how to make one that holds given spans, and its excuses."""

    make: Callable[[Path, list[Span], pytest.MonkeyPatch], object]
    is_read_once: bool = False
    trusts_ids: bool = False


def make_lines(folder: Path, spans: list[Span], _: pytest.MonkeyPatch) -> object:
    """Return OTLP JSON lines in a file."""
    path = folder / "traces.jsonl"
    path.write_bytes(encode_lines(spans))
    return path


def make_document(folder: Path, spans: list[Span], _: pytest.MonkeyPatch) -> object:
    """Return one pretty-printed document."""
    path = folder / "trace.json"
    path.write_text(json.dumps(encode_document(spans), indent=2), encoding="utf-8")
    return str(path)


def make_wrapped(folder: Path, spans: list[Span], _: pytest.MonkeyPatch) -> object:
    """Return an answer of Jaeger saved with curl."""
    path = folder / "answer.json"
    path.write_text(json.dumps({"result": encode_document(spans)}), encoding="utf-8")
    return path


def make_snake(folder: Path, spans: list[Span], _: pytest.MonkeyPatch) -> object:
    """Return one document in snake_case with ids, numbers and enums spelled otherwise."""

    class Never:
        def random(self) -> float:
            return 1.0

        def choice(self, options: list[object]) -> object:
            return options[-1]

    rng: random.Random = Never()  # type: ignore[assignment]  # always the last spelling
    path = folder / "snake.json"
    path.write_text(json.dumps(respell(encode_document(spans), rng, is_snake=True)), encoding="utf-8")
    return path


def make_directory(folder: Path, spans: list[Span], _: pytest.MonkeyPatch) -> object:
    """Return what a collector with rotation leaves."""
    names = (
        "traces-2026-11-30T09-48-52.188-size.jsonl",
        "traces-2026-11-30T10-00-00.000-size.jsonl",
        "traces.jsonl",
    )
    for index, name in enumerate(names):
        (folder / name).write_bytes(encode_lines(spans[index * 3 : index * 3 + 3]))
    return folder


def make_glob(folder: Path, spans: list[Span], monkeypatch: pytest.MonkeyPatch) -> object:
    """Return the same by a pattern."""
    make_directory(folder, spans, monkeypatch)
    return f"{folder}/traces*.jsonl"


def make_stdin(_: Path, spans: list[Span], monkeypatch: pytest.MonkeyPatch) -> object:
    """Return lines piped in."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(encode_lines(spans))))
    return "-"


def make_exporter(_: Path, spans: list[Span], __: pytest.MonkeyPatch) -> object:
    """Return the SDK's in-memory exporter."""
    return export_to_memory(spans)


def make_sdk_list(_: Path, spans: list[Span], __: pytest.MonkeyPatch) -> object:
    """Return a list of SDK spans."""
    return [to_sdk_span(span) for span in spans]


def make_generator(_: Path, spans: list[Span], __: pytest.MonkeyPatch) -> object:
    """Return SDK spans that can be asked for once."""
    return (to_sdk_span(span) for span in spans)


def make_records(_: Path, spans: list[Span], __: pytest.MonkeyPatch) -> object:
    """Return a list of our own records."""
    return list(spans)


def make_several(folder: Path, spans: list[Span], monkeypatch: pytest.MonkeyPatch) -> object:
    """Return a file and a list in one."""
    file = make_lines(folder, spans[:3], monkeypatch)
    return [file, spans[3:]] if spans[3:] else [file]


PLACES = {
    "lines": Place(make_lines),
    "document": Place(make_document),
    "wrapped answer": Place(make_wrapped),
    "snake_case document": Place(make_snake),
    "directory": Place(make_directory),
    "glob": Place(make_glob),
    "stdin": Place(make_stdin, is_read_once=True),
    "in-memory exporter": Place(make_exporter),
    "list of SDK spans": Place(make_sdk_list),
    "generator of SDK spans": Place(make_generator, is_read_once=True),
    "list of Span records": Place(make_records, trusts_ids=True),
    "several sources": Place(make_several, trusts_ids=True),
}


@pytest.fixture(params=list(PLACES))
def place(request: pytest.FixtureRequest) -> Place:
    """Return one kind of source."""
    return PLACES[request.param]


@pytest.fixture
def make_source(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[list[Span]], Source]]:
    """Return what makes a source that holds given spans."""
    yield lambda spans: open_source(place.make(tmp_path, spans, monkeypatch))
    # An open file that nobody closed warns when it is collected, and warnings are errors.
    gc.collect()


def test_every_span_is_yielded_as_it_was_recorded(make_source: Callable[[list[Span]], Source]) -> None:
    """What was recorded comes out, field by field, and without a problem."""
    problems: list[SourceProblem] = []
    assert fingerprint(make_source(SPANS).read_spans(problems.append)) == fingerprint(SPANS)
    assert problems == []


def test_duplicates_are_yielded(make_source: Callable[[list[Span]], Source]) -> None:
    """A span that is there twice comes twice."""
    twice = [*SPANS, SPANS[0]]
    assert fingerprint(make_source(twice).read_spans(refuse)) == fingerprint(twice)


def test_an_open_span_has_no_end(make_source: Callable[[list[Span]], Source]) -> None:
    """A span without an end is open, and never ends before it starts."""
    (span,) = make_source([make_span(1, end_ns=0)]).read_spans(refuse)
    assert span.end_ns == 0


def test_each_call_reads_anew(make_source: Callable[[list[Span]], Source], place: Place) -> None:
    """A second reading gives the same; of what can be read once, nothing, and it says so."""
    source = make_source(SPANS)
    first = fingerprint(source.read_spans(refuse))
    problems: list[SourceProblem] = []
    second = fingerprint(source.read_spans(problems.append))
    assert (second, codes(problems)) == (([], ["empty_source"]) if place.is_read_once else (first, []))


def test_a_place_without_spans_says_so_once(make_source: Callable[[list[Span]], Source]) -> None:
    """Nothing yielded, one problem that names the source."""
    problems: list[SourceProblem] = []
    source = make_source([])
    assert list(source.read_spans(problems.append)) == []
    assert codes(problems) == ["empty_source"]
    assert problems[0].source.startswith(source.name.partition("*")[0])


def test_a_span_without_usable_ids_is_left_out_alone(
    make_source: Callable[[list[Span]], Source], place: Place
) -> None:
    """The bad span is a problem, the others are there; records of our own are trusted."""
    if place.trusts_ids:
        pytest.skip("Span records have usable ids by their contract")
    problems: list[SourceProblem] = []
    assert fingerprint(make_source([*SPANS, BAD]).read_spans(problems.append)) == fingerprint(SPANS)
    assert codes(problems) == ["bad_span"]


def test_nothing_is_reported_before_the_first_span_is_asked_for(
    make_source: Callable[[list[Span]], Source],
) -> None:
    """Reading is lazy, its problems too."""
    make_source([]).read_spans(refuse)


def test_a_reading_may_be_left(make_source: Callable[[list[Span]], Source]) -> None:
    """Closing the iterator closes the place."""
    iterator = make_source(SPANS).read_spans(refuse)
    assert next(iterator).span_id == SPANS[0].span_id
    del iterator


def test_what_on_problem_raises_goes_through(make_source: Callable[[list[Span]], Source]) -> None:
    """An error of the caller's is the caller's, and is not translated."""

    def break_off(problem: SourceProblem) -> None:
        raise BrokenPipeError(problem.code)

    with pytest.raises(BrokenPipeError, match="empty_source"):
        list(make_source([]).read_spans(break_off))


def test_spans_of_a_batch_share_their_resource(make_source: Callable[[list[Span]], Source]) -> None:
    """One dict for the spans that stand side by side, so that many spans cost little memory."""
    spans = list(make_source(SPANS).read_spans(refuse))
    assert spans[0].resource is spans[1].resource
