from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from otel_traj import semconv as sc
from otel_traj.record.graph_run import GraphRun
from otel_traj.record.recorded_manifest import build_manifest, list_steps

if TYPE_CHECKING:
    from random import Random

TASKS = st.lists(
    st.tuples(
        st.integers(1, 5), st.sampled_from(["a", "b", "c", "__start__", "süß"]), st.none() | st.integers(0, 9)
    ),
    max_size=12,
)


def note_all(tasks: list[tuple[int, str, int | None]], order: list[int]) -> GraphRun:
    """Return a run that saw these tasks in this order, their ids told by their place."""
    run = GraphRun(run_id="r", name="g", thread_id=None, input_type="dict")
    for place in order:
        step, node, index = tasks[place]
        run.note_task(f"id-{place}", step, node, index)
    return run


@given(TASKS, st.randoms(use_true_random=False))
def test_order_of_arrival_does_not_matter(tasks: list[tuple[int, str, int | None]], random: Random) -> None:
    """The manifest is the same whatever order tasks start in, and however often each is tried."""
    order = list(range(len(tasks)))
    shuffled = order + order
    random.shuffle(shuffled)
    manifest = build_manifest(note_all(tasks, order + order))
    assert build_manifest(note_all(tasks, shuffled)) == manifest
    assert manifest[sc.TASK_COUNT] == len(tasks)
    assert manifest[sc.TASK_SPAN_COUNT] == 2 * len(tasks)


@given(TASKS)
def test_digest_is_of_the_steps(tasks: list[tuple[int, str, int | None]]) -> None:
    """The digest is the SHA-256 of what `json.dumps` makes of the supersteps, ascending, without `__start__`."""
    run = note_all(tasks, list(range(len(tasks))))
    encoded = json.dumps(list_steps(run), separators=(",", ":"), ensure_ascii=False)
    manifest = build_manifest(run)
    assert manifest[sc.STEPS_SHA256] == hashlib.sha256(encoded.encode()).hexdigest()
    assert manifest[sc.STEPS] == encoded
    assert sum(len(step) for step in list_steps(run)) == sum(node != "__start__" for _, node, _ in tasks)


def test_attempts_are_counted_per_task() -> None:
    """`note_task` numbers the attempts of each task from 1."""
    run = GraphRun(run_id="r", name="g", thread_id=None, input_type="dict")
    assert [run.note_task(task_id, 1, "a", None) for task_id in ("x", "y", "x", "x")] == [1, 1, 2, 3]


def test_span_count_is_the_top_level_runs_alone() -> None:
    """A subgraph run's manifest has no `span_count`."""
    top = GraphRun(run_id="r", name="g", thread_id=None, input_type="dict")
    below = GraphRun(run_id="s", name="g", thread_id=None, input_type="dict", parent=top)
    assert sc.SPAN_COUNT in build_manifest(top)
    assert sc.SPAN_COUNT not in build_manifest(below)
    assert below.find_open_top() is top
    top.ended = True
    assert below.find_open_top() is None
