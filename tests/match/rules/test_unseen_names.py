from __future__ import annotations

import pytest

from otel_traj.errors import InvalidReferenceError
from otel_traj.match import Any, Glob, OneOf, TrajectoryMatcher

RULES = [
    {"forbidden": ["log"]},
    {"required": ["log"]},
    {"before": [["log", "a"]]},
    {"follows": [["a", "log"]]},
    {"same_step": [["a", "log"]]},
    {"max_visits": {"log": 1}},
    {"min_visits": {"log": 1}},
    {"forbidden": [OneOf("a", OneOf("b", "log"))]},
]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("ignore", [["log"], [Glob("l*")]])
def test_a_rule_about_an_ignored_name_is_refused(rules: object, ignore: list[str | Glob]) -> None:
    """What is left out is never seen to run, so a rule about it would hold always or never."""
    with pytest.raises(InvalidReferenceError, match="names log, and the option ignore leaves it out"):
        TrajectoryMatcher({"rules": rules}, ignore=ignore)
    TrajectoryMatcher({"rules": rules})


def test_the_names_that_are_ignored_by_default_are_refused_too() -> None:
    """`__end__` is left out unless a user says otherwise."""
    with pytest.raises(InvalidReferenceError, match="rule required names __end__"):
        TrajectoryMatcher({"steps": [["a"]], "rules": {"required": ["__end__"]}})
    TrajectoryMatcher({"rules": {"required": ["__end__"]}}, ignore=[])


def test_a_pattern_means_the_names_that_are_left() -> None:
    """A pattern that could mean an ignored name as well is no error."""
    matcher = TrajectoryMatcher({"rules": {"max_visits": {Any(): 1}}}, ignore=["log"])
    assert matcher.matches([["a"], ["log"]])
    assert not matcher.matches([["a"], ["b"]])
