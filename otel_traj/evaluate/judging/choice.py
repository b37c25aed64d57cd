"""Which reference a run is compared with; never guessed.

One reference applies and nothing else could: that one. Anything else is no choice, with the candidates named.
Each condition has three answers, because a run whose graph-run span is lost says nothing about its graph, case,
tags or attributes: such a run may belong to a reference, and to call it "without a reference" would turn lost
telemetry into a pass. A reference of threads applies where it does to each of a thread's runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from otel_traj import semconv as sc
from otel_traj.evaluate.references.reference import Reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.evaluate.references.reference import AppliesTo
    from otel_traj.model import AttributeValue, ProblemCode, Run

__all__ = ["FACTS_MAY_BE_LOST", "Choice", "choose_reference"]

_Answer: TypeAlias = Literal["yes", "no", "unknown"]

FACTS_MAY_BE_LOST: frozenset[ProblemCode] = frozenset(
    ("root_missing", "beginning_missing", "key_missing", "key_cut", "unreadable", "partial_response")
)
"""Problems of a run that explain why a fact of its graph-run span is absent."""


class Choice(Struct, frozen=True, kw_only=True):
    """The outcome: one reference, or none and the reason."""

    reference: Reference | None = None
    applying: tuple[str, ...] = ()
    """Names of the references that apply for certain; the chosen one among them."""
    possible: tuple[str, ...] = ()
    """Names of those of which the recorded data does not say whether they apply."""

    @property
    def candidates(self) -> tuple[str, ...]:
        """All that apply or might."""
        return self.applying + self.possible


def choose_reference(runs: Sequence[Run], references: Sequence[Reference]) -> Choice:
    """Return the one reference that applies to a run or to all runs of a thread, or the candidates.

    Args:
        runs: The run, complete or not; or those of a thread.
        references: All references of runs, or all of threads; names distinct.

    Returns:
        A choice with `reference` set exactly where one applies and no other could.
    """
    answers = [
        (
            reference,
            _combine(answer for run in runs for answer in _answer_conditions(reference.applies_to, run)),
        )
        for reference in references
    ]
    applying = [reference for reference, answer in answers if answer == "yes"]
    possible = [reference.name for reference, answer in answers if answer == "unknown"]
    return Choice(
        reference=applying[0] if len(applying) == 1 and not possible else None,
        applying=tuple(reference.name for reference in applying),
        possible=tuple(possible),
    )


def _combine(answers: Iterator[_Answer]) -> _Answer:
    """All conditions must hold: one "no" decides, then one "unknown"."""
    combined: _Answer = "yes"
    for answer in answers:
        if answer == "no":
            return "no"
        if answer == "unknown":
            combined = "unknown"
    return combined


def _answer_conditions(applies_to: AppliesTo, run: Run) -> Iterator[_Answer]:
    """A subgraph's run that stands on top has lost its caller, whose graph is the one that is asked for."""
    is_lossy = any(problem.code in FACTS_MAY_BE_LOST for problem in run.problems)
    is_orphan = run.parent_task_id is not None
    for wanted, found in (
        (applies_to.graph, None if is_orphan else run.graph),
        (applies_to.case, run.case),
        (applies_to.thread, run.thread_id),
    ):
        if wanted is not None:
            yield _compare(wanted, found, is_lossy=is_lossy)
    for key, value in applies_to.attributes.items():
        yield _compare(value, run.attributes.get(key), is_lossy=is_lossy)
    if applies_to.tags:
        yield _answer_tags(applies_to.tags, run.attributes.get(sc.TAGS), is_lossy=is_lossy)
    if applies_to.inputs is not None:
        yield _answer_inputs(applies_to.inputs, run.inputs)


def _compare(wanted: AttributeValue, found: AttributeValue, *, is_lossy: bool) -> _Answer:
    if found is None and is_lossy:
        return "unknown"
    return "yes" if _is_equal(wanted, found) else "no"


def _answer_tags(wanted: tuple[str, ...], found: AttributeValue, *, is_lossy: bool) -> _Answer:
    if found is None and is_lossy:
        return "unknown"
    return (
        "yes"
        if isinstance(found, list) and set(wanted) <= {tag for tag in found if isinstance(tag, str)}
        else "no"
    )


def _answer_inputs(wanted: AttributeValue, found: AttributeValue) -> _Answer:
    """Without recorded content nothing is known about the input."""
    if found is None:
        return "unknown"
    return "yes" if _contains(found, wanted) else "no"


def _contains(found: AttributeValue, wanted: AttributeValue) -> bool:
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(key in found and _contains(found[key], value) for key, value in wanted.items())
    return _is_equal(wanted, found)


def _is_equal(wanted: AttributeValue, found: AttributeValue) -> bool:
    """Compare as JSON does: true is not 1, but 1 is 1.0."""
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(map(_is_equal, wanted, found))
    if isinstance(wanted, dict) and isinstance(found, dict):
        return wanted.keys() == found.keys() and all(_is_equal(wanted[key], found[key]) for key in wanted)
    return isinstance(wanted, bool) == isinstance(found, bool) and wanted == found
