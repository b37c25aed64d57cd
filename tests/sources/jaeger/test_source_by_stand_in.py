from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from otel_traj import read_runs
from otel_traj.errors import SourceError
from otel_traj.sources import SpanQuery, open_source
from otel_traj.sources.jaeger.source import JaegerSource
from tests.sources.contract_spans import OTHER_TRACE, SPANS, TRACE, make_span
from tests.sources.encoding import encode_document
from tests.sources.jaeger.stand_in import PAGE, JaegerStandIn
from tests.sources.places import WINDOW
from tests.sources.reading import codes, fingerprint, refuse
from tests.sources.serving import Reply, serve
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from otel_traj.model import SourceProblem, Span
    from tests.sources.serving import Request

WITH_GRAPH = SpanQuery(graph="seven")
MARKED = [
    make_span(number, attributes={"langgraph.graph": "seven"}) if number == 7 else make_span(number)
    for number in range(1, 8)
]


def read(name: str, query: SpanQuery = SpanQuery()) -> list[Span]:  # noqa: B008 - it is frozen
    """Return the spans of a source that has no problem."""
    return list(open_source(name).read_spans(refuse, query))


def paths(requests: list[Request]) -> list[str]:
    """Return what was asked for, ids left out."""
    return [request.path.replace(TRACE, "{id}").replace(OTHER_TRACE, "{id}") for request in requests]


def test_the_older_line_is_searched_by_its_legacy_api_where_attributes_matter() -> None:
    """v3 of v1.76.0 ignores attributes and gives everything: the filtered answer comes from `tags=`."""
    with serve(JaegerStandIn(MARKED)) as served:
        spans = read(f"jaeger+http://{served.place}?{WINDOW}", WITH_GRAPH)
    assert {span.trace_id for span in spans} == {TRACE}
    assert paths(served.requests) == [
        "/api/v3/trace-summaries",
        "/api/v3/services",
        "/api/traces",
        "/api/v3/traces/{id}",
    ]


def test_the_newer_line_is_told_by_its_summaries_and_asked_by_v3_alone() -> None:
    """After 2.20.0 there is no legacy search, and v3 obeys attributes."""
    with serve(JaegerStandIn(MARKED, line="newer")) as served:
        spans = read(f"jaeger+http://{served.place}?{WINDOW}", WITH_GRAPH)
    assert {span.trace_id for span in spans} == {TRACE}
    assert paths(served.requests) == ["/api/v3/trace-summaries", "/api/v3/traces/{id}"]


def test_every_release_is_asked_in_the_words_it_knows() -> None:
    """snake_case, both times, `num_traces`, and the traces raw."""
    with serve(JaegerStandIn(SPANS)) as served:
        read(f"jaeger+http://{served.place}?{WINDOW}&limit=7")
    search = next(request for request in served.requests if request.path == "/api/v3/traces")
    assert search.parameters == {
        "query.start_time_min": ["2001-09-09T01:00:00Z"],
        "query.start_time_max": ["2001-09-09T02:00:00Z"],
        "query.num_traces": ["7"],
        "query.raw_traces": ["true"],
    }
    by_id = [request for request in served.requests if request.path.startswith("/api/v3/traces/")]
    assert [request.parameters for request in by_id] == [{"raw_traces": ["true"]}] * 2


def test_p12_traces_are_asked_for_as_they_were_recorded() -> None:
    """P12: `raw` is asked of both APIs, because Jaeger moves start times by default."""
    with serve(JaegerStandIn(SPANS)) as served:
        read(f"jaeger+http://{served.place}?api=legacy&{WINDOW}&service=shop")
    assert [request.get("raw") for request in served.requests] == ["true"] * 3


@pytest.mark.parametrize("line", ["1.76.0", "newer"])
@pytest.mark.parametrize(
    ("parameters", "traces"),
    [
        ("service=shop", {TRACE, OTHER_TRACE}),
        ("service=nobody", set()),
        ("service=shop&operation=span%206", {OTHER_TRACE}),
        ("tag=langgraph.step=6", {OTHER_TRACE}),
        ("tag=langgraph.step=6&tag=on=true", {OTHER_TRACE}),
        ("tag=langgraph.step=6&tag=on=false", set()),
        ("limit=1", {OTHER_TRACE}),
        (f"trace={TRACE}", {TRACE}),
        (f"trace={TRACE}&trace={OTHER_TRACE}", {TRACE, OTHER_TRACE}),
    ],
)
def test_parameters_of_the_name_choose_traces(line: str, parameters: str, traces: set[str]) -> None:
    """Service, operation, tags, limit and ids; of the limit the newest."""
    problems: list[SourceProblem] = []
    stand_in = JaegerStandIn(SPANS, line="newer" if line == "newer" else "1.76.0")
    with serve(stand_in) as served:
        source = open_source(f"jaeger+http://{served.place}?{WINDOW}&{parameters}")
        assert {span.trace_id for span in source.read_spans(problems.append)} == traces
    assert codes(problems) == (
        ["limit_reached"] if "limit" in parameters else [] if traces else ["empty_source"]
    )


