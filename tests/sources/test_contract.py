"""What every source promises (`Source`), on every source there is.

Where a place is excused from a promise (`tests/sources/excuses.py`), its test is expected to fail, and has to.
"""

from __future__ import annotations

import gc
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from otel_traj.sources import Source, SpanQuery, open_source
from tests.sources import excuses
from tests.sources.contract_spans import BAD, SPANS, TRACE, make_span
from tests.sources.excuses import IS_READ_ONCE, Excuse
from tests.sources.places import PLACES, Place
from tests.sources.reading import codes, fingerprint, refuse
from tests.sources.rig import Rig

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from _pytest.mark import ParameterSet

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


def list_places(is_meant: Callable[[Place], bool] = lambda _: True) -> list[ParameterSet]:
    """Return the names of places as parameters of a test."""
    return [
        pytest.param(name, marks=[pytest.mark.jaeger] if place.is_real else [])
        for name, place in PLACES.items()
        if is_meant(place)
    ]


@pytest.fixture(params=list_places())
def place(request: pytest.FixtureRequest) -> Place:
    """Return one kind of source, and let the test fail where the place is excused from it."""
    place = PLACES[request.param]
    excuse = place.find_excuse(request.function.__name__.removeprefix("test_"))
    if excuse is not None:
        request.applymarker(pytest.mark.xfail(strict=True, raises=AssertionError, reason=excuse.reason))
    return place


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
    return fingerprint(place.keep(spans))


def test_every_span_is_yielded_as_it_was_recorded(make_source: Callable[[list[Span]], Source]) -> None:
    """What was recorded comes out, field by field, and without a problem."""
    problems: list[SourceProblem] = []
    assert fingerprint(make_source(SPANS).read_spans(problems.append)) == fingerprint(SPANS)
    assert problems == []


@pytest.mark.parametrize("place", list_places(lambda place: place.keep(SPANS) != SPANS), indirect=True)
def test_a_form_that_keeps_less_loses_nothing_else(
    make_source: Callable[[list[Span]], Source], place: Place
) -> None:
    """All that the form has a place for comes out, and without a problem."""
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


def test_each_call_reads_anew(make_source: Callable[[list[Span]], Source]) -> None:
    """A second reading gives the same."""
    source = make_source(SPANS)
    problems: list[SourceProblem] = []
    first = fingerprint(source.read_spans(problems.append))
    assert (fingerprint(source.read_spans(problems.append)), problems) == (first, [])


@pytest.mark.parametrize("place", list_places(lambda place: IS_READ_ONCE in place.excuses), indirect=True)
def test_what_can_be_read_once_says_so_the_second_time(make_source: Callable[[list[Span]], Source]) -> None:
    """A second reading finds nothing, and is no error."""
    source = make_source(SPANS)
    assert len(list(source.read_spans(refuse))) == len(SPANS)
    problems: list[SourceProblem] = []
    assert list(source.read_spans(problems.append)) == []
    assert codes(problems) == ["empty_source"]


def test_what_can_be_read_again_is_known_before(
    make_source: Callable[[list[Span]], Source], place: Place
) -> None:
    """Its capabilities say so."""
    assert make_source([]).capabilities.rereads is (IS_READ_ONCE not in place.excuses)


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
    """The bad span is a problem, the others are there."""
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


def test_values_that_only_count_as_equal_stay_apart(
    make_source: Callable[[list[Span]], Source], place: Place
) -> None:
    """To Python 1, True and 1.0 are equal, so that a resource that is shared by value could be another's."""
    values = (1, True, 1.0)
    spans = [
        make_span(number, resource={"service.name": "shop", "cores": value}, attributes={"value": value})
        for number, value in enumerate(values, 1)
    ]
    assert fingerprint(make_source(spans).read_spans(refuse)) == kept(place, spans)


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


def test_of_what_is_not_there_nothing_is_given(make_source: Callable[[list[Span]], Source]) -> None:
    """An unknown id yields nothing, and is no error."""
    problems: list[SourceProblem] = []
    unknown = SpanQuery(traces=("f" * 32,))
    assert list(make_source(SPANS).read_spans(problems.append, unknown)) == []
    assert codes(problems) == ["empty_source"]


def test_a_thread_is_completed_beyond_what_the_name_says(make_source: Callable[[list[Span]], Source]) -> None:
    """What completes runs is not bound to the time and the limit in the name, but to the last week."""
    now = time.time_ns()
    recent = make_span(1, start_ns=now - 10**12, end_ns=now, attributes={"langgraph.thread_id": "t-1"})
    source = make_source([recent])
    assert [span.span_id for span in source.read_spans(refuse, SpanQuery(thread="t-1", completes=True))] == [
        recent.span_id
    ]


@pytest.mark.parametrize("excuse", [each for each in vars(excuses).values() if isinstance(each, Excuse)])
def test_every_excuse_is_of_a_promise_and_of_a_place(excuse: Excuse) -> None:
    """An excuse from a promise that nobody makes, or that no place needs, would be tried by no test."""
    assert f"test_{excuse.promise}" in globals()
    assert any(excuse in place.excuses for place in PLACES.values())
