"""What arrived of a call, beside what its recorder counted."""

from __future__ import annotations

import msgspec
import pytest

from otel_traj import read_runs
from otel_traj.manifest import digest_steps
from otel_traj.model import Arrival, Span
from tests.spans import RecordedRun


def _record() -> RecordedRun:
    run = RecordedRun("r")
    run.task("a", 1)
    run.call("chat", "m", run.task("b", 2))
    run.task("c", 2)
    return run


def _arrival(spans: list[Span]) -> Arrival:
    (run,) = read_runs(spans)
    (call,) = run.invocations
    assert call.arrival is not None
    return call.arrival


def test_a_whole_call_has_what_was_counted() -> None:
    """Both sides are equal, and the list of supersteps is not kept twice."""
    assert _arrival(_record().spans()) == Arrival(
        tasks=3, task_spans=3, spans=4, expected_tasks=3, expected_task_spans=3, expected_spans=4
    )


def test_what_is_lost_is_counted() -> None:
    """A lost attempt, a lost task and a lost model call are each seen in their number."""
    run = _record()
    run.task("c", 2, id="r.c.2.None", attempt=2)
    spans = run.spans()
    kept = [span for span in spans if not span.name.startswith("chat") and span.name != "invoke_node a"]
    there = _arrival([span for span in kept if span.attributes.get("langgraph.attempt") != 2])
    assert (there.tasks, there.expected_tasks) == (2, 3)
    assert (there.task_spans, there.expected_task_spans) == (2, 4)
    assert (there.spans, there.expected_spans) == (2, 5)
    assert there.expected_steps == [["a"], ["b", "c"]]


def test_without_a_root_nothing_was_counted() -> None:
    """What is there is counted all the same."""
    there = _arrival(_record().spans()[:-1])
    assert there == Arrival(tasks=3, task_spans=3, spans=4)


def test_dropped_attributes_are_added_up() -> None:
    """Over all spans of the call, each once."""
    spans = [msgspec.structs.replace(span, dropped_attributes=2) for span in _record().spans()]
    assert _arrival(spans).dropped_attributes == 10


@pytest.mark.parametrize("text", ["[[", '{"a": 1}', "[[1]]", "null", '["a"]', "[" * 5_000, '[["\ud800"]]'])
def test_a_list_that_is_none_is_not_believed(text: str) -> None:
    """A manifest whose text is no trajectory, or not that of its digest, lists nothing."""
    run = _record()
    assert _arrival(run.spans(steps=text)).expected_steps is None
    assert _arrival(run.spans(steps=text, steps_sha256=digest_steps(text))).expected_steps is None
