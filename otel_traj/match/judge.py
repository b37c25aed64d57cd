"""The verdict on runs against their references; the one entry that every caller of the engine uses.

Runs are compared one against one, in order. One that fails makes the whole fail; otherwise one that can't be
judged makes it not evaluated. Where the number of runs differs and one of them is incomplete nothing is judged:
lost spans can split a run in two or take one away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from otel_traj.match.inputs import read_outputs, read_references
from otel_traj.match.modes import (
    DEFAULT_IGNORE,
    DEFAULT_STATUS,
    DuplicatesMode,
    GraphTrajectoryMatchMode,
    read_options,
)
from otel_traj.match.outcome import Comparison, build_fail, build_not_evaluated
from otel_traj.match.pairs import judge_pair
from otel_traj.match.reference import GraphRunReferenceTrajectory, ReferenceStep
from otel_traj.match.result import MatchOutcome, MatchVerdict
from otel_traj.match.standing import is_incomplete
from otel_traj.model import GraphRunTrajectory, Run

__all__ = ["Outputs", "References", "match_runs"]

_Trajectory: TypeAlias = Run | GraphRunTrajectory | Mapping[str, object] | Sequence[Sequence[str]]
_Reference: TypeAlias = (
    Run
    | GraphRunReferenceTrajectory
    | GraphRunTrajectory
    | Mapping[str, object]
    | Sequence[ReferenceStep | Sequence[str]]
)

Outputs: TypeAlias = _Trajectory | Iterable[_Trajectory]
"""One run or several: `Run` records, mappings with `steps`, or plain lists of supersteps."""

References: TypeAlias = _Reference | Iterable[_Reference]
"""The same on the reference side, where a superstep may be a `ReferenceStep`."""


def match_runs(
    outputs: Outputs,
    reference: References,
    *,
    step_mode: GraphTrajectoryMatchMode = "unordered",
    duplicates: DuplicatesMode = "count",
    ignore: Iterable[str] = DEFAULT_IGNORE,
    status: str | Iterable[str] = DEFAULT_STATUS,
) -> MatchOutcome:
    """Judge runs against their references, run i against reference i.

    Args:
        outputs: What ran.
        reference: What is expected; `inputs` and `results` are not looked at.
        step_mode: Mode of every reference superstep that has none of its own.
        duplicates: Whether two tasks of one node in a superstep are two.
        ignore: Names left out on both sides; a superstep that loses all its names is dropped.
        status: Statuses a `Run` may end in without failing for it; a word, several, or `any`.

    Returns:
        The verdict; comment and metadata are None for a pass.

    Raises:
        TrajectoryTypeError: an argument that is no trajectory; the message says where.
        TrajectoryValueError: an option or a name that is not allowed.
        InvalidReferenceError: a reference that can't be compared with.
    """
    options = read_options(step_mode=step_mode, duplicates=duplicates, ignore=ignore, status=status)
    references, given = read_references(reference), read_outputs(outputs)
    pairs = [
        judge_pair(index, wanted, seen, options)
        for index, (wanted, seen) in enumerate(zip(references, given, strict=False))
    ]
    comparison = Comparison(references=references, outputs=given, pairs=pairs, options=options)
    verdict = _decide(comparison)
    if verdict == "fail":
        return build_fail(comparison)
    if verdict == "not_evaluated":
        return build_not_evaluated(comparison)
    return MatchOutcome(verdict="pass", score=True, comment=None, metadata=None)


def _decide(comparison: Comparison) -> MatchVerdict:
    if not comparison.has_right_count:
        incomplete = any(is_incomplete(output.run) for output in comparison.outputs)
        return "not_evaluated" if incomplete else "fail"
    verdicts = {pair.verdict for pair in comparison.pairs}
    if "fail" in verdicts:
        return "fail"
    return "not_evaluated" if "not_evaluated" in verdicts else "pass"
