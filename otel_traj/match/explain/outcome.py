"""From judged runs to the outcome with its text and its metadata.

The text says which run it speaks of only where there are several. Runs that could not be judged beside one that
failed are named, and left out of the numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from otel_traj.match.compare.step_match import whole_cost
from otel_traj.match.explain.comment import build_comment
from otel_traj.match.explain.explained import explain_pair
from otel_traj.match.explain.ops import make_op
from otel_traj.match.explain.result import (
    HintKind,
    MatchMetadata,
    MatchOp,
    MatchOutcome,
    MatchVerdict,
    Tolerated,
)
from otel_traj.match.explain.scores import RunScore, combine_scores, score_single
from otel_traj.match.explain.standing import (
    describe_status,
    has_step_gap,
    incomplete_codes,
    is_incomplete,
    say_incomplete,
    say_status,
    say_waiting,
)
from otel_traj.match.explain.tolerated import add_tolerated
from otel_traj.match.reference.items import list_entries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.explain.explained import ExplainedPair
    from otel_traj.match.pairs import JudgedPair
    from otel_traj.match.prepared import PreparedReference, PreparedRun
    from otel_traj.match.runs import Comparison

__all__ = ["build_outcome"]

_Mode = TypeVar("_Mode", bound=str)

_STEP_GAP = "superstep numbers have a gap, which cached nodes and update_state leave"


def build_outcome(comparison: Comparison, *, is_rich: bool) -> MatchOutcome:
    """Return the outcome of a comparison.

    Args:
        comparison: What was compared.
        is_rich: Whether a pass has metadata too, and a fail says which share of the supersteps is met.
    """
    if comparison.verdict == "fail":
        return _build_fail(comparison, is_rich=is_rich)
    if comparison.verdict == "not_evaluated":
        return _build_not_evaluated(comparison)
    if is_rich:
        return _build_pass(comparison)
    return MatchOutcome(verdict="pass", score=True, comment=None, metadata=None)


def _build_not_evaluated(comparison: Comparison) -> MatchOutcome:
    """Return the outcome where nothing failed and not everything could be judged."""
    runs = [run.run for run in comparison.runs if run.run is not None]
    incomplete = [run for run in runs if is_incomplete(run)]
    metadata = _build_metadata(comparison, "not_evaluated", [])
    reasons = [pair.reason for pair in comparison.pairs if pair.reason is not None]
    metadata["reason"] = next((reason for reason in reasons if reason != "waiting"), "waiting")
    if incomplete:
        metadata["reason"] = "incomplete"
        metadata["problems"] = list(
            dict.fromkeys(code for run in incomplete for code in incomplete_codes(run))
        )
    if comparison.doubt:
        metadata["reason"] = "incomplete"
    comment = build_comment([*filter(None, [comparison.doubt]), *_say_unjudged(comparison)], ())
    return MatchOutcome(verdict="not_evaluated", score=None, comment=comment, metadata=metadata)


def _build_pass(comparison: Comparison) -> MatchOutcome:
    """Return the outcome where all passed, with what was tolerated."""
    explained = [explain_pair(pair) for pair in comparison.pairs if pair.verdict == "pass"]
    metadata = _build_metadata(comparison, "pass", explained)
    _add_scores(metadata, [each.score for each in explained], is_rich=True)
    tolerated: Tolerated | None = {"missing": [], "extra": [], "reordered_supersteps": 0, "gap_supersteps": 0}
    for each in explained:
        tolerated = (
            None if tolerated is None or each.tolerated is None else add_tolerated(tolerated, each.tolerated)
        )
    if tolerated is not None:
        metadata["tolerated"] = tolerated
    return MatchOutcome(verdict="pass", score=True, comment=None, metadata=metadata)


def _build_fail(comparison: Comparison, *, is_rich: bool) -> MatchOutcome:
    """Return the outcome where a run failed or another number of runs was expected."""
    explanation = _Explanation(comparison)
    if not comparison.has_right_count:
        explanation.add_count()
    failed = [pair for pair in comparison.pairs if pair.verdict != "not_evaluated"]
    explained = [explain_pair(pair) for pair in failed]
    if comparison.options.runs == "any" and explained:
        nearest = min(range(len(explained)), key=lambda at: (explained[at].distance, at))
        failed, explained = [failed[nearest]], [explained[nearest]]
    for pair, each in zip(failed, explained, strict=True):
        explanation.add_pair(pair, each)
    metadata = _build_metadata(comparison, "fail", explained)
    _add_scores(metadata, explanation.scores, is_rich=is_rich)
    metadata["ops"] = explanation.ops
    metadata["hints"] = list(dict.fromkeys(explanation.hints))
    if explanation.notes:
        metadata["capped"] = True
    tail = [*explanation.notes, *explanation.hint_lines, *_say_unjudged(comparison)]
    comment = build_comment(explanation.lines, tail)
    return MatchOutcome(verdict="fail", score=False, comment=comment, metadata=metadata)


class _Explanation:
    """The explanation of a fail as it grows, run by run."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.ops: list[MatchOp] = []
        self.lines: list[str] = []
        self.notes: list[str] = []
        self.hints: list[HintKind] = []
        self.hint_lines: list[str] = []
        self.scores: list[RunScore] = []

    def add_count(self) -> None:
        wanted, seen = len(self.comparison.references), len(self.comparison.runs)
        op = make_op("wrong_run_count", None)
        op["expected_runs"], op["actual_runs"] = wanted, seen
        self.ops.append(op)
        self.lines.append(f"expected {wanted} {'run' if wanted == 1 else 'runs'}, got {seen}")
        lost, surplus = self.comparison.lost_references, self.comparison.surplus_runs
        if self.comparison.pairs:
            op["lost_references"], op["surplus_runs"] = lost, surplus
            self.lines += [f"run {at} of the reference did not run" for at in lost]
            self.lines += [f"run {at} was not expected" for at in surplus]
        self.scores += [_score_lost(self.comparison.references[at]) for at in lost]
        self.scores += [_score_surplus(self.comparison.runs[at]) for at in surplus]

    def add_pair(self, pair: JudgedPair, explained: ExplainedPair) -> None:
        self._add_status(pair)
        self.scores.append(explained.score)
        self.ops += explained.ops
        self.lines += [self._place(pair, line) for line in explained.lines]
        if explained.note is not None:
            self.notes.append(self._place(pair, explained.note))
        for hint in explained.hints:
            self._add_hint(pair, hint.kind, hint.text)
        if explained.ops and has_step_gap(pair.run.run):
            self._add_hint(pair, "step_gap", _STEP_GAP)

    def _add_status(self, pair: JudgedPair) -> None:
        run = pair.run.run
        if run is None or pair.is_status_allowed:
            return
        op = describe_status(run, pair.index)
        self.ops.append(op)
        self.lines.append(
            say_status(run, op, pair.reference.options.status, _subject(self.comparison, pair.index))
        )

    def _add_hint(self, pair: JudgedPair, kind: HintKind, text: str) -> None:
        self.hints.append(kind)
        self.hint_lines.append(f"hint: {self._place(pair, text)}")

    def _place(self, pair: JudgedPair, sentence: str) -> str:
        return f"run {pair.index}, {sentence}" if self.comparison.has_several else sentence


