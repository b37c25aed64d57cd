"""Every code that says what is missing from a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from otel_traj import read_runs
from otel_traj import semconv as sc
from otel_traj.rendering import render_json
from tests.spans import RecordedRun, change_attributes

if TYPE_CHECKING:
    from otel_traj import Run
    from otel_traj.model import Span


def simple_run() -> RecordedRun:
    """Return a run of two nodes."""
    run = RecordedRun("r", thread="t")
    run.task("a", 1)
    run.task("b", 2)
    return run


def rebuild(spans: list[Span]) -> Run:
    """Return the one run that spans make."""
    [run] = read_runs(spans)
    return run


def codes_of(run: Run) -> list[str]:
    """Return the codes of a run's problems, in order."""
    return [problem.code for problem in run.problems]


def test_root_missing() -> None:
    """Tasks whose graph-run span is missing make an incomplete run that is shown with what there is."""
    run = rebuild(simple_run().spans()[:-1])
    assert codes_of(run) == ["root_missing"]
    assert (run.complete, run.status, run.graph) == (False, "open", None)
    assert run.steps == [["__start__"], ["a"], ["b"]]


def test_root_missing_of_a_subgraph_run_that_lost_its_caller() -> None:
    """A subgraph's run whose caller is missing never passes for a run of its own."""
    outer = RecordedRun("outer")
    inner = RecordedRun("inner", parent=outer, parent_task=outer.task("a", 1))
    inner.task("x", 1)
    run = rebuild(inner.spans())
    assert codes_of(run) == ["root_missing"]
    assert not run.complete


def test_root_open() -> None:
    """A graph-run span without an end is an open run, never one of negative length."""
    spans = simple_run().spans()
    spans[-1] = msgspec.structs.replace(spans[-1], end_ns=0)
    run = rebuild(spans)
    assert codes_of(run) == ["root_open"]
    assert (run.complete, run.status, run.ended_ns) == (False, "open", 0)


def test_task_open() -> None:
    """A task span without an end is named."""
    spans = simple_run().spans()
    spans[0] = msgspec.structs.replace(spans[0], end_ns=0)
    run = rebuild(spans)
    assert codes_of(run) == ["task_open"]
    assert run.problems[0].span_ids == (spans[0].span_id,)
    assert "invoke_node a" in run.problems[0].message
    assert run.tasks[0].status == "open"


def test_orphan() -> None:
    """Tasks of a subgraph whose graph-run span is missing hang as orphans below the run that called it."""
    outer = RecordedRun("outer")
    caller = outer.task("a", 1)
    inner = RecordedRun("inner", parent=outer, parent_task=caller)
    key = inner.task("x", 1)
    spans = [span for span in outer.spans(below=[inner]) if span.span_id != inner.span_id]
    run = rebuild(spans)
    assert "orphan" in codes_of(run)
    assert not run.complete
    assert run.steps == [["__start__"], ["a"]]
    assert key


def test_manifest_mismatch_names_counts() -> None:
    """A lost task span is told from a short run, with the numbers."""
    run = rebuild(simple_run().spans()[1:])
    assert codes_of(run) == ["manifest_mismatch"]
    assert "2 tasks, 1 arrived" in run.problems[0].message
    assert (run.complete, run.verified) == (False, False)


def test_manifest_mismatch_of_a_lost_attempt() -> None:
    """A lost attempt of a retried task is a mismatch too: it might have been the last one."""
    recorded = RecordedRun("r")
    recorded.task("flaky", 1, id="t", attempt=1, outcome="error")
    recorded.task("flaky", 1, id="t", attempt=2)
    assert codes_of(rebuild(recorded.spans()[1:])) == ["manifest_mismatch"]


@pytest.mark.parametrize("change", [{"step": 7}, {"node": "other"}])
def test_manifest_mismatch_of_a_changed_key(change: dict[str, str | int]) -> None:
    """A superstep or node that a store changed no longer meets the digest."""
    spans = simple_run().spans()
    spans[1] = change_attributes(spans[1], **({"step": 1} if "step" in change else change))
    run = rebuild(spans)
    assert codes_of(run) == ["manifest_mismatch"]


def test_late_span() -> None:
    """A task that started after its run had ended is listed, and the run is incomplete."""
    recorded = simple_run()
    root = recorded.root()
    recorded.task("c", 3, late=True)
    run = rebuild([*recorded.below, root])
    assert codes_of(run) == ["late_span"]
    assert run.steps[-1] == ["c"]
    assert not run.complete


