"""The public names, pinned: what users type does not vanish by accident."""

from __future__ import annotations

import otel_traj

NAMES = [
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


def test_the_public_names_are_these() -> None:
    """`otel_traj` exposes exactly these names, sorted, and each of them loads."""
    assert otel_traj.__all__ == NAMES
    assert all(getattr(otel_traj, name) is not None for name in NAMES)
    assert set(NAMES) <= set(dir(otel_traj))
