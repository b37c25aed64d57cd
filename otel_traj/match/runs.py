"""Which runs of a thread are compared with which references, and what that says together.

Run by run, one that fails makes the whole fail; otherwise one that can't be judged makes it not evaluated. Where the
number of runs differs and one of them is incomplete nothing is judged: lost spans can split a run in two or take one
away. With `any` one run that passes is enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from otel_traj.errors import InvalidReferenceError
from otel_traj.match.explain.standing import is_incomplete
from otel_traj.match.pairs import JudgedPair, judge_pair
from otel_traj.match.run_alignment import align_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.explain.result import MatchVerdict
    from otel_traj.match.modes import RunsMode
    from otel_traj.match.options import MatchOptions
    from otel_traj.match.prepared import PreparedReference, PreparedRun

__all__ = ["Comparison", "check_runs_mode", "compare_runs", "pick_runs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What was compared, and the verdict on each pair of it."""

    references: Sequence[PreparedReference]
    """One per run that is expected; with `each` as many as there are runs."""
    runs: Sequence[PreparedRun]
    """All that were given."""
    pairs: Sequence[JudgedPair]
    options: MatchOptions
    verdict: MatchVerdict
    has_right_count: bool

    @property
    def lost_references(self) -> list[int]:
        """Which references have no run."""
        paired = {pair.reference_index for pair in self.pairs}
        return [at for at in range(len(self.references)) if at not in paired]

    @property
    def surplus_runs(self) -> list[int]:
        """Which runs have no reference."""
        if self.has_right_count:
            return []
        paired = {pair.index for pair in self.pairs}
        return [at for at in range(len(self.runs)) if at not in paired]

    @property
    def has_several(self) -> bool:
        """Whether it has to be said which run is spoken of."""
        return max(len(self.references), len(self.runs)) > 1


def check_runs_mode(mode: RunsMode, count: int) -> None:
    """Refuse references that a way to compare threads has no use for.

    Args:
        mode: The option `runs`.
        count: How many references there are.

    Raises:
        InvalidReferenceError: The mode compares with one reference, and there is another number of them.
    """
    if mode != "strict" and count != 1:
        raise InvalidReferenceError(
            f"runs is {mode!r}, which compares with one reference, and there are {count}. Give one, or an AnyOf of them,"
            f" or take runs='strict', which compares run by run."
        )


def pick_runs(mode: RunsMode, count: int) -> list[int]:
    """Return which of so many runs are compared."""
    every = list(range(count))
    return every[-1:] if mode == "last" else every[:1] if mode == "first" else every


def compare_runs(
    references: Sequence[PreparedReference], runs: Sequence[PreparedRun], options: MatchOptions
) -> Comparison:
    """Judge all runs.

    Args:
        references: What is expected.
        runs: What ran.
        options: The options of the comparison.
    """
    picked = pick_runs(options.runs, len(runs))
    wanted = references if options.runs == "strict" else list(references) * max(len(picked), 1)
    paired = list(enumerate(picked))
    if len(wanted) != len(picked):
        paired = align_runs(wanted, runs)
    pairs = [judge_pair((at, index), wanted[at], runs[index]) for at, index in paired]
    has_right_count = len(wanted) == len(picked)
    return Comparison(
        references=wanted,
        runs=runs,
        pairs=pairs,
        options=options,
        verdict=_decide(pairs, runs, options.runs, has_right_count=has_right_count),
        has_right_count=has_right_count,
    )


def _decide(
    pairs: Sequence[JudgedPair], runs: Sequence[PreparedRun], mode: RunsMode, *, has_right_count: bool
) -> MatchVerdict:
    if not has_right_count:
        return "not_evaluated" if any(is_incomplete(run.run) for run in runs) else "fail"
    verdicts = {pair.verdict for pair in pairs}
    order: tuple[MatchVerdict, ...] = ("fail", "not_evaluated", "pass")
    if mode == "any":
        order = ("pass", "not_evaluated", "fail")
    return next((verdict for verdict in order if verdict in verdicts), "pass")
