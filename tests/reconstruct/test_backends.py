"""Runs from places that give single traces: threads are completed, cut traces are known, filters hold."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from otel_traj import evaluate_runs, read_runs
from otel_traj.reconstruct.selection import make_selection
from tests.sources.jaeger.stand_in import JaegerStandIn
from tests.sources.reading import codes, refuse
from tests.sources.serving import Served, serve
from tests.sources.tempo.stand_in import TempoStandIn
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from otel_traj import Run
    from otel_traj.model import SourceProblem, Span
    from tests.sources.serving import Reply, Request

HOUR = 3_600 * 10**9
BACKENDS: dict[str, Callable[[list[Span]], tuple[str, Callable[[Request], Reply]]]] = {
    "stand-in for Jaeger 1.76.0": lambda spans: ("jaeger", JaegerStandIn(spans)),
    "stand-in for a newer Jaeger": lambda spans: ("jaeger", JaegerStandIn(spans, line="newer")),
    "stand-in for Tempo": lambda spans: ("tempo", TempoStandIn(spans)),
}


@contextmanager
def keep(backend: str, spans: list[Span]) -> Iterator[tuple[str, Served]]:
    """Serve spans; yield the name of the place."""
    kind, app = BACKENDS[backend](spans)
    with serve(app) as served:
        yield f"{kind}+http://{served.place}", served


@pytest.fixture(params=list(BACKENDS))
def backend(request: pytest.FixtureRequest) -> str:
    """Return the name of one backend."""
    return str(request.param)


def read(name: str, **selection: Any) -> list[Run]:  # noqa: ANN401 - keywords of read_runs
    """Return the runs of a place that has no problem."""
    return list(read_runs(name, wait=0, on_problem=refuse, **selection))


def two_halves(*, paused: int = 2 * HOUR, resumed: int = HOUR // 2) -> list[RecordedRun]:
    """Return a run that paused and was resumed so long ago, each call in a trace of its own."""
    now = time.time_ns()
    first = RecordedRun("first", graph="ask", thread="t-1", start=now - paused, outcome="interrupted")
    first.task("draft", 1)
    first.task("ask", 2, id="ask", interrupted=True)
    second = RecordedRun("second", graph="ask", thread="t-1", start=now - resumed, resumed=True)
    second.task("ask", 2, id="ask")
    second.task("send", 3)
    return [first, second]


def simple(
    name: str,
    *,
    graph: str = "seven",
    thread: str | None = None,
    service: str = "svc",
    ago: int = HOUR // 4,
) -> RecordedRun:
    """Return a run of two nodes, begun so long ago."""
    run = RecordedRun(name, graph=graph, thread=thread, service=service, start=time.time_ns() - ago)
    run.task("a", 1)
    run.task("b", 2)
    return run


def spans_of(*runs: RecordedRun) -> list[Span]:
    """Return the spans of runs."""
    return [span for run in runs for span in run.spans()]


WHOLE = [["__start__"], ["draft"], ["ask"], ["__interrupt__"], ["send"]]


def test_the_beginning_of_a_resumed_run_is_looked_up(backend: str) -> None:
    """The second half lies in the last hour, the first before it: the run is whole all the same."""
    with keep(backend, spans_of(*two_halves())) as (name, _):
        [run] = read(name)
    assert (run.steps, run.complete, run.status, len(run.trace_ids)) == (WHOLE, True, "ok", 2)


def test_what_followed_an_interrupt_is_looked_up(backend: str) -> None:
    """Only the first half's trace was asked for: that it went on is known."""
    first, second = two_halves()
    with keep(backend, spans_of(first, second)) as (name, _):
        for selection in ({"trace": first.trace_id}, {"run": first.run_id}, {"until": _time(first.start)}):
            [run] = read(name, **selection)
            assert (run.steps, run.status) == (WHOLE, "ok"), selection
        [run] = read(f"{name}?trace={second.trace_id}")
        assert run.steps == WHOLE


def _time(time_ns: int) -> str:
    from otel_traj.sources.times import format_time

    return format_time(time_ns + 10**9)


