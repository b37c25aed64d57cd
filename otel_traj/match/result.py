"""The records a comparison answers with: the four keys of a result, and the metadata that explains a verdict.

Results are plain dictionaries that survive JSON, because they travel: into a report, a LangSmith experiment (it
accepts exactly these four keys), an OpenTelemetry event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NotRequired, TypeAlias, TypedDict

from otel_traj.match.modes import StepMode  # noqa: TC001 - users resolve the type hints at run time

__all__ = [
    "HintKind",
    "MatchMetadata",
    "MatchOp",
    "MatchOutcome",
    "MatchResult",
    "MatchVerdict",
    "OpKind",
    "TrajectoryMode",
]

MatchVerdict: TypeAlias = Literal["pass", "fail", "not_evaluated"]

TrajectoryMode: TypeAlias = Literal["strict"]
"""How whole trajectories are compared: the same number of supersteps, each against its own."""

OpKind: TypeAlias = Literal[
    "missing_nodes",
    "extra_nodes",
    "changed_nodes",
    "reordered",
    "replaced",
    "missing_step",
    "extra_step",
    "wrong_run_count",
    "status",
]
"""One kind of difference: names missing from a superstep, names too many, both; the same names in another order
(mode exact); no name in common; a superstep missing or too many; another number of runs than expected; a status
that the reference does not allow."""

HintKind: TypeAlias = Literal[
    "misspelt", "serialised", "merged", "loop_count", "moved", "wrong_branch", "step_gap"
]
"""What several differences mean together."""


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
    status: NotRequired[str]
    """Of `status`: how the run ended."""
    nodes: NotRequired[list[str]]
    """Of `status`: where it ended so."""


class MatchMetadata(TypedDict):
    """The explanation of a verdict that is not a pass. Scores are rounded to three digits."""

    verdict: MatchVerdict
    step_mode: StepMode
    trajectory_mode: TrajectoryMode
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
    expected: list[list[list[str]]]
    """Per run the whole reference as it was given, nothing left out."""
    actual: list[list[list[str]]]
    """Per run the whole trajectory as it was given, nothing left out."""
    capped: NotRequired[bool]
    """True where some run was too long to align: its first difference alone is named."""
    reason: NotRequired[Literal["incomplete", "waiting"]]
    """Why nothing could be judged."""
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
