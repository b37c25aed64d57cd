"""What every source promises (`Source`), on every source there is."""

from __future__ import annotations

import gc
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from otel_traj.sources import Source, SpanQuery, open_source
from tests.sources.contract_spans import BAD, SPANS, TRACE, make_span
from tests.sources.places import PLACES, Place, Rig
from tests.sources.reading import codes, fingerprint, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from otel_traj.model import SourceProblem, Span

QUERIES = {
    "graph": SpanQuery(graph="seven"),
    "service": SpanQuery(service="shop"),
    "thread": SpanQuery(thread="t-1"),
    "run": SpanQuery(run="r-1"),
    "traces": SpanQuery(traces=(TRACE,)),
    "since_ns": SpanQuery(since_ns=10**18 - 7, thread="t-1"),
    "until_ns": SpanQuery(until_ns=10**18 - 1),
    "text": SpanQuery(attributes={"case": "long"}),
    "number as text": SpanQuery(attributes={"langgraph.step": "7"}),
    "bool": SpanQuery(attributes={"on": True}),
    "resource": SpanQuery(attributes={"cores": 2}),
    "all": SpanQuery(graph="seven", service="shop", thread="t-1", attributes={"case": "long"}),
}
MARKS = {
    "langgraph.graph": "seven",
    "langgraph.thread_id": "t-1",
    "langgraph.run_id": "r-1",
    "case": "long",
}


@pytest.fixture(
    params=[
        pytest.param(name, marks=pytest.mark.jaeger) if place.is_real else name
        for name, place in PLACES.items()
    ]
)
def place(request: pytest.FixtureRequest) -> Place:
    """Return one kind of source."""
    return PLACES[request.param]


@pytest.fixture
def make_source(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[list[Span]], Source]]:
    """Return what makes a source that holds given spans."""
    with ExitStack() as stack:
        rig = Rig(tmp_path, monkeypatch, stack)
        yield lambda spans: open_source(place.make(rig, spans))


def kept(place: Place, spans: list[Span]) -> list[str]:
    """Return the spans as the place gives them back."""
    return fingerprint(map(place.keeps, spans))


def test_every_span_is_yielded_as_it_was_recorded(
    make_source: Callable[[list[Span]], Source], place: Place
) -> None:
    """What was recorded comes out, field by field, and without a problem."""
    problems: list[SourceProblem] = []
    assert fingerprint(make_source(SPANS).read_spans(problems.append)) == kept(place, SPANS)
    assert problems == []


def test_duplicates_are_yielded(make_source: Callable[[list[Span]], Source], place: Place) -> None:
    """A span that is there twice comes twice."""
    twice = [*SPANS, SPANS[0]]
    assert fingerprint(make_source(twice).read_spans(refuse)) == kept(place, twice)


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
    assert source.capabilities.rereads is not place.is_read_once


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
    assert fingerprint(make_source([*SPANS, BAD]).read_spans(problems.append)) == kept(place, SPANS)
    assert codes(problems) == ["bad_span"]


def test_nothing_is_reported_before_the_first_span_is_asked_for(
    make_source: Callable[[list[Span]], Source],
) -> None:
    """Reading is lazy, its problems too."""
    make_source([]).read_spans(refuse)


def test_a_reading_may_be_left(make_source: Callable[[list[Span]], Source]) -> None:
    """Closing the iterator closes the place."""
    iterator = make_source(SPANS).read_spans(refuse)
    assert next(iterator).span_id in {span.span_id for span in SPANS}
    del iterator
    # A file or connection that nobody closed warns when it is collected, and warnings are errors.
    gc.collect()


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


def test_a_query_gives_whole_traces_and_all_that_were_asked_for(
    make_source: Callable[[list[Span]], Source], place: Place
) -> None:
    """A trace of which one span meets a query comes whole; the other may be left out, and is by who selects."""
    root = make_span(7, attributes=SPANS[6].attributes | MARKS)
    stranger = {"service.name": "other"}
    others = [
        make_span(number, resource=stranger, attributes={}, start_ns=10**18 + 10**9) for number in (2, 4, 6)
    ]
    spans = [*(span for span in SPANS[:6] if span.trace_id == TRACE), root]
    source = make_source([*spans, *others])
    for name, query in QUERIES.items() if source.capabilities.rereads else [*QUERIES.items()][:1]:
        found = list(source.read_spans(refuse, query))
        assert fingerprint(span for span in found if span.trace_id == TRACE) == kept(place, spans), name
        is_selected = {span.trace_id for span in found} == {TRACE}
        assert is_selected is bool(source.capabilities.selects), name


def test_what_is_not_there_is_no_error(make_source: Callable[[list[Span]], Source], place: Place) -> None:
    """An unknown id yields nothing and no error from who selects; the others give what they have."""
    problems: list[SourceProblem] = []
    unknown = SpanQuery(traces=("f" * 32,))
    found = fingerprint(make_source(SPANS).read_spans(problems.append, unknown))
    expected: tuple[list[str], list[str]] = (
        ([], ["empty_source"]) if place.selects else (kept(place, SPANS), [])
    )
    assert (found, codes(problems)) == expected


def test_a_thread_is_completed_beyond_what_the_name_says(
    make_source: Callable[[list[Span]], Source], place: Place
) -> None:
    """What completes runs is not bound to the time and the limit in the name, but to the last week."""
    if not place.selects:
        pytest.skip("it gives all it has")
    now = time.time_ns()
    recent = make_span(1, start_ns=now - 10**12, end_ns=now, attributes={"langgraph.thread_id": "t-1"})
    source = make_source([recent])
    assert [span.span_id for span in source.read_spans(refuse, SpanQuery(thread="t-1", completes=True))] == [
        recent.span_id
    ]
