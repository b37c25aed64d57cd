"""From verdicts to an exit code: 0 all that had to be judged passed, 1 a fail, 2 could not tell.

A fail wins over 2: it is known, whatever else is not. `require_all` and `min_evaluated` are the user's own
demands, so that missing one is a fail as well, but not where there was nothing to hold them against: a source
without any run says nothing about references.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.evaluate.verdict import ExitCode, Summary, Verdict
    from otel_traj.model import SourceProblem, SourceProblemCode

__all__ = ["NOTHING_LOST", "Demands", "decide_exit", "summarise"]

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


def summarise(verdicts: Sequence[Verdict], unmet_references: list[str]) -> Summary:
    """Return the counts of the verdicts.

    Args:
        verdicts: One per run.
        unmet_references: Names of the references that applied to no run.
    """
    words = [verdict.verdict for verdict in verdicts]
    return {
        "passed": words.count("pass"),
        "failed": words.count("fail"),
        "not_evaluated": words.count("not_evaluated"),
        "without_reference": sum(_has_no_reference(verdict) for verdict in verdicts),
        "unmet_references": unmet_references,
    }


def decide_exit(
    summary: Summary, source_problems: Sequence[SourceProblem], demands: Demands, *, holds_runs: bool
) -> tuple[ExitCode, list[str]]:
    """Return the exit code and why it is not 0.

    Args:
        summary: The counts.
        source_problems: What of the source could not be used.
        demands: What must hold beside the verdicts.
        holds_runs: Whether the source holds any run, selected or not.

    Returns:
        The code, and the reasons in words: those of the code first, then the others that were met.
    """
    fails = list(_find_fails(summary, demands)) if holds_runs else []
    doubts = list(_find_doubts(summary, source_problems, demands, holds_runs=holds_runs))
    return (1 if fails else 2 if doubts else 0), fails + doubts


def _has_no_reference(verdict: Verdict) -> bool:
    return verdict.reference is None and not verdict.candidates


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _find_fails(summary: Summary, demands: Demands) -> Iterator[str]:
    if summary["failed"]:
        yield f"{_count(summary['failed'], 'run')} failed"
    if demands.require_all and summary["without_reference"]:
        yield f"no reference applies to {_count(summary['without_reference'], 'run')} (require-all is set)"
    if demands.require_all and summary["unmet_references"]:
        names = ", ".join(map(repr, summary["unmet_references"]))
        yield f"no run met the reference {names} (require-all is set)"
    judged = summary["passed"] + summary["failed"]
    if demands.min_evaluated is not None and judged < demands.min_evaluated:
        yield f"{_count(judged, 'run')} judged, at least {demands.min_evaluated} wanted (min-evaluated)"


def _find_doubts(
    summary: Summary, source_problems: Sequence[SourceProblem], demands: Demands, *, holds_runs: bool
) -> Iterator[str]:
    undecided = summary["not_evaluated"] - summary["without_reference"]
    if undecided:
        yield f"{_count(undecided, 'run')} could not be judged"
    is_damaged = any(problem.code not in NOTHING_LOST for problem in source_problems)
    if is_damaged and not demands.allow_unreadable:
        yield "parts of the source could not be read (allow-unreadable accepts this)"
    if not holds_runs:
        yield "the source holds no run"
    elif not summary["passed"] + summary["failed"]:
        yield "no run was judged"
