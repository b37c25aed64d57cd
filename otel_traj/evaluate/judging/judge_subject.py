"""A run or a thread against the reference that applies to it.

The comparison itself, and whether the data suffices for one, is the matching engine's; what is added here is the
demand for a manifest, and words for what could not be told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.evaluate.judging.choice import choose_reference
from otel_traj.evaluate.judging.verdict import DEFAULT_KEY, RESULTS_KEY
from otel_traj.match.explain.standing import say_problem
from otel_traj.match.values_in_words import show_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.evaluate.judging.choice import Choice
    from otel_traj.evaluate.judging.prepared_references import PreparedReferences
    from otel_traj.evaluate.judging.subject import Subject
    from otel_traj.evaluate.judging.verdict import Verdict
    from otel_traj.evaluate.references.reference import Reference
    from otel_traj.match import MatchOutcome
    from otel_traj.match.explain.result import ResultsOutcome
    from otel_traj.model import Run

__all__ = ["UNVERIFIED", "is_unverified", "judge_subject"]

UNVERIFIED: Final = (
    "no manifest of its recorder was met, so that spans may be missing (require-manifest is set)"
)

_MAX_CANDIDATES: Final = 10
"""References named in a comment; the metadata names all."""


def is_unverified(runs: Sequence[Run]) -> bool:
    """Return whether runs are whole as far as anyone knows, and one has no manifest that proves it."""
    return all(run.complete for run in runs) and not all(run.verified for run in runs)


def judge_subject(
    subject: Subject, known: PreparedReferences, *, require_manifest: bool = False
) -> tuple[list[Verdict], Choice]:
    """Judge a run or a thread.

    Args:
        subject: A run, complete or not, or a thread.
        known: All references.
        require_manifest: Judge it only where manifests were there and met.

    Returns:
        The verdict on the trajectory, that on the results, or both, as the reference asks for; one where none was
        chosen. And which references apply.
    """
    choice = choose_reference(subject.runs, known.of_threads if subject.is_thread else known.of_runs)
    if choice.reference is None:
        return [_leave_unchosen(subject, choice)], choice
    return _judge(subject, choice.reference, known, require_manifest=require_manifest), choice


def _judge(
    subject: Subject, reference: Reference, known: PreparedReferences, *, require_manifest: bool
) -> list[Verdict]:
    if require_manifest and is_unverified(subject.runs):
        return _leave_open(subject, reference, known, "unverified", UNVERIFIED)
    try:
        trajectory, results = known.judge(reference, subject.runs, subject.doubt)
    except (TrajectoryTypeError, TrajectoryValueError) as error:
        return _leave_open(subject, reference, known, "broken", f"the comparison broke: {error}")
    verdicts = []
    if known.says_trajectory(reference):
        verdicts.append(_make_verdict(subject, reference, DEFAULT_KEY, trajectory))
    if results is not None:
        verdicts.append(_make_verdict(subject, reference, RESULTS_KEY, results))
    return verdicts


def _make_verdict(
    subject: Subject, reference: Reference, key: str, outcome: MatchOutcome | ResultsOutcome
) -> Verdict:
    metadata: dict[str, Any] | None = None if outcome.metadata is None else dict(outcome.metadata)
    if metadata is not None and reference.thread is not None:
        metadata["references"] = list(reference.thread.runs)
    return subject.make_verdict(
        key,
        reference.name,
        outcome.verdict,
        score=outcome.score,
        comment=outcome.comment,
        metadata=metadata,
    )


def _leave_open(
    subject: Subject, reference: Reference, known: PreparedReferences, reason: str, comment: str
) -> list[Verdict]:
    """Return the same for each of what the reference expects."""
    keys = [DEFAULT_KEY] * known.says_trajectory(reference) + [RESULTS_KEY] * known.says_results(reference)
    return [
        subject.make_verdict(
            key,
            reference.name,
            "not_evaluated",
            score=None,
            comment=comment,
            metadata={"verdict": "not_evaluated", "reason": reason, "candidates": []},
        )
        for key in keys
    ]


def _leave_unchosen(subject: Subject, choice: Choice) -> Verdict:
    reason, comment = _explain_no_choice(subject, choice)
    return subject.make_verdict(
        DEFAULT_KEY,
        None,
        "not_evaluated",
        score=None,
        comment=comment,
        metadata={"verdict": "not_evaluated", "reason": reason, "candidates": list(choice.candidates)},
        candidates=choice.candidates,
    )


def _explain_no_choice(subject: Subject, choice: Choice) -> tuple[str, str]:
    """Return the reason in a word and in a sentence."""
    candidates = [show_value(name) for name in choice.candidates]
    hidden = len(candidates) - _MAX_CANDIDATES
    names = ", ".join(candidates[:_MAX_CANDIDATES]) + (f" and {hidden} more" if hidden > 0 else "")
    if choice.possible:
        lost = next(filter(None, map(say_problem, subject.runs)), "its input was not recorded")
        return "undecided", f"which reference applies can't be told (perhaps {names}): {lost}"
    if choice.applying:
        words = f"{len(choice.applying)} references apply, {names}: narrow their applies_to until one does"
        return "ambiguous", words
    run = subject.runs[0]
    facts = (("graph", run.graph), ("case", run.case), ("thread", run.thread_id))
    known = ", ".join(f"{word} {show_value(value)}" for word, value in facts if value is not None)
    return "no_reference", f"no reference applies to {known or 'this run'}"
