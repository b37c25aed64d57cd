"""What a verdict is about: one run, or a thread with all its runs.

A thread is judged whole or not at all, so that a selection never changes a verdict, only which ones are given: where
it takes a part of a thread's runs, the thread is no subject. Whether runs of a thread are missing can't be seen in the
runs that are there, so that whatever may have taken one away is put into words, and nothing is failed for its number
of runs then. LangGraph counts supersteps over a thread where a checkpointer keeps it: a thread that begins late, or
leaps, has lost runs (seen with langgraph 1.2.24: after superstep 2 the next input's first nodes are superstep 5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from otel_traj.evaluate.judging.choice import FACTS_MAY_BE_LOST
from otel_traj.evaluate.judging.verdict import Verdict
from otel_traj.match.names import show_name
from otel_traj.model import Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.evaluate.judging.verdict import VerdictWord

__all__ = ["Subject", "cut_threads", "list_threads"]

_LEAP: Final = 6
"""Superstep numbers from the last of a run to the first of the next between which a whole run can have stood: an input
takes three, a run at least one more, and values that the program itself puts into the state one each."""


class Subject(Struct, frozen=True, kw_only=True):
    """What is judged."""

    runs: tuple[Run, ...]
    """The run; of a thread all that are known, by start."""
    is_thread: bool = False
    doubt: str = ""
    """Of a thread: why runs of it may be missing, in words; empty where nothing says so."""

    @property
    def thread_id(self) -> str | None:
        """Id of the thread, or of the run's thread."""
        return self.runs[0].thread_id

    def make_verdict(
        self,
        key: str,
        reference: str | None,
        verdict: VerdictWord,
        *,
        score: bool | float | None,
        comment: str | None,
        metadata: dict[str, Any] | None,
        candidates: tuple[str, ...] = (),
    ) -> Verdict:
        """Return a verdict about it."""
        return Verdict(
            key=key,
            run_id=None if self.is_thread else self.runs[0].run_id,
            thread_id=self.thread_id,
            reference=reference,
            verdict=verdict,
            score=score,
            comment=comment,
            metadata=metadata,
            run_ids=tuple(run.run_id for run in self.runs) if self.is_thread else None,
            runs=self.runs,
            candidates=candidates,
        )


def list_threads(runs: Sequence[Run], *, is_damaged: bool) -> list[Subject]:
    """Return the threads of all runs that are known, by the start of their first run.

    Args:
        runs: By start.
        is_damaged: Whether parts of the source could not be read.
    """
    threads: dict[str, list[Run]] = {}
    for run in runs:
        if run.thread_id is not None:
            threads.setdefault(run.thread_id, []).append(run)
    lost = next((run for run in runs if run.thread_id is None and _may_belong(run)), None)
    beyond = "runs of the thread may be missing: parts of the source could not be read" if is_damaged else ""
    if lost is not None and not beyond:
        beyond = f"runs of the thread may be missing: of run {show_name(lost.run_id)} it is not known which thread it is of"
    return [
        Subject(runs=tuple(each), is_thread=True, doubt=beyond or _find_leap(each))
        for each in threads.values()
    ]


def cut_threads(threads: Sequence[Subject], meant: Sequence[Run]) -> tuple[list[Subject], list[Subject]]:
    """Return the threads of which a selection takes all runs, and those of which it takes some.

    Args:
        threads: All threads.
        meant: The runs that it takes; the same objects.
    """
    taken = {id(run) for run in meant}
    counts = [(each, sum(id(run) in taken for run in each.runs)) for each in threads]
    whole = [each for each, count in counts if count == len(each.runs)]
    return whole, [each for each, count in counts if 0 < count < len(each.runs)]


def _may_belong(run: Run) -> bool:
    return any(problem.code in FACTS_MAY_BE_LOST for problem in run.problems)


def _find_leap(runs: Sequence[Run]) -> str:
    last = -_LEAP // 2 + 1
    for run in runs:
        numbers = list(_list_numbers(run))
        if not numbers:
            continue
        if min(numbers) - last >= _LEAP:
            return (
                f"runs of the thread may be missing: run {show_name(run.run_id)} begins with superstep {min(numbers)}"
                f" of the thread, which was at {max(last, 0)}"
            )
        last = max(last, *numbers)
    return ""


def _list_numbers(run: Run) -> Iterator[int]:
    for invocation in run.invocations:
        yield from invocation.supersteps
