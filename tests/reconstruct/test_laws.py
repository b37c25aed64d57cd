"""Laws: what arrives how does not matter; what does not arrive is never hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from otel_traj import read_runs
from otel_traj import semconv as sc
from otel_traj.model import NAMED_ONLY
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from otel_traj import Run
    from otel_traj.model import SourceProblem, Span

NODES = st.sampled_from(["a", "b", "c", "w", "__start__"])


@st.composite
def recorded_calls(draw: st.DrawFn) -> list[list[Span]]:
    """Draw the spans of each of one to three calls on one thread, some resumed, some with a subgraph run."""
    calls: list[list[Span]] = []
    previous: RecordedRun | None = None
    superstep = 1
    for number in range(draw(st.integers(1, 3))):
        resumed = previous is not None and draw(st.booleans())
        superstep += 0 if resumed else 2
        run = RecordedRun(
            f"call{number}",
            thread="t",
            start=1_000 + number * 10_000,
            resumed=resumed,
            previous=previous if resumed else None,
        )
        inner: list[RecordedRun] = []
        for _ in range(draw(st.integers(1, 4))):
            names = draw(st.lists(NODES, min_size=1, max_size=3))
            for place, node in enumerate(names):
                push = place if draw(st.booleans()) else None
                key = run.task(node, superstep, push=push, id=f"{number}.{superstep}.{place}")
                if draw(st.integers(0, 4)) == 0:
                    run.task(node, superstep, push=push, id=key, attempt=2)
                if draw(st.integers(0, 4)) == 0:
                    below = RecordedRun(
                        f"sub{number}.{superstep}.{place}", graph="sub", parent=run, parent_task=key
                    )
                    below.task("x", 1)
                    inner.append(below)
                if draw(st.integers(0, 4)) == 0:
                    run.call(sc.CHAT, "m", key)
            superstep += 1
        calls.append(run.spans(below=inner))
        previous = run
    return calls


def picture(runs: list[Run]) -> list[tuple[object, ...]]:
    """Return all of runs that no order of arrival may change."""
    return [
        (run.run_id, run.steps, run.status, run.complete, run.verified, picture(run.children))
        for run in sorted(runs, key=lambda run: run.run_id)
    ]


@given(recorded_calls(), st.data())
def test_order_batches_and_copies_do_not_matter(calls: list[list[Span]], data: st.DataObject) -> None:
    """Any order of arrival with any number of copies gives the same runs."""
    spans = [span for call in calls for span in call]
    copies = data.draw(st.lists(st.sampled_from(spans)))
    arrived = data.draw(st.permutations([*spans, *copies]))
    runs, shuffled = list(read_runs(spans)), list(read_runs(arrived))
    assert picture(runs) == picture(shuffled)
    assert all(run.complete and run.verified for run in runs)


@settings(max_examples=300)
@given(recorded_calls(), st.data())
def test_lost_spans_are_never_hidden(calls: list[list[Span]], data: st.DataObject) -> None:
    """Whatever is lost: a run that is called complete has its true steps, any other says a code.

    Where the last calls of a thread are lost to their last span, nobody can know that there were any: the true
    steps are then those of the calls before.
    """
    ids = data.draw(st.sets(st.sampled_from([span.span_id for call in calls for span in call]), min_size=1))
    left = [[span for span in call if span.span_id not in ids] for call in calls]
    while left and not left[-1]:
        left.pop()
    known = [span for call in calls[: len(left)] for span in call]
    truth = {run.run_id: run.steps for run in read_runs(known, on_problem=ignore)}
    for run in read_runs([span for call in left for span in call], on_problem=ignore):
        if run.complete:
            assert run.steps == truth[run.run_id]
        else:
            assert {problem.code for problem in run.problems} - NAMED_ONLY
            assert not run.verified


def ignore(_: SourceProblem) -> None:
    """Take no notice: a source may hold nothing here."""
