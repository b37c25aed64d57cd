"""Span records -> dialect -> facts -> parts -> runs -> trajectories, with what is missing.

The flow is the order of the modules: `reading` asks a source, once or until `lateness` is content; `dialects` reads a
span into a fact, whoever wrote it, `gather` keeps each fact once, `parts` splits facts by call of a graph, `emitters`
chooses one emitter for each run, `threads` joins the calls that make one run, `joined` and `runs` build the run,
`completeness` says what is missing from it. Beside it, `history` reads a checkpointer instead of spans, and
`checkpoint_before` finds in it where a superstep began.
"""

from __future__ import annotations

from otel_traj.reconstruct.checkpoint_before import state_before, state_before_async
from otel_traj.reconstruct.extract import extract_trajectories, to_trajectory
from otel_traj.reconstruct.history import (
    extract_trajectory,
    extract_trajectory_async,
    extract_trajectory_from_snapshots,
)
from otel_traj.reconstruct.read import read_runs

__all__ = [
    "extract_trajectories",
    "extract_trajectory",
    "extract_trajectory_async",
    "extract_trajectory_from_snapshots",
    "read_runs",
    "state_before",
    "state_before_async",
    "to_trajectory",
]
