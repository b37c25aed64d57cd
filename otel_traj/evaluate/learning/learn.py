"""References from runs that were good: what is committed once and judged by from then on.

A run teaches where it is whole and ended ok; of each graph and case every distinct trajectory stands once in its
reference, the commonest first. Supersteps are compared in any order inside, so two runs are alike where each of their
supersteps has the same names. What is learned is judged against the runs it was learned from before it is given out:
a reference that would not pass its own runs is a trap for whoever commits it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from otel_traj import semconv as sc
from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError
from otel_traj.evaluate.judging.judge_subject import judge_subject
from otel_traj.evaluate.judging.prepared_references import prepare_references
from otel_traj.evaluate.judging.subject import Subject
from otel_traj.evaluate.references.reference import AppliesTo, Reference
from otel_traj.evaluate.references.writer import write_references
from otel_traj.match.values_in_words import describe_value, show_value
from otel_traj.reconstruct import read_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from otel_traj.model import Run
    from otel_traj.sources import OnProblem

__all__ = ["Learned", "learn_references"]

_Case: TypeAlias = tuple[str, str | None]
"""Graph and case."""
_Trajectory: TypeAlias = tuple[tuple[str, ...], ...]

_TEACHES: Final = "a reference is learned from complete runs that ended ok"


class Learned(Struct, frozen=True, kw_only=True):
    """References, and what they were learned from."""

    references: list[Reference]
    """By graph, then case; empty where nothing could be learned."""
    runs_of: dict[str, int]
    """How many runs each was learned from, by its name."""
    left_out: list[str]
    """Which runs taught nothing and why, a sentence for each reason; empty where all did."""


def learn_references(
    source: object,
    *,
    name: str,
    on_problem: OnProblem | None = None,
    wait: float | None = None,
    **selection: Any,  # noqa: ANN401 - the keywords of `read_runs` that select, which it checks
) -> Learned:
    """Make references of the good runs of a source, one per graph and case.

    Args:
        source: Whatever `read_runs` takes.
        name: What the reference is named; where there are several, `name graph case`.
        on_problem: As in `read_runs`.
        wait: As in `read_runs`.
        **selection: Which runs: the keywords of `read_runs` that select.

    Returns:
        References that each of their own runs passes. With several distinct trajectories a reference has them as
        `any_of`, the commonest first. `source` names the traces.

    Raises:
        SourceError: The source can't be opened.
        TrajectoryTypeError: A name that is no text; anything of a type that can't be read.
        TrajectoryValueError: A keyword's value is not allowed.
    """
    _check_name(name)
    lessons = _Lessons()
    for run in read_runs(source, on_problem=on_problem, wait=wait, **selection):
        lessons.add(run)
    return lessons.learn(name)


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name:
        words = f"name is {describe_value(name)}, and verdicts tell the name of their reference; give a text"
        raise TrajectoryTypeError(words)


class _Lessons:
    """The runs of a source, sorted by what they are good for."""

    def __init__(self) -> None:
        self.runs: dict[_Case, list[Run]] = defaultdict(list)
        self.unfit: Counter[str] = Counter()

    def add(self, run: Run) -> None:
        reason = _find_reason_against(run)
        if reason is not None:
            self.unfit[reason] += 1
        elif run.graph is not None:
            self.runs[run.graph, run.case].append(run)

    def learn(self, name: str) -> Learned:
        self._leave_out_runs_without_case()
        cases = sorted(self.runs, key=lambda case: (case[0], case[1] or ""))
        names = _name_cases(name, cases)
        references = {
            case: _make_reference(each, case, self.runs[case])
            for case, each in zip(cases, names, strict=True)
        }
        for case, problem in list(self._find_broken(references)):
            del references[case]
            self.unfit[problem] += len(self.runs[case])
        return Learned(
            references=list(references.values()),
            runs_of={reference.name: len(self.runs[case]) for case, reference in references.items()},
            left_out=[f"{_count(number)} left out: {reason}" for reason, number in self.unfit.items()],
        )

    def _leave_out_runs_without_case(self) -> None:
        """A reference for them would apply to every run of the graph, those with a case too."""
        for graph in sorted({graph for graph, case in self.runs if case is not None}):
            without = self.runs.pop((graph, None), ())
            if without:
                reason = (
                    f"of the graph {show_value(graph)} others have a case and these have none; give them one"
                )
                self.unfit[reason] += len(without)

    def _find_broken(self, references: Mapping[_Case, Reference]) -> Iterator[tuple[_Case, str]]:
        """Yield the references that no file can hold, or that one of their own runs does not pass, with the reason."""
        for case, reference in references.items():
            reason = _find_fault(reference, self.runs[case])
            if reason is not None:
                yield case, reason


def _find_fault(reference: Reference, runs: Iterable[Run]) -> str | None:
    """Look at a reference alone, as no other one applies to its runs."""
    try:
        write_references([reference])
    except InvalidReferenceError as error:
        return str(error)
    known = prepare_references([reference])
    for run in runs:
        for verdict in judge_subject(Subject(runs=(run,)), known)[0]:
            if verdict.verdict != "pass":
                return f"the reference that run {verdict.run_id} teaches would not pass it: {verdict.comment}"
    return None


def _find_reason_against(run: Run) -> str | None:
    if not run.complete:
        return f"they are incomplete; {_TEACHES}"
    if run.status != "ok":
        return f"their status is {run.status}; {_TEACHES}"
    if run.graph is None:
        return "their graph is not known"
    return None if _list_supersteps(run) else "they ran no node"


def _list_supersteps(run: Run) -> list[list[str]]:
    return [list(names) for names in run.steps if names != [sc.START_NODE]]


def _make_reference(name: str, case: _Case, runs: Sequence[Run]) -> Reference:
    ways = _find_distinct(runs)
    return Reference(
        name=name,
        applies_to=AppliesTo(graph=case[0], case=case[1]),
        steps=ways[0] if len(ways) == 1 else None,
        any_of=ways if len(ways) > 1 else None,
        source=tuple(dict.fromkeys(trace_id for run in runs for trace_id in run.trace_ids)),
    )


def _find_distinct(runs: Iterable[Run]) -> list[list[list[str]]]:
    """Return each trajectory once, as the first run that had it shows it; the commonest first, then by its names."""
    firsts: dict[_Trajectory, list[list[str]]] = {}
    counts: Counter[_Trajectory] = Counter()
    for run in runs:
        steps = _list_supersteps(run)
        trajectory = tuple(tuple(sorted(names)) for names in steps)
        firsts.setdefault(trajectory, steps)
        counts[trajectory] += 1
    ordered = sorted(firsts, key=lambda trajectory: (-counts[trajectory], trajectory))
    return [firsts[trajectory] for trajectory in ordered]


def _name_cases(name: str, cases: Sequence[_Case]) -> Iterator[str]:
    """Yield a name per case, each once: a graph `a b` without a case is named like the case `b` of a graph `a`."""
    given: set[str] = set()
    for graph, case in cases:
        words = [name, graph, case] if len(cases) > 1 else [name]
        wanted = " ".join(word for word in words if word)
        number = 1
        unique = wanted
        while unique in given:
            number += 1
            unique = f"{wanted} ({number})"
        given.add(unique)
        yield unique


def _count(number: int) -> str:
    return "1 run" if number == 1 else f"{number:,} runs"
