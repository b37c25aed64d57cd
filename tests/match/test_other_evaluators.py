"""Verdicts of agentevals and pydantic-evals on the same trajectories, kept as a fixture (`python -m tests.match.others`)."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import chain, permutations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from otel_traj.errors import TrajectoryValueError
from otel_traj.match import TrajectoryMatcher
from tests.match.judging import decide, make_run
from tests.match.others.draw import draw_all
from tests.match.others.ours import (
    BOOLEANS,
    FIXTURE,
    NULLS,
    VALUE_REASONS,
    VALUES,
    imitate,
    judge_calls,
    judge_graph,
    judge_messages,
    read_args,
    read_fixture,
    swap,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from otel_traj.match import TrajectoryMode
    from tests.match.others.cases import (
        ArgumentsCase,
        GraphCase,
        MessagesAnswer,
        MessagesCase,
        MessagesMode,
        ToolsAnswer,
        ToolsCase,
    )

PAGE = Path(__file__).parents[2] / "docs" / "other-evaluators.md"
KEPT = read_fixture()

MODES: dict[MessagesMode, TrajectoryMode] = {
    "strict": "strict",
    "unordered": "flat_unordered",
    "subset": "flat_subset",
    "superset": "flat_superset",
}

DIFFERENCES: dict[str, tuple[object, object]] = {
    "grouping": (True, False),
    "order of siblings": (False, True),
    "start marker": (False, True),
    "tuples": (False, True),
    "first fit": (False, True),
    "swapped sides": (False, True),
    "both directions": (False, True),
    VALUES: (False, True),
    BOOLEANS: (True, False),
    NULLS: (True, False),
    "no keys": (True, "TrajectoryValueError"),
    "arguments that are no JSON": ("JSONDecodeError", True),
    "messages without calls": (False, True),
    "order of starts": (0.0, True),
    "extra calls": (0.8, True),
    "failed calls": (False, True),
    "no spans": (False, None),
    "which call": (False, True),
}
"""What they say and what we say of the smallest case of each difference."""


def find_random(kind: str) -> Iterator[tuple[Any, Any]]:
    """Yield the random cases of a kind with the answers to them."""
    found = [(case, answer) for kind_of_case, case, answer in KEPT["random"] if kind_of_case == kind]
    assert len(found) > 100
    yield from found


def test_the_fixture_is_what_the_script_draws() -> None:
    """At least 1,000 random cases, the very ones of the seed, with the versions that answered and the day."""
    drawn = json.loads(json.dumps(list(draw_all(KEPT["seed"]))))
    assert [[kind, case] for kind, case, _ in KEPT["random"]] == drawn
    assert len(drawn) >= 1000
    assert KEPT["versions"]["agentevals"] == "0.0.9"
    assert FIXTURE.stem == "agentevals-0.0.9_pydantic-evals-" + KEPT["versions"]["pydantic-evals"]
    assert KEPT["date"] >= "2026"
    assert FIXTURE.stat().st_size < 1_000_000


@pytest.mark.parametrize("entry", KEPT["named"], ids=[name for _, name, _, _ in KEPT["named"]])
def test_each_difference_has_a_smallest_case(entry: tuple[str, str, Any, Any]) -> None:
    """Of the smallest case of a difference both sides say what the table of the documentation has."""
    kind, name, case, answer = entry
    say: dict[str, Callable[[str, Any, Any], tuple[object, object]]] = {
        "graph": say_graph,
        "messages": say_messages,
        "tools": say_tools,
        "arguments": say_arguments,
    }
    theirs, ours = say[kind](name, case, answer)
    assert (theirs, ours) == DIFFERENCES[name]


def test_the_page_names_each_difference() -> None:
    """Each difference is a row of a table in the documentation, no row names anything else, and the versions are these."""
    text = PAGE.read_text("utf-8")
    rows = [row.split("|")[1].strip().strip("*") for row in text.splitlines() if row.startswith("| *")]
    assert sorted(rows) == sorted(DIFFERENCES) == sorted(name for _, name, _, _ in KEPT["named"])
    assert set(re.findall(r"\*([^*|]+)\*", text)) == set(DIFFERENCES)
    for name in ("agentevals", "pydantic-evals"):
        assert f"{name} {KEPT['versions'][name]}" in text


def test_agentevals_graph_trajectories() -> None:
    """A strict graph match says what flat_exact says, but for the order of siblings and the start marker."""
    seen: Counter[str] = Counter()
    for case, theirs in find_random("graph"):
        flat, strict = judge_graph(case, "flat_exact"), judge_graph(case, "strict")
        marked = [list_orders(run) for run in case["expected"]], [list_orders(run) for run in case["actual"]]
        bare = [[{drop_start(way) for way in ways} for ways in side] for side in marked]
        assert flat is (len(bare[0]) == len(bare[1]) and all(map(set.intersection, bare[0], bare[1])))
        if theirs:
            assert flat
            seen["grouping" if not strict else "same"] += 1
            assert strict is all(map(is_grouped_alike, case["expected"], case["actual"]))
        elif flat:
            reachable = all(not one.isdisjoint(two) for one, two in zip(*marked, strict=True))
            seen["order of siblings" if reachable else "start marker"] += 1
        else:
            assert not strict
            seen["same"] += 1
    assert set(seen) == {"same", "grouping", "order of siblings", "start marker"}
    assert min(seen.values()) >= 5


def test_agentevals_message_trajectories() -> None:
    """Tool calls of messages get the same verdict, or a difference that is named and goes its one way."""
    seen: Counter[str] = Counter()
    for case, answer in find_random("messages"):
        ours = judge_messages(case, MODES[case["mode"]], read_args(case))
        reasons = find_reasons(case, answer, ours=ours)
        seen.update(reasons or ["same"])
        if not reasons:
            assert answer["verdict"] is ours
        elif len(reasons) == 1 and reasons != ["swapped sides"]:
            assert (answer["verdict"], ours) == DIFFERENCES[reasons[0]]
    named = {"first fit", "swapped sides", "both directions", *VALUE_REASONS, "messages without calls"}
    assert set(seen) == {"same", *named}
    assert min(seen.values()) >= 3
    assert seen["same"] > 400


def test_pydantic_evals_sequences_of_tools() -> None:
    """Multiset scores are ours; sequence scores are ours where starts don't decide and no call is extra."""
    seen: Counter[str] = Counter()
    for case, answer in find_random("tools"):
        expected, steps = case["expected"], [[tool for tool, _ in step] for step in case["actual"]]
        assert answer["only"] is judge_tools(expected, steps, "flat_unordered")
        assert answer["at_least"] is judge_tools(expected, steps, "flat_superset")
        matcher = TrajectoryMatcher(
            {"steps": [[name] for name in expected]}, trajectory_mode="flat_unordered"
        )
        result = matcher({"steps": steps})
        assert isinstance(result, dict)
        metadata = result["metadata"]
        assert metadata is not None
        assert metadata["f1"] == pytest.approx(answer["any_order"], abs=0.0006)

        orders = list_orders(steps)
        exact, in_order = (judge_tools(expected, steps, mode) for mode in ("flat_exact", "flat_in_order"))
        assert exact is (tuple(expected) in orders)
        assert in_order is any(is_within_sequence(expected, order) for order in orders)
        started = tuple(chain.from_iterable(steps))
        assert (answer["exact"] == 1.0) is (tuple(expected) == started)
        seen["order of starts" if exact and not answer["exact"] else "same"] += 1
        if is_within_sequence(expected, started):
            has_extra = len(started) > len(expected)
            assert (answer["in_order"] < 1.0) is has_extra
            seen["extra calls"] += has_extra
        left = [[tool for tool, failed in step if not failed] for step in case["actual"]]
        assert answer["only_by_default"] is judge_tools(expected, left, "flat_unordered")
        seen["failed calls"] += answer["only_by_default"] is not answer["only"]
    assert min(seen[name] for name in ("same", "order of starts", "extra calls", "failed calls")) >= 5


