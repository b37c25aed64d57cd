from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast

import pytest

from otel_traj import read_runs
from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.model import SourceProblem
from otel_traj.reconstruct.lateness import read_until_settled
from otel_traj.reconstruct.reading import Reading
from otel_traj.sources import ALL_SPANS, Capabilities, SpanQuery
from tests.sources.contract_spans import make_span
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from otel_traj import Run
    from otel_traj.model import AttributeValue, Span
    from otel_traj.sources import OnProblem


def record(name: str = "run", *, ago: int = 0, **attributes: AttributeValue) -> list[Span]:
    """Return the spans of a run that ended a moment ago, or so long before, the root last."""
    run = RecordedRun(name, start=time.time_ns() - ago)
    run.task("a", 1)
    run.task("b", 2)
    return run.spans(**cast("Any", attributes))


class Arriving:
    """A place that telemetry reaches late: each reading finds what has arrived by then."""

    name = "arriving"
    capabilities = Capabilities(rereads=True, lags=True)

    def __init__(self, *readings: Iterable[Span], missing: int = 0) -> None:
        """Give these in turn, then always the last; of the first so many something is known to be missing."""
        self.readings = [list(spans) for spans in readings]
        self.missing = missing
        self.read = 0

    def read_spans(self, on_problem: OnProblem, query: SpanQuery = ALL_SPANS) -> Iterator[Span]:
        """Yield what is there now."""
        del query
        spans = self.readings[min(self.read, len(self.readings) - 1)]
        self.read += 1
        if not spans:
            on_problem(SourceProblem(code="empty_source", message="nothing yet", source=self.name))
        if self.read <= self.missing:
            trace_ids = ("f" * 32,)
            on_problem(
                SourceProblem(
                    code="partial_response", message="not yet", source=self.name, trace_ids=trace_ids
                )
            )
        yield from spans


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        """Begin at 0."""
        self.seconds = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept.append(seconds)
        self.seconds += seconds

    def read(self) -> float:
        """Return the time."""
        return self.seconds


def settle(
    place: Arriving, seconds: float, lacks_runs: Callable[[Sequence[Run]], bool] | None = None
) -> tuple[list[Run], list[SourceProblem], Clock]:
    """Read until it stands; return the runs, the problems and the clock."""
    clock = Clock()
    problems: list[SourceProblem] = []

    def begin(on_problem: OnProblem) -> Reading:
        return Reading(place, ALL_SPANS, on_problem, node_order={})

    runs = read_until_settled(
        begin,
        problems.append,
        seconds=seconds,
        lacks_runs=lacks_runs,
        sleep=clock.sleep,
        clock=clock.read,
        now_ns=time.time_ns,
    )
    return runs, problems, clock


def test_a_run_whose_manifest_is_met_is_read_once() -> None:
    """Nothing that arrives later can change it."""
    place = Arriving(record())
    [run], problems, clock = settle(place, 30)
    assert (run.verified, problems, place.read, clock.slept) == (True, [], 1, [])


def test_p02_a_trace_that_arrives_in_parts_is_read_until_it_is_whole() -> None:
    """P02: first nothing, then some spans, then the root: the run that is given is the whole one."""
    spans = record()
    [run], problems, clock = settle(Arriving([], spans[:1], spans[:2], spans), 30)
    assert (run.complete, run.verified, len(run.tasks), problems) == (True, True, 2, [])
    assert clock.slept == [0.5, 1.0, 2.0]


def test_p01_what_a_search_knows_and_no_id_gives_is_waited_for() -> None:
    """P01: problems of readings that were given up are not passed on."""
    [run], problems, clock = settle(Arriving(record(), missing=2), 30)
    assert (run.complete, problems) == (True, [])
    assert clock.slept == [0.5, 1.0]


def test_a_part_of_a_trace_without_a_run_holds_nothing_up() -> None:
    """Other services' traces may be cut for good: their spans came, and none of them is of a run; it is said still."""
    place = Arriving(
        [*record(), make_span(1, trace_id="f" * 32, attributes={}, scope_name="http")], missing=100
    )
    [run], problems, clock = settle(place, 30)
    assert (run.complete, [problem.code for problem in problems]) == (True, ["partial_response"])
    assert clock.slept == []


