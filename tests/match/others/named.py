"""The smallest case of each difference, by the name that the documentation gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.match.others.cases import (
        ArgsMode,
        ArgumentsCase,
        Call,
        GraphCase,
        MessagesCase,
        MessagesMode,
        Override,
        ToolsCase,
    )

__all__ = ["ARGUMENTS", "GRAPH", "MESSAGES", "TOOLS"]


def _messages(
    mode: MessagesMode,
    args: ArgsMode,
    expected: Sequence[Call],
    actual: Sequence[Call],
    overrides: Mapping[str, Override] | None = None,
) -> MessagesCase:
    return {
        "mode": mode,
        "args": args,
        "overrides": dict(overrides or {}),
        "expected": [list(expected)],
        "actual": [list(actual)],
    }


GRAPH: Mapping[str, GraphCase] = {
    "grouping": {"expected": [[["a"], ["b", "c"]]], "actual": [[["a"], ["b"], ["c"]]]},
    "order of siblings": {"expected": [[["a"], ["b", "c"]]], "actual": [[["a"], ["c", "b"]]]},
    "start marker": {"expected": [[["a"]]], "actual": [[["__start__"], ["a"]]]},
    "tuples": {"expected": [[["a"]]], "actual": [[["a"]]], "is_tuple": True},
}

MESSAGES: Mapping[str, MessagesCase] = {
    "first fit": _messages(
        "superset",
        "superset",
        [["s", {}], ["s", {"a": 1}]],
        [["s", {"a": 1, "b": 2}], ["s", {"b": 2}]],
    ),
    "swapped sides": _messages("subset", "superset", [["s", {"a": 1}]], [["s", {"a": 1, "b": 2}]]),
    "both directions": _messages("unordered", "superset", [["s", {"a": 1}]], [["s", {"a": 1, "b": 2}]]),
    "values inside values": _messages(
        "superset", "superset", [["s", {"a": {"x": 1}}]], [["s", {"a": {"x": 1, "y": 2}}]]
    ),
    "true and one": _messages("superset", "exact", [["s", {"a": 1}]], [["s", {"a": True}]]),
    "null and absent": _messages("superset", "exact", [["s", {"a": None}]], [["s", {"b": 2}]], {"s": ["a"]}),
    "no keys": _messages("superset", "ignore", [["s", {"a": 1}]], [["s", {"a": 2}]], {"s": []}),
    "arguments that are no JSON": _messages("superset", "exact", [["s", "rain"]], [["s", "rain"]]),
    "messages without calls": {
        "mode": "strict",
        "args": "exact",
        "overrides": {},
        "expected": ["user", [["s", {}]], "tool", "assistant"],
        "actual": ["user", "assistant", [["s", {}]], "tool", "assistant"],
    },
}

TOOLS: Mapping[str, ToolsCase] = {
    "order of starts": {"expected": ["a", "b"], "actual": [[("b", False), ("a", False)]]},
    "extra calls": {"expected": ["a", "b"], "actual": [[("a", False)], [("c", False)], [("b", False)]]},
    "failed calls": {"expected": ["a"], "actual": [[("a", True)]]},
    "no spans": {"expected": ["a"], "actual": None},
}

ARGUMENTS: Mapping[str, ArgumentsCase] = {
    "which call": {
        "tool": "s",
        "args": {"a": 1},
        "mode": "subset",
        "occurrence": "first",
        "actual": [["s", {"a": 2}], ["s", {"a": 1}]],
    },
}
