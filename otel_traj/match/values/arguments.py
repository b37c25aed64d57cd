"""How the arguments of a tool call are compared with those that a reference names.

One rule per tool: a mode, the keys that alone count, a tolerance for numbers, or a callable. The actual
arguments stand first in every rule and for every callable, whatever mode the calls themselves are compared by, and
each pair is compared once. An empty list of keys is refused: it would compare nothing, and reads like "no
exception" to one person and like "ignore all" to another.

Arguments that were recorded have been rendered to JSON, so both sides are rendered before they are compared, and
arguments that were given as the JSON text of an object or a list (as providers send them) are decoded first; any
other text is a text. What was not recorded, or not whole, is neither equal nor different.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.values.callables import ValueCallable, ask_callable, check_callable
from otel_traj.match.values.key_paths import read_key_paths, select_keys
from otel_traj.match.values.unseen import find_unseen
from otel_traj.match.values.values import Tolerance, compare_values
from otel_traj.match.values_in_words import describe_value, show_value
from otel_traj.rendering import render

if TYPE_CHECKING:
    from otel_traj.rendering import JsonValue

__all__ = ["ArgsMatch", "ArgsMode", "ArgsRule", "ArgsRules", "ArgsUnknown", "args_differ", "read_args_mode"]

_Mode: TypeAlias = Literal["exact", "ignore", "subset", "superset"]
_MODES: Final[tuple[_Mode, ...]] = get_args(_Mode)
_REST: Final = "*"
_ALLOWED: Final = (
    f"{', '.join(_MODES)}, a list of key paths such as ['query.city'], an ArgsMatch, a callable(actual, expected)"
    f" that returns a bool or (bool, str)"
)


@dataclass(frozen=True, slots=True)
class ArgsMatch:
    """A rule for the arguments of a tool, where a mode's name alone does not say it.

    Raises:
        TrajectoryTypeError: A field of a type that it can't have.
        TrajectoryValueError: An unknown mode, no keys, an empty key, a tolerance below 0 or without end, or
            anything beside the mode `ignore`.
    """

    mode: _Mode = "exact"
    """`exact`; `subset`: each actual argument is expected, with a value within the expected one; `superset`: the
    reverse; `ignore`."""
    keys: Sequence[str | Sequence[str]] | None = field(default=None, kw_only=True)
    """The keys that alone are compared, None for all: a text is split at its dots, a tuple holds the keys of one
    path as they are. A key that both sides lack is equal. Kept as a tuple of tuples."""
    tolerance: float = field(default=0.0, kw_only=True)
    """How far numbers may lie apart."""
    relative_tolerance: float = field(default=0.0, kw_only=True)
    """The same, as a part of the larger one."""

    def __post_init__(self) -> None:
        if not isinstance(self.mode, str):
            raise TrajectoryTypeError(
                f"mode of ArgsMatch is {describe_value(self.mode)}: no way to compare arguments. Allowed:"
                f" {', '.join(_MODES)}."
            )
        _check_mode(self.mode, "mode of ArgsMatch", ", ".join(_MODES))
        Tolerance(absolute=self.tolerance, relative=self.relative_tolerance)
        if self.mode == "ignore" and (self.keys is not None or self.tolerance or self.relative_tolerance):
            raise TrajectoryValueError(
                "ArgsMatch has the mode 'ignore', which compares nothing, and keys or a tolerance beside it. Take"
                " one of the other modes, or leave the rest out."
            )
        if self.keys is not None:
            object.__setattr__(self, "keys", read_key_paths(self.keys, "keys of ArgsMatch"))


ArgsRule: TypeAlias = ArgsMatch | ValueCallable
"""The checked rule for the arguments of one tool."""

_ArgsModeOfTool: TypeAlias = _Mode | Sequence[str] | ArgsMatch | ValueCallable

ArgsMode: TypeAlias = _ArgsModeOfTool | Mapping[str, _ArgsModeOfTool]
"""How arguments are compared: for every tool alike, or by the tool's name, with `*` for all the others."""


class ArgsUnknown(Enum):
    """Why nothing can be said of arguments; the value is the reason in words."""

    NOT_RECORDED = "arguments were not recorded"
    CUT = "arguments can't be compared whole, a part was left out"
    NO_FORM = "arguments hold a value that has no form as JSON"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgsRules:
    """The checked form of an `ArgsMode`."""

    by_tool: Mapping[str, ArgsRule]
    rest: ArgsRule
    """For every tool that has no rule of its own."""

    is_rest_said: bool
    """Whether a user chose `rest`; `ignore` for all tools alike is the default, which nobody need have chosen."""

    def for_tool(self, *names: str) -> ArgsRule:
        """Return the rule for a tool; of the names that it goes by the first one with a rule counts."""
        return next((self.by_tool[name] for name in names if name in self.by_tool), self.rest)

    def for_written(self, *names: str) -> ArgsRule:
        """Return the rule for a call whose arguments a reference names: `exact` where nothing is said of its tool."""
        is_said = self.is_rest_said or any(name in self.by_tool for name in names)
        return self.for_tool(*names) if is_said else ArgsMatch("exact")

    @property
    def compare_nothing(self) -> bool:
        """Whether no tool's arguments are looked at."""
        return all(map(_ignores, (self.rest, *self.by_tool.values())))


