"""Threads of which more must be read before their runs can be told.

A place with a search gives single traces, and a run may lie in several: every resume has a trace of its own. What
shows that a part is missing is in the part itself: a call that resumed, and nothing before it; a call that paused,
and nothing after it. Where only some traces were asked for, a call that failed may have been gone on with as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.model import Run, RunStatus
    from otel_traj.sources import SpanQuery

__all__ = ["list_open_threads"]

_PAUSED: Final[frozenset[RunStatus]] = frozenset({"interrupted"})
_UNFINISHED: Final[frozenset[RunStatus]] = frozenset({"interrupted", "error", "cancelled"})


def list_open_threads(runs: Iterable[Run], query: SpanQuery) -> list[str]:
    """Return the ids of the threads whose other traces are to be read, sorted.

    Args:
        runs: What was rebuilt of the traces that were given.
        query: What they were asked for.
    """
    is_narrow = bool(query.traces or query.run or query.graph or query.attributes or query.until_ns)
    may_go_on = _UNFINISHED if is_narrow else _PAUSED
    return sorted(
        {
            run.thread_id
            for run in runs
            if run.thread_id is not None and (run.status in may_go_on or _lacks_beginning(run))
        }
    )


def _lacks_beginning(run: Run) -> bool:
    return run.invocations[0].resumed or any(problem.code == "beginning_missing" for problem in run.problems)
