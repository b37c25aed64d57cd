"""Random cases of each kind; the actual side is the expected one changed here and there, so that both verdicts occur."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.match.others.cases import (
        ArgsMode,
        ArgumentsCase,
        Call,
        GraphCase,
        Message,
        MessagesCase,
        MessagesMode,
        Override,
        ToolsCase,
    )

__all__ = ["draw_all"]

_NODES = "abcd"
_TOOLS = "st"
_FLAT: Sequence[Any] = (1, 2)
_DEEP: Sequence[Any] = (1, True, None, None, {"x": 1}, {"x": 1}, {"x": 1, "y": 2})
_NEAR: Sequence[Sequence[Any]] = ([1, True], [{"x": 1}, {"x": 1, "y": 2}, {"x": 1, "y": 2}, {"x": True}])
"""Values that are the same to some and not to others."""
_MODES: Sequence[MessagesMode] = ("strict", "unordered", "subset", "superset")
_ARGS: Sequence[ArgsMode] = ("exact", "ignore", "subset", "superset")
_FLAT_OVERRIDES: Sequence[Override] = (*_ARGS, ["a"], ["a", "b"], "no_less")
_DEEP_OVERRIDES: Sequence[Override] = ("subset", "superset", ["a"], ["b", "c"], ["a.x", "b"])
_MOST_CALLS = 5


def draw_all(seed: int) -> Iterator[tuple[str, Any]]:
    """Yield the cases that stand in the fixture, each with its kind; the same ones for the same seed."""
    random = Random(seed)
    yield from (("graph", _draw_graph(random)) for _ in range(220))
    yield from (("messages", _draw_messages(random)) for _ in range(380))
    yield from (("messages", _draw_deep_messages(random)) for _ in range(320))
    yield from (("messages", _draw_crowded_messages(random)) for _ in range(120))
    yield from (("tools", _draw_tools(random)) for _ in range(250))
    yield from (("arguments", _draw_arguments(random)) for _ in range(320))


def _draw_graph(random: Random) -> GraphCase:
    """Draw runs of supersteps; rarely a start is written on one side only."""
    expected = [_draw_supersteps(random) for _ in range(random.choice((1, 1, 1, 2)))]
    actual = [_change_supersteps(run, random) for run in expected]
    if random.random() < 0.05:
        actual.append(_draw_supersteps(random))
    for run in (*expected, *actual):
        if random.random() < 0.93:
            run.insert(0, ["__start__"])
    return {"expected": expected, "actual": actual}


def _draw_messages(random: Random) -> MessagesCase:
    """Draw conversations with small numbers as arguments."""
    calls = [_draw_call(random, _FLAT) for _ in range(random.choice((0, 1, 2, 2, 3, 3, 4)))]
    expected = _group(calls, random)
    actual = _change_groups(expected, random)
    return {
        "mode": random.choice(_MODES),
        "args": random.choice(_ARGS),
        "overrides": {tool: random.choice(_FLAT_OVERRIDES) for tool in _TOOLS if random.random() < 0.25},
        "expected": _write_messages(expected, random),
        "actual": _write_messages(actual, random),
    }


def _draw_deep_messages(random: Random) -> MessagesCase:
    """Draw conversations whose arguments hold lists, mappings, booleans and nulls; few calls, so that these decide."""
    calls = [_draw_call(random, _DEEP, tools="s") for _ in range(random.choice((1, 1, 2)))]
    changed = [["s", _change_deep_args(args, random)] for _, args in calls]
    expected, actual = (calls, changed) if random.random() < 0.5 else (changed, calls)
    return {
        "mode": random.choice(_MODES),
        "args": random.choice(_ARGS),
        "overrides": {"s": random.choice(_DEEP_OVERRIDES)} if random.random() < 0.6 else {},
        "expected": _write_messages([expected], random),
        "actual": _write_messages([actual], random),
    }


def _draw_crowded_messages(random: Random) -> MessagesCase:
    """Draw conversations in which one call often goes with several others: one tool, one side with more arguments."""
    args: ArgsMode = random.choice(("subset", "superset"))
    fewer = [_draw_call(random, _FLAT, tools="s") for _ in range(random.choice((2, 3, 3)))]
    more = [["s", {**_draw_call(random, _FLAT)[1], **call[1]}] for call in fewer]
    random.shuffle(more)
    expected, actual = (fewer, more) if args == "superset" else (more, fewer)
    return {
        "mode": random.choice(_MODES),
        "args": args,
        "overrides": {},
        "expected": _write_messages([expected], random),
        "actual": _write_messages([actual], random),
    }


def _draw_tools(random: Random) -> ToolsCase:
    """Draw a sequence of tools, and supersteps of calls of which some failed."""
    supersteps = _draw_supersteps(random)
    expected = [name for step in supersteps for name in step]
    changed = _change_supersteps(supersteps, random)
    return {
        "expected": expected,
        "actual": [[(name, random.random() < 0.08) for name in step] for step in changed],
    }


def _draw_arguments(random: Random) -> ArgumentsCase:
    """Draw the arguments expected of a tool, and calls."""
    values, change = (_DEEP, _change_deep_args) if random.random() < 0.7 else (_FLAT, _change_args)
    tool, args = _draw_call(random, values)
    calls = [_draw_call(random, values) for _ in range(random.choice((0, 1, 2)))]
    if random.random() < 0.8:
        calls.insert(random.randint(0, len(calls)), [tool, change(args, random)])
    return {
        "tool": tool,
        "args": args,
        "mode": random.choice(("exact", "subset")),
        "occurrence": random.choice(("first", "last")),
        "actual": calls,
    }


def _draw_supersteps(random: Random) -> list[list[str]]:
    return [
        random.choices(_NODES, k=random.choice((1, 1, 1, 2, 2, 3)))
        for _ in range(random.choice((0, 1, 2, 3, 3)))
    ]


def _change_supersteps(steps: list[list[str]], random: Random) -> list[list[str]]:
    steps = deepcopy(steps)
    for step in steps:
        if random.random() < 0.3:
            random.shuffle(step)
    if steps and random.random() < 0.2:
        at = random.randrange(len(steps))
        steps[at : at + 1] = [[name] for name in steps[at]]
    if len(steps) > 1 and random.random() < 0.15:
        steps[:2] = [steps[0] + steps[1]]
    if steps and random.random() < 0.15:
        random.choice(steps)[0] = random.choice(_NODES)
    if steps and random.random() < 0.15:
        del steps[random.randrange(len(steps))]
    if random.random() < 0.15:
        steps.insert(random.randint(0, len(steps)), [random.choice(_NODES)])
    return [step[:4] for step in steps]


def _draw_call(random: Random, values: Sequence[Any], tools: str = _TOOLS) -> Call:
    return [random.choice(tools), {key: random.choice(values) for key in "abc" if random.random() < 0.45}]


def _change_args(args: dict[str, Any], random: Random) -> dict[str, Any]:
    changed = dict(args)
    if random.random() < 0.35:
        changed[random.choice("abc")] = random.choice(_FLAT)
    if changed and random.random() < 0.25:
        del changed[random.choice(sorted(changed))]
    return changed


def _change_deep_args(args: dict[str, Any], random: Random) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for key, value in args.items():
        near = [other for group in _NEAR if value in group for other in group]
        if value is not None or random.random() < 0.5:
            changed[key] = random.choice(near) if near and random.random() < 0.5 else value
    if random.random() < 0.1:
        changed.setdefault(random.choice("abc"), random.choice(_DEEP))
    return changed


def _change_groups(groups: list[list[Call]], random: Random) -> list[list[Call]]:
    groups = [[[tool, _change_args(args, random)] for tool, args in group] for group in groups]
    for group in groups:
        if random.random() < 0.4:
            random.shuffle(group)
    if random.random() < 0.15:
        random.shuffle(groups)
    if random.random() < 0.15:
        groups = _group([call for group in groups for call in group], random)
    if groups and random.random() < 0.15:
        random.choice(groups).pop()
    if random.random() < 0.2:
        groups.append([_draw_call(random, _FLAT)])
    groups = [group for group in groups if group]
    while sum(map(len, groups)) > _MOST_CALLS:
        groups.pop()
    return groups


def _group(calls: list[Call], random: Random) -> list[list[Call]]:
    groups: list[list[Call]] = []
    for call in calls:
        if groups and random.random() < 0.5:
            groups[-1].append(call)
        else:
            groups.append([call])
    return groups


def _write_messages(groups: list[list[Call]], random: Random) -> list[Message]:
    messages: list[Message] = ["user"]
    for group in groups:
        messages += [group, *["tool"] * len(group)]
    messages.append("assistant")
    if random.random() < 0.06:
        messages.insert(random.randint(1, len(messages)), random.choice(("user", "assistant")))
    return messages
