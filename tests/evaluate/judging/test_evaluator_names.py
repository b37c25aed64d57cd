"""What evaluators are called, and what is refused as one."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

from otel_traj import TrajectoryMatcher, TrajectoryTypeError
from otel_traj.evaluate.judging.evaluator_names import name_evaluators

if TYPE_CHECKING:
    from otel_traj import Run


def _check(run: Run) -> bool:
    return run.complete


async def _wait(run: Run) -> bool:
    return run.complete


class _Judge:
    def __call__(self, run: Run) -> bool:
        return run.complete

    def tone(self, run: Run, *, strict: bool = True) -> bool:
        return strict and run.complete


def _compare(run: Run, limit: int) -> bool:
    return len(run.tasks) < limit


def test_an_evaluator_is_called_what_it_calls_itself() -> None:
    """Functions, coroutines and methods have names; an object has its class's, a partial that of its function."""
    evaluators: list[Any] = [_check, _wait, _Judge(), _Judge().tone, functools.partial(_compare, limit=3)]
    assert list(name_evaluators(evaluators)) == ["_check", "_wait", "_Judge", "tone", "_compare"]


def test_names_are_told_apart() -> None:
    """Two of one name, and all lambdas, are numbered; keys of references are never taken."""
    first, second = (lambda _run: True), (lambda _run: False)
    matcher: Any = TrajectoryMatcher([["a"]])
    results: Any = TrajectoryMatcher([["a"]], key="graph_trajectory_match_results")
    named = name_evaluators([_check, _check, first, second, _check, matcher, results])
    assert list(named) == [
        "_check",
        "_check_2",
        "lambda",
        "lambda_2",
        "_check_3",
        "graph_trajectory_match_2",
        "graph_trajectory_match_results_2",
    ]
    assert named["lambda_2"] is second


def test_a_name_of_nothing_is_replaced() -> None:
    """An object whose name is empty or no text is called like its class."""
    judge = _Judge()
    judge.__name__ = ""  # type: ignore[attr-defined]
    assert list(name_evaluators([judge])) == ["evaluator"]
    judge.__name__ = 3  # type: ignore[attr-defined]
    assert list(name_evaluators([judge])) == ["_Judge"]


@pytest.mark.parametrize(
    ("evaluators", "words"),
    [
        (_check, "which is no list of functions; give a list, also of one: evaluators="),
        (None, "evaluators is None, which is no list"),
        (3, "evaluators is 3 of type int"),
        ("check", "an evaluator is 'c' of type str, which can't be called"),
        ([_check, "check"], "an evaluator is 'check' of type str"),
        (
            [_compare],
            r"the evaluator '_compare' can't be called with a run alone \(missing a required argument: 'limit'\)",
        ),
        ([lambda: True], "can't be called with a run alone"),
    ],
)
def test_what_can_t_be_asked_is_refused(evaluators: object, words: str) -> None:
    """A mistake in the evaluators is an error at once, and not a verdict on each run."""
    with pytest.raises(TrajectoryTypeError, match=words):
        name_evaluators(evaluators)


def test_what_does_not_say_what_it_takes_is_not_refused() -> None:
    """A callable without a signature that can be read may be a good one."""
    assert list(name_evaluators([bool])) == ["bool"]
