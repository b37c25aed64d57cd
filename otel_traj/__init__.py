"""Agent trajectories over OpenTelemetry.

The public names, in one flat namespace. They load on first use, so that `import otel_traj` stays light: a
reader of traces never imports langchain, and a recorder never imports the reader.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from otel_traj.errors import (
        InvalidReferenceError,
        OtelTrajError,
        SourceError,
        TrajectoryTypeError,
        TrajectoryValueError,
    )
    from otel_traj.evaluate import Report, Verdict, evaluate_runs
    from otel_traj.match import (
        GraphRunReferenceTrajectory,
        GraphTrajectoryMatchMode,
        GraphTrajectoryMatchModel,
        MatchResult,
        ReferenceStep,
        graph_trajectory_match,
        graph_trajectory_match_async,
    )
    from otel_traj.model import GraphRunTrajectory, Problem, Run, SourceProblem
    from otel_traj.reconstruct import extract_trajectories, read_runs
    from otel_traj.record import TrajectoryCallbackHandler, configure

__all__ = [
    "GraphRunReferenceTrajectory",
    "GraphRunTrajectory",
    "GraphTrajectoryMatchMode",
    "GraphTrajectoryMatchModel",
    "InvalidReferenceError",
    "MatchResult",
    "OtelTrajError",
    "Problem",
    "ReferenceStep",
    "Report",
    "Run",
    "SourceError",
    "SourceProblem",
    "TrajectoryCallbackHandler",
    "TrajectoryTypeError",
    "TrajectoryValueError",
    "Verdict",
    "__version__",
    "configure",
    "evaluate_runs",
    "extract_trajectories",
    "graph_trajectory_match",
    "graph_trajectory_match_async",
    "read_runs",
]

__version__ = "0.1.0"

_MODULE_OF = {
    **dict.fromkeys(
        (
            "InvalidReferenceError",
            "OtelTrajError",
            "SourceError",
            "TrajectoryTypeError",
            "TrajectoryValueError",
        ),
        "otel_traj.errors",
    ),
    **dict.fromkeys(("Report", "Verdict", "evaluate_runs"), "otel_traj.evaluate"),
    **dict.fromkeys(
        (
            "GraphRunReferenceTrajectory",
            "GraphTrajectoryMatchMode",
            "GraphTrajectoryMatchModel",
            "MatchResult",
            "ReferenceStep",
            "graph_trajectory_match",
            "graph_trajectory_match_async",
        ),
        "otel_traj.match",
    ),
    **dict.fromkeys(("GraphRunTrajectory", "Problem", "Run", "SourceProblem"), "otel_traj.model"),
    **dict.fromkeys(("extract_trajectories", "read_runs"), "otel_traj.reconstruct"),
    **dict.fromkeys(("TrajectoryCallbackHandler", "configure"), "otel_traj.record"),
}


def __getattr__(name: str) -> object:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
