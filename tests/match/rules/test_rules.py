from __future__ import annotations

import copy
import pickle
import typing
from dataclasses import FrozenInstanceError, fields
from enum import StrEnum
from typing import get_type_hints

import pytest

from otel_traj import Tool, graph_trajectory_match
from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError
from otel_traj.match.reference.name_patterns import Any, Entry, Glob, OneOf, Regex
from otel_traj.match.rules.rules import Rules, read_rules

RULES = [
    "forbidden",
    "required",
    "before",
    "follows",
    "same_step",
    "max_visits",
    "min_visits",
    "max_supersteps",
]


def test_rules_are_these_eight() -> None:
    """The fields are the rules that a reference file may hold, in the order in which they are reported."""
    assert [rule.name for rule in fields(Rules)] == RULES
    assert list(get_type_hints(Rules)) == RULES


def test_rules_own_what_they_were_given() -> None:
    """Lists are copied at construction, so that a later change of one changes no rule."""
    names, pair = ["a"], ["b", "c"]
    most: dict[Entry, int] = {"d": 1}
    rules = Rules(forbidden=names, before=[pair], max_visits=most)
    names.append("x")
    pair.append("x")
    most["x"] = 9
    assert rules == Rules(forbidden=("a",), before=(("b", "c"),), max_visits={"d": 1})


def test_rules_are_values() -> None:
    """Equal rules are equal and hash alike, copies and pickles are equal, and nothing can be set."""
    rules = Rules(
        required=[Glob("a*"), Regex("b+"), Any(), OneOf("c", Glob("d"))], min_visits={OneOf("e"): 2, "f": 1}
    )
    again = Rules(
        required=(Glob("a*"), Regex("b+"), Any(), OneOf("c", Glob("d"))), min_visits={"f": 1, OneOf("e"): 2}
    )
    assert rules == again
    assert len({rules, again, Rules(required=["a"])}) == 2
    assert copy.deepcopy(rules) == pickle.loads(pickle.dumps(rules)) == rules  # noqa: S301 - our own bytes
    with pytest.raises(FrozenInstanceError):
        rules.required = ()  # type: ignore[misc]


def test_names_are_texts() -> None:
    """A member of a string enumeration is the node that its text names."""

    class Node(StrEnum):
        ASK = "ask"

    rules = Rules(forbidden=[Node.ASK], max_visits={Node.ASK: 1}, before=[[Node.ASK, "b"]])
    assert [type(rules.forbidden[0]), *map(type, rules.max_visits), type(rules.before[0][0])] == [
        str,
        str,
        str,
    ]


def test_a_mapping_is_read_like_the_record() -> None:
    """A mapping with the fields gives the record; the record is returned as it is."""
    written = {"forbidden": ["x"], "before": [["a", "b"]], "max_visits": {"a": 2}, "max_supersteps": 9}
    rules = read_rules(written, "rules")
    assert rules == Rules(forbidden=["x"], before=[("a", "b")], max_visits={"a": 2}, max_supersteps=9)
    assert read_rules(rules, "rules") is rules


@pytest.mark.parametrize("value", [None, [], "forbidden", 3, [["a"]]])
def test_what_is_no_mapping_is_refused(value: object) -> None:
    """Anything but rules or a mapping is a TypeError that says where, and which rules there are."""
    with pytest.raises(
        TrajectoryTypeError, match=r"\Arules of run 0 is .*forbidden, required, before, follows"
    ):
        read_rules(value, "rules of run 0")


def test_an_unknown_rule_lists_the_known_ones() -> None:
    """A misspelt rule is refused by name, for nothing would be checked by it."""
    with pytest.raises(
        InvalidReferenceError, match=r"rules of run 0 has 'forbid', 1: .*Allowed: forbidden, required"
    ):
        read_rules({"forbid": ["a"], 1: 2, "required": ["a"]}, "rules of run 0")


def test_an_error_inside_a_mapping_says_where_the_mapping_stands() -> None:
    """The place of the mapping stands before the rule, whatever the kind of the error."""
    with pytest.raises(
        InvalidReferenceError, match=r"\Arules of run 0: rule forbidden: entry 1 is an empty string"
    ):
        read_rules({"forbidden": ["a", ""]}, "rules of run 0")
    with pytest.raises(
        TrajectoryTypeError, match=r"\Arules of run 0: rule max_supersteps is '3' of type str"
    ):
        read_rules({"max_supersteps": "3"}, "rules of run 0")


@pytest.mark.parametrize("given", [{}, {"forbidden": []}, {"max_visits": {}}, {"min_visits": {"a": 0}}])
def test_rules_that_every_run_holds_are_refused(given: dict[str, object]) -> None:
    """Rules among which none can be broken would pass every run."""
    with pytest.raises(InvalidReferenceError, match="hold no rule: every run would pass"):
        read_rules(given, "rules")


@pytest.mark.parametrize("rule", RULES[:5])
@pytest.mark.parametrize("value", ["ab", None, 3, {"a": 1}, {"a"}, Glob("a*")])
def test_a_rule_that_is_no_list_is_refused(rule: str, value: object) -> None:
    """A string is never taken apart into its letters, and a set has no order to report in."""
    with pytest.raises(TrajectoryTypeError, match=rf"rule {rule} is .*Write "):
        read_rules({rule: value}, "rules")


