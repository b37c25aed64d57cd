"""Agent trajectories over OpenTelemetry.

The public names, in one flat namespace. They load on first use, so that `import otel_traj` stays light: a
reader of traces never imports langchain, and a recorder never imports the reader.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from otel_traj.errors import (
        EvaluatorBrokenError,
        HistoryError,
        InvalidReferenceError,
        OtelTrajError,
        PatternTimeoutError,
        SinkError,
        SourceError,
        TrajectoryTypeError,
        TrajectoryValueError,
    )
    from otel_traj.evaluate import Diagnosis, Report, Verdict, diagnose, evaluate_runs
    from otel_traj.match import (
        Any,
        AnyOf,
        ArgsMatch,
        Gap,
        Glob,
        GraphRunReferenceTrajectory,
        GraphTrajectoryMatchMode,
        GraphTrajectoryMatchModel,
        MatchResult,
        OneOf,
        ReferenceStep,
        Regex,
        Repeat,
        Rules,
        Tool,
        TrajectoryMatcher,
        assert_trajectory,
        from_agentevals,
        from_messages,
        graph_trajectory_match,
        graph_trajectory_match_async,
        to_agentevals,
        to_messages,
    )
    from otel_traj.model import GraphRunTrajectory, Problem, Run, SourceProblem
    from otel_traj.reconstruct import (
        extract_trajectories,
        extract_trajectory,
        extract_trajectory_async,
        extract_trajectory_from_snapshots,
        read_runs,
    )
    from otel_traj.record import (
        ContentPolicy,
        JsonLinesSpanExporter,
        LangGraphInstrumentor,
        RunEnd,
        TrajectoryCallbackHandler,
        configure,
        record_feedback,
    )

__all__ = [
    "Any",
    "AnyOf",
    "ArgsMatch",
    "ContentPolicy",
    "Diagnosis",
    "EvaluatorBrokenError",
    "Gap",
    "Glob",
    "GraphRunReferenceTrajectory",
    "GraphRunTrajectory",
    "GraphTrajectoryMatchMode",
    "GraphTrajectoryMatchModel",
    "HistoryError",
    "InvalidReferenceError",
    "JsonLinesSpanExporter",
    "LangGraphInstrumentor",
    "MatchResult",
    "OneOf",
    "OtelTrajError",
    "PatternTimeoutError",
    "Problem",
    "ReferenceStep",
    "Regex",
    "Repeat",
    "Report",
    "Rules",
    "Run",
    "RunEnd",
    "SinkError",
    "SourceError",
    "SourceProblem",
    "Tool",
    "TrajectoryCallbackHandler",
    "TrajectoryMatcher",
    "TrajectoryTypeError",
    "TrajectoryValueError",
    "Verdict",
    "__version__",
    "assert_trajectory",
    "configure",
    "diagnose",
    "evaluate_runs",
    "extract_trajectories",
    "extract_trajectory",
    "extract_trajectory_async",
    "extract_trajectory_from_snapshots",
    "from_agentevals",
    "from_messages",
    "graph_trajectory_match",
    "graph_trajectory_match_async",
    "read_runs",
    "record_feedback",
    "to_agentevals",
    "to_messages",
]

__version__ = "0.1.0"

_NAMES_OF_MODULE = {
    "otel_traj.errors": (
        "EvaluatorBrokenError",
        "HistoryError",
        "InvalidReferenceError",
        "OtelTrajError",
        "PatternTimeoutError",
        "SinkError",
        "SourceError",
        "TrajectoryTypeError",
        "TrajectoryValueError",
    ),
    "otel_traj.evaluate": ("Diagnosis", "Report", "Verdict", "diagnose", "evaluate_runs"),
    "otel_traj.match": (
        "Any",
        "AnyOf",
        "ArgsMatch",
        "Gap",
        "Glob",
        "GraphRunReferenceTrajectory",
        "GraphTrajectoryMatchMode",
        "GraphTrajectoryMatchModel",
        "MatchResult",
        "OneOf",
        "ReferenceStep",
        "Regex",
        "Repeat",
        "Rules",
        "Tool",
        "TrajectoryMatcher",
        "assert_trajectory",
        "from_agentevals",
        "from_messages",
        "graph_trajectory_match",
        "graph_trajectory_match_async",
        "to_agentevals",
        "to_messages",
    ),
    "otel_traj.model": ("GraphRunTrajectory", "Problem", "Run", "SourceProblem"),
    "otel_traj.reconstruct": (
        "extract_trajectories",
        "extract_trajectory",
        "extract_trajectory_async",
        "extract_trajectory_from_snapshots",
        "read_runs",
    ),
    "otel_traj.record": (
        "ContentPolicy",
        "JsonLinesSpanExporter",
        "LangGraphInstrumentor",
        "RunEnd",
        "TrajectoryCallbackHandler",
        "configure",
        "record_feedback",
    ),
}
_MODULE_OF = {name: module for module, names in _NAMES_OF_MODULE.items() for name in names}


def __getattr__(name: str) -> object:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