def test_runs_that_are_complete_and_not_proved_so_are_read_until_two_readings_agree() -> None:
    """More may come: another run, or the model calls that a manifest counts."""
    first, second = record("one", span_count=5), record("two", span_count=5)
    runs, _, clock = settle(Arriving(first, first + second, first + second), 30)
    assert [(run.complete, run.verified) for run in runs] == [(True, False)] * 2
    assert clock.slept == [0.5, 1.0]


def test_a_deadline_ends_it_with_what_there_is() -> None:
    """An incomplete run is given as what it is, with the problems of the last reading."""
    runs, _, clock = settle(Arriving(record()[:1]), 30)
    assert [run.complete for run in runs] == [False]
    assert clock.seconds == 30
    assert clock.slept[-2:] == [8.0, 30 - sum(clock.slept[:-1])]
    _, problems, clock = settle(Arriving([]), 7)
    assert [problem.code for problem in problems] == ["empty_source"]
    assert clock.seconds == 7


def test_runs_that_ended_long_ago_hold_nothing_up() -> None:
    """What has not arrived after minutes is lost, not late."""
    old = record(ago=10**12)[:1]
    runs, _, clock = settle(Arriving([*old, *record("fresh")]), 30)
    assert sorted(run.complete for run in runs) == [False, True]
    assert clock.slept == []


def test_a_place_that_lags_is_waited_for_unless_told_not_to() -> None:
    """By default for a place that lags; `wait=0` reads once; others are read once by default."""
    spans = record()
    assert [run.complete for run in read_runs(Arriving(spans[:1], spans))] == [True]
    assert [run.complete for run in read_runs(Arriving(spans[:1], spans), wait=0)] == [False]
    place = Arriving(spans[:1], spans)
    place.capabilities = Capabilities(rereads=True)
    assert [run.complete for run in read_runs(place)] == [False]
    place = Arriving(spans[:1], spans)
    place.capabilities = Capabilities(rereads=True)
    assert [run.complete for run in read_runs(place, wait=5)] == [True]


def test_what_can_be_read_once_is_read_once() -> None:
    """However long one is ready to wait: a second reading would find nothing."""
    assert [run.complete for run in read_runs(iter(record()[:1]), wait=30)] == [False]


@pytest.mark.parametrize("wait", [-1, float("nan"), float("inf")])
def test_a_wait_that_is_no_time_is_refused(wait: float) -> None:
    """At the call."""
    with pytest.raises(TrajectoryValueError, match="no time to wait"):
        read_runs([], wait=wait)


@pytest.mark.parametrize("wait", ["30", True])
def test_a_wait_of_another_type_is_refused(wait: float) -> None:
    """At the call."""
    with pytest.raises(TrajectoryTypeError, match="number of seconds"):
        read_runs([], wait=wait)


def test_a_run_that_a_thread_lacks_is_waited_for() -> None:
    """Whole runs tell nothing of one that has not arrived; whoever knows of it has it waited for, to the deadline."""
    first, second = record("first"), record("second")

    def lacks_runs(runs: Sequence[Run]) -> bool:
        return len(runs) < 2

    runs, _, clock = settle(Arriving(first, first, first, first + second), 30, lacks_runs)
    assert len(runs) == 2
    assert clock.slept == [0.5, 1.0, 2.0]
    runs, _, clock = settle(Arriving(first), 30, lacks_runs)
    assert (len(runs), clock.seconds) == (1, 30)


def test_a_thread_that_went_on_long_ago_lacks_nothing_that_is_late() -> None:
    """Only threads with something new in them are asked about, with all their runs."""
    asked: list[int] = []

    def lacks_runs(runs: Sequence[Run]) -> bool:
        asked.append(len(runs))
        return bool(runs)

    _, _, clock = settle(Arriving(record("old", ago=600 * 10**9)), 30, lacks_runs)
    assert asked[-1] == 0
    assert clock.seconds < 30