def test_other_runs_of_a_thread_are_not_given_unasked(backend: str) -> None:
    """What was read to complete one run is not answered as if it had been asked for."""
    before = simple("before", thread="t-1", ago=3 * HOUR)
    with keep(backend, spans_of(before, *two_halves())) as (name, _):
        assert [run.steps for run in read(name)] == [WHOLE]
        assert len(read(name, thread="t-1")) == 2


def test_a_thread_is_read_whole_a_week_back(backend: str) -> None:
    """Whatever the newest traces of the last hour are."""
    spans = spans_of(*two_halves(paused=50 * HOUR, resumed=30 * HOUR), simple("other"))
    with keep(backend, spans) as (name, _):
        [run] = read(name, thread="t-1")
    assert run.steps == WHOLE


SELECTIONS: dict[str, dict[str, Any]] = {
    "graph": {"graph": "seven"},
    "service": {"service": "shop"},
    "thread": {"thread": "t-9"},
    "status": {"status": "ok"},
    "since": {"since": "20m"},
    "until": {"until": "10m"},
    "attributes": {"attributes": {"otel_traj.task_count": "2"}},
    "resource": {"attributes": {"service.name": "shop"}},
    "all": {"graph": "seven", "service": "shop", "thread": "t-9", "status": "ok", "since": "20m"},
    "nothing": {"graph": "seven", "thread": "t-1"},
}