def test_pydantic_evals_arguments() -> None:
    """The arguments of a tool that is called once get the same verdict, but for values inside values and booleans."""
    seen: Counter[str] = Counter()
    for case, theirs in find_random("arguments"):
        rule = "exact" if case["mode"] == "exact" else "superset"
        calls = [call for call in case["actual"] if call[0] == case["tool"]]
        chosen = calls[0 if case["occurrence"] == "first" else -1 :][:1]
        ours = judge_calls(case["actual"], case["tool"], case["args"], rule)
        judged = {
            mended: judge_calls(chosen, case["tool"], case["args"], imitate(rule, mended))
            for mended in (frozenset(), VALUE_REASONS - {BOOLEANS}, VALUE_REASONS - {VALUES}, VALUE_REASONS)
        }
        assert theirs is judged[frozenset()]
        reasons = []
        if theirs is not judged[VALUE_REASONS]:
            without = {name: judged[VALUE_REASONS - {name}] for name in (BOOLEANS, VALUES)}
            reasons = [name for name, verdict in without.items() if verdict is theirs]
            assert reasons
        if ours is not judged[VALUE_REASONS]:
            assert len(calls) > 1
            reasons.append("which call")
        seen.update(reasons or ["same"])
        if len(reasons) == 1:
            assert (theirs, ours) == DIFFERENCES[reasons[0]]
        elif not reasons:
            assert theirs is ours
    assert set(seen) == {"same", BOOLEANS, VALUES, "which call"}


