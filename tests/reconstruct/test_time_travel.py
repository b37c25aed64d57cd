"""Time travel: newer LangGraphs run a superstep again as a fork with new task ids, older ones under the old ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import TrajectoryCallbackHandler, extract_trajectory, read_runs
from tests.record.graphs import build_chain
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.runnables import RunnableConfig

    from otel_traj import Run
    from otel_traj.model import Span
    from tests.record.graphs import State

THREAD: RunnableConfig = {"configurable": {"thread_id": "t"}}


def rebuild(spans: Sequence[Span]) -> Run:
    """Return the one run that spans make."""
    [run] = read_runs(spans)
    return run


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("node", ["a", "b", "c"])
def test_what_ran_again_is_listed_again(node: str, times: int) -> None:
    """Back at the checkpoint before any node, spans and history list all that follows once more, each time."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    graph = build_chain("a", "b", "c", saved=True)
    graph.invoke({}, {**THREAD, "callbacks": [handler]})
    before = next(each.config for each in graph.get_state_history(THREAD) if each.next == (node,))
    for _ in range(times):
        graph.invoke(None, {**before, "callbacks": [handler]})
    names = ["a", "b", "c"]
    expected = [["__start__"], *([name] for name in names + names[names.index(node) :] * times)]
    [run] = read_runs(exporter)
    assert run.steps == expected
    assert run.verified
    assert [each["steps"] for each in extract_trajectory(graph, THREAD)] == [expected]


def test_another_branch_with_the_same_number_is_no_part_of_the_superstep() -> None:
    """Back before b, its number is that of c in a stream that was closed: they did not run at once."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    graph = build_chain("a", "b", "c", saved=True)

    def close_after_first(value: State | None) -> None:
        chunks: Any = graph.stream(value, {**THREAD, "callbacks": [handler]})
        next(chunks)
        chunks.close()

    close_after_first({})
    before = graph.get_state(THREAD).config
    graph.update_state(THREAD, {}, as_node="b")
    close_after_first(None)
    graph.invoke(None, {**before, "callbacks": [handler]})
    [run] = read_runs(exporter)
    assert run.steps == [["__start__"], ["a"], ["c"], ["b"], ["c"]]
    assert run.verified


@pytest.mark.parametrize("outcome", ["ok", "interrupted", "error", "cancelled"])
def test_back_before_an_earlier_run_is_of_the_last_run(outcome: str) -> None:
    """Where a call went back behind the input of the run that it names, the number it begins with tells nothing.

    An earlier run may have stopped just there. Nothing is missing after it: new input came before.
    """
    first = RecordedRun("r", thread="t", outcome=outcome)
    first.task("a", 1)
    first.task("b", 2, outcome=outcome)
    second = RecordedRun("s", thread="t", start=2_000, outcome="cancelled", previous=first)
    second.task("a", 4)
    third = RecordedRun("u", thread="t", start=3_000, resumed=True, outcome="error", previous=second)
    third.task("b", 3, outcome="error")
    runs = list(read_runs(first.spans() + second.spans() + third.spans()))
    assert [run.steps for run in runs] == [[["__start__"], ["a"], ["b"]], [["__start__"], ["a"], ["b"]]]
    assert all(run.complete for run in runs), [run.problems for run in runs]


def test_a_run_that_went_back_far_does_not_follow_itself() -> None:
    """A run that stopped long before its own first superstep lacks no call between: it went back there itself."""
    before: RecordedRun | None = None
    spans: list[Span] = []
    for number, (name, superstep) in enumerate([("r", 1), ("s", 3), ("u", 5), ("v", 2)]):
        before = RecordedRun(
            name,
            thread="t",
            start=1_000 * number + 1_000,
            resumed=name == "v",
            outcome="interrupted",
            previous=before,
        )
        before.task("ask", superstep, interrupted=True)
        spans += before.spans()
    runs = list(read_runs(spans))
    assert [len(run.invocations) for run in runs] == [1, 1, 2]
    assert all(run.complete for run in runs), [run.problems for run in runs]


def test_a_finished_task_under_its_old_id_ran_again() -> None:
    """The last superstep of a run that had ended is listed twice where a later call ran it again."""
    first = RecordedRun("r", thread="t")
    first.task("a", 1)
    first.task("b", 2, id="b")
    second = RecordedRun("s", thread="t", start=2_000, resumed=True)
    second.task("b", 2, id="b")
    run = rebuild(first.spans() + second.spans())
    assert run.steps == [["__start__"], ["a"], ["b"], ["b"]]
    assert [task.node for task in run.tasks] == ["a", "b", "b"]


@pytest.mark.parametrize("outcome", ["interrupted", "error", "cancelled"])
def test_an_unfinished_task_under_its_old_id_went_on(outcome: str) -> None:
    """A superstep that was not finished is listed once, its finished sibling too."""
    first = RecordedRun("r", thread="t", outcome=outcome)
    first.task("a", 1)
    first.task("b", 1, id="b", outcome=outcome)
    second = RecordedRun("s", thread="t", start=2_000, resumed=True)
    second.task("b", 1, id="b")
    steps = [step for step in rebuild(first.spans() + second.spans()).steps if step[0] in "ab"]
    assert steps == [["a", "b"]]


def test_a_superstep_that_failed_as_a_whole_went_on() -> None:
    """Tasks that ended well in a call that did not (their writes clashed) go on, they are not run twice."""
    first = RecordedRun("r", thread="t", outcome="error")
    first.task("a", 1, id="a")
    second = RecordedRun("s", thread="t", start=2_000, resumed=True)
    second.task("a", 1, id="a")
    assert rebuild(first.spans() + second.spans()).steps == [["__start__"], ["a"]]
