"""The second verdict of a comparison: the results of its runs, under a key of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.match.explain.comment import build_comment
from otel_traj.match.explain.result import MatchVerdict, ResultsMetadata, ResultsOutcome
from otel_traj.match.explain.standing import is_incomplete
from otel_traj.match.values.results import ResultsVerdict, compare_results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.runs import Comparison
    from otel_traj.match.values.results import ResultsRule

__all__ = ["judge_results"]


def judge_results(comparison: Comparison, rule: ResultsRule) -> ResultsOutcome:
    """Return how the results of runs stand against those of their references.

    Args:
        comparison: The runs and references that were paired.
        rule: How results are compared.

    Returns:
        A fail where one differs, or the number of runs does; else not evaluated where one can't be told; with
        `runs="any"` a pass where one is right.
    """
    verdicts = [
        ResultsVerdict(score=None, comment="the run is incomplete", reason="not_recorded")
        if is_incomplete(pair.run.run)
        else compare_results(pair.run.given.results, pair.reference.results, rule)
        for pair in comparison.pairs
    ]
    several = comparison.has_several
    lines = [
        f"run {pair.index}, {verdict.comment}" if several else verdict.comment
        for pair, verdict in zip(comparison.pairs, verdicts, strict=True)
        if verdict.comment is not None
    ]
    verdict = _decide(verdicts, comparison)
    if verdict == "pass":
        return ResultsOutcome(verdict="pass", score=True, comment=None, metadata=None)
    if not comparison.has_right_count:
        wanted = len(comparison.references)
        runs = "run" if wanted == 1 else "runs"
        lines.insert(0, f"expected {wanted} {runs}, got {len(comparison.runs)}")
    metadata: ResultsMetadata = {"verdict": verdict}
    if verdict == "not_evaluated":
        metadata["reason"] = "broken" if any(each.reason == "broken" for each in verdicts) else "not_recorded"
    score = False if verdict == "fail" else None
    return ResultsOutcome(verdict=verdict, score=score, comment=build_comment(lines, ()), metadata=metadata)


def _decide(verdicts: Sequence[ResultsVerdict], comparison: Comparison) -> MatchVerdict:
    scores = {verdict.score for verdict in verdicts}
    if not comparison.has_right_count:
        return "not_evaluated" if any(is_incomplete(run.run) for run in comparison.runs) else "fail"
    if comparison.options.runs == "any" and True in scores:
        return "pass"
    if None in scores and (False not in scores or comparison.options.runs == "any"):
        return "not_evaluated"
    return "fail" if False in scores else "pass"
