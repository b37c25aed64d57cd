"""Every run and every thread of an evaluation against its reference, and which references were met.

A run that no reference of runs applies to has no verdict of its own where a reference of threads judges its thread:
it is not without a reference. A reference is met by a run that it applies to, judged or not; one that a thread's
reference names also through the thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from otel_traj.evaluate.judging.choice import choose_reference
from otel_traj.evaluate.judging.judge_subject import judge_subject
from otel_traj.evaluate.judging.subject import Subject, cut_threads, list_threads
from otel_traj.evaluate.judging.verdict import Verdict
from otel_traj.match.values_in_words import show_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.evaluate.judging.choice import Choice
    from otel_traj.evaluate.judging.prepared_references import PreparedReferences
    from otel_traj.model import Run

__all__ = ["Judged", "judge_all", "lacks_runs"]

_MAX_NAMED = 3


class Judged(Struct, frozen=True, kw_only=True):
    """What references say of all runs."""

    of_runs: list[list[Verdict]]
    """Beside the runs that are meant; empty for one that only its thread is judged with."""
    of_threads: list[Verdict]
    """By the start of their first runs."""
    unmet: list[str]
    """Names of the references that no run met, in their order."""
    hints: list[str]
    """What else is to be said of threads."""


def judge_all(
    runs: Sequence[Run],
    meant: Sequence[Run],
    known: PreparedReferences,
    *,
    require_manifest: bool,
    is_damaged: bool,
) -> Judged:
    """Judge runs and threads.

    Args:
        runs: All that the source gave, by start.
        meant: Those of them that are selected, by start.
        known: All references; without any, nothing is said.
        require_manifest: Judge only what manifests prove to be complete.
        is_damaged: Whether parts of the source could not be read.
    """
    if not known.all:
        return Judged(of_runs=[[] for _ in meant], of_threads=[], unmet=[], hints=[])
    threads = list_threads(runs, is_damaged=is_damaged) if known.of_threads else []
    whole, cut = cut_threads(threads, meant)
    met: set[str] = set()
    covered: set[int] = set()
    of_threads: list[Verdict] = []
    for thread in whole:
        verdicts, choice = judge_subject(thread, known, require_manifest=require_manifest)
        if choice.candidates:
            of_threads += verdicts
            covered.update(map(id, thread.runs))
            met.update(_list_met(choice, known))
    of_runs: list[list[Verdict]] = []
    for run in meant:
        verdicts, choice = judge_subject(Subject(runs=(run,)), known, require_manifest=require_manifest)
        met.update(choice.applying)
        of_runs.append(verdicts if choice.candidates or id(run) not in covered else [])
    return Judged(
        of_runs=of_runs,
        of_threads=of_threads,
        unmet=[each.name for each in known.all if each.name not in met],
        hints=_say_cut([each for each in cut if choose_reference(each.runs, known.of_threads).candidates]),
    )


def lacks_runs(runs: Sequence[Run], *, known: PreparedReferences) -> bool:
    """Return whether a thread has fewer runs than its reference expects, of which the others may be late.

    Args:
        runs: All runs of some threads, by start.
        known: All references.
    """
    threads = list_threads(runs, is_damaged=False)
    chosen = [(each, choose_reference(each.runs, known.of_threads).reference) for each in threads]
    return any(
        reference.thread.mode == "strict" and len(thread.runs) < len(reference.thread.runs)
        for thread, reference in chosen
        if reference is not None and reference.thread is not None
    )


def _list_met(choice: Choice, known: PreparedReferences) -> Iterator[str]:
    """Yield the references that a thread meets, and those that they name."""
    for reference in known.of_threads:
        if reference.name in choice.applying:
            yield reference.name
            yield from (each.name for each in known.list_named(reference))


def _say_cut(threads: Sequence[Subject]) -> list[str]:
    if not threads:
        return []
    names = ", ".join(show_value(each.thread_id) for each in threads[:_MAX_NAMED])
    more = f" and {len(threads) - _MAX_NAMED} more" if len(threads) > _MAX_NAMED else ""
    them = "thread" if len(threads) == 1 else "threads"
    return [
        f"not judged as a thread, because only a part of its runs is selected: {them} {names}{more}; select by thread"
    ]
