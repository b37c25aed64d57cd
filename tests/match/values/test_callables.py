from __future__ import annotations

import functools
from typing import Any

import pytest

from otel_traj.errors import EvaluatorBrokenError, OtelTrajError, TrajectoryTypeError
from otel_traj.match.values.callables import ask_callable, check_callable
from otel_traj.match.values.reasons import MAX_REASON_BYTES


class NumpyBool:
    """What a comparison of numpy arrays returns, as far as it is read."""

    shape = ()
    dtype = "bool"

    def __init__(self, says: bool) -> None:
        self._says = says

    def tolist(self) -> bool:
        """Return the Python value."""
        return self._says


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (True, None),
        (False, "differs"),
        ((True, "well done"), None),
        ((False, "too hot"), "too hot"),
        ((False, ""), "differs"),
        ([False, "too hot"], "too hot"),
        ((False, "two\nlines\x1b"), "two\\nlines\\x1b"),
        (NumpyBool(says=True), None),
        (NumpyBool(says=False), "differs"),
    ],
)
def test_answers(answer: Any, reason: str | None) -> None:  # noqa: ANN401 - any answer
    """A bool, a numpy bool or a pair with a text is an answer; the text stands on one line, escaped."""
    assert ask_callable(lambda *_: answer, 1, 2, "args") == reason


def test_long_texts_are_cut() -> None:
    """A text of the user's own is at most 1,024 bytes."""
    reason = ask_callable(lambda *_: (False, "ä" * 5000), 1, 2, "args")
    assert reason is not None
    assert MAX_REASON_BYTES - 2 <= len(reason.encode()) <= MAX_REASON_BYTES


def test_the_actual_value_stands_first() -> None:
    """A callable gets the actual value, then the expected one, as they are."""
    one, other = object(), object()
    assert (
        ask_callable(lambda actual, expected: actual is one and expected is other, one, other, "args") is None
    )


@pytest.mark.parametrize(
    "answer", [None, 1, "yes", (True,), (1, "x"), (True, 2), (True, "x", "y"), {True: "x"}, float("nan")]
)
def test_what_is_no_answer_breaks(answer: Any) -> None:  # noqa: ANN401 - any answer
    """A number, a text, None and other pairs say neither yes nor no."""
    with pytest.raises(
        EvaluatorBrokenError, match=f"args: the callable returned {type(answer).__name__},"
    ) as caught:
        ask_callable(lambda *_: answer, 1, 2, "args")
    assert caught.value.error_type is None


def test_what_raises_breaks_and_tells_the_type_alone() -> None:
    """The message names the type of what was raised, nothing of its text; the cause is kept."""

    def fail(actual: str, expected: str) -> bool:
        raise KeyError(actual, expected)

    with pytest.raises(EvaluatorBrokenError, match=r"^results: the callable raised KeyError, so") as caught:
        ask_callable(fail, "pl4nted", "pl4nted", "results")
    assert "pl4nted" not in str(caught.value)
    assert caught.value.error_type == "KeyError"
    assert isinstance(caught.value.__cause__, KeyError)
    assert isinstance(caught.value, OtelTrajError)


def test_wanting_to_stop_is_no_broken_evaluator() -> None:
    """What is no `Exception` (an interrupt of the user's) passes through."""

    def stop(*_: object) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask_callable(stop, 1, 2, "args")


async def _wait(*_: object) -> bool:
    return True


class Waiting:
    """An object whose call is asynchronous."""

    async def __call__(self, *_: object) -> bool:
        """Answer later."""
        return True


@pytest.mark.parametrize("function", [_wait, functools.partial(_wait), Waiting()])
def test_asynchronous_callables_are_refused(function: Any) -> None:  # noqa: ANN401 - any callable
    """At construction they are a TypeError; one that hides breaks, and leaves no coroutine behind."""
    with pytest.raises(TrajectoryTypeError, match="args is an asynchronous function"):
        check_callable(function, "args")
    with pytest.raises(EvaluatorBrokenError, match="returned coroutine"):
        ask_callable(lambda *values: function(*values), 1, 2, "args")