@pytest.mark.parametrize(
    "key",
    ["run_id", "steps_sha256", "task_count", "task_span_count", "graph", "resumed", "outcome", "span_count"],
)
def test_key_missing_on_the_root(key: str) -> None:
    """A key of the graph-run span that a processor removed is named; such a run is never complete."""
    spans = simple_run().spans()
    spans[-1] = change_attributes(
        spans[-1], **({key: ""} | ({"workflow_name": ""} if key == "graph" else {}))
    )
    run = rebuild(spans)
    assert "key_missing" in codes_of(run)
    assert not run.complete
    assert getattr(sc, key.upper()) in run.problems[0].message


@pytest.mark.parametrize("key", ["step", "task_id", "run_id", "node", "triggers", "path"])
def test_key_missing_on_a_task(key: str) -> None:
    """A key of a task span that a processor removed is named, and the run still holds the task."""
    spans = simple_run().spans()
    spans[0] = change_attributes(spans[0], **({key: ""} | ({"node_name": ""} if key == "node" else {})))
    run = rebuild(spans)
    assert "key_missing" in codes_of(run)
    assert not run.complete
    assert {task.node for task in run.tasks} == {"a", "b"}


def test_no_key_at_all() -> None:
    """Spans that lost every attribute are still known by scope and name: incomplete, not empty."""
    spans = [msgspec.structs.replace(span, attributes={}) for span in simple_run().spans()]
    run = rebuild(spans)
    assert "key_missing" in codes_of(run)
    assert not run.complete


def test_key_cut() -> None:
    """An id of which only the beginning is there is named."""
    spans = simple_run().spans()
    task_id = spans[0].attributes[sc.TASK_ID]
    assert isinstance(task_id, str)
    spans[0] = change_attributes(spans[0], task_id=task_id[:16])
    run = rebuild(spans)
    assert codes_of(run) == ["key_cut"]
    assert not run.complete


def test_a_lost_interrupt_is_a_mismatch() -> None:
    """The manifest counts interrupted tasks: where the key is gone from the task, the marker is not just left out."""
    recorded = RecordedRun("r", outcome="interrupted")
    recorded.task("ask", 1, interrupted=True)
    spans = recorded.spans(interrupted_count=1)
    assert rebuild(spans).verified
    run = rebuild([change_attributes(spans[0], interrupted=""), spans[1]])
    assert codes_of(run) == ["manifest_mismatch"]


def test_a_subgraph_run_that_lost_its_callers_ids_is_found_by_its_parent_span() -> None:
    """Without the keys that name its caller a subgraph's run is still no run of its own."""
    outer = RecordedRun("outer")
    inner = RecordedRun("inner", parent=outer, parent_task=outer.task("a", 1))
    inner.task("x", 1)
    spans = [
        change_attributes(span, parent_run_id="", parent_task_id="")
        if span.span_id == inner.span_id
        else span
        for span in outer.spans(below=[inner])
    ]
    run = rebuild(spans)
    assert [child.steps for child in run.children] == [[["__start__"], ["x"]]]
    assert run.verified
    without_caller = [span for span in spans if span.span_id not in (outer.span_id, outer.below[0].span_id)]
    assert not rebuild(without_caller).complete


def test_an_outcome_that_was_cut_is_named() -> None:
    """Half a word is no outcome."""
    spans = simple_run().spans(outcome="cance")
    assert codes_of(rebuild(spans)) == ["key_cut"]


def test_beginning_missing() -> None:
    """A resumed call whose beginning is nowhere has no start marker and says so."""
    recorded = RecordedRun("r", thread="t", resumed=True)
    recorded.task("b", 3)
    run = rebuild(recorded.spans())
    assert codes_of(run) == ["beginning_missing"]
    assert run.steps == [["b"]]


def test_beginning_missing_where_the_linked_call_is_not_there() -> None:
    """A resumed call that links to a lost one is not joined to an older run of the thread."""
    old = RecordedRun("old", thread="t")
    old.task("a", 1)
    lost = RecordedRun("lost", thread="t", start=5_000, outcome="interrupted")
    resumed = RecordedRun("resumed", thread="t", start=9_000, resumed=True, previous=lost)
    resumed.task("b", 7)
    first, second = read_runs(old.spans() + resumed.spans())
    assert first.steps == [["__start__"], ["a"]]
    assert codes_of(first) == ["root_missing"]
    assert codes_of(second) == ["beginning_missing"]


