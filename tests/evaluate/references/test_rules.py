"""Rules of a reference file."""

from __future__ import annotations

import pytest

from otel_traj import Glob, OneOf, Rules, Tool
from tests.evaluate.references.reference_files import complain_of, read_one


def test_each_rule_is_read() -> None:
    """Every rule has its form, and patterns may stand in each."""
    written = (
        "rules: {forbidden: [a, {glob: 'b*'}], required: [c], before: [[d, {one_of: [e, f]}]], follows: [[g, h]],"
        " same_step: [[i, j, k]], max_visits: {l: 2}, min_visits: {m: 0}, max_supersteps: 9}"
    )
    assert read_one(written).rules == Rules(
        forbidden=["a", Glob("b*")],
        required=["c"],
        before=[["d", OneOf("e", "f")]],
        follows=[["g", "h"]],
        same_step=[["i", "j", "k"]],
        max_visits={"l": 2},
        min_visits={"m": 0},
        max_supersteps=9,
    )


def test_visits_of_patterns_stand_in_pairs() -> None:
    """A pattern can't be the key of a map, so pairs say the same of names, and more."""
    as_pairs = read_one("rules: {max_visits: [[a, 2], [b, 1]]}")
    assert as_pairs == read_one("rules: {max_visits: {a: 2, b: 1}}")
    assert read_one("rules: {min_visits: [[{glob: 'a*'}, 2]]}").rules == Rules(min_visits={Glob("a*"): 2})


def test_tools_are_named_at_levels_that_list_them() -> None:
    """At levels tools and both a rule may name a tool, whose calls it counts whatever their arguments."""
    rules = "rules: {forbidden: [{tool: drop}], before: [[ask, 'node>send']]}"
    assert read_one(f"level: both, {rules}").rules == Rules(
        forbidden=[Tool("drop")], before=[["ask", "node>send"]]
    )
    place, message = complain_of("level: both, rules: {forbidden: [{tool: drop, args: {a: 1}}]}")
    assert place == "args: {a: 1}}]}"
    assert "whatever their arguments" in message


@pytest.mark.parametrize(
    ("rules", "place", "words"),
    [
        ("{}", "{}", "the rules hold no rule: every run would pass. Write at least one of forbidden, required"),
        ("[a]", "[a]", "rules must be a map, found a list"),
        ("~", "~", "rules must be a map, found nothing"),
        ("{forbid: [a]}", "forbid: [a]}", "unknown key 'forbid' (did you mean 'forbidden'?)"),
        ("{forbidden: a}", "a}", "rule forbidden must be a list, found the text 'a'"),
        ("{forbidden: []}", "{forbidden: []}", "the rules hold no rule"),
        ("{required: [a, b, a]}", "[a, b, a]}", "rule required names a twice"),
        ("{before: [a, b]}", "a, b]}", "an entry of rule before must be a list, found the text 'a'"),
        ("{before: [[a, b], [c]]}", "[c]]}", "rule before: entry 1 holds 1 name: the rule is about exactly two names"),
        ("{follows: [[a, b, c]]}", "[a, b, c]]}", "rule follows: entry 0 holds 3 names"),
        ("{same_step: [[a, b], [c, c]]}", "[c, c]]}", "rule same_step: entry 1 names c twice"),
        ("{max_visits: [a]}", "a]}", "an entry of rule max_visits must be a list, found the text 'a'"),
        ("{max_visits: [[a]]}", "[a]]}", "an entry of rule max_visits is a name or pattern and its number; found a list of 1"),
        ("{max_visits: [[a, 1], [a, 2]]}", "a, 2]]}", "rule max_visits counts the same name twice"),
        ("{max_visits: [[a, b]]}", "b]]}", "rule max_visits, the number of a pair, must be a whole number from 0 on"),
        ("{max_visits: 3}", "3}", "rule max_visits must be a map of names, or a list of pairs"),
        ("{max_visits: {a: -1}}", "-1}}", "rule max_visits of 'a' must be a whole number from 0 on"),
        ("{min_visits: {a: true}}", "true}}", "found the boolean true"),
        ("{min_visits: {a: 0}}", "{min_visits: {a: 0}}", "the rules hold no rule"),
        ("{min_visits: {'': 1}}", "{'': 1}}", "rule min_visits: a name is an empty string"),
        ("{max_supersteps: ~}", "~}", "rule max_supersteps must be a whole number from 0 on, found nothing"),
        ("{max_supersteps: 2.5}", "2.5}", "found the number 2.5"),
        ("{forbidden: [a], required: [a]}", "[a]}", "rule required wants a at least 1 time, and rule forbidden allows"),
        ("{before: [[a, b], [b, a]]}", "[[a, b], [b, a]]}", "both ways round"),
        ("{same_step: [[a, __interrupt__]]}", "[[a, __interrupt__]]}", "rule same_step names __interrupt__"),
        ("{forbidden: [__start__]}", "[__start__]}", "and the option ignore leaves it out"),
        ("{forbidden: [{regex: '(a|aa)+$'}], required: ['" + "a" * 40 + "!']}", "{forbidden: [{regex", "took longer than 0.5 s"),
    ],
)  # fmt: skip
def test_complaints_about_rules(rules: str, place: str, words: str) -> None:
    """A rule of a wrong shape, and rules that no run can hold, are refused at the rule that is spoken of."""
    found, message = complain_of(f"rules: {rules}")
    assert words in message
    assert found.startswith(place)


def test_the_nearest_entry_is_pointed_at() -> None:
    """Of several rules that one is pointed at that can't hold beside the supersteps."""
    place, message = complain_of(
        "steps: [a, b], rules: {required: [a], max_visits: {z: 1}, forbidden: [c, b]}"
    )
    assert place == "[c, b]}"
    assert message.startswith("rule forbidden does not allow b, and the supersteps have it once at least")
