"""The second verdict of a comparison: the results of its runs, under a key of their own.

A run that ended in a status its reference does not allow has no right results, whatever it left behind. One that
waits has none yet: that it lacks what is expected is no fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from otel_traj.match.explain.comment import build_comment
from otel_traj.match.explain.result import MatchVerdict, NotEvaluatedReason, ResultsMetadata, ResultsOutcome
from otel_traj.match.explain.standing import (
    describe_status,
    is_incomplete,
    is_pause_unknown,
    say_status,
    say_waiting,
)
from otel_traj.match.values.results import compare_results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.pairs import JudgedPair
    from otel_traj.match.runs import Comparison
    from otel_traj.match.values.results import ResultsRule
    from otel_traj.model import Run

__all__ = ["judge_results"]


class _Judged(Struct, frozen=True):
    """What is said of the results of one run."""

    score: bool | None
    comment: str | None = None
    reason: NotEvaluatedReason | None = None


def judge_results(comparison: Comparison) -> ResultsOutcome | None:
    """Return how the results of runs stand against those of their references.

    Args:
        comparison: The runs and references that were paired; each reference says how results are compared.

    Returns:
        A fail where one differs, or the number of runs does; else not evaluated where one can't be told; with
        `runs="any"` a pass where one is right. None where no reference compares results.
    """
    if all(each.results_rule is None for each in comparison.references):
        return None
    judged = {
        pair.index: _judge_pair(pair, rule)
        for pair in comparison.pairs
        if (rule := pair.reference.results_rule) is not None
    }
    several = comparison.has_several
    lines = [
        f"run {index}, {each.comment}" if several else each.comment
        for index, each in judged.items()
        if each.comment is not None
    ]
    verdict = _decide(list(judged.values()), comparison)
    if verdict == "pass":
        return ResultsOutcome(verdict="pass", score=True, comment=None, metadata=None)
    if comparison.doubt:
        lines.insert(0, comparison.doubt)
    elif not comparison.has_right_count:
        wanted = len(comparison.references)
        runs = "run" if wanted == 1 else "runs"
        lines.insert(0, f"expected {wanted} {runs}, got {len(comparison.runs)}")
    metadata: ResultsMetadata = {"verdict": verdict}
    if verdict == "not_evaluated":
        metadata["reason"] = _find_reason(list(judged.values()))
    score = False if verdict == "fail" else None
    return ResultsOutcome(verdict=verdict, score=score, comment=build_comment(lines, ()), metadata=metadata)


def _judge_pair(pair: JudgedPair, rule: ResultsRule) -> _Judged:
    run, allowed = pair.run.run, pair.reference.options.status
    if run is not None and is_incomplete(run):
        return _Judged(None, "the run is incomplete", "incomplete")
    if run is not None and run.status in ("error", "cancelled") and run.status not in allowed:
        return _Judged(False, say_status(run, describe_status(run, pair.index), allowed, "the run"))
    found = compare_results(pair.run.given.results, pair.reference.results, rule)
    if run is not None and _may_go_on(run) and not (found.score and "interrupted" in allowed):
        return _Judged(None, say_waiting(run), "waiting")
    if found.score is None:
        return _Judged(None, found.comment, "broken" if found.reason == "broken" else "not_recorded")
    return _Judged(found.score, found.comment)


def _may_go_on(run: Run) -> bool:
    return run.status == "interrupted" or is_pause_unknown(run)


def _find_reason(judged: Sequence[_Judged]) -> NotEvaluatedReason:
    """Return the reason that most needs mending; where no run was looked at, runs are missing."""
    reasons = {each.reason for each in judged}
    order: tuple[NotEvaluatedReason, ...] = ("broken", "incomplete", "not_recorded", "waiting")
    return next((reason for reason in order if reason in reasons), "incomplete")


def _decide(judged: Sequence[_Judged], comparison: Comparison) -> MatchVerdict:
    scores = {each.score for each in judged}
    fail: MatchVerdict = "not_evaluated" if comparison.doubt else "fail"
    if not comparison.has_right_count:
        return "not_evaluated" if any(is_incomplete(run.run) for run in comparison.runs) else fail
    if comparison.options.runs == "any" and True in scores:
        return "pass"
    if None in scores and (False not in scores or comparison.options.runs == "any"):
        return "not_evaluated"
    return fail if False in scores else "pass"
