"""Trajectories in, a verdict with its explanation out; pure functions over lists of names.

The flow: `inputs` and `references` check what the user passed, `options` how it is to be compared; `prepared` numbers,
filters and compiles both sides (`levels`, `program`); `pairs` decides run by run, `runs` over all of them. Each
trajectory mode is a `comparer`: `ordered`, `any_order`, `flat`. For a fail the comparer finds the cheapest edits
(`align`), which `ops`, `hints`, `scores` and `comment` put into records, words and numbers, and `outcome` into one
answer. Nothing here does I/O.
"""

from __future__ import annotations

from otel_traj.match.agentevals import AgentevalsTrajectory, from_agentevals, to_agentevals
from otel_traj.match.arguments import ArgsMatch, ArgsMode
from otel_traj.match.assertion import assert_trajectory
from otel_traj.match.chat_messages import ToolEntry, ToolTrajectory, from_messages, to_messages
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
from otel_traj.match.name_patterns import Any, Glob, OneOf, Regex
from otel_traj.match.reference import AnyOf, Gap, GraphRunReferenceTrajectory, ReferenceStep, Repeat
from otel_traj.match.result import (
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
from otel_traj.match.results import ResultsMode
from otel_traj.match.rules import Rules
from otel_traj.match.tool_patterns import Tool
from otel_traj.match.trajectory_match import graph_trajectory_match, graph_trajectory_match_async

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
