"""One emitter per run where several recorded it: ours first, then the one with the most complete tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from otel_traj import read_runs
from tests.reconstruct.dialects.corpora import (
    EMITTERS,
    SCENARIOS,
    list_tasks,
    load_spans,
    read_quietly,
    rename_tasks,
    tell_again,
)
from tests.spans import RecordedRun, make_uuid

if TYPE_CHECKING:
    from otel_traj.model import Span

OI, TL, LF, GENAI = "openinference-0.1.80", "openllmetry-0.62.4", "langfuse-5.0.4", "otel-genai-1.3b0"


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("one_trace", [True, False], ids=["one trace", "a trace each"])
def test_three_instrumentations_count_each_node_once(scenario: str, one_trace: bool) -> None:
    """Runs that four emitters recorded at once are there once, as any one of them tells it."""
    spans = list(load_spans(OI, scenario))
    for emitter in (TL, LF, GENAI):
        spans += tell_again(emitter, scenario, OI, in_its_traces=one_trace)
    runs = read_quietly(spans)
    alone = read_quietly(load_spans(OI, scenario))
    assert [(run.steps, run.status, run.complete) for run in runs] == [
        (run.steps, run.status, True) for run in alone
    ]
    assert [len(run.model_calls) for run in runs] == [len(run.model_calls) for run in alone]


@pytest.mark.parametrize("emitter", EMITTERS)
def test_ours_goes_first(emitter: str) -> None:
    """A run that our handler recorded too is read from its spans, even where only the other one is whole."""
    ours = RecordedRun("r")
    for superstep, node in enumerate(("before", "sub", "after"), 1):
        ours.task(node, superstep, id=node)
    theirs = load_spans(emitter, "s03_subgraph")
    ids = {task.task_id: make_uuid(task.node) for task in list_tasks(read_quietly(theirs))}
    both = [*ours.spans(), *rename_tasks(theirs, ids)]
    [run] = read_runs(both)
    assert (run.emitter, run.complete, run.verified) == ("otel_traj", True, True)
    [lossy] = read_runs([span for span in both if span.name != "invoke_node sub"])
    assert (lossy.emitter, lossy.complete) == ("otel_traj", False)


def lose(spans: list[Span], node: str) -> list[Span]:
    """Return spans without those of a node's tasks."""
    return [span for span in spans if span.name not in (node, f"execute_task {node}")]


def test_the_most_complete_tasks_win() -> None:
    """Of two others the one that lost a task gives way."""
    first, second = list(load_spans(OI, "s01_branch_parallel")), tell_again(TL, "s01_branch_parallel", OI)
    truth = [run.steps for run in read_quietly(first)]
    for spans, winner in (
        ([*lose(first, "node4"), *second], "openllmetry"),
        ([*first, *lose(second, "node4")], "openinference"),
    ):
        runs = read_quietly(spans)
        assert [run.steps for run in runs] == truth
        assert runs[0].emitter == winner
        assert all(run.complete for run in runs)


def test_what_only_the_others_saw_is_missing() -> None:
    """Where each lost another task, the run of either is incomplete: nothing alone would have shown it."""
    first, second = list(load_spans(OI, "s02_send")), tell_again(TL, "s02_send", OI)
    last = [span.span_id for span in second if span.name.endswith("worker")][-1]
    [run] = read_quietly([*lose(first, "reduce"), *(span for span in second if span.span_id != last)])
    assert not run.complete
    assert [problem.code for problem in run.problems] == ["orphan"]


def test_calls_without_tasks_stand_beside_the_nearest() -> None:
    """Of runs that go on at once, each call without a task is the one that began when it did."""
    genai = load_spans(GENAI, "s02_send")
    first, second = (
        [
            msgspec.structs.replace(span, trace_id=trace * 32, span_id=trace * 16, start_ns=at, end_ns=1_000)
            for span in genai
        ]
        for trace, at in (("a", 100), ("b", 201))
    )
    ours = []
    for name, start in (("one", 101), ("two", 200)):
        run = RecordedRun(name, graph="LangGraph", start=start)
        run.task("a", 1)
        ours += run.spans()
    assert len(read_quietly([*first, *second])) == 2
    runs = read_quietly([*first, *second, *ours])
    assert [run.emitter for run in runs] == ["otel_traj", "otel_traj"]


def test_ours_without_a_task_goes_first_too() -> None:
    """A run of which our tasks were all lost is not read from another emitter as if it were whole."""
    theirs = load_spans(OI, "s09_cycle")
    run = RecordedRun("r", graph="LangGraph", start=min(span.start_ns for span in theirs))
    run.task("think", 1)
    [read] = read_quietly([*theirs, run.root()])
    assert (read.emitter, read.complete) == ("otel_traj", False)


def test_two_handlers_of_one_emitter_are_one_run() -> None:
    """An emitter that was attached twice writes each run twice; it is read once."""
    spans = load_spans(LF, "s02_send")
    again = [
        msgspec.structs.replace(
            span,
            span_id=span.span_id[::-1],
            parent_span_id=span.parent_span_id[::-1],
            trace_id=span.trace_id[::-1],
        )
        for span in spans
    ]
    [run] = read_quietly([*spans, *again])
    assert run.steps == read_quietly(spans)[0].steps
    assert [task.attempts for task in run.tasks] == [1] * 6


def test_other_runs_stay() -> None:
    """Runs that share no task with any of ours stay, whoever recorded them."""
    ours = RecordedRun("r")
    ours.task("a", 1)
    runs = read_quietly([*ours.spans(), *load_spans(OI, "s09_cycle"), *load_spans(GENAI, "s02_send")])
    assert sorted(run.emitter for run in runs) == ["openinference", "otel-genai", "otel_traj"]
