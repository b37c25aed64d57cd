"""The same cases put to otel_traj: in the documented form, and in one that imitates the other evaluator."""

from __future__ import annotations

import json
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

from otel_traj.match import TrajectoryMatcher
from tests.match.others.cases import CALLABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from otel_traj.match import ArgsMode, TrajectoryMode
    from tests.match.others.cases import Call, GraphCase, Message, MessagesCase, Override

__all__ = [
    "BOOLEANS",
    "FIXTURE",
    "NULLS",
    "VALUES",
    "VALUE_REASONS",
    "Fixture",
    "imitate",
    "judge_calls",
    "judge_graph",
    "judge_messages",
    "read_args",
    "read_fixture",
    "swap",
]

FIXTURE: Final = next((Path(__file__).parent / "verdicts").glob("*.json"))

VALUES: Final = "values inside values"
BOOLEANS: Final = "true and one"
NULLS: Final = "null and absent"
VALUE_REASONS: Final = frozenset({VALUES, BOOLEANS, NULLS})
"""Where others compare arguments differently, whatever stands around them."""

_ABSENT: Final = "<absent>"


class Fixture(TypedDict):
    """What `python -m tests.match.others` wrote."""

    note: str
    date: str
    versions: dict[str, str]
    seed: int
    named: list[tuple[str, str, Any, Any]]
    """Kind, name, case, answer."""
    random: list[tuple[str, Any, Any]]
    """Kind, case, answer."""


def read_fixture() -> Fixture:
    """Return the whole fixture."""
    fixture: Fixture = json.loads(FIXTURE.read_text("utf-8"))
    return fixture


def judge_graph(case: GraphCase, trajectory_mode: TrajectoryMode) -> bool:
    """Return whether the runs pass, supersteps told apart as the mode has it."""
    actual: list[Any] = [{"steps": run} for run in case["actual"]]
    if case.get("is_tuple"):
        actual = [{"steps": tuple(map(tuple, run["steps"]))} for run in actual]
    expected = [{"steps": run} for run in case["expected"]]
    return TrajectoryMatcher(expected, trajectory_mode=trajectory_mode).matches(actual)


def judge_messages(case: MessagesCase, trajectory_mode: TrajectoryMode, args: ArgsMode) -> bool:
    """Return whether the tool calls of the conversations pass; each message that makes calls is a superstep."""
    expected = _list_calls(case["expected"])
    matcher = TrajectoryMatcher(
        {"steps": expected}, level="tools", trajectory_mode=trajectory_mode, args=args
    )
    return matcher.matches({"steps": _list_calls(case["actual"])})


def judge_calls(case_calls: Iterable[Call], tool: str, args: Mapping[str, Any], rule: object) -> bool:
    """Return whether some call is one of a tool with these arguments."""
    reference = {"steps": [[{"tool": tool, "args": args, "args_mode": rule}]]}
    actual = [[{"tool": name, "args": given}] for name, given in case_calls]
    return TrajectoryMatcher(reference, level="tools", trajectory_mode="flat_superset").matches(
        {"steps": actual}
    )


def read_args(case: MessagesCase) -> ArgsMode:
    """Return the option `args` that says what the case says."""
    args: Any = {"*": case["args"]}
    for tool, rule in case["overrides"].items():
        args[tool] = CALLABLES.get(rule, rule) if isinstance(rule, str) else rule
    mode: ArgsMode = args
    return mode


def imitate(rule: Override, mended: Collection[str]) -> Callable[[Any, Any], bool]:
    """Return a comparison of arguments as Python's equality of top-level keys makes it.

    Args:
        rule: A mode, key paths, or a name in `CALLABLES`.
        mended: Those of `VALUE_REASONS` in which it is not like theirs, but as JSON has it.
    """
    if isinstance(rule, list):
        absent = _ABSENT if NULLS in mended else None
        compare: Callable[[Any, Any], bool] = lambda actual, expected: all(  # noqa: E731 - one of several
            _select(actual, path.split("."), absent) == _select(expected, path.split("."), absent)
            for path in rule
        )
    elif rule in CALLABLES:
        return CALLABLES[rule]
    else:
        within = _is_within if VALUES in mended else eq
        compare = {
            "exact": eq,
            "ignore": lambda _actual, _expected: True,
            "subset": lambda actual, expected: _has_all(actual, expected, within),
            "superset": lambda actual, expected: _has_all(
                expected, actual, lambda one, two: within(one, two)
            ),
        }[rule]
    if BOOLEANS in mended:
        return lambda actual, expected: compare(_name_booleans(actual), _name_booleans(expected))
    return compare


def swap(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a comparison that gets its sides the other way round."""
    return lambda actual, expected: compare(expected, actual)


def _list_calls(messages: Iterable[Message]) -> list[list[dict[str, Any]]]:
    return [
        [{"tool": tool, "args": args} for tool, args in message]
        for message in messages
        if isinstance(message, list)
    ]


def _has_all(one: Mapping[str, Any], other: Mapping[str, Any], within: Callable[[Any, Any], bool]) -> bool:
    return all(key in other and within(value, other[key]) for key, value in one.items())


def _is_within(one: object, other: object) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return _has_all(one, other, _is_within)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_within, one, other))
    return one == other


def _select(value: Any, path: list[str], absent: object) -> object:  # noqa: ANN401 - any JSON
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return absent
        value = value[key]
    return value


def _name_booleans(value: object) -> object:
    if isinstance(value, dict):
        return {key: _name_booleans(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_name_booleans(inner) for inner in value]
    return f"<{value}>" if isinstance(value, bool) else value
