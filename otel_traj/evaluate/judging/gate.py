"""From verdicts to an exit code: 0 all that had to be judged passed, 1 a fail, 2 could not tell.

A fail wins over 2: it is known, whatever else is not. `require_all` and `min_evaluated` are the user's own
demands, so that missing one is a fail as well, but not where there was nothing to hold them against: a source
without any run says nothing about references. A number of a user's own evaluator is no judgement: where there is
nothing else, nothing was judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.evaluate.judging.verdict import has_no_reference
from otel_traj.match.values_in_words import describe_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from otel_traj.evaluate.judging.verdict import ExitCode, Summary, Verdict
    from otel_traj.model import SourceProblem, SourceProblemCode

__all__ = ["NOTHING_LOST", "Demands", "decide_exit", "is_damaged", "make_demands", "summarise"]

NOTHING_LOST: frozenset[SourceProblemCode] = frozenset(("empty_source", "limit_reached"))
"""Problems of a source that hide no span of what was asked for."""


class Demands(Struct, frozen=True, kw_only=True):
    """What must hold beside the verdicts themselves."""

    require_all: bool = False
    """Every run has a reference, and every reference a run."""
    min_evaluated: int | None = None
    """So many runs must pass or fail."""
    allow_unreadable: bool = False
    """Accept that parts of the source could not be read."""
    require_manifest: bool = False
    """Judge only what a manifest proves to be complete."""


def make_demands(
    *, require_all: bool, min_evaluated: int | None, allow_unreadable: bool, require_manifest: bool
) -> Demands:
    """Return checked demands.

    Args:
        require_all: See `Demands`, and so are the others.
        min_evaluated: From 0, or None.
        allow_unreadable: True or False.
        require_manifest: True or False.

    Raises:
        TrajectoryTypeError: One is of a wrong type.
        TrajectoryValueError: `min_evaluated` counts nothing.
    """
    flags: dict[str, object] = {
        "require_all": require_all,
        "allow_unreadable": allow_unreadable,
        "require_manifest": require_manifest,
    }
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise TrajectoryTypeError(
                f"{name} is {describe_value(flag)}, which says neither yes nor no; give a bool"
            )
    number: object = min_evaluated
    if number is not None and (isinstance(number, bool) or not isinstance(number, int)):
        words = f"min_evaluated is {describe_value(number)}, which counts no runs; give a whole number"
        raise TrajectoryTypeError(words)
    if min_evaluated is not None and min_evaluated < 0:
        words = f"min_evaluated is {min_evaluated}, which counts no runs; give a number from 0"
        raise TrajectoryValueError(words)
    return Demands(
        require_all=require_all,
        min_evaluated=min_evaluated,
        allow_unreadable=allow_unreadable,
        require_manifest=require_manifest,
    )


def is_damaged(source_problems: Iterable[SourceProblem]) -> bool:
    """Return whether something of what was asked for could not be read."""
    return any(problem.code not in NOTHING_LOST for problem in source_problems)


def summarise(verdicts: Sequence[Verdict], unmet_references: list[str]) -> Summary:
    """Return the counts of the verdicts.

    Args:
        verdicts: All of them.
        unmet_references: Names of the references that no run met.
    """
    words = [verdict.verdict for verdict in verdicts]
    return {
        "passed": words.count("pass"),
        "failed": words.count("fail"),
        "not_evaluated": words.count("not_evaluated"),
        "without_reference": sum(map(has_no_reference, verdicts)),
        "unmet_references": unmet_references,
    }


def decide_exit(
    verdicts: Sequence[Verdict],
    unmet_references: Sequence[str],
    source_problems: Sequence[SourceProblem],
    demands: Demands,
    *,
    holds_runs: bool,
    selects_runs: bool,
) -> tuple[ExitCode, list[str]]:
    """Return the exit code and why it is not 0.

    Args:
        verdicts: All of them.
        unmet_references: Names of the references that no run met.
        source_problems: What of the source could not be used.
        demands: What must hold beside the verdicts.
        holds_runs: Whether the source holds any run, selected or not.
        selects_runs: Whether any of them is selected.

    Returns:
        The code, and the reasons in words: those of the code first, then the others that were met.
    """
    judged = _count_judged(verdicts)
    fails = list(_find_fails(verdicts, unmet_references, demands, judged)) if holds_runs else []
    doubts = list(_find_doubts(verdicts, source_problems, demands))
    if not holds_runs:
        doubts.append("the source holds no run")
    elif not selects_runs:
        doubts.append("no run meets the selection")
    elif not judged:
        doubts.append("no run was judged")
    return (1 if fails else 2 if doubts else 0), fails + doubts


def _count_judged(verdicts: Iterable[Verdict]) -> int:
    """Return how many runs passed or failed something, alone or as part of their thread."""
    return len({id(run) for each in verdicts if isinstance(each.score, bool) for run in each.runs})


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _count_subjects(verdicts: Iterable[Verdict]) -> str:
    """Return `2 runs and 1 thread`, each counted once, whatever is said of it; empty for none."""
    subjects = {(each.run_ids is not None, *map(id, each.runs)) for each in verdicts}
    threads = sum(is_thread for is_thread, *_ in subjects)
    counts = [(len(subjects) - threads, "run"), (threads, "thread")]
    return " and ".join(_count(number, noun) for number, noun in counts if number)


def _find_fails(
    verdicts: Sequence[Verdict], unmet_references: Sequence[str], demands: Demands, judged: int
) -> Iterator[str]:
    failed = _count_subjects(each for each in verdicts if each.verdict == "fail")
    if failed:
        yield f"{failed} failed"
    without = sum(map(has_no_reference, verdicts))
    if demands.require_all and without:
        yield f"no reference applies to {_count(without, 'run')} (require-all is set)"
    if demands.require_all and unmet_references:
        names = ", ".join(map(repr, unmet_references))
        yield f"no run met the reference {names} (require-all is set)"
    if demands.min_evaluated is not None and judged < demands.min_evaluated:
        yield f"{_count(judged, 'run')} judged, at least {demands.min_evaluated} wanted (min-evaluated)"


def _find_doubts(
    verdicts: Sequence[Verdict], source_problems: Sequence[SourceProblem], demands: Demands
) -> Iterator[str]:
    undecided = _count_subjects(
        each for each in verdicts if each.verdict == "not_evaluated" and not has_no_reference(each)
    )
    if undecided:
        yield f"{undecided} could not be judged"
    if is_damaged(source_problems) and not demands.allow_unreadable:
        yield "parts of the source could not be read (allow-unreadable accepts this)"
