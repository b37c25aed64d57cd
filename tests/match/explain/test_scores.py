from __future__ import annotations

from otel_traj.match import Glob, Tool
from otel_traj.match.explain.scores import score_run
from otel_traj.match.levels import CalledTool


def test_very_many_patterns_are_counted_by_kind() -> None:
    """Where there are too many for the best assignment, each pattern takes the first name that it accepts."""
    patterns = [Glob(f"n{at % 500}_*") for at in range(2_000)]
    names = [f"n{at % 400}_x" for at in range(2_000)]
    assert score_run(cost=None, worst=0, expected=patterns, actual=names).shared == 1_600


def test_calls_of_one_tool_are_told_apart_by_their_arguments() -> None:
    """A pattern that looks at more than a name is asked of each call."""
    calls = [CalledTool("t", tool="t", args={"n": at % 2}) for at in range(1_100)]
    patterns = [Glob("t") for _ in range(1_000)]
    assert score_run(cost=None, worst=0, expected=[*patterns, Tool("u")], actual=calls).shared == 1_000