def find_reasons(case: MessagesCase, answer: MessagesAnswer, *, ours: bool) -> list[str]:
    """Return what makes the verdicts of a case differ, each reason proved by a comparison without it."""
    if case["mode"] == "strict" and list(map(shape, case["expected"])) != list(map(shape, case["actual"])):
        assert answer["verdict"] is False
        return ["messages without calls"] if ours else []
    theirs = judge_imitated(case, frozenset(), as_theirs=True)
    plain = judge_imitated(case, frozenset(), as_theirs=False)
    assert answer["best"] is theirs
    assert ours is judge_imitated(case, VALUE_REASONS, as_theirs=False)
    reasons = []
    if answer["verdict"] is not answer["best"]:
        reasons.append("first fit")
    if theirs is not plain:
        reasons.append({"subset": "swapped sides", "unordered": "both directions"}[case["mode"]])
    if plain is not ours:
        found = [
            name
            for name in sorted(VALUE_REASONS)
            if judge_imitated(case, VALUE_REASONS - {name}, as_theirs=False) is plain
            or judge_imitated(case, frozenset({name}), as_theirs=False) is ours
        ]
        assert found
        reasons += found
    return reasons


def judge_imitated(case: MessagesCase, mended: frozenset[str], *, as_theirs: bool) -> bool:
    """Judge by imitated comparisons of arguments; `as_theirs` with the sides that agentevals gives them.

    In its `subset` it hands them over the other way round, and its `unordered` is `superset` and `subset`.
    """
    rules = {tool: imitate(rule, mended) for tool, rule in {"*": case["args"], **case["overrides"]}.items()}
    swapped = {tool: swap(rule) for tool, rule in rules.items()}
    mode = case["mode"]
    if as_theirs and mode == "subset":
        return judge_messages(case, "flat_subset", swapped)
    if as_theirs and mode == "unordered":
        contains = judge_messages(case, "flat_superset", rules)
        return contains and judge_messages(case, "flat_subset", swapped)
    return judge_messages(case, MODES[mode], rules)


def judge_tools(expected: Iterable[str], steps: Sequence[Sequence[str]], mode: TrajectoryMode) -> bool:
    """Judge supersteps of tools by a sequence."""
    reference = {"steps": [[name] for name in expected]}
    return TrajectoryMatcher(reference, level="tools", trajectory_mode=mode).matches({"steps": steps})


def shape(message: object) -> object:
    """Return a message without what was called: its role, or that it makes calls."""
    return message if isinstance(message, str) else "calls"


def list_orders(steps: Iterable[Sequence[str]]) -> set[tuple[str, ...]]:
    """Return every sequence that supersteps allow."""
    return {tuple(chain.from_iterable(ways)) for ways in product(*map(permutations, steps))}


def drop_start(names: Iterable[str]) -> tuple[str, ...]:
    """Return a sequence without the start marker."""
    return tuple(name for name in names if name != "__start__")


def is_grouped_alike(one: Iterable[Sequence[str]], two: Iterable[Sequence[str]]) -> bool:
    """Return whether the supersteps of two runs hold the same names."""
    return list(map(Counter, one)) == list(map(Counter, two))


def is_within_sequence(expected: Iterable[str], actual: Iterable[str]) -> bool:
    """Return whether a sequence stands in another one, with others between."""
    left = iter(actual)
    return all(name in left for name in expected)


def say_graph(name: str, case: GraphCase, answer: bool) -> tuple[object, object]:
    """Return both verdicts; grouping is what flat_exact can't see."""
    assert judge_graph(case, "flat_exact")
    return answer, judge_graph(case, "strict" if name == "grouping" else "flat_exact")


def say_messages(_name: str, case: MessagesCase, answer: MessagesAnswer) -> tuple[object, object]:
    """Return both verdicts, or the types of the errors."""
    try:
        ours: object = judge_messages(case, MODES[case["mode"]], read_args(case))
    except TrajectoryValueError as error:
        ours = type(error).__name__
    return answer["verdict"], ours


def say_tools(name: str, case: ToolsCase, answer: ToolsAnswer) -> tuple[object, object]:
    """Return both verdicts, of the evaluator that the difference is about."""
    if case["actual"] is None:
        run = make_run([["__start__"]], complete=False, problems=["root_missing"])
        return answer["only"], decide(run, {"steps": [[tool] for tool in case["expected"]]}).score
    steps = [[tool for tool, _ in step] for step in case["actual"]]
    theirs, mode = ASKED[name]
    return theirs(answer), judge_tools(case["expected"], steps, mode)


ASKED: dict[str, tuple[Callable[[ToolsAnswer], object], TrajectoryMode]] = {
    "order of starts": (lambda answer: answer["exact"], "flat_exact"),
    "extra calls": (lambda answer: answer["in_order"], "flat_in_order"),
    "failed calls": (lambda answer: answer["only_by_default"], "flat_unordered"),
}


def say_arguments(_name: str, case: ArgumentsCase, answer: bool) -> tuple[object, object]:
    """Return both verdicts."""
    rule = "exact" if case["mode"] == "exact" else "superset"
    return answer, judge_calls(case["actual"], case["tool"], case["args"], rule)
