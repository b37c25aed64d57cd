"""How long to go on reading a place that telemetry reaches late: until what was read stands, or a deadline.

An export that has returned is not yet a trace that can be read: collectors batch, stores index, searches hide the
newest seconds. A run whose manifest is met is whole whatever else arrives; anything else is read until two readings
agree. Runs that ended minutes ago are not late, they are incomplete, and hold nothing up; nor does a trace that holds
other people's spans alone, of which a backend gives only a part. A whole run that has not arrived can't be missed by
what has: whoever knows that a thread holds more says so.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from otel_traj.model import Run, SourceProblem
    from otel_traj.reconstruct.reading import Reading
    from otel_traj.sources import OnProblem

__all__ = ["DEFAULT_WAIT_SECONDS", "read_until_settled"]

DEFAULT_WAIT_SECONDS: Final = 30.0
"""How long late telemetry is waited for in a place that it reaches late."""

_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 8.0
_OLD_NS: Final = 300_000_000_000


def read_until_settled(
    begin: Callable[[OnProblem], Reading],
    on_problem: OnProblem,
    *,
    seconds: float,
    lacks_runs: Callable[[Sequence[Run]], bool] | None = None,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
    now_ns: Callable[[], int] = time.time_ns,
) -> list[Run]:
    """Return the runs of the last of as many readings as it takes.

    Args:
        begin: Begins to read the place anew; problems go to what it is given.
        on_problem: Called with the problems of the last reading.
        seconds: How long to go on at most; the reading that is then under way is brought to its end.
        lacks_runs: Says of threads that went on lately, given all their runs, whether more are to come.
        sleep: Waits so many seconds.
        clock: Counts seconds.
        now_ns: The time, in nanoseconds since the epoch.
    """
    deadline = clock() + seconds
    pause = _FIRST_PAUSE
    before: object = None
    while True:
        problems: list[SourceProblem] = []
        reading = begin(problems.append)
        runs = list(reading.read())
        seen = _outline(runs)
        left = deadline - clock()
        missing = {trace_id for problem in problems for trace_id in problem.trace_ids} - reading.other_traces
        old_ns = now_ns() - _OLD_NS
        is_settled = _is_settled(runs, missing, old_ns, agrees=seen == before)
        if left <= 0 or (is_settled and not (lacks_runs and lacks_runs(_list_fresh_threads(runs, old_ns)))):
            break
        sleep(min(pause, left))
        pause = min(pause * 2, _LONGEST_PAUSE)
        before = seen
    for problem in problems:
        on_problem(problem)
    return runs


def _outline(runs: Iterable[Run]) -> object:
    """Return what two readings must agree in: which runs there are, and how much of each."""
    return sorted(
        (
            run.run_id,
            run.trace_ids,
            run.status,
            run.started_ns,
            run.ended_ns,
            len(run.tasks),
            len(run.model_calls),
            len(run.tool_calls),
            [problem.code for problem in run.problems],
        )
        for run in runs
    )


def _list_fresh_threads(runs: Sequence[Run], old_ns: int) -> list[Run]:
    threads = {run.thread_id for run in runs if _find_latest(run) > old_ns}
    return [run for run in runs if run.thread_id in threads]


def _is_settled(runs: Sequence[Run], missing: set[str], old_ns: int, *, agrees: bool) -> bool:
    fresh = [run for run in runs if _find_latest(run) > old_ns]
    old_traces = {trace_id for run in runs for trace_id in run.trace_ids}
    old_traces -= {trace_id for run in fresh for trace_id in run.trace_ids}
    if not runs or missing - old_traces or not all(run.complete for run in fresh):
        return False
    return agrees or all(run.verified for run in fresh)


def _find_latest(run: Run) -> int:
    return max(run.started_ns, run.ended_ns, *(max(task.started_ns, task.ended_ns) for task in run.tasks), 0)