def _score_lost(reference: PreparedReference) -> RunScore:
    """Return the score of a reference without a run."""
    way = min(reference.ways, key=lambda each: each.worst_cost(), default=None)
    if way is None:
        return score_single((), "expected", worst=0)
    return score_single(list_entries(way.items), "expected", worst=way.worst_cost())


def _score_surplus(run: PreparedRun) -> RunScore:
    """Return the score of a run without a reference."""
    names = [name for step in run.actual for name in step.names]
    return score_single(names, "actual", worst=sum(whole_cost(step.names) for step in run.actual))


def _add_scores(metadata: MatchMetadata, runs: Sequence[RunScore], *, is_rich: bool) -> None:
    scores = combine_scores(runs)
    metadata["edits"], metadata["fitness"] = scores.edits, scores.fitness
    metadata["precision"], metadata["recall"], metadata["f1"] = scores.precision, scores.recall, scores.f1
    if is_rich and scores.steps_matched is not None:
        metadata["steps_matched"] = scores.steps_matched


def _subject(comparison: Comparison, index: int) -> str:
    return f"run {index}" if comparison.has_several else "run"


def _say_unjudged(comparison: Comparison) -> list[str]:
    """Return one sentence per run that could not be judged, unpaired ones too."""
    pairs = {pair.index: pair for pair in comparison.pairs if pair.verdict == "not_evaluated"}
    sentences: list[str] = []
    for index, run in enumerate(comparison.runs):
        pair = pairs.get(index)
        is_unpaired = not comparison.has_right_count and is_incomplete(run.run)
        if run.run is not None and is_incomplete(run.run) and (pair or is_unpaired):
            sentences.append(say_incomplete(run.run, _subject(comparison, index)))
        elif pair is not None:
            waiting = "" if run.run is None else say_waiting(run.run)
            subject = f"run {index}: " if pair.words else f"run {index} is "
            sentences.append(f"{subject * comparison.has_several}{pair.words or waiting}")
    return sentences


def _find_common(modes: set[_Mode]) -> _Mode | None:
    """Return the mode that all references have; None where they differ."""
    return modes.pop() if len(modes) == 1 else None


def _build_metadata(
    comparison: Comparison, verdict: MatchVerdict, explained: Sequence[ExplainedPair]
) -> MatchMetadata:
    ways = {each.reference_index: each.way for each in explained}
    options = [each.options for each in comparison.references] or [comparison.options]
    return {
        "verdict": verdict,
        "step_mode": _find_common({each.step_mode for each in options}),
        "trajectory_mode": _find_common({each.trajectory_mode for each in options}),
        "edits": None,
        "fitness": None,
        "precision": None,
        "recall": None,
        "f1": None,
        "ops": [],
        "hints": [],
        "expected": [
            reference.write(ways.get(index, 0)) for index, reference in enumerate(comparison.references)
        ],
        "actual": [[[str(name) for name in names] for names in run.names] for run in comparison.runs],
    }
