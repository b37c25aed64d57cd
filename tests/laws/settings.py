"""How the laws are run: always the same random cases, unless the environment asks for others.

A failure prints the case whole, the seed, and a blob for `@reproduce_failure`.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any, TypeVar

import hypothesis
from hypothesis import HealthCheck

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SEED", "law"]

F = TypeVar("F", bound="Callable[..., object]")

SEED = int(os.environ.get("OTEL_TRAJ_LAWS_SEED", "20250101"))
"""Another number tries other cases."""
TIMES = float(os.environ.get("OTEL_TRAJ_LAWS_TIMES", "1"))
"""So many times the usual number of cases."""


def law(examples: int) -> Callable[[F], F]:
    """Return a decorator that tries so many cases, from the one seed."""

    def decorate(test: F) -> F:
        _note_seed(test)
        seeded = hypothesis.seed(SEED)(test)
        return hypothesis.settings(
            max_examples=int(examples * TIMES),
            deadline=None,
            database=None,
            print_blob=True,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        )(seeded)

    return decorate


def _note_seed(test: Any) -> None:  # noqa: ANN401 - what hypothesis makes of a function
    """Put the seed into what a failure of the test says."""
    inner = test.hypothesis.inner_test

    @functools.wraps(inner)
    def noted(*args: object, **named: object) -> object:
        hypothesis.note(f"The cases come of OTEL_TRAJ_LAWS_SEED={SEED}")
        return inner(*args, **named)

    test.hypothesis.inner_test = noted
