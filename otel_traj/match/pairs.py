"""The verdict on one run against its reference.

Supersteps, rules and model calls are each a plain comparison; the explanation of a fail comes after it and can't
change it. What can't be told is never guessed: a run that is incomplete is not judged, one that waits and follows
the reference so far is not failed, and where arguments that were not recorded would decide, nothing is decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from otel_traj.errors import EvaluatorBrokenError, PatternTimeoutError
from otel_traj.match.explain.result import MatchVerdict, NotEvaluatedReason
from otel_traj.match.explain.standing import is_incomplete, is_pause_unknown
from otel_traj.match.levels import is_level_known
from otel_traj.match.prepared import PreparedReference, PreparedRun
from otel_traj.match.reference.model_choices import UnknownChoice, WrongChoice, check_model_calls
from otel_traj.match.reference.tool_patterns import doubt
from otel_traj.match.rules.rule_checks import BrokenRule, check_rules
from otel_traj.match.supersteps import ActualStep, is_interrupt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.model import Run

__all__ = ["JudgedPair", "judge_pair"]


class JudgedPair(Struct, frozen=True, kw_only=True):
    """One run beside its reference, with the verdict on it. A struct: a verdict replaces fields of it several times."""

    index: int
    """Of the run among the outputs."""
    reference_index: int
    """Of its reference among the references."""
    reference: PreparedReference
    run: PreparedRun
    verdict: MatchVerdict
    reason: NotEvaluatedReason | None = None
    """Why it is not evaluated."""
    words: str = ""
    """The same in a sentence, where the reason alone does not say it."""
    matched: bool = False
    """Whether the supersteps meet the reference, whatever else does not."""
    broken_rules: tuple[BrokenRule, ...] = ()
    wrong_choices: tuple[WrongChoice, ...] = ()
    is_status_allowed: bool = True


def judge_pair(place: tuple[int, int], reference: PreparedReference, run: PreparedRun) -> JudgedPair:
    """Judge one run.

    Args:
        place: Index of the reference, and of the run among the outputs.
        reference: What is expected.
        run: What ran; only a `Run` record can be incomplete, waiting or of a wrong status.
    """
    pair = JudgedPair(
        index=place[1], reference_index=place[0], reference=reference, run=run, verdict="not_evaluated"
    )
    if is_incomplete(run.run):
        return replace(pair, reason="incomplete")
    if run.run is not None and run.options.looks_inside:
        unknown = is_level_known(run.run, run.options.level, run.options.depth)
        if unknown is not None:
            return replace(pair, reason="incomplete", words=unknown)
    try:
        return _compare(pair)
    except (EvaluatorBrokenError, PatternTimeoutError) as error:
        return replace(pair, reason="broken", words=str(error))


def _compare(pair: JudgedPair) -> JudgedPair:
    reference, run = pair.reference, pair.run
    broken = [] if reference.rules is None else check_rules(reference.rules, run.ran)
    wrong, unknown = _check_choices(reference, run.run)
    record, allowed = run.run, run.options.status
    judged = replace(
        pair,
        matched=_matches(reference, run.actual),
        broken_rules=tuple(broken),
        wrong_choices=tuple(wrong),
        # An interrupted run has not ended: it fails for what it did, never for being interrupted.
        is_status_allowed=record is None or record.status in allowed or record.status == "interrupted",
    )
    holds = judged.matched and not broken and not wrong
    if not holds or not (record is None or record.status in allowed):
        if record is not None and _may_wait(record) and _may_go_on(judged):
            return replace(judged, reason="waiting")
        return replace(judged, verdict="fail")
    if record is not None and is_pause_unknown(record) and "interrupted" not in allowed:
        return replace(judged, reason="waiting")
    if not unknown and reference.compares_arguments and not _matches(reference, _doubt(run.actual)):
        unknown = "arguments of tool calls were not recorded, or not whole: record content (content=True)"
    if unknown:
        return replace(judged, reason="not_recorded", words=unknown)
    return replace(judged, verdict="pass")


def _matches(reference: PreparedReference, actual: Sequence[ActualStep]) -> bool:
    return not reference.ways or any(way.matches(actual) for way in reference.ways)


def _doubt(actual: Sequence[ActualStep]) -> list[ActualStep]:
    return [ActualStep(step.number, doubt(step.names), step.position) for step in actual]


def _check_choices(reference: PreparedReference, run: Run | None) -> tuple[list[WrongChoice], str]:
    """Return the model calls that chose otherwise, and why others can't be judged."""
    if not reference.model_calls:
        return [], ""
    if run is None:
        return [], "a plain trajectory holds no model calls: pass runs"
    if "models" in run.omitted:
        return [], "its recorder was told to leave out model calls"
    if any(problem.code == "spans_missing" for problem in run.problems):
        return [], "spans of model calls may be missing (spans_missing)"
    found = check_model_calls(run, reference.model_calls)
    unknown = "; ".join(each.text for each in found if isinstance(each, UnknownChoice))
    return [each for each in found if isinstance(each, WrongChoice)], unknown


def _may_wait(run: Run) -> bool:
    return run.status == "interrupted" or is_pause_unknown(run)


def _may_go_on(pair: JudgedPair) -> bool:
    """Whether a run that waits, the marker of its pending interrupt left out, may still come to pass."""
    actual, ways = pair.run.actual, pair.reference.ways
    done = actual[:-1] if actual and is_interrupt(actual[-1].names) else actual
    if not all(broken.may_recover for broken in pair.broken_rules):
        return False
    if not all(wrong.may_recover for wrong in pair.wrong_choices):
        return False
    return not ways or any(way.may_go_on(done) for way in ways)
