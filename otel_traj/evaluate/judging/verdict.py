"""The records an evaluation ends in: a verdict per run, and the report that holds them.

A report is plain data and knows one form, its JSON: byte for byte the same for the same runs, so that two CI
jobs can be compared. Every other form (text, later JUnit XML and Markdown) is a function of `otel_traj.report`.
"""

from __future__ import annotations

import json
from typing import Any, Literal, TypeAlias, TypedDict

from msgspec import Struct

from otel_traj.model import Run, SourceProblem

__all__ = [
    "DEFAULT_KEY",
    "RESULTS_KEY",
    "ExitCode",
    "Report",
    "Summary",
    "Verdict",
    "VerdictWord",
    "has_no_reference",
]

DEFAULT_KEY = "graph_trajectory_match"
RESULTS_KEY = f"{DEFAULT_KEY}_results"

VerdictWord: TypeAlias = Literal["pass", "fail", "not_evaluated"]
ExitCode: TypeAlias = Literal[0, 1, 2]

_JSON_VERSION = 1


class Verdict(Struct, frozen=True, kw_only=True):
    """What was found about one run, or about the runs of one thread."""

    run_id: str | None
    """None where it is about a thread."""
    thread_id: str | None
    reference: str | None
    """Name of the reference it was compared with; None where none was chosen, and for an evaluator of the user's."""
    verdict: VerdictWord
    score: bool | float | None
    """None where it was not evaluated; a number only from an evaluator of the user's."""
    comment: str | None
    """Why it failed or was not evaluated, one or more lines; None for a pass, where no evaluator says something."""
    metadata: dict[str, Any] | None
    """JSON-ready details of a fail, or of what was not evaluated; None for a pass by a reference; an evaluator's own."""
    key: str = DEFAULT_KEY
    run_ids: tuple[str, ...] | None = None
    """Of a thread: its runs, by start. None where it is about one run."""
    runs: tuple[Run, ...] = ()
    """What was judged: one run, or those of a thread. For reports, not part of the JSON."""
    candidates: tuple[str, ...] = ()
    """Where none was chosen: the references that apply or might; empty where none does. Not part of the JSON
    (the metadata names them)."""

    def __repr__(self) -> str:
        """Return what was found about what: the runs are long, and may hold content that no log should."""
        about = f"run {self.run_id}" if self.run_ids is None else f"thread {self.thread_id!r}"
        return f"<Verdict {self.verdict} on {about} by {self.reference or self.key!r}: {self.comment!r}>"


def has_no_reference(verdict: Verdict) -> bool:
    """Return whether no reference was there to judge by, which is no fault of the run.

    Args:
        verdict: Any; an evaluator of the user's has no reference either, but never this key.
    """
    return verdict.reference is None and not verdict.candidates and verdict.key == DEFAULT_KEY


class Summary(TypedDict):
    """Counts of verdicts; names of the references that no run met."""

    passed: int
    failed: int
    not_evaluated: int
    without_reference: int
    """Runs that no reference applies to; they count in `not_evaluated` too."""
    unmet_references: list[str]


class Report(Struct, frozen=True, kw_only=True):
    """The verdicts on all runs of a source, and what they come to."""

    verdicts: list[Verdict]
    """Those on runs by their start, of each run by its reference, then by the evaluators; then those on threads."""
    summary: Summary
    exit_code: ExitCode
    """0 everything that had to be judged passed, 1 at least one fail, 2 could not tell."""
    exit_reasons: list[str]
    """Why the exit code is not 0, the decisive reasons first; empty for 0."""
    source_problems: list[SourceProblem]
    """What of the source could not be used, in its order."""
    hints: list[str] = []
    """What may be behind a reference or selection that no run met, and which threads were not judged; not part of
    the JSON."""

    def __repr__(self) -> str:
        """Return the counts and the exit code; `report.verdicts` has the rest."""
        return f"<Report {dict(self.summary)!r}, exit code {self.exit_code}>"

    def to_json(self) -> str:
        """Return the report as JSON text, without a newline at the end.

        Returns:
            `{"version": 1, "summary": {...}, "verdicts": [...]}` in ASCII, keys in a fixed order, one verdict
            per line.
        """
        summary = json.dumps(self.summary)
        verdicts = ",\n".join(json.dumps(_to_plain(verdict)) for verdict in self.verdicts)
        body = f"[\n{verdicts}\n]" if verdicts else "[]"
        return f'{{"version": {_JSON_VERSION}, "summary": {summary}, "verdicts": {body}}}'


def _to_plain(verdict: Verdict) -> dict[str, Any]:
    threads = {} if verdict.run_ids is None else {"run_ids": list(verdict.run_ids)}
    return {
        "key": verdict.key,
        "run_id": verdict.run_id,
        **threads,
        "thread_id": verdict.thread_id,
        "reference": verdict.reference,
        "verdict": verdict.verdict,
        "score": verdict.score,
        "comment": verdict.comment,
        "metadata": verdict.metadata,
    }
