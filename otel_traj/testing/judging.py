"""The verdicts on the runs of a test: by what the test itself expects, or by the references of a file.

Both give the same records, so that what is told of them (the message of the assertion, pytest's report, LangSmith)
is written once. A test is stricter than a gate: a run that no reference applies to is *not evaluated* there too, but
passes by; here nothing that was recorded may go unjudged.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import structs

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError
from otel_traj.evaluate import AppliesTo, Verdict, evaluate_runs, load_references
from otel_traj.match import TrajectoryMatcher
from otel_traj.match.values_in_words import show_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from opentelemetry.sdk.trace import ReadableSpan

    from otel_traj.evaluate import Reference
    from otel_traj.evaluate.judging.verdict import VerdictWord
    from otel_traj.match import References
    from otel_traj.match.options import GivenOptions
    from otel_traj.model import Run

__all__ = ["choose_references", "judge_by_references", "judge_expected", "make_verdict", "read_references"]

_MAX_NAMES = 10
_NO_REFERENCES = (
    "there are no references to judge by; give a file with RunRecorder(references=...), in pytest with the option "
    "--otel-traj-references FILE or the line otel_traj_references of its configuration"
)


def read_references(given: str | os.PathLike[str] | Iterable[Reference] | None) -> list[Reference]:
    """Return the references of a file, or those given; none where nothing is.

    Raises:
        InvalidReferenceError: The file can't be read or is not valid.
    """
    if given is None:
        return []
    return load_references(given) if isinstance(given, str | os.PathLike) else list(given)


def choose_references(references: Sequence[Reference], name: str | None) -> list[Reference]:
    """Return what runs are judged by: all references, or a named one, whatever runs it is for.

    Args:
        references: Those that there are.
        name: The one that is meant; None leaves the choice to their `applies_to`.

    Returns:
        At least one; a reference of threads is followed by those that it names.

    Raises:
        InvalidReferenceError: There is none, or none of that name.
        TrajectoryTypeError: The name is no string.
    """
    if name is not None and not isinstance(name, str):
        raise TrajectoryTypeError(
            f"a reference is named by a string, and {show_value(name)} is none; give its name"
        )
    if not references:
        raise InvalidReferenceError(_NO_REFERENCES)
    if name is None:
        return list(references)
    chosen = next((each for each in references if each.name == name), None)
    if chosen is None:
        names = ", ".join(show_value(each.name) for each in references[:_MAX_NAMES])
        more = f" and {len(references) - _MAX_NAMES} more" if len(references) > _MAX_NAMES else ""
        raise InvalidReferenceError(f"no reference is named {show_value(name)}; there are {names}{more}")
    named = () if chosen.thread is None else chosen.thread.runs
    others = [each for each in references if each.name in named]
    return [structs.replace(chosen, applies_to=AppliesTo()), *others]


def judge_by_references(
    spans: Sequence[ReadableSpan], references: Sequence[Reference], name: str | None
) -> list[Verdict]:
    """Return the verdicts on the runs of some spans.

    Args:
        spans: All spans of the runs; at least one.
        references: What `choose_references` returned.
        name: The one that is meant, whose verdicts alone are returned; None for all.
    """
    verdicts = evaluate_runs(spans, references=references).verdicts
    meant = [each for each in verdicts if name is None or each.reference == name]
    words = f"there is nothing that the reference {show_value(name)} is for"
    return meant or [make_verdict("not_evaluated", words)]


def judge_expected(runs: Sequence[Run], expected: References, options: GivenOptions) -> list[Verdict]:
    """Return the verdict on runs together, and a second one where results are compared.

    Raises:
        TrajectoryTypeError: `expected` is no reference, or an option of a wrong type.
        TrajectoryValueError: An option is not allowed.
        InvalidReferenceError: A reference can't be compared with.
    """
    if expected is None:
        raise TrajectoryTypeError("expected is None, and nothing can be compared with it; give a reference")
    matcher = TrajectoryMatcher(expected, **options)
    outcome, results = matcher.judge(runs, is_rich=False)
    key = matcher.options.key
    return [
        Verdict(
            key=name,
            run_id=runs[0].run_id if len(runs) == 1 else None,
            run_ids=None if len(runs) == 1 else tuple(run.run_id for run in runs),
            thread_id=runs[0].thread_id if len(runs) == 1 else None,
            reference=None,
            verdict=each.verdict,
            score=each.score,
            comment=each.comment,
            metadata=None if each.metadata is None else dict(each.metadata),
            runs=tuple(runs),
        )
        for name, each in ((key, outcome), (f"{key}_results", results))
        if each is not None
    ]


def make_verdict(word: VerdictWord, comment: str) -> Verdict:
    """Return the verdict where there is nothing to compare.

    Args:
        word: What it says.
        comment: Why.
    """
    return Verdict(
        run_id=None,
        thread_id=None,
        reference=None,
        verdict=word,
        score=False if word == "fail" else None,
        comment=comment,
        metadata={"verdict": word},
    )
