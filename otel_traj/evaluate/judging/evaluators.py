"""The user's own evaluators asked about runs, plain functions and asynchronous ones.

An evaluator is asked only about runs of which nothing is missing: it sees a plain record, and can't know that a tool
call which is not there was lost on the way. What it raises is no verdict on the agent. Of an exception its type and
its place in the evaluator are told, not its text, which may hold what was recorded.
"""

from __future__ import annotations

import asyncio
import inspect
import traceback
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from otel_traj.evaluate.judging.answer_waiter import AnswerWaiter
from otel_traj.evaluate.judging.answers import leave_open, read_answers
from otel_traj.evaluate.judging.evaluator_names import RESERVED_KEYS, tell_apart
from otel_traj.evaluate.judging.judge_subject import UNVERIFIED, is_unverified
from otel_traj.evaluate.judging.subject import Subject
from otel_traj.match.explain.standing import is_incomplete, say_incomplete
from otel_traj.match.names import show_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otel_traj.evaluate.judging.answers import Answer
    from otel_traj.evaluate.judging.evaluator_names import Evaluator
    from otel_traj.evaluate.judging.verdict import Verdict
    from otel_traj.model import Run

__all__ = ["ask_evaluators"]

_NOT_THE_EVALUATOR: Final = (str(PurePath(__file__).parent), str(PurePath(asyncio.__file__).parent))
"""Folders of what stands between us and the evaluator."""


def ask_evaluators(
    evaluators: Mapping[str, Evaluator], runs: Sequence[Run], *, require_manifest: bool
) -> list[list[Verdict]]:
    """Ask every evaluator about every run.

    Args:
        evaluators: By name.
        runs: The runs, complete or not.
        require_manifest: Ask only about runs that a manifest proves to be complete.

    Returns:
        Beside the runs: the verdicts, in the order of the evaluators. No two of a run have the same key.
    """
    with AnswerWaiter() as waiter:
        return [_ask_about(run, evaluators, waiter, require_manifest=require_manifest) for run in runs]


def _ask_about(
    run: Run, evaluators: Mapping[str, Evaluator], waiter: AnswerWaiter, *, require_manifest: bool
) -> list[Verdict]:
    subject, taken = Subject(runs=(run,)), set(RESERVED_KEYS)
    missing = _find_missing(run, require_manifest=require_manifest)
    verdicts: list[Verdict] = []
    for name, evaluator in evaluators.items():
        answers = [leave_open(name, *missing)] if missing else _ask(name, evaluator, run, waiter)
        for answer in answers:
            key = tell_apart(answer.key, taken)
            taken.add(key)
            verdicts.append(
                subject.make_verdict(
                    key,
                    None,
                    answer.verdict,
                    score=answer.score,
                    comment=answer.comment,
                    metadata=answer.metadata,
                )
            )
    return verdicts


def _find_missing(run: Run, *, require_manifest: bool) -> tuple[str, str] | None:
    """Return why a run is not shown to evaluators, in a word and in a sentence."""
    if is_incomplete(run):
        return "incomplete", say_incomplete(run, "run")
    lost = next((problem.message for problem in run.problems if problem.code == "spans_missing"), None)
    if lost is not None:
        return "incomplete", f"run is incomplete (spans_missing): {lost}"
    return ("unverified", UNVERIFIED) if require_manifest and is_unverified([run]) else None


def _ask(name: str, evaluator: Evaluator, run: Run, waiter: AnswerWaiter) -> list[Answer]:
    try:
        returned = evaluator(run)
        if inspect.isawaitable(returned):
            returned = waiter.wait(returned)
        return read_answers(name, returned)
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - an evaluator is foreign code
        kind = show_name(type(error).__name__)
        words = f"the evaluator {show_name(name)} raised {kind}{_say_place(error)}, so nothing can be said"
        return [leave_open(name, "broken", f"{words}; mend it, or have it return False", error_type=kind)]


def _say_place(error: BaseException) -> str:
    """Return the line of the evaluator in which it was raised; the name of the file without its folders."""
    frames = traceback.extract_tb(error.__traceback__)
    place = next((each for each in frames if not each.filename.startswith(_NOT_THE_EVALUATOR)), None)
    return "" if place is None else f" ({show_name(PurePath(place.filename).name)}, line {place.lineno})"
