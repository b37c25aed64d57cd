"""What the user's own evaluators are called, before anything is read: their verdicts have these keys.

A function is called what it calls itself, an object with `__call__` like its class. Names need not differ, and two
lambdas have none, so that whatever would be the same gets a number. The keys of verdicts by references stay theirs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from otel_traj.errors import TrajectoryTypeError
from otel_traj.evaluate.judging.verdict import DEFAULT_KEY, RESULTS_KEY
from otel_traj.match.values_in_words import describe_value
from otel_traj.model import Run
from otel_traj.rendering import clean_text

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["RESERVED_KEYS", "Evaluator", "name_evaluators", "tell_apart"]

Evaluator: TypeAlias = Callable[[Run], Any]
"""Called with one run; returns a bool, a number, a dict with a score, a list of such dicts, or an awaitable of these.
It reads the run, and changes nothing of it."""

RESERVED_KEYS: Final = (DEFAULT_KEY, RESULTS_KEY)
"""The keys of what references say."""


def name_evaluators(evaluators: object) -> dict[str, Evaluator]:
    """Return evaluators by their names, in their order; of two of one name the second is `name_2`.

    Args:
        evaluators: What the user gave.

    Raises:
        TrajectoryTypeError: They are no list, or one can't be called with a run.
    """
    if callable(evaluators) or not isinstance(evaluators, Iterable):
        words = f"evaluators is {describe_value(evaluators)}, which is no list of functions"
        raise TrajectoryTypeError(f"{words}; give a list, also of one: evaluators=[check]")
    named: dict[str, Evaluator] = {}
    for each in evaluators:
        _check(each)
        named[tell_apart(_name(each), {*RESERVED_KEYS, *named})] = each
    return named


def tell_apart(name: str, taken: Collection[str]) -> str:
    """Return the name, or `name_2`, `name_3`, ... where it is taken."""
    number, unique = 1, name
    while unique in taken:
        number += 1
        unique = f"{name}_{number}"
    return unique


def _check(evaluator: object) -> None:
    if not callable(evaluator):
        words = f"an evaluator is {describe_value(evaluator)}, which can't be called"
        raise TrajectoryTypeError(f"{words}; give functions of one run")
    try:
        signature = inspect.signature(evaluator)
    except (TypeError, ValueError):
        # What is written in C may not say what it takes.
        return
    try:
        signature.bind(None)
    except TypeError as error:
        raise TrajectoryTypeError(
            f"the evaluator {_name(evaluator)!r} can't be called with a run alone ({error}); give a function of one run"
        ) from None


def _name(evaluator: Callable[..., object]) -> str:
    while isinstance(evaluator, functools.partial):
        evaluator = evaluator.func
    name = getattr(evaluator, "__name__", None)
    if not isinstance(name, str):
        name = type(evaluator).__name__
    return clean_text(name).strip("<>") or "evaluator"
