from __future__ import annotations

import copy
import datetime as dt
import json
import pickle
import threading
from typing import TYPE_CHECKING, Any, get_type_hints

import pytest
from hypothesis import given

from otel_traj.errors import EvaluatorBrokenError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.values.arguments import ArgsMatch, ArgsRule, ArgsUnknown, args_differ, read_args_mode
from otel_traj.match.values.values import ValueMode, compare_values
from otel_traj.rendering import CUT_MARK, render
from tests.match.json_values import PLANTED, any_json, close_json, value_modes

if TYPE_CHECKING:
    from collections.abc import Callable


def differ(
    actual: object, expected: object, mode: object = "exact", *, is_recorded: bool = True
) -> str | ArgsUnknown | None:
    """Compare arguments by a mode as a user writes it."""
    return args_differ(actual, expected, read_args_mode(mode).for_tool("search"), is_recorded=is_recorded)


def test_e08_exact_is_not_the_only_way() -> None:
    """google/adk-python#1591: the order of keys means nothing, some keys alone count, numbers have a tolerance."""
    actual = {"city": "Rome", "degrees": 20.04, "trace": "x"}
    expected = {"degrees": 20, "city": "Rome"}
    assert differ({"b": 1, "a": 2}, {"a": 2, "b": 1}) is None
    assert differ(actual, expected) == "extra key trace; at degrees: differs"
    assert differ(actual, expected, ["city"]) is None
    assert differ(actual, expected, ArgsMatch("superset", tolerance=0.1)) is None
    assert differ(actual, expected, ArgsMatch(keys=["city", "degrees"], relative_tolerance=0.01)) is None
    assert differ(actual, expected, ArgsMatch(keys=["degrees"], tolerance=0.01)) == "at degrees: differs"


def test_e09_arguments_are_ignored_where_nothing_else_is_said() -> None:
    """google/adk-python#2757: `ignore` looks at no argument, also where none was recorded."""
    assert differ({"query": "random"}, {"query": "other"}, "ignore") is None
    assert differ(None, {"query": "other"}, "ignore", is_recorded=False) is None
    assert read_args_mode("ignore").compare_nothing
    assert not read_args_mode({"search": "exact"}).compare_nothing
    assert not read_args_mode({"*": "exact", "search": "ignore"}).compare_nothing


@pytest.mark.parametrize(
    ("mode", "actual", "expected", "reason"),
    [
        ("subset", {"a": 1}, {"a": 1, "b": 2}, None),
        ("subset", {"a": 1, "b": 2}, {"a": 1}, "extra key b"),
        ("superset", {"a": 1, "b": 2}, {"a": 1}, None),
        ("superset", {"a": 1}, {"a": 1, "b": 2}, "missing key b"),
    ],
)
def test_the_direction_is_actual_against_expected(
    mode: str, actual: object, expected: object, reason: str | None
) -> None:
    """`subset` lets the actual call leave out arguments, `superset` lets it add some."""
    assert differ(actual, expected, mode) == reason


def test_a_callable_gets_the_actual_arguments_first_and_once() -> None:
    """It is asked once per pair, with values as they are, JSON text decoded."""
    asked: list[tuple[object, object]] = []

    def ask(actual: object, expected: object) -> tuple[bool, str]:
        asked.append((actual, expected))
        return False, "wrong"

    assert differ('{"a": 1}', {"a": (1,)}, ask) == "wrong"
    assert differ({"a": 1}, None, ask) == "wrong"
    assert asked == [({"a": 1}, {"a": (1,)}), ({"a": 1}, None)]


def test_a_callable_that_raises_is_broken() -> None:
    """The error names the type of what was raised."""
    with pytest.raises(EvaluatorBrokenError, match="args: the callable raised KeyError"):
        differ({}, {}, lambda actual, expected: actual["a"] == expected["a"])


def test_text_is_decoded_where_it_is_json() -> None:
    """Arguments as JSON text equal the same as a dict; any other text is a text; nothing raises."""
    assert differ('{"a": [1]}', {"a": [1.0]}) is None
    assert differ({"a": 1}, '{"a": 1}') is None
    assert differ('{"a":1,"b":2}', '{ "b": 2, "a": 1 }') is None
    assert differ("no json", "no json") is None
    assert differ("no json", "other") == "differs"
    assert differ("{", {"a": 1}) == "expected object, got string"
    assert differ("5", 5) == "expected number, got string"
    assert differ("[" * 100_000, "[" * 100_000) is None
    assert differ('{"a": NaN}', {"a": float("nan")}) is None
    assert differ(f'{{"a": {"9" * 5000}}}', {}) == "expected object, got string"


def test_both_sides_are_rendered() -> None:
    """What a reference holds as Python values equals what the recorder made of the same values."""
    expected = {"day": dt.date(2026, 1, 2), "pair": (1, 2), "tags": {"b", "a"}}
    assert differ({"day": "2026-01-02", "pair": [1, 2], "tags": ["a", "b"]}, expected) is None
    assert differ(expected, expected) is None