@pytest.mark.parametrize(("superstep", "is_complete"), [(2, False), (1, False), (4, True)])
def test_a_call_without_its_root_may_have_gone_on_with_the_run_before(
    superstep: int, is_complete: bool
) -> None:
    """A rootless call casts doubt on the run before it, unless its superstep numbers say that new input began it."""
    old = RecordedRun("old", thread="t")
    old.task("a", 1)
    lost = RecordedRun("lost", thread="t", start=5_000, resumed=not is_complete)
    lost.task("b", superstep)
    first, second = read_runs(old.spans() + lost.spans()[:-1])
    assert (first.complete, second.complete) == (is_complete, False)


def test_conflicting_copy() -> None:
    """Two ended copies that differ in a key attribute make the run incomplete, in any order."""
    spans = simple_run().spans()
    other = change_attributes(spans[0], step=2)
    for copies in ([*spans, other], [other, *spans]):
        run = rebuild(copies)
        assert "conflicting_copy" in codes_of(run)
        assert "superstep" in next(p.message for p in run.problems if p.code == "conflicting_copy")


def test_an_open_copy_gives_way_to_the_finished_span() -> None:
    """A snapshot of an open span and the finished span are no conflict; the later end stays."""
    spans = simple_run().spans()
    half = msgspec.structs.replace(
        change_attributes(spans[-1], steps_sha256="", task_count="", outcome="", steps=""), end_ns=0
    )
    for copies in ([*spans, half], [half, *spans]):
        assert rebuild(copies).problems == []


def test_unreadable() -> None:
    """An attribute of one of the run's spans that can't be decoded is named."""
    spans = simple_run().spans()
    spans[0] = msgspec.structs.replace(spans[0], unreadable=("some.key",))
    run = rebuild(spans)
    assert codes_of(run) == ["unreadable"]
    assert "some.key" in run.problems[0].message


def test_step_gap_leaves_a_run_complete() -> None:
    """A hole in the superstep numbers is named and proves nothing."""
    recorded = RecordedRun("r")
    recorded.task("a", 1)
    recorded.task("b", 4)
    run = rebuild(recorded.spans())
    assert codes_of(run) == ["step_gap"]
    assert run.complete
    assert run.verified


def test_pause_unknown_leaves_a_run_complete() -> None:
    """A run whose LangGraph does not tell of static interrupts ends ok, and says that it may wait."""
    run = rebuild(simple_run().spans(pause_unknown=True))
    assert codes_of(run) == ["pause_unknown"]
    assert run.status == "ok"
    assert run.complete
    assert run.verified


def test_pause_unknown_is_of_the_last_call_only() -> None:
    """A call that was resumed did pause: only the last one may wait, or have ended."""
    first, second = simple_run(), RecordedRun("s", thread="t", start=2_000, resumed=True)
    second.task("c", 3)
    run = rebuild(first.spans(pause_unknown=True) + second.spans())
    assert codes_of(run) == []
    assert run.steps == [["__start__"], ["a"], ["b"], ["c"]]


def test_a_call_that_may_have_paused_before_its_first_node_is_gone_on_with() -> None:
    """A resume belongs to a call that ran nothing and may have paused."""
    first, second = RecordedRun("r", thread="t"), RecordedRun("s", thread="t", start=2_000, resumed=True)
    second.task("a", 1)
    run = rebuild(first.spans(pause_unknown=True) + second.spans())
    assert run.steps == [["__start__"], ["a"]]
    assert codes_of(run) == []


@pytest.mark.parametrize("text", ['{"x": "aaaa', render_json({"x": "a" * 1_000_000})])
def test_content_cut_leaves_a_run_complete(text: str) -> None:
    """Recorded content that was cut, by a backend or by the recorder, gives None and is named."""
    run = rebuild(simple_run().spans(inputs=text))
    assert codes_of(run) == ["content_cut"]
    assert run.inputs is None
    assert run.complete


def test_spans_missing_leaves_a_run_complete() -> None:
    """Lost model spans are named; the nodes are all there."""
    recorded = RecordedRun("r")
    recorded.call(sc.CHAT, "m", recorded.task("a", 1))
    spans = [span for span in recorded.spans() if not span.name.startswith("chat")]
    run = rebuild(spans)
    assert codes_of(run) == ["spans_missing"]
    assert (run.complete, run.verified) == (True, False)
