"""The verdict on one run against its reference.

A plain comparison, superstep by superstep, in linear time. The alignment that explains a fail comes after it
and can't change it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from otel_traj.match.standing import is_incomplete, is_pause_unknown
from otel_traj.match.step_match import step_matches
from otel_traj.match.supersteps import (
    ActualStep,
    ExpectedStep,
    is_interrupt,
    prepare_actual,
    prepare_expected,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.inputs import GivenRun
    from otel_traj.match.modes import MatchOptions
    from otel_traj.match.result import MatchVerdict
    from otel_traj.model import Run

__all__ = ["JudgedPair", "judge_pair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPair:
    """One run beside its reference, with the verdict on it."""

    index: int
    """Of the run among the outputs."""
    given: GivenRun
    expected: list[ExpectedStep]
    actual: list[ActualStep]
    verdict: MatchVerdict
    reason: Literal["incomplete", "waiting"] | None
    """Why it is not evaluated."""
    matched: bool
    """Whether the supersteps meet the reference, whatever the status."""
    is_status_allowed: bool


def judge_pair(index: int, reference: GivenRun, output: GivenRun, options: MatchOptions) -> JudgedPair:
    """Judge one run.

    Args:
        index: Of the run among the outputs.
        reference: What is expected.
        output: What ran; only a `Run` record can be incomplete, waiting or of a wrong status.
        options: Modes, ignored names, allowed statuses.
    """
    expected = prepare_expected(reference.steps, options)
    actual = prepare_actual(output.steps, options)
    run = output.run
    is_allowed = run is None or run.status in options.status
    matched = _matches_strictly(expected, actual)
    verdict: MatchVerdict = "pass" if matched and is_allowed else "fail"
    reason: Literal["incomplete", "waiting"] | None = None
    if is_incomplete(run):
        reason = "incomplete"
    elif verdict == "fail" and _may_wait(run):
        reason = "waiting" if _follows(expected, actual) else None
    elif is_pause_unknown(run) and "interrupted" not in options.status:
        reason = "waiting" if verdict == "pass" else None
    return JudgedPair(
        index=index,
        given=output,
        expected=expected,
        actual=actual,
        verdict=verdict if reason is None else "not_evaluated",
        reason=reason,
        matched=matched,
        # An interrupted run has not ended: it fails for what it did, never for being interrupted.
        is_status_allowed=is_allowed or (run is not None and run.status == "interrupted"),
    )


def _may_wait(run: Run | None) -> bool:
    return run is not None and (run.status == "interrupted" or is_pause_unknown(run))


def _matches_strictly(expected: Sequence[ExpectedStep], actual: Sequence[ActualStep]) -> bool:
    return len(expected) == len(actual) and all(map(step_matches, expected, actual))


def _follows(expected: Sequence[ExpectedStep], actual: Sequence[ActualStep]) -> bool:
    """Return whether a run, the marker of its pending interrupt left out, is a beginning of the reference."""
    done = actual[:-1] if actual and is_interrupt(actual[-1].names) else actual
    return len(done) <= len(expected) and all(map(step_matches, expected, done))
