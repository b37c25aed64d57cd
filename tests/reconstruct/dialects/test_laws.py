"""The laws of reading hold for every dialect: order, batches and copies don't matter, and loss is told where it shows.

No manifest says how many tasks ran. What can't be known from the spans of an emitter alone: that tasks were lost beside
others of their superstep, or all tasks after the last one that arrived. Everything else is a problem.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_traj.model import NAMED_ONLY
from tests.reconstruct.dialects.corpora import EMITTERS, SCENARIOS, load_spans, read_quietly
from tests.spans import make_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj import Run
    from otel_traj.model import Span

CORPUS = st.sampled_from([*product(EMITTERS, SCENARIOS)])


def picture(runs: Sequence[Run]) -> list[tuple[object, ...]]:
    """Return all of runs that no order of arrival may change."""
    return [
        (
            *(run.run_id, run.steps, run.status, run.complete, run.thread_id, run.usage),
            *([task.span_ids for task in run.tasks], [call.span_id for call in run.tool_calls]),
            picture(run.children),
        )
        for run in sorted(runs, key=lambda run: run.run_id)
    ]


@settings(max_examples=150)
@given(CORPUS, st.data())
def test_order_batches_and_copies_do_not_matter(corpus: tuple[str, str], data: st.DataObject) -> None:
    """Any order of arrival with any number of copies gives the same runs."""
    spans = load_spans(*corpus)
    copies = data.draw(st.lists(st.sampled_from(spans), max_size=10))
    arrived = data.draw(st.permutations([*spans, *copies]))
    assert picture(read_quietly(arrived)) == picture(read_quietly(spans))


def begins(steps: Sequence[Sequence[str]], truth: Sequence[Sequence[str]]) -> bool:
    """Whether supersteps are the true ones up to some place, each without tasks that nothing shows."""
    if len(steps) > len(truth):
        return False
    return all(
        names and not Counter(names) - Counter(true)
        for names, true in zip(steps, truth[: len(steps)], strict=True)
    )


def check_left(spans: Sequence[Span], left: Sequence[Span]) -> None:
    """Fail where a run that is called complete has anything but what the loss can hide."""
    truths = [run.steps for run in read_quietly(spans)]
    for run in read_quietly(left):
        if run.complete:
            assert any(begins(run.steps, truth) for truth in truths), run.steps
        else:
            assert {problem.code for problem in run.problems} - NAMED_ONLY
        assert not run.verified


@settings(max_examples=400)
@given(CORPUS, st.data())
def test_loss_shows_or_hides_nothing_between(corpus: tuple[str, str], data: st.DataObject) -> None:
    """Whatever is lost: a complete run is the true one from its beginning, without a hole."""
    spans = load_spans(*corpus)
    lost = data.draw(st.sets(st.sampled_from([span.span_id for span in spans]), min_size=1))
    check_left(spans, [span for span in spans if span.span_id not in lost])


def list_hidden(spans: Sequence[Span]) -> set[str]:
    """Return the names of spans whose loss alone changes a run that is still called complete."""
    truths = [(run.steps, run.status) for run in read_quietly(spans)]
    hidden = set()
    for lost in spans:
        left = [span for span in spans if span is not lost]
        runs = [(run.steps, run.status) for run in read_quietly(left) if run.complete]
        if any(run not in truths for run in runs):
            hidden.add(lost.name.removeprefix("execute_task "))
    return hidden


HIDDEN = {
    "s01_branch_parallel": {"node7"},
    "s02_send": {"worker", "reduce"},
    "s03_subgraph": {"after"},
    "s04_interrupt": {"send"},
    "s07_astream": {"node7"},
}
"""The last node of each run, and the last of several tasks that were sent: what docs/emitters.md says can't be known."""


@pytest.mark.parametrize(("emitter", "scenario"), [*product(EMITTERS, SCENARIOS)])
def test_a_single_lost_span_shows(emitter: str, scenario: str) -> None:
    """A run without one of its spans is incomplete or the same, but where the span was the last of its kind."""
    assert list_hidden(load_spans(emitter, scenario)) == HIDDEN.get(scenario, set())


@pytest.mark.parametrize(("emitter", "scenario"), [*product(EMITTERS, SCENARIOS)])
def test_a_span_that_lost_its_parent_is_a_problem(emitter: str, scenario: str) -> None:
    """A task that stands alone in a trace of its own makes no run shorter that is called complete."""
    spans = load_spans(emitter, scenario)
    truths = [run.steps for run in read_quietly(spans)]
    for lost in spans:
        split = msgspec.structs.replace(lost, trace_id=make_id(lost.span_id, 32), parent_span_id="")
        runs = read_quietly([split if span is lost else span for span in spans])
        assert all(run.steps in truths for run in runs if run.complete), lost.name


@pytest.mark.parametrize("emitter", EMITTERS)
def test_a_lost_graph_run_touches_no_other(emitter: str) -> None:
    """Of two runs in one trace, one after the other, the one that lost its graph run is shown, and the other whole."""
    spans = [
        msgspec.structs.replace(span, trace_id="a" * 32)
        for span in load_spans(emitter, "s01_branch_parallel")
    ]
    truths = read_quietly(spans)
    roots = [run.invocations[0].span_id for run in truths]
    for root, other in zip(roots, reversed(truths), strict=True):
        runs = read_quietly(span for span in spans if span.span_id != root)
        assert [run.steps for run in runs if run.complete] == [other.steps]
        assert [problem.code for run in runs for problem in run.problems] == ["root_missing"]
