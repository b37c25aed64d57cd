from __future__ import annotations

import pytest

from otel_traj.errors import InvalidReferenceError, PatternTimeoutError
from otel_traj.match.reference.name_patterns import Any, Glob, OneOf, Regex
from otel_traj.match.rules.rules import Rules, read_rules


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"forbidden": ["a"], "required": ["a"]},
            "required wants a at least 1 time, and rule forbidden allows a at",
        ),
        ({"forbidden": [Glob("a*")], "required": ["ab"]}, r"allows glob\(a\*\) at most 0 times"),
        ({"forbidden": [Any()], "required": [Regex("x+")]}, "allows any at most 0 times"),
        (
            {"forbidden": ["a", "b"], "required": [OneOf("b", "c")], "max_visits": {OneOf("b", "c"): 0}},
            "max_visits",
        ),
        ({"forbidden": ["a"], "min_visits": {"a": 1}}, "min_visits wants a at least 1 time"),
        ({"max_visits": {"a": 0}, "required": ["a"]}, "max_visits allows a at most 0 times"),
        (
            {"max_visits": {"a": 2}, "min_visits": {"a": 3}},
            "at least 3 times, and rule max_visits allows a at most 2",
        ),
        ({"max_visits": {Glob("a*"): 2}, "min_visits": {"a1": 3}}, "no run holds both"),
        ({"max_supersteps": 0, "required": ["a"]}, "max_supersteps allows no superstep"),
        ({"max_supersteps": 0, "min_visits": {Any(): 1}}, "max_supersteps allows no superstep"),
    ],
)
def test_numbers_that_exclude_each_other_are_refused(given: dict[str, object], words: str) -> None:
    """What must run and may not is refused, with both rules in the message."""
    with pytest.raises(InvalidReferenceError, match=words):
        read_rules(given, "rules")


@pytest.mark.parametrize(
    "given",
    [
        {"forbidden": ["ab"], "required": [Glob("a*")]},
        {"forbidden": ["a"], "required": [OneOf("a", "b")]},
        {"forbidden": [Glob("a?")], "required": [Regex("a.")]},
        {"forbidden": [Any()], "required": ["__interrupt__"]},
        {"max_visits": {"a": 2}, "min_visits": {"a": 2}},
        {"max_visits": {"a": 1}, "min_visits": {Glob("a*"): 3}},
        {"max_visits": {"a": 0}, "min_visits": {"a": 0}},
        {"max_supersteps": 0, "required": ["__interrupt__"]},
        {"max_supersteps": 1, "required": ["a", "b"]},
    ],
)
def test_numbers_that_some_run_may_meet_are_allowed(given: dict[str, object]) -> None:
    """Where a run may hold both, or nobody can tell, nothing is refused."""
    assert isinstance(read_rules(given, "rules"), Rules)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"before": [["a", Glob("a*")]]},
            r"rule before of glob\(a\*\) and a: a would itself need an earlier superstep",
        ),
        ({"before": [["a", Any()]]}, "holds only where any never runs"),
        ({"before": [[OneOf("a", "b"), OneOf("b", "a", "c")]]}, "never runs"),
        (
            {"follows": [[Glob("a*"), "a"]]},
            r"rule follows of glob\(a\*\) and a: a would itself need another superstep",
        ),
        ({"before": [["a", "b"], ["c", "d"], ["b", "a"]]}, "before has b and a both ways round"),
        ({"follows": [["a", "b"], ["b", "a"]]}, "follows has a and b both ways round"),
        ({"before": [["a", "b"], ["b", OneOf("a", "c")]]}, "both ways round"),
        (
            {"before": [["a", "b"]], "same_step": [["c", "b", "a"]]},
            "same_step wants b and a in one superstep",
        ),
        (
            {"follows": [["a", "b"]], "same_step": [["a", "b"]]},
            "same_step wants a and b in one .* follows in two",
        ),
        (
            {"same_step": [["ask", "__interrupt__"]]},
            "same_step names __interrupt__: the marker is a superstep",
        ),
    ],
)
def test_pairs_that_only_their_absence_meets_are_refused(given: dict[str, object], words: str) -> None:
    """Pairs of which each use asks for the next without end are a hidden `forbidden`, which nobody meant."""
    with pytest.raises(InvalidReferenceError, match=words):
        read_rules(given, "rules")


@pytest.mark.parametrize(
    "given",
    [
        {"before": [[Glob("a*"), "a"]]},
        {"follows": [["a", Glob("a*")]]},
        {"before": [["__interrupt__", Any()]]},
        {"before": [["b", "c"], ["a", "b"]]},
        {"before": [["a", "b"]], "follows": [["a", "b"]]},
        {"before": [["b", "a"]], "follows": [["a", "b"]]},
        {"before": [["a", "b"], ["b", "c"]], "same_step": [["a", "d"]]},
        {"same_step": [["a", Any()]]},
        {"same_step": [["a", OneOf("b", "__interrupt__")]]},
        {"before": [[Regex("a+"), Regex("a+b?")]]},
    ],
)
def test_pairs_that_a_run_may_meet_are_allowed(given: dict[str, object]) -> None:
    """A pattern that only overlaps, or two rules that go together, stand."""
    assert isinstance(read_rules(given, "rules"), Rules)


def test_an_expression_without_end_is_named_with_its_place() -> None:
    """An expression that takes too long on another rule's name is an error of its own, at construction."""
    with pytest.raises(PatternTimeoutError, match=r"\Arules of run 0: the regular expression"):
        read_rules({"forbidden": [Regex("(a|aa)+$")], "required": ["a" * 60 + "b"]}, "rules of run 0")