def test_a_base_path_is_kept() -> None:
    """A Jaeger behind a proxy: all requests go below its path."""
    with serve(JaegerStandIn(SPANS, base="/tracing/jaeger")) as served:
        assert len(read(f"jaeger+http://{served.place}/tracing/jaeger/?{WINDOW}")) == len(SPANS)
    assert all(request.path.startswith("/tracing/jaeger/api/") for request in served.requests)


@pytest.mark.parametrize(
    "app",
    [
        lambda _: Reply(200, PAGE),
        lambda _: Reply(404, b"404 page not found\n"),
        lambda _: Reply(404, b""),
        lambda _: Reply(200, b"hello"),
        lambda _: Reply(500, b"boom"),
        lambda _: Reply(400, b'{"error": {"message": "no"}}'),
        lambda _: Reply(200, b'{"a":' * 50_000),
    ],
    ids=["page", "plain 404", "empty 404", "text", "500", "400", "never closed"],
)
@pytest.mark.parametrize("parameters", ["", f"trace={TRACE}", "service=x&tag=a=b", "api=legacy"])
def test_what_is_no_jaeger_is_an_error_and_not_an_empty_place(app: object, parameters: str) -> None:
    """A route that is not there is told from a trace that is not, by the body and not by the status."""
    with serve(app) as served, pytest.raises(SourceError) as raised:  # type: ignore[arg-type]
        list(open_source(f"jaeger+http://{served.place}?{parameters}").read_spans(lambda _: None))
    assert "it answered" in str(raised.value)


@pytest.mark.parametrize("line", ["1.76.0", "newer"])
@pytest.mark.parametrize("api", ["auto", "legacy"])
def test_a_trace_that_is_not_there_is_no_error(line: str, api: str) -> None:
    """404 with JSON: nothing is yielded, and it is said that it may come yet."""
    problems: list[SourceProblem] = []
    with serve(JaegerStandIn(SPANS, line="newer" if line == "newer" else "1.76.0")) as served:
        source = open_source(f"jaeger+http://{served.place}?api={api}&trace={'f' * 32}")
        assert list(source.read_spans(problems.append)) == []
    assert codes(problems) == ["empty_source"]
    assert f"there is no trace {'f' * 32} (yet)" in problems[0].message


def test_of_several_named_traces_the_missing_one_is_named() -> None:
    """The others are read."""
    problems: list[SourceProblem] = []
    with serve(JaegerStandIn(SPANS)) as served:
        source = open_source(f"jaeger+http://{served.place}?trace={TRACE}&trace={'f' * 32}")
        assert len(list(source.read_spans(problems.append))) == 4
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", ("f" * 32,))]


@pytest.mark.parametrize("missing", ["/api/v3", "/api/v3/trace-summaries", "/api/v3/services"])
def test_routes_that_are_not_there_are_gone_around(missing: str) -> None:
    """An old Jaeger without v3 is read by its legacy API, at the cost of what that loses."""
    with serve(JaegerStandIn(MARKED, without=[missing])) as served:
        spans = read(f"jaeger+http://{served.place}?{WINDOW}", WITH_GRAPH)
    assert {span.trace_id for span in spans} == {TRACE}
    assert len(spans) == 4


def test_a_store_that_searches_inside_a_service_only_is_asked_for_each() -> None:
    """As behind Cassandra: services are listed, and the newest of all of them are read."""
    spans = [
        *SPANS,
        make_span(8, trace_id="1" * 32, resource={"service.name": "bank"}),
        make_span(9, trace_id="2" * 32, resource={}),
    ]
    with serve(JaegerStandIn(spans, needs_service=True)) as served:
        found = read(f"jaeger+http://{served.place}?{WINDOW}")
    assert {span.trace_id for span in found} == {TRACE, OTHER_TRACE, "1" * 32, "2" * 32}


def test_a_store_smaller_than_the_limit_is_asked_for_less() -> None:
    """A memory store refuses a search for more traces than it can hold at all."""
    with serve(JaegerStandIn(SPANS, max_traces=7)) as served:
        assert len(read(f"jaeger+http://{served.place}?{WINDOW}&limit=500")) == len(SPANS)


def test_a_search_whose_answer_is_too_large_is_asked_for_less() -> None:
    """P09: v1.76.0 answers a search with whole traces; where that is too much, fewer are asked for at once."""
    spans = [
        make_span(
            number, trace_id=f"{number:032x}", start_ns=10**18 + number * 10**11, end_ns=10**18 + 10**13
        )
        for number in range(1, 9)
    ]
    one = len(json.dumps({"result": encode_document(spans[:1])}))
    with serve(JaegerStandIn(spans)) as served:
        source = JaegerSource(f"jaeger+http://{served.place}?{WINDOW}", max_bytes=3 * one)
        assert len(list(source.read_spans(refuse))) == 8


