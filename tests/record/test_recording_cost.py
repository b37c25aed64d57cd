"""What recording costs, counted in calls of functions: the same on every machine, however busy."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

from tests.record.events import start_root, start_task
from tests.record.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def count_calls(work: Callable[[], None]) -> int:
    """Return how many functions written in Python were called."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:  # noqa: ARG001 - the interface
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def record_tasks(recording: Recording, number: int, *, in_one_superstep: bool) -> None:
    """Record a run of so many node tasks, one after another or all open at once."""
    handler, root = recording.handler, start_root(recording)
    tasks = []
    for index in range(number):
        step = 1 if in_one_superstep else index + 1
        task = start_task(recording, root, task=f"id-{index}", step=step)
        if in_one_superstep:
            tasks.append(task)
        else:
            handler.on_chain_end({}, run_id=task)
    for task in tasks:
        handler.on_chain_end({}, run_id=task)
    handler.on_chain_end({}, run_id=root)


def count_tasks(recording: Recording, number: int, in_one_superstep: bool = False) -> int:
    """Return how many calls a run of so many node tasks takes."""
    return count_calls(lambda: record_tasks(recording, number, in_one_superstep=in_one_superstep))


@pytest.mark.parametrize("in_one_superstep", [False, True])
def test_each_task_of_a_long_run_costs_what_it_does_in_a_short_one(
    recording: Recording, in_one_superstep: bool
) -> None:
    """Fifty times the tasks are fifty times the calls, in as many supersteps and in a single wide one."""
    few, more, many = (count_tasks(recording, number, in_one_superstep) for number in (10, 20, 510))
    # Not exactly: what the collector of garbage calls is counted too.
    assert 0 < many - few < (more - few) * 50 * 1.2


def test_what_the_sampler_left_out_costs_less_than_half(recording: Recording) -> None:
    """Tasks below a graph run that is not sampled make no span and no attributes."""
    silent = Recording(sampler=ALWAYS_OFF)
    assert count_tasks(silent, 100) * 2 < count_tasks(recording, 100)
