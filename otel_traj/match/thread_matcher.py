"""The runs of a thread against references that differ in their options.

Each run is compared as its own reference asks for; which run meets which reference, and what that says together, is
decided as for references of one kind. A thread that may lack runs is never failed for their number.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from otel_traj.match.explain.outcome import build_outcome
from otel_traj.match.explain.results_outcome import judge_results
from otel_traj.match.inputs import read_outputs
from otel_traj.match.runs import check_runs_mode, compare_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.explain.result import MatchOutcome, ResultsOutcome
    from otel_traj.match.matcher import TrajectoryMatcher
    from otel_traj.match.modes import RunsMode
    from otel_traj.model import Run

__all__ = ["ThreadMatcher"]


class ThreadMatcher:
    """Compares the runs of a thread with what prepared matchers expect."""

    def __init__(self, matchers: Sequence[TrajectoryMatcher], *, runs: RunsMode) -> None:
        """Put references together.

        Args:
            matchers: What is expected of each run, in the order of their start; at least one, each with one reference.
            runs: How the runs of a thread meet their references.

        Raises:
            InvalidReferenceError: The mode compares with one reference, and there is another number of them.
        """
        self._references = [reference for each in matchers for reference in each.references]
        self._options = replace(matchers[0].options, runs=runs)
        check_runs_mode(runs, len(self._references))

    def judge(self, runs: Sequence[Run], *, doubt: str = "") -> tuple[MatchOutcome, ResultsOutcome | None]:
        """Compare the runs of a thread.

        Args:
            runs: All of them, by start.
            doubt: Why runs of it may be missing, in words; empty where all are there.

        Returns:
            The outcome for the trajectories; that for the results, None where no reference compares them.
        """
        comparison = compare_runs(self._references, read_outputs(runs), self._options, doubt=doubt)
        return build_outcome(comparison, is_rich=False), judge_results(comparison)
