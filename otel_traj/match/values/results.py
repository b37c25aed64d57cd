"""The results of a run against those of a reference; a question of its own, apart from the trajectory.

Both sides are rendered as the recorder renders content, and messages are reduced to what was said and called.
So a result compares alike wherever it comes from: spans, a checkpointer's history, a JSON file, or values that a
program holds. What rendering makes equal is equal here: a set is the sorted list of its items, a tuple a list, a
model or dataclass its fields, a date its ISO text. A callable is asked about the values as they are, which are
rendered ones where a run was read from spans.

A result that was not recorded, or that can't be seen whole, is neither right nor wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from otel_traj.errors import EvaluatorBrokenError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.values.callables import ValueCallable, ask_callable, check_callable
from otel_traj.match.values.message_values import reduce_messages
from otel_traj.match.values.unseen import find_unseen
from otel_traj.match.values.values import ValueMode, compare_values
from otel_traj.match.values_in_words import describe_value, show_value
from otel_traj.rendering import render

__all__ = [
    "ResultsMode",
    "ResultsReason",
    "ResultsRule",
    "ResultsVerdict",
    "compare_results",
    "read_results_mode",
]

ResultsMode: TypeAlias = Literal["ignore"] | ValueMode | ValueCallable
"""How results are compared; the actual ones stand first."""

ResultsRule: TypeAlias = ValueMode | ValueCallable
"""The checked form of a `ResultsMode` that compares something."""

ResultsReason: TypeAlias = Literal["not_recorded", "no_reference", "cut", "no_form", "broken"]
"""Why nothing could be said: no actual results, no expected ones, a part left out when they were
rendered, a value without a form as JSON, a callable that raised or gave no answer."""

_MODES: Final[tuple[ValueMode, ...]] = get_args(ValueMode)
_ALLOWED: Final = (
    f"ignore, {', '.join(_MODES)}, or a callable(actual, expected) that returns a bool or (bool, str)"
)
_WORDS: Final[dict[ResultsReason, str]] = {
    "not_recorded": "results were not recorded: record content (content=True), and values that no backend cuts",
    "no_reference": "the reference has no results to compare with",
    "cut": "results can't be compared whole, a part was left out for its size or for keys that are equal as JSON: compare"
    " what matters by a callable",
    "no_form": "results hold a value that has no form as JSON: leave it out (subset, superset), or compare by a callable",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsVerdict:
    """What a comparison of results says."""

    score: bool | None
    """None: not evaluated."""
    comment: str | None
    """None where the results match; else where they differ, or why nothing could be said. Keys and types only,
    but for the text of a callable, which is its own; one line of less than 2,048 bytes of UTF-8."""
    reason: ResultsReason | None
    """Of a score None."""


_PASS: Final = ResultsVerdict(score=True, comment=None, reason=None)


def read_results_mode(value: object, where: str = "results") -> ResultsRule | None:
    """Check what says how results are compared.

    Args:
        value: A `ResultsMode`.
        where: What to call it in an error.

    Returns:
        The mode or callable; None for `ignore`.

    Raises:
        TrajectoryTypeError: Neither a mode nor a callable, or an asynchronous one.
        TrajectoryValueError: An unknown mode.
    """
    if isinstance(value, str):
        for mode in _MODES:
            if value == mode:
                return mode
        if value == "ignore":
            return None
        raise TrajectoryValueError(
            f"{where} is {show_value(value)}: no way to compare results. Allowed: {_ALLOWED}."
        )
    if not callable(value):
        raise TrajectoryTypeError(
            f"{where} is {describe_value(value)}: no way to compare results. Allowed: {_ALLOWED}."
        )
    check_callable(value, where)
    return value


def compare_results(actual: object, expected: object, rule: ResultsRule) -> ResultsVerdict:
    """Compare the results of a run with those of a reference.

    Args:
        actual: What the run ended with; None where it was not recorded.
        expected: Of the reference; None where it has none. A callable is asked all the same.
        rule: Of `read_results_mode`.
    """
    if actual is None:
        return _leave_open("not_recorded")
    if callable(rule):
        try:
            return _conclude(ask_callable(rule, actual, expected, "results"))
        except EvaluatorBrokenError as error:
            return ResultsVerdict(score=None, comment=str(error), reason="broken")
    if expected is None:
        return _leave_open("no_reference")
    return _compare(actual, expected, rule)


def _compare(actual: object, expected: object, mode: ValueMode) -> ResultsVerdict:
    seen, wanted = reduce_messages(render(actual)), reduce_messages(render(expected))
    if "cut" in (find_unseen(seen), find_unseen(wanted)):
        return _leave_open("cut")
    difference = compare_values(seen, wanted, mode)
    if difference is None and find_unseen(seen if mode == "subset" else wanted) is not None:
        return _leave_open("no_form")
    return _conclude(difference)


def _conclude(difference: str | None) -> ResultsVerdict:
    if difference is None:
        return _PASS
    return ResultsVerdict(score=False, comment=f"results: {difference}", reason=None)


def _leave_open(reason: ResultsReason) -> ResultsVerdict:
    return ResultsVerdict(score=None, comment=_WORDS[reason], reason=reason)