def test_a_call_written_without_arguments_is_compared_by_name() -> None:
    """None on the side of the reference meets whatever was given, and whatever is not known."""
    assert differ({"a": 1}, None) is None
    assert differ(None, None, is_recorded=False) is None
    assert differ({"a": 1}, {}) == "extra key a"


@pytest.mark.parametrize("mode", ["exact", "subset", "superset", ["a"], lambda *_: True])
def test_arguments_that_were_not_recorded_are_unknown(mode: object) -> None:
    """They are neither equal nor different, by no rule that would look at them."""
    assert differ(None, {}, mode, is_recorded=False) is ArgsUnknown.NOT_RECORDED
    assert differ(None, {"a": 1}, "exact", is_recorded=True) == "expected object, got null"


@pytest.mark.parametrize("mode", ["exact", "subset", "superset", ["a"]])
def test_arguments_that_are_not_whole_are_unknown(mode: object) -> None:
    """A cut on either side, and a value without a form, can't be passed."""
    cut = {"a": f"x{CUT_MARK}7 characters]"}
    assert differ(cut, {"a": 1}, mode) is ArgsUnknown.CUT
    assert differ({"a": 1}, cut, mode) is ArgsUnknown.CUT
    lock = {"a": threading.Lock()}
    assert differ(lock, lock, mode) is ArgsUnknown.NO_FORM
    assert differ({"a": 1}, lock, mode) == "at a: expected string, got number"


def test_what_is_not_compared_needs_no_form() -> None:
    """A value without a form on a key that the rule does not look at changes nothing."""
    actual, expected = {"a": 1, "client": threading.Lock()}, {"a": 1}
    assert differ(actual, expected, "superset") is None
    assert differ(expected, actual, "subset") is None
    assert differ(actual, {**expected, "client": 2}, ["a"]) is None


@pytest.mark.parametrize(
    ("actual", "expected", "mode", "reason"),
    [
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, ["a.b"], None),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b"], "at a.b: differs"),
        ({}, {}, ["a.b"], None),
        ({"x": 1}, {"a": {"c": 1}}, ["a.b"], None),
        ({}, {"a": {"b": None}}, ["a.b"], "at a: missing key b"),
        ({"a": {"b": 1}}, {}, ["a.b"], "at a: extra key b"),
        ({"a.b": 1}, {"a.b": 2}, ["a.b"], None),
        ({"a.b": 1}, {"a.b": 2}, [("a.b",)], 'at "a.b": differs'),
        ({"a": [0, 1]}, {"a": [5, 1]}, ["a.1"], None),
        ({"a": [0, 1]}, {"a": [5, 1]}, ["a.0"], "at a.0: differs"),
        ({}, {"a": 1}, ArgsMatch("subset", keys=["a"]), None),
        ({"a": 1}, {}, ArgsMatch("subset", keys=["a"]), "extra key a"),
        ({"a": 1}, {}, ArgsMatch("superset", keys=["a"]), None),
        ({"a": {"b": 1, "c": 1}}, {"a": {"b": 1}}, ArgsMatch("superset", keys=["a"]), None),
        ("x", "y", ["a"], "differs"),
        ("x", {"a": 1}, ["a"], "expected object, got string"),
    ],
)
def test_listed_keys_alone_are_compared(
    actual: object, expected: object, mode: object, reason: str | None
) -> None:
    """A key that both sides lack is equal; text that is no JSON has no keys and is compared whole."""
    assert differ(actual, expected, mode) == reason


def test_rules_by_tool() -> None:
    """Each tool has its own rule; `*` is for the others, of which nothing is said without it."""
    rules = read_args_mode({"search": ["query"], "add": "superset", "*": "exact"})
    assert rules.for_tool("search") == ArgsMatch(keys=[("query",)])
    assert rules.for_tool("add") == ArgsMatch("superset")
    assert rules.for_tool("other") == ArgsMatch()
    assert read_args_mode({"add": "subset"}).for_tool("other") == ArgsMatch("ignore")
    assert read_args_mode({"add": "subset"}).for_written("other") == ArgsMatch("exact")
    assert read_args_mode({"add": "subset", "*": "ignore"}).for_written("other") == ArgsMatch("ignore")


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (
            "supserset",
            TrajectoryValueError,
            "args is 'supserset': .* Allowed: exact, ignore, subset, superset, a list",
        ),
        ("", TrajectoryValueError, "args is ''"),
        ([], TrajectoryValueError, "args is an empty list of keys: nothing would be compared"),
        ({"search": []}, TrajectoryValueError, r"args\['search'\] is an empty list of keys"),
        ({}, TrajectoryValueError, "args is an empty mapping"),
        ({"": "exact"}, TrajectoryValueError, "args has an empty key"),
        ({"search": "exakt"}, TrajectoryValueError, r"args\['search'\] is 'exakt': .* Allowed: exact"),
        (None, TrajectoryTypeError, "args is None: .* Allowed: exact, .* or a mapping of these by tool"),
        (3, TrajectoryTypeError, "args is 3 of type int"),
        (True, TrajectoryTypeError, "args is True of type bool"),
        (b"exact", TrajectoryTypeError, "args is b'exact'"),
        ({"query"}, TrajectoryTypeError, "args is {'query'} of type set"),
        ({1: "exact"}, TrajectoryTypeError, "args has the key 1 of type int"),
        ({"search": {"query": "exact"}}, TrajectoryTypeError, r"args\['search'\] is {.* of type dict"),
        ({"search": None}, TrajectoryTypeError, r"args\['search'\] is None"),
        (["a", 1], TrajectoryTypeError, r"args\[1\] is 1"),
    ],
)
def test_what_says_nothing_about_arguments_is_refused(
    value: object, error: type[Exception], message: str
) -> None:
    """Unknown modes, empty lists and mappings, and other types are refused, with what is allowed."""
    with pytest.raises(error, match=message):
        read_args_mode(value)