@pytest.mark.parametrize("query", [WITH_GRAPH, SpanQuery(traces=(TRACE,))])
def test_a_number_that_json_lacks_is_named_as_the_cause_of_a_500(query: SpanQuery) -> None:
    """The legacy API can't write NaN; nobody finds that in a bare 500."""
    spans = [msgspec.structs.replace(MARKED[6], attributes=MARKED[6].attributes | {"score": float("nan")})]
    with serve(JaegerStandIn(spans)) as served:
        name = f"jaeger+http://{served.place}?{WINDOW}&api=legacy"
        with pytest.raises(SourceError, match="can't write a number that is NaN or infinite"):
            list(open_source(name).read_spans(refuse, query))
        # The newer API can.
        [span] = read(f"jaeger+http://{served.place}?trace={TRACE}")
    assert str(span.attributes["score"]) == "nan"


def test_a_number_that_json_lacks_costs_the_filter_and_not_the_answer() -> None:
    """v1.76.0 filters by its legacy API alone; where that fails, more is given than was asked for."""
    odd = make_span(2, attributes={"langgraph.graph": "seven", "score": float("inf")})
    with serve(JaegerStandIn([*MARKED, odd])) as served:
        found = read(f"jaeger+http://{served.place}?{WINDOW}", WITH_GRAPH)
    assert {span.trace_id for span in found} == {TRACE, OTHER_TRACE}


def test_jaegers_own_warnings_are_no_attributes() -> None:
    """What it says about a clock or a repeated id is neither recorded nor a reason to doubt a run."""
    warned = make_span(1)
    warned = msgspec.structs.replace(
        warned,
        attributes=warned.attributes
        | {"@jaeger@warnings": ["duplicate span IDs; skipping clock skew adjustment"]},
    )
    with serve(JaegerStandIn([warned])) as served:
        assert fingerprint(read(f"jaeger+http://{served.place}?trace={TRACE}")) == fingerprint([make_span(1)])


@pytest.mark.parametrize("key", ["@jaeger@warnings", "jaeger.warning"])
def test_p14_a_trace_that_jaeger_cut_is_named(key: str) -> None:
    """P14: with `max_trace_size` it gives the first spans and says so in an attribute of one of them."""
    said = "Trace truncated: only first 2 spans loaded"
    cut = make_span(1)
    value = [said] if key.startswith("@") else said
    cut = msgspec.structs.replace(cut, attributes=cut.attributes | {key: value})
    problems: list[SourceProblem] = []
    with serve(JaegerStandIn([cut, make_span(3)])) as served:
        spans = list(open_source(f"jaeger+http://{served.place}?trace={TRACE}").read_spans(problems.append))
    assert len(spans) == 2
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", (TRACE,))]
    assert said in problems[0].message


def test_an_answer_streamed_by_a_gateway_is_read() -> None:
    """A gRPC gateway in front sends one document a line."""
    lines = [json.dumps({"result": encode_document([span])}) for span in SPANS if span.trace_id == TRACE]

    def answer(request: Request) -> Reply:
        if request.path.startswith("/api/v3/traces"):
            return Reply(200, "\n".join(lines).encode())
        return JaegerStandIn()(request)

    with serve(answer) as served:
        assert len(read(f"jaeger+http://{served.place}?{WINDOW}")) == 4
        assert len(read(f"jaeger+http://{served.place}?trace={TRACE}")) == 4


def test_a_trace_that_a_search_found_and_no_id_gives_is_named() -> None:
    """It is on its way, or was just evicted: its runs are missing either way."""

    def answer(request: Request) -> Reply:
        if request.path.endswith(TRACE):
            return Reply(404, b'{"error": {"httpCode": 404, "message": "No traces found"}}')
        return JaegerStandIn(SPANS)(request)

    problems: list[SourceProblem] = []
    with serve(answer) as served:
        source = open_source(f"jaeger+http://{served.place}?{WINDOW}")
        assert {span.trace_id for span in source.read_spans(problems.append)} == {OTHER_TRACE}
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", (TRACE,))]


def test_a_trace_of_fewer_spans_than_its_summary_says_is_named() -> None:
    """The newer line's search counts the spans of each trace: where fewer come by its id, the trace is not whole."""
    problems: list[SourceProblem] = []
    with serve(JaegerStandIn(SPANS, line="newer", held_back=[SPANS[0].span_id])) as served:
        source = open_source(f"jaeger+http://{served.place}?{WINDOW}")
        assert len(list(source.read_spans(problems.append))) == len(SPANS) - 1
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", (TRACE,))]
    assert f"trace {TRACE} has 4 spans, and 3 came by its id" in problems[0].message


