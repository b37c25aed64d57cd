"""Agent trajectories over OpenTelemetry.

The public names, in one flat namespace. They load on first use, so that `import otel_traj` stays light: a
reader of traces never imports langchain, and a recorder never imports the reader.

PYTEST_DONT_REWRITE: without this word pytest warns where the package, whose plugin it loads, was imported before it
started, as under `opentelemetry-instrument`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from otel_traj.errors import (
        EvaluatorBrokenError,
        HistoryError,
        InvalidReferenceError,
        MissingExtraError,
        NotEvaluatedError,
        OtelTrajError,
        PatternTimeoutError,
        SinkError,
        SourceError,
        TrajectoryTypeError,
        TrajectoryValueError,
    )
    from otel_traj.evaluate import (
        AppliesTo,
        Diagnosis,
        ExpectedResults,
        ExpectedThread,
        Learned,
        Reference,
        Report,
        Verdict,
        diagnose,
        evaluate_runs,
        export_runs,
        learn_references,
        load_references,
        write_references,
    )
    from otel_traj.evaluate.events.emission import Emission, emit_verdicts
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
        state_before,
        state_before_async,
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
    from otel_traj.report.runs.frames import to_dataframe

__all__ = [
    "Any",
    "AnyOf",
    "AppliesTo",
    "ArgsMatch",
    "ContentPolicy",
    "Diagnosis",
    "Emission",
    "EvaluatorBrokenError",
    "ExpectedResults",
    "ExpectedThread",
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
    "Learned",
    "MatchResult",
    "MissingExtraError",
    "NotEvaluatedError",
    "OneOf",
    "OtelTrajError",
    "PatternTimeoutError",
    "Problem",
    "Reference",
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
    "emit_verdicts",
    "evaluate_runs",
    "export_runs",
    "extract_trajectories",
    "extract_trajectory",
    "extract_trajectory_async",
    "extract_trajectory_from_snapshots",
    "from_agentevals",
    "from_messages",
    "graph_trajectory_match",
    "graph_trajectory_match_async",
    "learn_references",
    "load_references",
    "read_runs",
    "record_feedback",
    "state_before",
    "state_before_async",
    "to_agentevals",
    "to_dataframe",
    "to_messages",
    "write_references",
]

__version__ = "0.1.0"

_NAMES_OF_MODULE = {
    "otel_traj.errors": (
        "EvaluatorBrokenError",
        "HistoryError",
        "InvalidReferenceError",
        "MissingExtraError",
        "NotEvaluatedError",
        "OtelTrajError",
        "PatternTimeoutError",
        "SinkError",
        "SourceError",
        "TrajectoryTypeError",
        "TrajectoryValueError",
    ),
    "otel_traj.evaluate": (
        "AppliesTo",
        "Diagnosis",
        "ExpectedResults",
        "ExpectedThread",
        "Learned",
        "Reference",
        "Report",
        "Verdict",
        "diagnose",
        "evaluate_runs",
        "export_runs",
        "learn_references",
        "load_references",
        "write_references",
    ),
    "otel_traj.evaluate.events.emission": ("Emission", "emit_verdicts"),
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
        "state_before",
        "state_before_async",
    ),
    "otel_traj.report.runs.frames": ("to_dataframe",),
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
    if "IPython" in sys.modules:
        import_module("otel_traj.report.runs.notebook").introduce_to_notebook()
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