@pytest.mark.parametrize("selection", SELECTIONS.values(), ids=list(SELECTIONS))
def test_a_selection_means_the_same_everywhere(backend: str, selection: dict[str, Any]) -> None:
    """What a backend filters, and what it can't, is filtered again: the runs are those of the same spans in memory."""
    spans = spans_of(
        simple("one", service="shop", thread="t-9"),
        simple("two", graph="other", ago=HOUR // 2),
        simple("three", service="shop", ago=HOUR // 12),
    )
    expected = list(read_runs(spans, on_problem=refuse, **selection))
    problems: list[SourceProblem] = []
    with keep(backend, spans) as (name, _):
        found = list(read_runs(name, wait=0, on_problem=problems.append, **selection))
    assert [run.run_id for run in found] == [run.run_id for run in expected]
    assert [run.steps for run in found] == [run.steps for run in expected]
    assert codes(problems) == ([] if expected else ["empty_source"])


def test_runs_by_their_id_are_found_among_many(backend: str) -> None:
    """Any of its run ids, in any case, however many newer traces there are."""
    old = simple("old", ago=20 * HOUR)
    with keep(backend, spans_of(old, *(simple(f"new {number}") for number in range(30)))) as (name, _):
        [run] = read(name, run=old.run_id.upper())
    assert run.run_id == old.run_id


@pytest.mark.parametrize("lost", ["root", "task"])
def test_p14_a_run_in_a_cut_trace_is_not_judged(backend: str, lost: str, tmp_path: Path) -> None:
    """P14: it is incomplete, with the code and the backend's words, and the verdict is neither pass nor fail."""
    run = simple("one", thread="t-9")
    spans = run.spans()
    kept = spans[:-1] if lost == "root" else spans[1:]
    if backend == "stand-in for Tempo":
        with serve(TempoStandIn(kept, partial={run.trace_id: "too big"})) as served:
            _check_cut(f"tempo+http://{served.place}", "too big", tmp_path)
        return
    said = "Trace truncated: only first 2 spans loaded"
    kept[0].attributes["@jaeger@warnings"] = [said]
    with keep(backend, kept) as (name, _):
        _check_cut(name, said, tmp_path)


def _check_cut(name: str, said: str, folder: Path) -> None:
    problems: list[SourceProblem] = []
    [run] = read_runs(name, wait=0, on_problem=problems.append)
    assert codes(problems) == ["partial_response"]
    assert (run.complete, run.verified) == (False, False)
    [problem] = [problem for problem in run.problems if problem.code == "partial_response"]
    assert said in problem.message
    assert run.run_id in problem.message
    references = folder / "references.yaml"
    references.write_text("version: 1\nreferences:\n  - {name: short, steps: [a]}\n")
    report = evaluate_runs(name, references=references, wait=0)
    assert [verdict.verdict for verdict in report.verdicts] == ["not_evaluated"]
    assert report.exit_code == 2


def test_a_lost_root_is_not_hidden_by_a_selection(backend: str, tmp_path: Path) -> None:
    """A place asked for a graph does not give the run that lost the span which says it: to judge, it is not asked so."""
    spans = [*simple("one").spans(), *simple("two").spans()[:-1]]
    references = tmp_path / "references.yaml"
    references.write_text("version: 1\nreferences:\n  - {name: two, steps: [a, b]}\n")
    with keep(backend, spans) as (name, _):
        report = evaluate_runs(name, references=references, wait=0, graph="seven")
    assert sorted(verdict.verdict for verdict in report.verdicts) == ["not_evaluated", "pass"]
    assert report.exit_code == 2


def test_p24_a_search_that_ends_at_its_limit_says_so(backend: str) -> None:
    """P24: the newest are read, and it is said that there may be more; that alone fails nothing."""
    recorded = [simple(f"run {number}", ago=number * 10**9) for number in range(25)]
    spans = spans_of(*recorded)
    problems: list[SourceProblem] = []
    with keep(backend, spans if backend == "stand-in for Tempo" else list(reversed(spans))) as (name, _):
        runs = list(read_runs(name, wait=0, on_problem=problems.append))
        assert len(list(read_runs(f"{name}?limit=100", wait=0, on_problem=refuse))) == 25
    assert len(runs) == 20
    assert min(run.started_ns for run in runs) == recorded[19].start
    assert codes(problems) == ["limit_reached"]


def test_p07_a_value_that_tempo_cut_is_unknown_and_costs_no_superstep() -> None:
    """P07: attributes are cut at 2,048 bytes without a mark, JSON in the middle; what the reader needs is shorter."""
    run = simple("one")
    spans = run.spans(inputs='{"text": "' + "x" * 10_000 + '"}')
    with serve(TempoStandIn(spans, cuts=True)) as served:
        [found] = read(f"tempo+http://{served.place}")
    assert (found.steps, found.complete, found.verified) == ([["__start__"], ["a"], ["b"]], True, True)
    assert found.inputs is None
    assert [problem.code for problem in found.problems] == ["content_cut"]


def test_p22_a_span_that_is_there_twice_counts_once(backend: str) -> None:
    """P22: a retried batch makes no second task."""
    spans = simple("one").spans()
    with keep(backend, [*spans, *spans]) as (name, _):
        [run] = read(name)
    assert (run.steps, run.verified) == ([["__start__"], ["a"], ["b"]], True)


def test_a_query_asks_for_no_more_than_a_single_span_can_tell() -> None:
    """How a run ended is not asked for: no span that began in the time says it of the whole run."""
    query = make_selection(status="ok", graph="g", trace="1", run="R").to_query()
    assert (query.graph, query.traces, query.run) == ("g", ("1".zfill(32),), "r")
    assert not hasattr(query, "status")


def test_p11_spans_whose_trace_id_lost_its_first_half_are_no_run_of_their_own(backend: str) -> None:
    """P11: a hop that keeps 16 of 32 digits makes two traces; each is shown as incomplete, and nothing breaks."""
    run = simple("one")
    first, second, root = run.spans()
    short = msgspec.structs.replace(second, trace_id=second.trace_id[16:].zfill(32))
    with keep(backend, [first, short, root]) as (name, _):
        whole, rest = sorted(read(name), key=lambda run: run.graph is None)
    assert {problem.code for problem in whole.problems} == {"manifest_mismatch"}
    assert {problem.code for problem in rest.problems} == {"root_missing"}


def test_e06_a_trace_that_is_not_there_is_no_failed_check(backend: str, tmp_path: Path) -> None:
    """E06: what could not be looked at is code 2, and a run that took another way is code 1."""
    references = tmp_path / "references.yaml"
    references.write_text("version: 1\nreferences:\n  - {name: two, steps: [a]}\n")
    run = simple("one")
    with keep(backend, run.spans()) as (name, _):
        assert evaluate_runs(name, references=references, wait=0, trace="f" * 32).exit_code == 2
        assert evaluate_runs(name, references=references, wait=0, trace=run.trace_id).exit_code == 1
