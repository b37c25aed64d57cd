"""Which calls make one run, whatever the clocks say."""

from __future__ import annotations

from itertools import permutations

import msgspec
import pytest

from otel_traj import read_runs
from tests.spans import RecordedRun

HOUR_NS = 3_600_000_000_000


def three_parts(*, skew: tuple[int, int, int], linked: bool) -> list[RecordedRun]:
    """Return a run in three calls, each started at its own skew."""
    first = RecordedRun("one", thread="t", start=1_000 + skew[0], outcome="interrupted")
    first.task("ask", 1, id="ask", interrupted=True)
    second = RecordedRun(
        "two",
        thread="t",
        start=2_000 + skew[1],
        resumed=True,
        outcome="interrupted",
        previous=first if linked else None,
    )
    second.task("ask", 1, id="ask")
    second.task("confirm", 2, id="confirm", interrupted=True)
    third = RecordedRun(
        "three", thread="t", start=3_000 + skew[2], resumed=True, previous=second if linked else None
    )
    third.task("confirm", 2, id="confirm")
    third.task("done", 3)
    return [first, second, third]


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("skew", list(permutations((0, HOUR_NS, -HOUR_NS))))
def test_clocks_an_hour_apart_change_nothing(skew: tuple[int, int, int], linked: bool) -> None:
    """Resumed calls stand in the order in which they ran, also where clocks are an hour apart."""
    spans = [span for part in three_parts(skew=skew, linked=linked) for span in part.spans()]
    [run] = read_runs(spans)
    assert run.steps == [["__start__"], ["ask"], ["__interrupt__"], ["confirm"], ["__interrupt__"], ["done"]]
    assert run.complete


def test_equal_clocks_change_nothing() -> None:
    """With all times equal the calls still stand in order."""
    spans = [span for part in three_parts(skew=(0, 0, 0), linked=False) for span in part.spans()]
    flat = [msgspec.structs.replace(span, start_ns=5, end_ns=6) for span in spans]
    [run] = read_runs(flat)
    assert run.steps[-1] == ["done"]
    assert run.complete


def test_two_runs_at_once_on_one_thread_are_two_runs() -> None:
    """Concurrent calls with new input on one thread never mix: each has its own root."""
    one, two = RecordedRun("one", thread="t", start=1_000), RecordedRun("two", thread="t", start=1_001)
    for number, node in enumerate("abc", 1):
        one.task(node, number)
        two.task(node, number + 3)
    runs = list(read_runs(one.spans() + two.spans()))
    assert [run.steps for run in runs] == [[["__start__"], ["a"], ["b"], ["c"]]] * 2


def test_threads_and_services_keep_apart() -> None:
    """A resumed call joins only a run of its thread, graph and service."""
    base = RecordedRun("base", thread="t")
    base.task("a", 1)
    strangers = [
        RecordedRun("x", thread="u", start=2_000, resumed=True),
        RecordedRun("y", thread="t", graph="other", start=2_000, resumed=True),
        RecordedRun("z", thread="t", service="other", start=2_000, resumed=True),
    ]
    for stranger in strangers:
        stranger.task("b", 2)
        runs = list(read_runs(base.spans() + stranger.spans()))
        assert [run.steps for run in runs] == [[["__start__"], ["a"]], [["b"]]]
        assert [run.complete for run in runs] == [True, False]


def test_a_shared_task_joins_whatever_graph_and_service_are_called() -> None:
    """A service renamed by a deployment between interrupt and resume does not split the run."""
    first, second, _ = three_parts(skew=(0, 0, 0), linked=False)
    second.resource, second.graph = {"service.name": "renamed"}, "renamed"
    [run] = read_runs(first.spans() + second.spans())
    assert len(run.invocations) == 2


def test_a_goto_does_not_use_up_a_pending_interrupt() -> None:
    """After an interrupt, `Command(goto=...)` goes on with the run, and a later resume still joins it."""
    first = RecordedRun("one", thread="t", outcome="interrupted")
    first.task("ask", 2, id="ask", interrupted=True)
    goto = RecordedRun("two", thread="t", start=2_000, resumed=True, outcome="interrupted", previous=first)
    goto.task("b", 2)
    goto.task("ask", 2, id="ask", interrupted=True)
    resumed = RecordedRun("three", thread="t", start=3_000, resumed=True, previous=goto)
    resumed.task("ask", 2, id="ask")
    [run] = read_runs(first.spans() + goto.spans() + resumed.spans())
    assert run.steps == [["__start__"], ["ask", "b"], ["__interrupt__"]]
    assert run.complete


def test_a_run_without_a_thread_is_never_joined() -> None:
    """Without a thread id each call is a run of its own."""
    one, two = RecordedRun("one"), RecordedRun("two", start=2_000)
    one.task("a", 1)
    two.task("a", 1)
    assert len(list(read_runs(one.spans() + two.spans()))) == 2


def test_ten_thousand_calls_on_one_thread_take_linear_time() -> None:
    """A long conversation is rebuilt in time that grows with its length."""
    spans = []
    for number in range(3_000):
        run = RecordedRun(f"r{number}", thread="t", start=number * 1_000)
        run.task("a", number * 3 + 1)
        spans += run.spans()
    assert len(list(read_runs(spans))) == 3_000


def test_what_a_run_itself_lacks_is_named_first_and_each_thing_once() -> None:
    """A lost root comes before what that leaves in doubt, and the doubt is told once however it was found."""
    first = RecordedRun("r", thread="t", outcome="interrupted")
    first.task("ask", 1, id="ask", interrupted=True)
    second = RecordedRun("s", thread="t", start=2_000, resumed=True, previous=first)
    second.task("ask", 1, id="ask")
    third = RecordedRun("u", thread="t", start=3_000, previous=second)
    third.task("ask", 3)
    lost = second.root().span_id
    spans = [span for part in (first, second, third) for span in part.spans() if span.span_id != lost]
    problems = next(iter(read_runs(spans))).problems
    assert [problem.code for problem in problems] == ["root_missing", "root_missing"]
    assert "the graph-run span is missing; below it" in problems[0].message
    assert len(set(problems)) == len(problems)