def test_a_trace_that_has_grown_since_its_summary_is_whole() -> None:
    """More spans than the search counted are no problem: they came in between the two."""
    app = JaegerStandIn(SPANS[2:], line="newer")

    def answer(request: Request) -> Reply:
        reply = app(request)
        app.spans = SPANS
        return reply

    with serve(answer) as served:
        assert len(read(f"jaeger+http://{served.place}?{WINDOW}")) == len(SPANS)


@pytest.mark.parametrize("count", [None, 0, "4"])
def test_a_summary_without_a_count_or_with_one_in_quotes_is_read(count: object) -> None:
    """What a summary does not say is not missed, and 64-bit numbers may be texts."""

    def answer(request: Request) -> Reply:
        if request.path != "/api/v3/trace-summaries":
            return JaegerStandIn(SPANS, line="newer")(request)
        summary = {"traceId": TRACE} | ({} if count is None else {"spanCount": count})
        return Reply(200, json.dumps({"summaries": [summary]}).encode())

    with serve(answer) as served:
        assert len(read(f"jaeger+http://{served.place}?{WINDOW}")) == 4


def test_a_run_of_which_a_span_comes_late_is_whole_in_the_end_and_one_of_which_it_never_comes_is_not() -> (
    None
):
    """A count that is not met is read for again; where it stays so, the run is incomplete, and says why."""
    run = RecordedRun("r", start=time.time_ns() - 10**10)
    run.task("a", 1)
    run.task("b", 2)
    spans = run.spans()
    app = JaegerStandIn(spans, line="newer", held_back=[spans[0].span_id])
    problems: list[SourceProblem] = []

    def answer(request: Request) -> Reply:
        reply = app(request)
        if len(served.requests) > 4:
            app.held_back.clear()
        return reply

    with serve(answer) as served:
        [unmet] = read_runs(f"jaeger+http://{served.place}", wait=0, on_problem=problems.append)
        [met] = read_runs(f"jaeger+http://{served.place}", wait=30, on_problem=refuse)
    assert not unmet.complete
    assert {problem.code for problem in unmet.problems} == {"manifest_mismatch", "partial_response"}
    assert codes(problems) == ["partial_response"]
    assert (met.steps, met.complete) == ([["__start__"], ["a"], ["b"]], True)


def test_a_trace_that_is_named_as_cut_is_not_named_again_for_its_count() -> None:
    """Jaeger's own word about the limit says more, and stays the one that the run's problem repeats."""
    warned = msgspec.structs.replace(
        SPANS[0], attributes=SPANS[0].attributes | {"jaeger.warning": "Trace truncated: only first 2 loaded"}
    )
    problems: list[SourceProblem] = []
    with serve(JaegerStandIn([warned, *SPANS[1:]], line="newer", held_back=[SPANS[2].span_id])) as served:
        list(open_source(f"jaeger+http://{served.place}?{WINDOW}").read_spans(problems.append))
    assert codes(problems) == ["partial_response"]
    assert "Trace truncated" in problems[0].message


@pytest.mark.parametrize("parameters", [f"trace={TRACE}", WINDOW])
def test_an_answer_with_another_trace_than_was_asked_for_is_none(parameters: str) -> None:
    """What stands between may mix up answers: the trace that did not come is named, what came is used."""

    def answer(request: Request) -> Reply:
        app = JaegerStandIn(SPANS)
        return app(request._replace(path=request.path.replace(TRACE, OTHER_TRACE)))

    problems: list[SourceProblem] = []
    with serve(answer) as served:
        source = open_source(f"jaeger+http://{served.place}?{parameters}")
        assert {span.trace_id for span in source.read_spans(problems.append)} == {OTHER_TRACE}
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", (TRACE,))]
    assert "other traces" in problems[0].message


def test_a_bare_name_reads_the_last_hour() -> None:
    """What is older is not there."""
    now = time.time_ns()
    recent = make_span(1, start_ns=now - 10**12, end_ns=now)
    with serve(JaegerStandIn([recent, make_span(2)])) as served:
        assert [span.trace_id for span in read(f"jaeger+http://{served.place}")] == [TRACE]


def test_traces_are_read_one_by_one() -> None:
    """The next is asked for when the one before was taken, so that one at a time is held in memory."""
    with serve(JaegerStandIn(SPANS)) as served:
        spans = open_source(f"jaeger+http://{served.place}?{WINDOW}").read_spans(refuse)
        assert served.requests == []
        asked = [
            (span.trace_id, sum("/traces/" in request.path for request in served.requests)) for span in spans
        ]
    assert asked == [(OTHER_TRACE, 1)] * 3 + [(TRACE, 2)] * 4