def test_an_asynchronous_callable_is_refused() -> None:
    """At construction, by the name of its tool."""

    async def wait(*_: object) -> bool:
        return True

    with pytest.raises(TrajectoryTypeError, match=r"args\['search'\] is an asynchronous function"):
        read_args_mode({"search": wait})


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ArgsMatch("exakt"), TrajectoryValueError, "mode of ArgsMatch is 'exakt': .* superset."),  # type: ignore[arg-type]  # what is refused
        (lambda: ArgsMatch(None), TrajectoryTypeError, "mode of ArgsMatch is None"),  # type: ignore[arg-type]  # what is refused
        (lambda: ArgsMatch(keys=[]), TrajectoryValueError, "keys of ArgsMatch is an empty list"),
        (lambda: ArgsMatch(keys="query"), TrajectoryTypeError, "keys of ArgsMatch is 'query'"),
        (lambda: ArgsMatch(tolerance=-1), TrajectoryValueError, "absolute tolerance is -1"),
        (lambda: ArgsMatch(relative_tolerance=True), TrajectoryTypeError, "relative tolerance is True"),
        (
            lambda: ArgsMatch("ignore", keys=["a"]),
            TrajectoryValueError,
            "mode 'ignore', which compares nothing",
        ),
        (lambda: ArgsMatch("ignore", tolerance=0.1), TrajectoryValueError, "mode 'ignore'"),
    ],
)
def test_a_rule_is_checked_when_it_is_made(
    make: Callable[[], ArgsMatch], error: type[Exception], message: str
) -> None:
    """An unknown mode, empty keys, tolerances that are none, and `ignore` beside anything are refused."""
    with pytest.raises(error, match=message):
        make()


def test_a_rule_is_a_plain_value() -> None:
    """Rules that mean the same are equal and hash alike, can be copied and pickled, and own their keys."""
    keys = ["a.b"]
    rule = ArgsMatch(keys=keys)
    keys.append("c")
    assert rule == ArgsMatch("exact", keys=(("a", "b"),))
    assert rule.keys == (("a", "b"),)
    assert len({rule, ArgsMatch(keys=["a.b"])}) == 1
    assert copy.deepcopy(rule) == pickle.loads(pickle.dumps(rule)) == rule  # noqa: S301 - our own bytes
    assert get_type_hints(ArgsMatch).keys() == {"mode", "keys", "tolerance", "relative_tolerance"}


@given(close_json, close_json, value_modes)
def test_json_text_changes_no_verdict(actual: object, expected: object, mode: ValueMode) -> None:
    """Arguments as JSON text are those of the object; reasons hold no content."""
    actual, expected = {"v": actual}, {"v": expected}
    reason = differ(actual, expected, mode)
    assert differ(json.dumps(actual), expected, mode) == reason
    assert differ(actual, json.dumps(expected), mode) == reason
    assert reason == compare_values(render(actual), render(expected), mode)
    assert PLANTED not in str(reason)


@given(close_json, close_json)
def test_listing_all_keys_is_listing_none(actual: object, expected: object) -> None:
    """A rule with the one key that is there says what a rule without keys says."""
    one, other = {"v": actual}, {"v": expected}
    assert differ(one, other, ["v"]) == differ(one, other)


@given(any_json)
def test_whatever_was_given_equals_itself(args: Any) -> None:  # noqa: ANN401 - any JSON
    """Each value meets itself by each rule, as a value and as its recorded form."""
    rules: list[ArgsRule] = [ArgsMatch(), ArgsMatch("subset"), ArgsMatch("superset"), ArgsMatch(keys=["a"])]
    for rule in rules:
        assert args_differ(args, args, rule, is_recorded=True) is None
        assert args_differ(json.loads(json.dumps(render(args))), args, rule, is_recorded=True) is None
