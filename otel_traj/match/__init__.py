"""Trajectories in, a verdict with its explanation out; pure functions over lists of names.

The flow: `inputs` and `reference` check what the user passed, `options` how it is to be compared; `prepared` numbers,
filters and compiles both sides (`levels`, `supersteps`); `pairs` decides run by run, by `compare` (the trajectory modes),
`rules` and `values` (arguments, results), `runs` over all of them. For a fail `compare` finds the cheapest edits, which
`explain` puts into records, words and numbers. `convert` speaks to other tools. Nothing here does I/O.
"""

from __future__ import annotations

from otel_traj.match.assertion import assert_trajectory
from otel_traj.match.convert.agentevals import AgentevalsTrajectory, from_agentevals, to_agentevals
from otel_traj.match.convert.chat_messages import ToolEntry, ToolTrajectory, from_messages, to_messages
from otel_traj.match.explain.result import (
    HintKind,
    MatchMetadata,
    MatchOp,
    MatchOutcome,
    MatchResult,
    MatchVerdict,
    OpKind,
    ResultsOutcome,
    ResultsResult,
)
from otel_traj.match.given import Outputs, References
from otel_traj.match.levels import Level
from otel_traj.match.matcher import TrajectoryMatcher
from otel_traj.match.modes import (
    DuplicatesMode,
    GraphTrajectoryMatchMode,
    GraphTrajectoryMatchModel,
    RunsMode,
    StepMode,
    TrajectoryMode,
    canonical_mode,
)
from otel_traj.match.reference.name_patterns import Any, Glob, OneOf, Regex
from otel_traj.match.reference.reference import AnyOf, Gap, GraphRunReferenceTrajectory, ReferenceStep, Repeat
from otel_traj.match.reference.tool_patterns import Tool
from otel_traj.match.rules.rules import Rules
from otel_traj.match.trajectory_match import graph_trajectory_match, graph_trajectory_match_async
from otel_traj.match.values.arguments import ArgsMatch, ArgsMode
from otel_traj.match.values.results import ResultsMode

__all__ = [
    "AgentevalsTrajectory",
    "Any",
    "AnyOf",
    "ArgsMatch",
    "ArgsMode",
    "DuplicatesMode",
    "Gap",
    "Glob",
    "GraphRunReferenceTrajectory",
    "GraphTrajectoryMatchMode",
    "GraphTrajectoryMatchModel",
    "HintKind",
    "Level",
    "MatchMetadata",
    "MatchOp",
    "MatchOutcome",
    "MatchResult",
    "MatchVerdict",
    "OneOf",
    "OpKind",
    "Outputs",
    "ReferenceStep",
    "References",
    "Regex",
    "Repeat",
    "ResultsMode",
    "ResultsOutcome",
    "ResultsResult",
    "Rules",
    "RunsMode",
    "StepMode",
    "Tool",
    "ToolEntry",
    "ToolTrajectory",
    "TrajectoryMatcher",
    "TrajectoryMode",
    "assert_trajectory",
    "canonical_mode",
    "from_agentevals",
    "from_messages",
    "graph_trajectory_match",
    "graph_trajectory_match_async",
    "to_agentevals",
    "to_messages",
]
