"""One run against the reference that applies to it.

The comparison itself, and whether a run's data suffices for one, is the matching engine's; what is added here is
the choice of the reference, the demand for a manifest, and words for what could not be told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.evaluate.choice import choose_reference
from otel_traj.evaluate.verdict import Verdict
from otel_traj.match import MatchOutcome, TrajectoryMatcher
from otel_traj.match.explain.standing import say_problem
from otel_traj.match.values_in_words import show_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otel_traj.evaluate.choice import Choice
    from otel_traj.evaluate.reference import Reference
    from otel_traj.model import Run

__all__ = ["judge_run", "prepare"]

_MAX_CANDIDATES: Final = 10
"""References named in a comment; the metadata names all."""


def prepare(reference: Reference) -> TrajectoryMatcher:
    """Return what compares runs with a reference, by the reference's own options.

    Raises:
        InvalidReferenceError: The reference can't be compared with.
        TrajectoryTypeError: Something of it is of the wrong type.
        TrajectoryValueError: An option of it is not allowed.
    """
    parts = ("steps", "any_of", "rules", "model_calls")
    expected = {part: getattr(reference, part) for part in parts if getattr(reference, part) is not None}
    results = reference.results
    if results is not None:
        expected["results"] = results.value
    return TrajectoryMatcher(
        expected,
        level=reference.level,
        depth=reference.depth,
        status=reference.status,
        trajectory_mode=reference.trajectory_mode,
        step_mode=reference.step_mode,
        duplicates=reference.duplicates,
        args=reference.args,
        ignore=reference.ignore,
        results="ignore" if results is None else results.mode,
    )


def judge_run(
    run: Run,
    references: Sequence[Reference],
    matchers: Mapping[str, TrajectoryMatcher],
    *,
    require_manifest: bool,
) -> tuple[Verdict, Choice]:
    """Return the verdict on a run, and which references apply to it.

    Args:
        run: The run, complete or not.
        references: All references, names distinct.
        matchers: By the name of the reference, what compares with it.
        require_manifest: Judge it only where a manifest was there and met.
    """
    choice = choose_reference(run, references)
    reference = choice.reference
    if reference is None:
        return _not_evaluated(run, choice, *_explain_no_choice(run, choice)), choice
    if require_manifest and run.complete and not run.verified:
        words = "no manifest of its recorder was met, so that spans may be missing (require-manifest is set)"
        return _not_evaluated(run, choice, "unverified", words), choice
    try:
        outcome = _judge(run, matchers[reference.name])
    except (TrajectoryTypeError, TrajectoryValueError) as error:
        return _not_evaluated(run, choice, "broken", f"the comparison broke: {error}"), choice
    metadata = None if outcome.metadata is None else dict(outcome.metadata)
    verdict = Verdict(
        run_id=run.run_id,
        thread_id=run.thread_id,
        reference=reference.name,
        verdict=outcome.verdict,
        score=outcome.score,
        comment=outcome.comment,
        metadata=metadata,
        runs=(run,),
    )
    return verdict, choice


def _judge(run: Run, matcher: TrajectoryMatcher) -> MatchOutcome:
    outcome, _ = matcher.judge(run, is_rich=False)
    return outcome


def _not_evaluated(run: Run, choice: Choice, reason: str, comment: str) -> Verdict:
    candidates = () if choice.reference else choice.applying + choice.possible
    return Verdict(
        run_id=run.run_id,
        thread_id=run.thread_id,
        reference=choice.reference.name if choice.reference else None,
        verdict="not_evaluated",
        score=None,
        comment=comment,
        metadata={"verdict": "not_evaluated", "reason": reason, "candidates": list(candidates)},
        runs=(run,),
        candidates=candidates,
    )


def _explain_no_choice(run: Run, choice: Choice) -> tuple[str, str]:
    """Return the reason in a word and in a sentence."""
    candidates = [show_value(name) for name in choice.applying + choice.possible]
    hidden = len(candidates) - _MAX_CANDIDATES
    names = ", ".join(candidates[:_MAX_CANDIDATES]) + (f" and {hidden} more" if hidden > 0 else "")
    if choice.possible:
        lost = say_problem(run) or "its input was not recorded"
        return "undecided", f"which reference applies can't be told (perhaps {names}): {lost}"
    if choice.applying:
        words = f"{len(choice.applying)} references apply, {names}: narrow their applies_to until one does"
        return "ambiguous", words
    facts = (("graph", run.graph), ("case", run.case), ("thread", run.thread_id))
    known = ", ".join(f"{word} {show_value(value)}" for word, value in facts if value is not None)
    return "no_reference", f"no reference applies to {known or 'this run'}"