def read_args_mode(value: object, where: str = "args") -> ArgsRules:
    """Check what says how arguments are compared.

    Args:
        value: An `ArgsMode`. Of a mapping, a tool that is not named takes the rule of `*`; without a `*` nothing is
            said of it, as by `ignore`, the default of `args` as a whole.
        where: What to call it in an error.

    Raises:
        TrajectoryTypeError: A type that says nothing about arguments, an asynchronous callable.
        TrajectoryValueError: An unknown mode, an empty list of keys, an empty mapping, an empty name of a tool.
    """
    if not isinstance(value, Mapping):
        rule = _read_rule(value, where, f"{_ALLOWED}, or a mapping of these by tool")
        return ArgsRules(by_tool={}, rest=rule, is_rest_said=not _ignores(rule))
    if not value:
        raise TrajectoryValueError(
            f"{where} is an empty mapping: no tool has a rule. Name tools, or '*' for all; or say 'ignore'."
        )
    rules: dict[str, ArgsRule] = {}
    for name, given in value.items():
        if not isinstance(name, str):
            raise TrajectoryTypeError(
                f"{where} has the key {describe_value(name)}: a tool's name is a string. Name the tool, or '*'."
            )
        if not name:
            raise TrajectoryValueError(
                f"{where} has an empty key: no tool has that name. Name the tool, or '*'."
            )
        rules[name] = _read_rule(given, f"{where}[{show_value(name)}]", _ALLOWED)
    is_rest_said = _REST in rules
    rest = rules.pop(_REST, ArgsMatch("ignore"))
    return ArgsRules(by_tool=rules, rest=rest, is_rest_said=is_rest_said)


def args_differ(
    actual_args: object, expected_args: object, rule: ArgsRule, *, is_recorded: bool
) -> str | ArgsUnknown | None:
    """Compare the arguments of a call with those expected of it.

    Args:
        actual_args: As they were recorded, or given.
        expected_args: Of the reference; None where it names none: such a call is compared by its name alone,
            unless the rule is a callable.
        rule: Of `ArgsRules.for_tool`. A callable gets both as they are, JSON text decoded.
        is_recorded: Whether the actual arguments are known.

    Returns:
        None where they are equal by the rule; a short reason where they are not: keys and types, nothing of the
        values (a callable's text is its own); an `ArgsUnknown` where nothing can be said.

    Raises:
        EvaluatorBrokenError: A callable raised, or gave no answer.
    """
    if isinstance(rule, ArgsMatch) and (rule.mode == "ignore" or expected_args is None):
        return None
    if not is_recorded:
        return ArgsUnknown.NOT_RECORDED
    actual, expected = _decode(actual_args), _decode(expected_args)
    if not isinstance(rule, ArgsMatch):
        return ask_callable(rule, actual, expected, "args")
    return _compare(render(actual), render(expected), rule)


def _compare(actual: JsonValue, expected: JsonValue, rule: ArgsMatch) -> str | ArgsUnknown | None:
    if rule.mode == "ignore":
        return None
    if "cut" in (find_unseen(actual), find_unseen(expected)):
        return ArgsUnknown.CUT
    if rule.keys is not None and isinstance(actual, dict) and isinstance(expected, dict):
        paths = read_key_paths(rule.keys, "keys of ArgsMatch")
        actual, expected = select_keys(actual, paths), select_keys(expected, paths)
    tolerance = Tolerance(absolute=rule.tolerance, relative=rule.relative_tolerance)
    reason = compare_values(actual, expected, rule.mode, tolerance)
    if reason is None and find_unseen(actual if rule.mode == "subset" else expected) is not None:
        return ArgsUnknown.NO_FORM
    return reason


def _ignores(rule: ArgsRule) -> bool:
    return isinstance(rule, ArgsMatch) and rule.mode == "ignore"


def _decode(args: object) -> object:
    if not isinstance(args, str):
        return args
    try:
        decoded: object = json.loads(args)
    except (ValueError, RecursionError):
        return args
    return decoded if isinstance(decoded, dict | list) else args


def _read_rule(value: object, where: str, allowed: str) -> ArgsRule:
    if isinstance(value, ArgsMatch):
        return value
    if isinstance(value, str):
        return ArgsMatch(_check_mode(value, where, allowed))
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return ArgsMatch(keys=read_key_paths(value, where))
    if callable(value):
        check_callable(value, where)
        return value
    raise TrajectoryTypeError(
        f"{where} is {describe_value(value)}: it does not say how arguments are compared. Allowed: {allowed}."
    )


def _check_mode(mode: str, where: str, allowed: str) -> _Mode:
    for known in _MODES:
        if mode == known:
            return known
    raise TrajectoryValueError(
        f"{where} is {show_value(mode)}: no way to compare arguments. Allowed: {allowed}."
    )
