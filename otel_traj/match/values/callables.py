"""The answer of a user's own comparison.

A callable gets the actual value, then the expected one, in every mode and for every argument, and says True,
False, or either with a text. Whatever else comes back, and whatever is raised, is no verdict: a comparison that
broke says nothing about the agent. The text of an exception may hold what was compared, so only its type is named.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

from otel_traj.errors import EvaluatorBrokenError, TrajectoryTypeError
from otel_traj.match.names import show_name
from otel_traj.match.values.reasons import shorten_reason
from otel_traj.rendering import render

__all__ = ["ValueCallable", "ask_callable", "check_callable"]

ValueCallable: TypeAlias = Callable[[Any, Any], bool | tuple[bool, str]]
"""Called with the actual and the expected value; says whether they match, with a reason where it likes.

The values are any JSON: a callable declares the types that its own data have."""


def check_callable(value: Callable[..., object], where: str) -> None:
    """Refuse a callable that can't answer.

    Args:
        value: The callable.
        where: What it was given for, for the message.

    Raises:
        TrajectoryTypeError: It is asynchronous: matching does not wait.
    """
    if inspect.iscoroutinefunction(value) or inspect.iscoroutinefunction(getattr(value, "__call__", None)):  # noqa: B004 - an object whose call is asynchronous
        raise TrajectoryTypeError(
            f"{where} is an asynchronous function: matching does not wait for an answer. Pass a plain function"
            f" (actual, expected) that returns a bool or (bool, str)."
        )


def ask_callable(function: ValueCallable, actual: object, expected: object, where: str) -> str | None:
    """Return what a user's callable says of two values.

    Args:
        function: The callable.
        actual: What was seen, as it is.
        expected: What it is compared with, as it is.
        where: What the callable was given for, for the message.

    Returns:
        None where it says that they match; else its text on one line, or `differs` where it gave none. A text
        of the user's own may hold what it likes.

    Raises:
        EvaluatorBrokenError: It raised, or answered neither a bool nor (bool, str).
    """
    try:
        answer: object = function(actual, expected)
    except Exception as error:
        kind = show_name(type(error).__name__)
        raise EvaluatorBrokenError(
            f"{where}: the callable raised {kind}, so nothing can be said. Mend it, or have it return False.",
            error_type=kind,
        ) from error
    if inspect.iscoroutine(answer):
        answer.close()
    # Rendered, a numpy boolean is a boolean and a tuple a list.
    match render(answer):
        case bool(says):
            text = ""
        case [bool(says), str(text)]:
            pass
        case _:
            raise EvaluatorBrokenError(
                f"{where}: the callable returned {show_name(type(answer).__name__)}, which says neither yes nor no. Return a"
                f" bool or (bool, str).",
                error_type=None,
            )
    return None if says else shorten_reason(text) or "differs"
