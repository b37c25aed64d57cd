"""Two trajectories in, a verdict with its explanation out; pure functions over lists of names.

The flow: `inputs` checks what the user passed, `supersteps` numbers and filters it, `pairs` decides run by run,
`judge` over all runs; for a fail `align` finds the cheapest edits, which `ops`, `hints`, `scores` and `comment`
put into records, words and numbers, and `outcome` into one answer. Nothing here does I/O.
"""

from __future__ import annotations

from otel_traj.match.judge import Outputs, References, match_runs
from otel_traj.match.modes import (
    DuplicatesMode,
    GraphTrajectoryMatchMode,
    GraphTrajectoryMatchModel,
    StepMode,
    canonical_mode,
)
from otel_traj.match.reference import GraphRunReferenceTrajectory, ReferenceStep
from otel_traj.match.result import (
    HintKind,
    MatchMetadata,
    MatchOp,
    MatchOutcome,
    MatchResult,
    MatchVerdict,
    OpKind,
    TrajectoryMode,
)
from otel_traj.match.trajectory_match import graph_trajectory_match, graph_trajectory_match_async

__all__ = [
    "DuplicatesMode",
    "GraphRunReferenceTrajectory",
    "GraphTrajectoryMatchMode",
    "GraphTrajectoryMatchModel",
    "HintKind",
    "MatchMetadata",
    "MatchOp",
    "MatchOutcome",
    "MatchResult",
    "MatchVerdict",
    "OpKind",
    "Outputs",
    "ReferenceStep",
    "References",
    "StepMode",
    "TrajectoryMode",
    "canonical_mode",
    "graph_trajectory_match",
    "graph_trajectory_match_async",
    "match_runs",
]
