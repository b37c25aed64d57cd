"""Entries of a reference file: names, patterns, tool calls, and how arguments are compared."""

from __future__ import annotations

import pytest

from otel_traj import Any, ArgsMatch, Glob, OneOf, Regex, Tool
from tests.evaluate.references.reference_files import complain_of, read_one


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a", "a"),
        ("'node*'", "node*"),
        ("{glob: 'node*'}", Glob("node*")),
        ("{regex: '[ab]+'}", Regex("[ab]+")),
        ("{any: true}", Any()),
        ("{one_of: [a, {glob: 'b*'}, {one_of: [c]}]}", OneOf("a", Glob("b*"), OneOf("c"))),
        ("{tool: search}", Tool("search")),
        ("{tool: {glob: 's*'}}", Tool(Glob("s*"))),
        ("{tool: s, args: {}}", Tool("s", {})),
        ("{tool: s, args: {q: [1, null, {r: 1.5}]}}", Tool("s", {"q": [1, None, {"r": 1.5}]})),
        ("{tool: s, args: 'free text'}", Tool("s", "free text")),
        ("{tool: s, args: {q: 1}, args_mode: ignore}", Tool("s", {"q": 1}, "ignore")),
        (
            "{tool: s, args: {q: 1}, args_mode: [q.city, [a.b, c]]}",
            Tool("s", {"q": 1}, ArgsMatch(keys=["q.city", ("a.b", "c")])),
        ),
    ],
)
def test_each_form_of_an_entry(written: str, read: object) -> None:
    """An entry is a name, a pattern or a tool call; a text is a name whatever it looks like."""
    assert read_one(f"level: both, steps: [[{written}]]").steps == [[read]]


@pytest.mark.parametrize(
    ("entry", "place", "words"),
    [
        ("''", "''", "a name must be a text, found the text ''"),
        ("7", "7", "a name must be a text, found the number 7; put it in quotes"),
        ("{}", "{}", "an entry is a name, or a map with one of glob, regex, any, one_of, tool"),
        ("{args: {}}", "{args: {}}", "an entry is a name, or a map with one of"),
        ("{globb: a}", "globb: a}", "unknown key 'globb' (did you mean 'glob'?)"),
        ("{glob: a, regex: b}", "regex: b}", "unknown key 'regex'; a pattern with glob may hold: glob"),
        ("{glob: a, min: 0}", "min: 0}", "unknown key 'min'"),
        ("{glob: ''}", "''}", "a glob must be a text, found the text ''"),
        ("{glob: [a]}", "[a]}", "a glob must be a text, found a list"),
        ("{regex: '('}", "'('}", "'(' is no regular expression (missing )"),
        ("{regex: 1}", "1}", "a regex must be a text, found the number 1; put it in quotes"),
        ("{any: false}", "false}", "any must be true, found the boolean false"),
        ("{any: 1}", "1}", "any must be true, found the number 1"),
        ("{one_of: []}", "[]}", "one_of has no choice: nothing could ever match it"),
        ("{one_of: a}", "a}", "one_of must be a list, found the text 'a'"),
        ("{one_of: [[a]]}", "[a]]}", "a name must be a text, found a list"),
        ("{one_of: [{tool: a}]}", "tool: a}]}", "a tool call stands here, and names and patterns alone may"),
        ("{tool: {tool: a}}", "tool: a}}", "a tool call stands here, and names and patterns alone may"),
        ("{tool: ''}", "''}", "a name must be a text"),
        ("{tool: a, argz: {}}", "argz: {}}", "unknown key 'argz' (did you mean 'args'?); a tool call may hold"),
        ("{tool: a, args: [1]}", "[1]}", "args of a tool call must be a map, or a text, found a list"),
        ("{tool: a, args: ~}", "~}", "args must be a value, found nothing"),
        ("{tool: a, args_mode: exact}", "args_mode: exact}", "args_mode says how args are compared, and there are none"),
        ("{tool: a, args: {}, args_mode: exakt}", "exakt}", "must be one of exact, ignore, subset, superset"),
        ("{tool: a, args: {}, args_mode: []}", "[]}", "is an empty list of keys: nothing would be compared"),
        ("{tool: a, args: {}, args_mode: [a..b]}", "[a..b]}", "in which a key is empty"),
        ("{tool: a, args: {}, args_mode: [[]]}", "[[]]}", "is an empty path, which names no key"),
        ("{tool: a, args: {}, args_mode: {mode: exact}}", "{mode: exact}}", "must be one of exact"),
    ],
)  # fmt: skip
def test_complaints_about_an_entry(entry: str, place: str, words: str) -> None:
    """What is no entry is refused where it stands, with what may stand there."""
    found, message = complain_of(f"level: tools, steps: [[{entry}]]")
    assert words in message
    assert found == f"{place}]]"


@pytest.mark.parametrize(
    "part", ["steps: [{tool: a}]", "any_of: [[[{tool: a}]]]", "rules: {forbidden: [{tool: a}]}"]
)
def test_at_level_nodes_there_are_no_tool_calls(part: str) -> None:
    """A tool call is refused at level nodes, which lists none, wherever it stands."""
    place, message = complain_of(part)
    assert place.startswith("tool: a")
    assert message.startswith("a tool call stands here, and level is nodes")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("ignore", "ignore"),
        ("superset", "superset"),
        ("[q.city]", ArgsMatch(keys=["q.city"])),
        ("{search: exact, '*': [q]}", {"search": "exact", "*": ArgsMatch(keys=["q"])}),
    ],
)
def test_args_say_how_arguments_are_compared(written: str, read: object) -> None:
    """The option is a mode, key paths, or a map of these by tool."""
    assert read_one(f"level: tools, args: {written}, steps: [{{tool: a, args: {{}}}}]").args == read


@pytest.mark.parametrize(
    ("written", "place", "words"),
    [
        ("fuzzy", "fuzzy", "args (or a list of key paths) must be one of exact, ignore, subset, superset"),
        ("~", "~", "args (or a list of key paths) must be one of"),
        ("{}", "{}", "args is an empty mapping"),
        ("{'': exact}", "{'': exact}", "args has an empty key: no tool has that name"),
        ("{a: fuzzy}", "fuzzy}", "args of 'a' (or a list of key paths) must be one of"),
        ("{a: {b: exact}}", "{b: exact}}", "args of 'a' (or a list of key paths) must be one of"),
        ("[]", "[]", "is an empty list of keys"),
    ],
)
def test_complaints_about_args(written: str, place: str, words: str) -> None:
    """What does not say how arguments are compared is refused."""
    found, message = complain_of(f"level: tools, steps: [a], args: {written}")
    assert words in message
    assert found == place


def test_args_are_refused_where_nothing_has_any() -> None:
    """At level nodes, and without model calls, the option would compare nothing."""
    place, message = complain_of("steps: [a], args: exact")
    assert place == "exact"
    assert "nothing would be compared by it. Write level: tools or both, or leave it out" in message
    assert read_one("model_calls: [{nth: 1, chooses: []}], args: exact").args == "exact"
    assert read_one("steps: [a], args: ignore").args == "ignore"
