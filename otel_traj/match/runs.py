"""Which runs of a thread are compared with which references, and what that says together.

Run by run, one that fails makes the whole fail; otherwise one that can't be judged makes it not evaluated. Where the
number of runs differs and one of them is incomplete nothing is judged: lost spans can split a run in two or take one
away. With `any` one run that passes is enough. A run is listed as the reference that it is compared with asks for,
for references that a thread names may differ in their options.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from otel_traj.errors import InvalidReferenceError
from otel_traj.match.explain.standing import is_incomplete
from otel_traj.match.pairs import JudgedPair, judge_pair
from otel_traj.match.prepared import PreparedRun
from otel_traj.match.run_alignment import align_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.explain.result import MatchVerdict
    from otel_traj.match.inputs import GivenRun
    from otel_traj.match.modes import RunsMode
    from otel_traj.match.options import MatchOptions
    from otel_traj.match.prepared import PreparedReference

__all__ = ["Comparison", "check_runs_mode", "compare_runs", "pick_runs"]

_CERTAIN: Final = ("strict", "each")
"""Modes in which the right number of runs fails whatever other runs there may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What was compared, and the verdict on each pair of it."""

    references: Sequence[PreparedReference]
    """One per run that is expected; with `each` as many as there are runs."""
    runs: Sequence[PreparedRun]
    """All that were given; one that no reference is compared with is listed as the first reference asks for."""
    pairs: Sequence[JudgedPair]
    options: MatchOptions
    verdict: MatchVerdict
    has_right_count: bool
    doubt: str = ""
    """Why runs may be missing, where with them a fail could be none: then nothing is failed."""

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
    references: Sequence[PreparedReference],
    given: Sequence[GivenRun],
    options: MatchOptions,
    *,
    doubt: str = "",
) -> Comparison:
    """Judge all runs.

    Args:
        references: What is expected.
        given: What ran.
        options: The options of the comparison; what those of a reference say of its own run holds there.
        doubt: Why runs may be missing, in words; empty where all are there.
    """
    picked = pick_runs(options.runs, len(given))
    wanted = references if options.runs == "strict" else list(references) * max(len(picked), 1)
    has_right_count = len(wanted) == len(picked)
    paired = list(enumerate(picked)) if has_right_count else align_runs(wanted, given)
    pairs = [
        judge_pair((at, index), wanted[at], PreparedRun(given[index], wanted[at].options))
        for at, index in paired
    ]
    prepared = {pair.index: pair.run for pair in pairs}
    runs = [prepared.get(index) or PreparedRun(run, options) for index, run in enumerate(given)]
    doubt = "" if has_right_count and options.runs in _CERTAIN else doubt
    verdict = _decide(pairs, runs, options.runs, has_right_count=has_right_count)
    return Comparison(
        references=wanted,
        runs=runs,
        pairs=pairs,
        options=options,
        verdict="not_evaluated" if doubt and verdict == "fail" else verdict,
        has_right_count=has_right_count,
        doubt=doubt,
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
