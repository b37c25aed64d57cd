"""References loaded, checked and compiled, before anything of a source is read.

Those of runs and those of threads are kept apart, for each kind is chosen among its own. What a program makes by
hand is held to what a file is held to, so that a wrong reference is an error now and not a verdict on each run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, get_args

from msgspec import Struct

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.evaluate.references.engine_words import ENGINE_ERRORS
from otel_traj.evaluate.references.file import load_references
from otel_traj.evaluate.references.matcher import PARTS, prepare
from otel_traj.evaluate.references.reference import ExpectedThread, Reference
from otel_traj.match import RunsMode, TrajectoryMatcher
from otel_traj.match.thread_matcher import ThreadMatcher
from otel_traj.match.values_in_words import describe_value

if TYPE_CHECKING:
    from otel_traj.match import MatchOutcome
    from otel_traj.match.explain.result import ResultsOutcome
    from otel_traj.model import Run

__all__ = ["PreparedReferences", "prepare_references"]


class PreparedReferences(Struct, frozen=True, kw_only=True):
    """All references of an evaluation, names distinct."""

    all: Sequence[Reference]
    """In the order given."""
    of_runs: Sequence[Reference]
    of_threads: Sequence[Reference]
    matchers: Mapping[str, TrajectoryMatcher]
    """Of runs, by name."""
    thread_matchers: Mapping[str, ThreadMatcher]
    """Of threads, by name."""

    def list_named(self, reference: Reference) -> list[Reference]:
        """Return the references of runs that one of a thread names, in its order; of a run, itself."""
        if reference.thread is None:
            return [reference]
        known = {each.name: each for each in self.of_runs}
        return [known[name] for name in reference.thread.runs]

    def says_trajectory(self, reference: Reference) -> bool:
        """Return whether anything but results is expected."""
        named = self.list_named(reference)
        return any(getattr(each, part) is not None for each in named for part in PARTS)

    def says_results(self, reference: Reference) -> bool:
        """Return whether results are expected."""
        named = self.list_named(reference)
        return any(each.results is not None and each.results.mode != "ignore" for each in named)

    def judge(
        self, reference: Reference, runs: Sequence[Run], doubt: str
    ) -> tuple[MatchOutcome, ResultsOutcome | None]:
        """Compare a run, or the runs of a thread.

        Args:
            reference: One of these.
            runs: The run; of a thread all its runs, by start.
            doubt: Why runs of the thread may be missing; empty where all are there.

        Raises:
            TrajectoryTypeError: The comparison broke.
            TrajectoryValueError: Likewise.
        """
        if reference.thread is None:
            return self.matchers[reference.name].judge(runs, is_rich=False)
        return self.thread_matchers[reference.name].judge(runs, doubt=doubt)


def prepare_references(
    references: str | os.PathLike[str] | Iterable[Reference] | None,
) -> PreparedReferences:
    """Load, check and compile references.

    Args:
        references: A reference file, or references; None: none at all.

    Raises:
        InvalidReferenceError: They are not valid, or there is none in what was given.
        TrajectoryTypeError: Something is of a wrong type.
        TrajectoryValueError: An option of a reference is not allowed.
    """
    known = [] if references is None else _load(references)
    of_runs = [each for each in known if each.thread is None]
    of_threads = [each for each in known if each.thread is not None]
    matchers = {each.name: _prepare_run(each) for each in of_runs}
    return PreparedReferences(
        all=known,
        of_runs=of_runs,
        of_threads=of_threads,
        matchers=matchers,
        thread_matchers={each.name: _prepare_thread(each, matchers) for each in of_threads},
    )


def _load(references: str | os.PathLike[str] | Iterable[Reference]) -> list[Reference]:
    if isinstance(references, str | os.PathLike):
        return load_references(references)
    if not isinstance(references, Iterable):
        words = f"references is {describe_value(references)}, and nothing can be judged by it"
        raise TrajectoryTypeError(f"{words}; give a reference file, or a list of Reference")
    known = list(references)
    if not known:
        raise InvalidReferenceError("there is no reference, so nothing can be judged; give at least one")
    for each in known:
        _check_type(each)
    names = [reference.name for reference in known]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        message = f"two references are named {twice!r}; verdicts name their reference, so names must differ"
        raise InvalidReferenceError(message)
    return known


def _check_type(reference: object) -> None:
    if not isinstance(reference, Reference):
        words = f"a reference is {describe_value(reference)}, and nothing can be compared with it"
        raise TrajectoryTypeError(f"{words}; give records of Reference, which load_references makes")


def _prepare_run(reference: Reference) -> TrajectoryMatcher:
    says = [part for part in (*PARTS, "results") if getattr(reference, part) is not None]
    if says == ["steps"] and not reference.steps:
        message = f"steps of {reference.name!r} are empty, so only a run in which nothing ran would pass"
        raise InvalidReferenceError(f"{message}; name at least one superstep")
    try:
        return prepare(reference)
    except ENGINE_ERRORS as error:
        raise type(error)(f"reference {reference.name!r}: {error}") from error


def _prepare_thread(reference: Reference, matchers: Mapping[str, TrajectoryMatcher]) -> ThreadMatcher:
    where, thread = f"reference {reference.name!r}", reference.thread
    if not isinstance(thread, ExpectedThread) or isinstance(thread.runs, str):
        raise TrajectoryTypeError(
            f"{where}: its thread is {describe_value(thread)}, which names no runs; give an ExpectedThread with a tuple"
            f" of names"
        )
    if thread.mode not in get_args(RunsMode):
        allowed = ", ".join(get_args(RunsMode))
        raise TrajectoryValueError(
            f"{where}: its thread has the mode {thread.mode!r}, by which nothing can be compared; give one of {allowed}"
        )
    beside = [part for part in (*PARTS, "results") if getattr(reference, part) is not None]
    if beside:
        raise InvalidReferenceError(
            f"{where} has {', '.join(beside)} beside its thread, which nothing would be compared with; write them in the"
            f" references that the thread names"
        )
    unknown = [name for name in thread.runs if name not in matchers]
    if unknown or not thread.runs:
        found = ", ".join(map(repr, unknown)) or "nothing"
        raise InvalidReferenceError(
            f"{where}: its thread names {found}, which is no reference of runs; give the names of such references"
        )
    try:
        return ThreadMatcher([matchers[name] for name in thread.runs], runs=thread.mode)
    except InvalidReferenceError as error:
        raise InvalidReferenceError(f"{where}: {error}") from error
