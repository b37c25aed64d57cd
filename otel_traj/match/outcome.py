"""From judged pairs to the outcome with its text and its metadata.

The text says which run it speaks of only where there are several. Runs that could not be judged beside one that
failed are named, and left out of the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from otel_traj.match.comment import build_comment
from otel_traj.match.explain import explain_pair
from otel_traj.match.ops import SpanIndex
from otel_traj.match.result import HintKind, MatchMetadata, MatchOp, MatchOutcome, MatchVerdict
from otel_traj.match.scores import RunScore, combine_scores, score_pair, score_single
from otel_traj.match.standing import (
    describe_status,
    has_step_gap,
    incomplete_codes,
    is_incomplete,
    say_incomplete,
    say_status,
    say_waiting,
)
from otel_traj.match.supersteps import number_supersteps, prepare_actual, prepare_expected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.inputs import GivenRun
    from otel_traj.match.modes import MatchOptions
    from otel_traj.match.pairs import JudgedPair

__all__ = ["Comparison", "build_fail", "build_not_evaluated"]

_STEP_GAP = "superstep numbers have a gap, which cached nodes and update_state leave"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What was compared, and the verdict on each pair of it."""

    references: Sequence[GivenRun]
    outputs: Sequence[GivenRun]
    pairs: Sequence[JudgedPair]
    """As many as the shorter side has runs."""
    options: MatchOptions

    @property
    def has_right_count(self) -> bool:
        """Whether there are as many runs as expected."""
        return len(self.references) == len(self.outputs)


def build_not_evaluated(comparison: Comparison) -> MatchOutcome:
    """Return the outcome where nothing failed and not everything could be judged."""
    runs = [output.run for output in comparison.outputs if output.run is not None]
    incomplete = [run for run in runs if is_incomplete(run)]
    metadata = _build_metadata(comparison, "not_evaluated")
    metadata["reason"] = "incomplete" if incomplete else "waiting"
    if incomplete:
        metadata["problems"] = list(
            dict.fromkeys(code for run in incomplete for code in incomplete_codes(run))
        )
    comment = build_comment(_say_unjudged(comparison), ())
    return MatchOutcome(verdict="not_evaluated", score=None, comment=comment, metadata=metadata)


def build_fail(comparison: Comparison) -> MatchOutcome:
    """Return the outcome where a run failed or another number of runs was expected."""
    explanation = _Explanation(comparison)
    if not comparison.has_right_count:
        explanation.add_count()
    for pair in comparison.pairs:
        explanation.add_pair(pair)
    metadata = _build_metadata(comparison, "fail")
    scores = combine_scores(explanation.scores)
    metadata["edits"], metadata["fitness"] = scores.edits, scores.fitness
    metadata["precision"], metadata["recall"], metadata["f1"] = scores.precision, scores.recall, scores.f1
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
        references, outputs = self.comparison.references, self.comparison.outputs
        self.ops.append(
            {
                "op": "wrong_run_count",
                "run": None,
                "expected_superstep": None,
                "actual_superstep": None,
                "missing": [],
                "extra": [],
                "span_ids": [],
                "expected_runs": len(references),
                "actual_runs": len(outputs),
            }
        )
        noun = "run" if len(references) == 1 else "runs"
        self.lines.append(f"expected {len(references)} {noun}, got {len(outputs)}")
        options, paired = self.comparison.options, len(self.comparison.pairs)
        for reference in references[paired:]:
            self.scores.append(score_single(prepare_expected(reference.steps, options), ()))
        for output in outputs[paired:]:
            self.scores.append(score_single((), prepare_actual(output.steps, options)))

    def add_pair(self, pair: JudgedPair) -> None:
        if pair.verdict == "not_evaluated":
            return
        self._add_status(pair)
        if pair.matched:
            self.scores.append(score_pair(pair.expected, pair.actual, ()))
            return
        explained = explain_pair(pair.expected, pair.actual, pair.index, SpanIndex.of(pair.given.run))
        self.ops.extend(explained.ops)
        self.lines.extend(self._place(pair, line) for line in explained.lines)
        self.scores.append(explained.score)
        if explained.note is not None:
            self.notes.append(self._place(pair, explained.note))
        for hint in explained.hints:
            self._add_hint(pair, hint.kind, hint.text)
        if has_step_gap(pair.given.run):
            self._add_hint(pair, "step_gap", _STEP_GAP)

    def _add_status(self, pair: JudgedPair) -> None:
        run = pair.given.run
        if run is None or pair.is_status_allowed:
            return
        op = describe_status(run, pair.index, number_supersteps(run.steps))
        self.ops.append(op)
        self.lines.append(
            say_status(run, op, self.comparison.options.status, _subject(self.comparison, pair.index))
        )

    def _add_hint(self, pair: JudgedPair, kind: HintKind, text: str) -> None:
        self.hints.append(kind)
        self.hint_lines.append(f"hint: {self._place(pair, text)}")

    def _place(self, pair: JudgedPair, sentence: str) -> str:
        return f"run {pair.index}, {sentence}" if _has_several(self.comparison) else sentence


def _has_several(comparison: Comparison) -> bool:
    return max(len(comparison.references), len(comparison.outputs)) > 1


def _subject(comparison: Comparison, index: int) -> str:
    return f"run {index}" if _has_several(comparison) else "run"


def _say_unjudged(comparison: Comparison) -> list[str]:
    """Return one sentence per run that could not be judged, unpaired ones too."""
    waiting = {pair.index for pair in comparison.pairs if pair.reason == "waiting"}
    sentences: list[str] = []
    for index, output in enumerate(comparison.outputs):
        if output.run is None:
            continue
        if is_incomplete(output.run):
            sentences.append(say_incomplete(output.run, _subject(comparison, index)))
        elif index in waiting:
            where = say_waiting(output.run)
            sentences.append(f"run {index} is {where}" if _has_several(comparison) else where)
    return sentences


def _build_metadata(comparison: Comparison, verdict: MatchVerdict) -> MatchMetadata:
    return {
        "verdict": verdict,
        "step_mode": comparison.options.step_mode,
        "trajectory_mode": "strict",
        "edits": None,
        "fitness": None,
        "precision": None,
        "recall": None,
        "f1": None,
        "ops": [],
        "hints": [],
        "expected": [_as_lists(reference) for reference in comparison.references],
        "actual": [_as_lists(output) for output in comparison.outputs],
    }


def _as_lists(given: GivenRun) -> list[list[str]]:
    return [list(step.names) for step in given.steps]