@pytest.mark.parametrize("rule", RULES[:2])
@pytest.mark.parametrize("entry", [None, 1, ["a"], {"glob": "a"}])
def test_an_entry_that_is_no_name_is_refused(rule: str, entry: object) -> None:
    """An entry is a name or a pattern, and the message says which entry is neither."""
    with pytest.raises(TrajectoryTypeError, match=rf"rule {rule}: entry 1 is "):
        read_rules({rule: ["a", entry]}, "rules")


@pytest.mark.parametrize("rule", ["before", "follows", "same_step"])
def test_names_without_their_own_list_are_refused(rule: str) -> None:
    """`before: [a, b]`, where `[[a, b]]` is meant, is refused with the right form."""
    with pytest.raises(TrajectoryTypeError, match=rf"rule {rule}: entry 0 is 'a' .*\[\['node1', 'node2'\]\]"):
        read_rules({rule: ["a", "b"]}, "rules")


@pytest.mark.parametrize("rule", ["before", "follows", "same_step"])
@pytest.mark.parametrize("group", [[], ["a"], ["a", "b", "c"]])
def test_pairs_have_two_names_and_groups_two_or_more(rule: str, group: list[str]) -> None:
    """A pair of another length is refused; a group may be longer."""
    if rule == "same_step" and len(group) > 1:
        assert read_rules({rule: [group]}, "rules").same_step == (tuple(group),)
        return
    with pytest.raises(InvalidReferenceError, match=rf"rule {rule}: entry 0 holds {len(group)} name"):
        read_rules({rule: [group]}, "rules")


@pytest.mark.parametrize("rule", ["before", "follows", "same_step"])
def test_a_name_with_itself_is_refused(rule: str) -> None:
    """A pair or group is about different nodes."""
    with pytest.raises(InvalidReferenceError, match=f"rule {rule}: entry 0 names a twice"):
        read_rules({rule: [["a", "a"]]}, "rules")
    with pytest.raises(InvalidReferenceError, match=r"names glob\(a\*\) twice"):
        read_rules({rule: [[Glob("a*"), Glob("a*")]]}, "rules")


def test_required_twice_is_refused() -> None:
    """Whoever writes a required name twice means two tasks, which is what `min_visits` says."""
    with pytest.raises(InvalidReferenceError, match=r"required names a twice: .*min_visits"):
        Rules(required=["a", "b", "a"])


def test_what_is_said_twice_is_kept_once() -> None:
    """A forbidden name or a pair that stands there twice is one rule."""
    rules = Rules(forbidden=["x", "y", "x"], before=[["a", "b"], ("a", "b")])
    assert rules.forbidden == ("x", "y")
    assert rules.before == (("a", "b"),)


@pytest.mark.parametrize("rule", ["max_visits", "min_visits"])
@pytest.mark.parametrize("value", [None, ["a"], 3, "a", [["a", 2]]])
def test_visits_that_are_no_mapping_are_refused(rule: str, value: object) -> None:
    """Each name has its number."""
    with pytest.raises(TrajectoryTypeError, match=rf"rule {rule} is .*\{{'node3': 2\}}"):
        read_rules({rule: value}, "rules")


@pytest.mark.parametrize("number", [None, "2", 2.0, True, [2]])
def test_a_number_is_a_whole_number(number: object) -> None:
    """A bool, a text or a float is no number of tasks or supersteps."""
    for rule in ("max_visits", "min_visits"):
        with pytest.raises(TrajectoryTypeError, match=rf"rule {rule} of a is .*Write a whole number"):
            read_rules({rule: {"a": number}}, "rules")
    if number is not None:
        with pytest.raises(TrajectoryTypeError, match=r"rule max_supersteps is .*Write a whole number"):
            read_rules({"max_supersteps": number}, "rules")


def test_a_number_below_zero_is_refused() -> None:
    """Nothing runs less than never."""
    for given in ({"max_visits": {"a": -1}}, {"min_visits": {"a": -1}}, {"max_supersteps": -1}):
        with pytest.raises(InvalidReferenceError, match="is -1: nothing runs less than never"):
            read_rules(given, "rules")
    assert Rules(max_supersteps=0).max_supersteps == 0


@pytest.mark.parametrize("key", [1, None, True, ("a",)])
def test_a_number_belongs_to_a_name(key: object) -> None:
    """A key that is no name is refused, as is an empty one."""
    with pytest.raises(TrajectoryTypeError, match="rule max_visits: a name is "):
        read_rules({"max_visits": {key: 1}}, "rules")
    with pytest.raises(InvalidReferenceError, match="rule max_visits: a name is an empty string"):
        read_rules({"max_visits": {"": 1}}, "rules")


def test_messages_are_one_printable_line() -> None:
    """A name from a file can't steer the terminal that shows the error."""
    with pytest.raises(InvalidReferenceError) as error:
        Rules(forbidden=["a\x1b[2J\n"], required=["a\x1b[2J\n"])
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    "rules",
    [
        {"forbidden": [Tool("pay", {"sum": 1})]},
        {"before": [["ask", Tool("pay", args_mode="superset")]]},
        {"max_visits": {Tool("pay", {"sum": 1}): 2}},
    ],
)
def test_arguments_of_a_tool_in_a_rule_are_refused(rules: dict[str, typing.Any]) -> None:
    """A rule compares names: arguments that nobody would look at are no expectation."""
    with pytest.raises(InvalidReferenceError, match="names alone"):
        Rules(**rules)


def test_a_tool_without_arguments_is_its_name_in_a_rule() -> None:
    """It stands for every call of it."""
    result = graph_trajectory_match(
        outputs=[[["pay"]]], reference_outputs={"rules": {"forbidden": [Tool("pay")]}}
    )
    assert result["score"] is False
