"""The records a comparison answers with: the four keys of a result, and the metadata that explains a verdict.

Results are plain dictionaries that survive JSON, because they travel: into a report, a LangSmith experiment (it
accepts exactly these four keys), an OpenTelemetry event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NotRequired, TypeAlias, TypedDict

# Users resolve the type hints at run time.
from otel_traj.match.modes import StepMode, TrajectoryMode  # noqa: TC001

__all__ = [
    "HintKind",
    "MatchMetadata",
    "MatchOp",
    "MatchOutcome",
    "MatchResult",
    "MatchVerdict",
    "NotEvaluatedReason",
    "OpKind",
    "ResultsMetadata",
    "ResultsOutcome",
    "ResultsResult",
    "ScoreResult",
    "Tolerated",
]

MatchVerdict: TypeAlias = Literal["pass", "fail", "not_evaluated"]

OpKind: TypeAlias = Literal[
    "missing_nodes",
    "extra_nodes",
    "changed_nodes",
    "reordered",
    "replaced",
    "missing_step",
    "extra_step",
    "too_many_repeats",
    "wrong_run_count",
    "status",
    "rule",
    "model_call",
]
"""One kind of difference: names missing from a superstep, names too many, both; the same names in another order;
no name in common; a superstep missing or too many, or one round of a loop more than its bounds allow; another number
of runs than expected; a status that the reference does not allow; a broken rule; other tools than expected chosen by
a model call."""

HintKind: TypeAlias = Literal[
    "misspelt", "serialised", "merged", "loop_count", "moved", "wrong_branch", "step_gap"
]
"""What several differences mean together."""


NotEvaluatedReason: TypeAlias = Literal["incomplete", "waiting", "not_recorded", "broken"]
"""Why nothing could be judged: spans are missing; the run waits; what is to be compared was not recorded; a callable
or a regular expression of the reference broke."""


class Tolerated(TypedDict):
    """What differs and is allowed by the modes, bounds and gaps of the reference."""

    missing: list[str]
    """Names that the reference has and the run lacks, where the mode is `subset`."""
    extra: list[str]
    """Names that the run has beside those of the reference, where the mode is `superset`."""
    reordered_supersteps: int
    """Supersteps with the expected names in another order."""
    gap_supersteps: int
    """Supersteps that a gap took, or the trajectory mode left free."""


class MatchOp(TypedDict):
    """One difference. Superstep numbers are relative to the run (`__start__` is 0, the first nodes are 1)."""

    op: OpKind
    run: int | None
    """Index of the run, from 0; None for `wrong_run_count`."""
    expected_superstep: int | None
    """None where the reference has no superstep here."""
    actual_superstep: int | None
    """None where the run has no superstep here."""
    missing: list[str]
    """Names that the mode misses, once per task."""
    extra: list[str]
    """Names that the mode does not allow, once per task."""
    span_ids: list[str]
    """Spans of the tasks that are extra, out of order or at fault; empty for plain trajectories."""
    expected_runs: NotRequired[int]
    """Of `wrong_run_count`."""
    actual_runs: NotRequired[int]
    """Of `wrong_run_count`."""
    lost_references: NotRequired[list[int]]
    """Of `wrong_run_count`: which references have no run."""
    surplus_runs: NotRequired[list[int]]
    """Of `wrong_run_count`: which runs have no reference."""
    status: NotRequired[str]
    """Of `status`: how the run ended."""
    nodes: NotRequired[list[str]]
    """Of `status`: where it ended so. Of `rule`: the names it is about."""
    rule: NotRequired[str]
    """Of `rule`: its name."""
    supersteps: NotRequired[list[int]]
    """Of `rule`: all supersteps that break it."""
    nth: NotRequired[int]
    """Of `model_call`: which call of the run, from 1."""


class MatchMetadata(TypedDict):
    """The explanation of a verdict that is not a pass. Scores are rounded to three digits."""

    verdict: MatchVerdict
    step_mode: StepMode | None
    """This and the next are None where the references of a thread differ in them."""
    trajectory_mode: TrajectoryMode | None
    edits: int | None
    """Cost of the cheapest alignment; None where none was made."""
    fitness: float | None
    """1 - cost / worst cost, 0 to 1; the mean over the runs; None where no alignment was made."""
    precision: float | None
    """Share of what ran that was expected, names counted without their supersteps; None: not evaluated."""
    recall: float | None
    """Share of what was expected that ran; None: not evaluated."""
    f1: float | None
    ops: list[MatchOp]
    hints: list[HintKind]
    """Each kind once."""
    expected: list[list[object]]
    """Per run the whole reference as it was given, nothing left out: a list of names per superstep; patterns, loops,
    gaps and alternatives as they are written in a reference file."""
    actual: list[list[list[str]]]
    """Per run the whole trajectory as it was given, nothing left out."""
    capped: NotRequired[bool]
    """True where some run is not explained whole: it was too long to align, so its first difference alone is named, or
    a callable or a regular expression of the reference broke."""
    tolerated: NotRequired[Tolerated]
    """Of a pass: what was let through."""
    steps_matched: NotRequired[float]
    """Share of the expected supersteps that ran as expected, 0 to 1."""
    reason: NotRequired[NotEvaluatedReason]
    """Of a verdict that is not evaluated."""
    problems: NotRequired[list[str]]
    """Codes of what is missing, where the reason is `incomplete`."""


class MatchResult(TypedDict):
    """What an evaluator returns, exactly these keys."""

    key: str
    score: bool | None
    """None: not evaluated."""
    comment: str | None
    """None for a pass; else at most 2,048 bytes of UTF-8."""
    metadata: MatchMetadata | None
    """None for a pass."""


class ScoreResult(TypedDict):
    """One number beside the verdict, under a key of its own."""

    key: str
    score: float | None
    """From 0 to 1; None where it is not known."""
    comment: None
    metadata: None


class ResultsMetadata(TypedDict):
    """The explanation of a verdict on results that is not a pass."""

    verdict: MatchVerdict
    reason: NotRequired[NotEvaluatedReason]
    """Of a verdict that is not evaluated."""


class ResultsResult(TypedDict):
    """What is returned beside a `MatchResult` where results are compared."""

    key: str
    """That of the trajectories, with `_results` behind it."""
    score: bool | None
    """None: not evaluated."""
    comment: str | None
    """None for a pass; else where results differ, by keys and types; at most 2,048 bytes of UTF-8."""
    metadata: ResultsMetadata | None
    """None for a pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsOutcome:
    """The verdict on the results of runs, before it gets a key."""

    verdict: MatchVerdict
    score: bool | None
    """None: not evaluated."""
    comment: str | None
    metadata: ResultsMetadata | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOutcome:
    """The verdict on runs against their references, before it gets a key."""

    verdict: MatchVerdict
    score: bool | None
    """None: not evaluated."""
    comment: str | None
    """None for a pass; the explanation of a fail; the reason why nothing could be judged."""
    metadata: MatchMetadata | None
    """None for a pass."""
