from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import InvalidReferenceError
from otel_traj.match import Glob, Tool
from tests.match.judging import decide

if TYPE_CHECKING:
    from otel_traj.match import ArgsMode

RAN = {"tool": "search", "args": {"query": "rain"}}
OTHER = {"query": "snow"}


@pytest.mark.parametrize(
    ("args", "passes"),
    [
        ("ignore", False),
        ("exact", False),
        ({"other": "ignore"}, False),
        ({"other": "exact"}, False),
        ({"search": "ignore"}, True),
        ({"search": "ignore", "other": "exact"}, True),
        ({"*": "ignore"}, True),
        ({"*": "ignore", "other": "exact"}, True),
        ({"*": "ignore", "search": "exact"}, False),
    ],
)
def test_what_is_said_of_a_tool_holds_whatever_is_said_of_others(args: ArgsMode, *, passes: bool) -> None:
    """Arguments that a reference names are compared exactly, but where a rule for the tool or `*` says otherwise."""
    for reference in ([[Tool("search", OTHER)]], [[{"tool": "search", "args": OTHER}]]):
        assert decide([[RAN]], reference, level="tools", args=args).score is passes


@pytest.mark.parametrize(
    ("args", "passes"), [({"search": "ignore"}, False), ({"*": "ignore"}, True), ({"*": "exact"}, False)]
)
def test_a_pattern_of_tools_takes_the_rule_of_the_rest(args: ArgsMode, *, passes: bool) -> None:
    """A `Tool` whose name is a pattern is no single tool, so `*` alone speaks of it."""
    assert decide([[RAN]], [[Tool(Glob("s*"), OTHER)]], level="tools", args=args).score is passes


@pytest.mark.parametrize("listed", ["search", "agent>search", "outer/search", "outer/agent>search"])
def test_a_rule_for_a_tool_holds_wherever_it_is_listed(listed: str) -> None:
    """The bare name of a tool gives its rule at every level and depth; the listed name, where it has one, comes first."""
    run, reference = [[{**RAN, "tool": listed}]], [[Tool(listed, OTHER)]]
    assert decide(run, reference, level="both", args={"search": "ignore", "*": "exact"}).score is True
    assert decide(run, reference, level="both", args={"search": "exact", "*": "ignore"}).score is False
    own = {"search": "exact", listed: "ignore"}
    assert decide(run, reference, level="both", args=own).score is True


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"glob": "a*"}, "Write Glob('a*')."),
        ({"regex": "a+"}, "Write Regex('a+')."),
        ({"any": True}, "Write Any()."),
        ({"one_of": ["a", "b"]}, "Write OneOf('a', 'b')."),
        ({"one_of": 3}, "a tool call has tool, and may have args and args_mode"),
        ({"tool": "a", "arg": {}}, "a tool call has tool, and may have args and args_mode"),
    ],
)
def test_a_pattern_of_a_reference_file_is_shown_as_it_is_in_python(entry: object, words: str) -> None:
    """Whoever writes the map of a reference file where a name stands is shown the pattern that it is."""
    with pytest.raises(InvalidReferenceError, match=re.escape(words)):
        decide([["a"]], [["a"], [entry]])


def test_equal_names_with_other_arguments_are_weighed_apart() -> None:
    """The cheapest edits are those of the calls as they were made, not of their names."""
    reference = [[Tool("s", {"a": value})] for value in (1, 1, 2)]
    outcome = decide([[{"tool": "s", "args": {"a": value}}] for value in (1, 3, 2)], reference, level="tools")
    assert outcome.metadata is not None
    assert outcome.metadata["edits"] == 2
    assert [op["actual_superstep"] for op in outcome.metadata["ops"]] == [2]
