"""Tempo by a stand-in that follows its documentation; none was run."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import SourceError
from otel_traj.sources import SpanQuery, open_source
from tests.sources.contract_spans import OTHER_TRACE, SPANS, TRACE, make_span
from tests.sources.places import WINDOW
from tests.sources.reading import codes, refuse
from tests.sources.serving import Reply, serve
from tests.sources.tempo.stand_in import TempoStandIn

if TYPE_CHECKING:
    from otel_traj.model import SourceProblem, Span
    from tests.sources.serving import Request

HOUR = 3_600 * 10**9


def read(name: str, query: SpanQuery = SpanQuery()) -> list[Span]:  # noqa: B008 - it is frozen
    """Return the spans of a source that has no problem."""
    return list(open_source(name).read_spans(refuse, query))


def test_a_trace_is_asked_for_by_v2_in_protobuf_and_without_a_time() -> None:
    """A wrong time would leave out spans without a word; what may thin a trace out is switched off."""
    with serve(TempoStandIn(SPANS)) as served:
        assert len(read(f"tempo+http://{served.place}?trace={TRACE}")) == 4
    [request] = served.requests
    assert (request.path, request.parameters) == (f"/api/v2/traces/{TRACE}", {"span_pruning": ["false"]})
    assert request.headers["accept"] == "application/protobuf"


@pytest.mark.parametrize("gives", ["protobuf", "json"])
@pytest.mark.parametrize("has_v2", [True, False])
def test_v1_is_asked_where_v2_is_not_there(gives: str, has_v2: bool) -> None:
    """And either is read as protobuf or as JSON, whatever was asked for."""
    with serve(TempoStandIn(SPANS, has_v2=has_v2, gives=gives)) as served:
        assert len(read(f"tempo+http://{served.place}?trace={TRACE}")) == 4


@pytest.mark.parametrize("has_v2", [True, False])
def test_a_trace_that_is_not_there_is_no_error(has_v2: bool) -> None:
    """Whether v2 answers with nothing or with 404."""
    problems: list[SourceProblem] = []
    with serve(TempoStandIn(SPANS, has_v2=has_v2)) as served:
        source = open_source(f"tempo+http://{served.place}?trace={'f' * 32}")
        assert list(source.read_spans(problems.append)) == []
    assert codes(problems) == ["empty_source"]


@pytest.mark.parametrize("gives", ["protobuf", "json"])
def test_p14_a_trace_that_tempo_marks_as_partial_is_named(gives: str) -> None:
    """Its spans are used, and its runs are known not to be whole."""
    problems: list[SourceProblem] = []
    with serve(TempoStandIn(SPANS, gives=gives, partial={TRACE: "too big"})) as served:
        source = open_source(f"tempo+http://{served.place}?{WINDOW}")
        assert len(list(source.read_spans(problems.append))) == len(SPANS)
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", (TRACE,))]
    assert "too big" in problems[0].message


@pytest.mark.parametrize("has_v2", [True, False])
def test_p09_a_trace_over_tempos_own_limit_is_named(has_v2: bool) -> None:
    """P09: 422 of v1, and what v2 gives of it; the other traces are read."""
    problems: list[SourceProblem] = []
    with serve(TempoStandIn(SPANS, too_large=[TRACE], has_v2=has_v2)) as served:
        source = open_source(f"tempo+http://{served.place}?{WINDOW}")
        assert {span.trace_id for span in source.read_spans(problems.append)} == {OTHER_TRACE}
    assert {problem.code for problem in problems} == {"partial_response"}
    assert {problem.trace_ids for problem in problems if problem.trace_ids} == {(TRACE,)}


def test_p05_a_search_gives_ids_and_each_trace_is_read_whole() -> None:
    """P05: however few spans of a trace a search shows."""
    with serve(TempoStandIn(SPANS)) as served:
        assert len(read(f"tempo+http://{served.place}?{WINDOW}")) == len(SPANS)
    search, *by_id = served.requests
    assert (search.path, search.get("spss"), search.get("limit")) == ("/api/search", "1", "20")
    assert search.get("q") == "{ } with (most_recent=true)"
    assert sorted(request.path for request in by_id) == sorted(
        [f"/api/v2/traces/{TRACE}", f"/api/v2/traces/{OTHER_TRACE}"]
    )


def test_what_a_search_counts_is_no_number_of_spans_of_the_trace() -> None:
    """`matched` counts what the question fits, `serviceStats` a piece of the trace: by neither is anything missed."""

    def answer(request: Request) -> Reply:
        reply = TempoStandIn(SPANS)(request)
        if request.path != "/api/search":
            return reply
        document = json.loads(reply.body)
        for trace in document["traces"]:
            trace["spanSets"][0]["matched"] = 90
            trace["serviceStats"] = {"shop": {"spanCount": 90}}
        return Reply(200, json.dumps(document).encode())

    with serve(answer) as served:
        assert len(read(f"tempo+http://{served.place}?{WINDOW}")) == len(SPANS)


def test_p03_ids_without_their_leading_zeros_are_found() -> None:
    """P03: a search strips them, and a person may paste any spelling."""
    trace_id = "00fbb9" + "1" * 26
    with serve(TempoStandIn([make_span(1, trace_id=trace_id)])) as served:
        spellings = [
            trace_id.lstrip("0"),
            trace_id.upper(),
            f"0x{trace_id}",
            f"{trace_id[:8]}-{trace_id[8:12]}-{trace_id[12:16]}-{trace_id[16:20]}-{trace_id[20:]}",
        ]
        names = [WINDOW, *(f"trace={spelling}" for spelling in spellings)]
        for name in names:
            assert [span.trace_id for span in read(f"tempo+http://{served.place}?{name}")] == [trace_id]


def test_p06_a_search_over_a_week_and_for_many_traces_is_asked_in_pieces() -> None:
    """P06: Tempo refuses more than 168 hours at once, and a huge limit can break it."""
    now = time.time_ns()
    spans = [
        make_span(1, trace_id=f"{number:032x}", start_ns=now - number * HOUR, end_ns=now)
        for number in range(1, 260)
    ]
    with serve(TempoStandIn(spans)) as served:
        found = read(f"tempo+http://{served.place}?since=12d&limit=100000")
    assert len(found) == len(spans)
    searches = [request for request in served.requests if request.path == "/api/search"]
    assert all(int(request.get("limit")) <= 200 for request in searches)
    assert all(int(request.get("end")) - int(request.get("start")) <= 168 * 3_600 for request in searches)


def test_a_tenant_is_named_and_a_missing_one_is_told() -> None:
    """`X-Scope-OrgID`; without it a Tempo with tenants answers 401."""
    with serve(TempoStandIn(SPANS, tenant="team-a")) as served:
        assert len(read(f"tempo+http://{served.place}?tenant=team-a&{WINDOW}")) == len(SPANS)
        with pytest.raises(SourceError, match="a place with tenants wants one named"):
            read(f"tempo+http://{served.place}?{WINDOW}")


def test_a_base_path_is_kept() -> None:
    """As Grafana Cloud has one."""
    with serve(TempoStandIn(SPANS, base="/tempo")) as served:
        assert len(read(f"tempo+http://{served.place}/tempo?{WINDOW}")) == len(SPANS)


@pytest.mark.parametrize(
    "app",
    [
        lambda _: Reply(200, b"<html></html>"),
        lambda _: Reply(404, b"404 page not found"),
        lambda _: Reply(200, b"hello"),
        lambda _: Reply(500, b"boom"),
        lambda _: Reply(400, b"invalid TraceQL query"),
        lambda _: Reply(200, b'{"a":' * 50_000),
        lambda _: Reply(200, b'{"traces":[],"a":' + b"[" * 3_000 + b"]" * 3_000 + b"}"),
    ],
    ids=["page", "404", "text", "500", "400", "never closed", "nested"],
)
def test_what_is_no_tempo_is_an_error(app: object) -> None:
    """And not an empty place."""
    with serve(app) as served, pytest.raises(SourceError, match="it answered"):  # type: ignore[arg-type]
        read(f"tempo+http://{served.place}")


def test_the_users_traceql_is_used() -> None:
    """What is selected beside it is asked for as well."""
    with serve(TempoStandIn(SPANS)) as served:
        name = f"tempo+http://{served.place}?{WINDOW}&query={{ span.langgraph.step = 6 }}"
        assert {span.trace_id for span in read(name)} == {OTHER_TRACE}
        assert {span.trace_id for span in read(name, SpanQuery(service="shop"))} == {OTHER_TRACE}
    queries = [request.get("q") for request in served.requests if request.path == "/api/search"]
    assert queries == [
        "{ span.langgraph.step = 6 }",
        '({ span.langgraph.step = 6 }) && { resource.service.name = "shop" }',
    ]


def test_p01_a_trace_that_is_searched_and_not_there_by_id_is_named() -> None:
    """P01: it is said that it is not there yet, which is not that it is unknown."""
    problems: list[SourceProblem] = []
    with serve(TempoStandIn(SPANS, not_yet=[TRACE])) as served:
        source = open_source(f"tempo+http://{served.place}?{WINDOW}")
        assert {span.trace_id for span in source.read_spans(problems.append)} == {OTHER_TRACE}
    assert [(problem.code, problem.trace_ids) for problem in problems] == [("partial_response", (TRACE,))]
    assert "found by a search, and is not there by its id (yet)" in problems[0].message
