"""The checks against the table of the rules, written down a second time as plainly as it reads."""

from __future__ import annotations

import typing
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from otel_traj.errors import InvalidReferenceError
from otel_traj.match.reference.name_patterns import Any, Entry, Glob, OneOf, Regex
from otel_traj.match.rules.rule_checks import check_rules
from otel_traj.match.rules.rules import Rules
from otel_traj.match.supersteps import ActualStep, number_supersteps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Steps: TypeAlias = "Sequence[Sequence[str]]"
Broken: TypeAlias = "list[tuple[str, list[int] | None]]"

WAIT = ["__interrupt__"]
WAITS = OneOf("a", OneOf("__interrupt__"))

entries = st.sampled_from(
    [
        "a",
        "b",
        "c",
        "a1",
        Glob("a*"),
        Regex("[bc]"),
        Any(),
        OneOf("a", "c"),
        OneOf("b", Glob("a?")),
        "__interrupt__",
        WAITS,
    ]
)
steps = st.lists(
    st.one_of(st.lists(st.sampled_from(["a", "b", "c", "a1"]), max_size=4), st.just(WAIT)), max_size=6
)
LISTS = ("forbidden", "required", "before", "follows", "same_step", "max_visits")

SMALL = [
    [],
    ["a"],
    ["b"],
    ["c"],
    ["a1"],
    ["a", "a", "a"],
    ["a", "b"],
    ["b", "c"],
    ["a", "b", "c", "a1"],
    WAIT,
]
SMALL_RUNS = [list(run) for length in range(4) for run in product(SMALL, repeat=length)]

given_rules = st.fixed_dictionaries(
    {},
    optional={
        "forbidden": st.lists(entries, max_size=2, unique=True),
        "required": st.lists(entries, max_size=2, unique=True),
        "before": st.lists(
            st.lists(entries, min_size=2, max_size=2, unique=True), max_size=2, unique_by=tuple
        ),
        "follows": st.lists(
            st.lists(entries, min_size=2, max_size=2, unique=True), max_size=2, unique_by=tuple
        ),
        "same_step": st.lists(
            st.lists(entries, min_size=2, max_size=3, unique=True), max_size=2, unique_by=tuple
        ),
        "max_visits": st.dictionaries(entries, st.integers(0, 4), max_size=2),
        "min_visits": st.dictionaries(entries, st.integers(0, 4), max_size=2),
        "max_supersteps": st.integers(0, 5),
    },
)


def means(entry: Entry, name: str) -> bool:
    """Say again what an entry means: a marker only where it is written out."""
    if name == "__interrupt__":
        return entry in (name, WAITS)
    return entry == name if isinstance(entry, str) else entry.accepts(name)


def ran(entry: Entry, names: Sequence[str]) -> bool:
    """Say whether an entry ran in a superstep."""
    return any(means(entry, name) for name in names)


def holds_follows(at: int, second: Entry, run: Steps) -> bool:
    """Walk on from a superstep over markers to the next one."""
    for names in run[at + 1 :]:
        if ran(second, names):
            return True
        if names != WAIT:
            return False
    return False


def break_rules(written: Mapping[str, typing.Any], run: Steps) -> Broken:
    """Return what is broken by the table, with the positions of the supersteps that break it."""
    at = range(len(run))
    found: Broken = []
    for e in written.get("forbidden", ()):
        found.append(("forbidden", [i for i in at if ran(e, run[i])]))
    for e in written.get("required", ()):
        found += [] if any(ran(e, names) for names in run) else [("required", None)]
    for a, b in written.get("before", ()):
        found.append(
            ("before", [i for i in at if ran(b, run[i]) and not any(ran(a, names) for names in run[:i])])
        )
    for a, b in written.get("follows", ()):
        found.append(("follows", [i for i in at if ran(a, run[i]) and not holds_follows(i, b, run)]))
    for group in written.get("same_step", ()):
        torn = [
            i for i in at if any(ran(e, run[i]) for e in group) and not all(ran(e, run[i]) for e in group)
        ]
        found.append(("same_step", torn))
    for e, most in written.get("max_visits", {}).items():
        found.append(("max_visits", [i for i in at if ran(e, run[i])] if count(e, run) > most else []))
    for e, least in written.get("min_visits", {}).items():
        found += [("min_visits", None)] if count(e, run) < least else []
    if "max_supersteps" in written:
        rounds = [i for i in at if run[i] != WAIT]
        found.append(("max_supersteps", rounds[written["max_supersteps"] :]))
    return [(rule, positions or []) for rule, positions in found if positions != []]


def count(entry: Entry, run: Steps) -> int:
    """Count tasks."""
    return sum(means(entry, name) for names in run for name in names)


def number(run: Steps) -> list[ActualStep]:
    """Make supersteps ready to check."""
    return [
        ActualStep(number, tuple(names), position)
        for position, (names, number) in enumerate(zip(run, number_supersteps(run), strict=True))
    ]


def says_something(written: Mapping[str, typing.Any]) -> bool:
    """Tell whether there is a rule that some run breaks."""
    return any(written.get(rule) for rule in LISTS) or any(written.get("min_visits", {}).values())


def build(written: dict[str, typing.Any]) -> Rules | None:
    """Return rules; None where they are refused."""
    try:
        return Rules(**written)
    except InvalidReferenceError:
        return None


@given(given_rules, steps)
@settings(max_examples=300)
def test_rules_are_broken_as_the_table_says(written: dict[str, typing.Any], run: list[list[str]]) -> None:
    """Whatever the rules and the run: the same entries are broken, in the same order, by the same supersteps."""
    rules = build(written)
    if rules is None:
        return
    broken = check_rules(rules, number(run))
    assert [(rule.rule, [position for position, _ in rule.places]) for rule in broken] == [
        (rule, positions) for rule, positions in break_rules(written, run)
    ]
    numbers = number_supersteps(run)
    for rule in broken:
        assert rule.supersteps == tuple(dict.fromkeys(numbers[position] for position, _ in rule.places))
        assert rule.text.startswith(f"rule {rule.rule}: ")
        assert rule.text.isprintable()


@given(given_rules, steps, steps)
@settings(max_examples=200)
def test_what_can_not_recover_stays_broken(
    written: dict[str, typing.Any], run: list[list[str]], rest: list[list[str]]
) -> None:
    """However a run goes on, a rule that it can't come to hold again is still broken."""
    rules = build(written)
    if rules is None:
        return
    lost = {(rule.rule, rule.nodes) for rule in check_rules(rules, number(run)) if not rule.may_recover}
    assert lost <= {(rule.rule, rule.nodes) for rule in check_rules(rules, number([*run, *rest]))}


@given(entries, entries, steps, st.integers(1, 4))
@settings(max_examples=200)
def test_what_may_recover_can(first: Entry, second: Entry, run: list[list[str]], least: int) -> None:
    """Of a rule that a waiting run may still come to hold there is a way on that holds it."""
    ways: list[list[list[str]]] = [
        [["a", "b", "c", "a1"], WAIT] * 4,
        [["b"]],
        [["c"]],
        [["a"]],
        [["a1"]],
        [WAIT],
    ]
    for written in ({"required": [first]}, {"min_visits": {first: least}}, {"follows": [[first, second]]}):
        rules = build(written)
        if rules is not None and any(rule.may_recover for rule in check_rules(rules, number(run))):
            assert any(not check_rules(rules, number([*run, *way])) for way in ways)


@given(given_rules.filter(says_something))
@settings(max_examples=40, deadline=None)
def test_rules_that_are_refused_can_not_be_held(written: dict[str, typing.Any]) -> None:
    """Among all runs of up to three supersteps none holds refused rules in which all ran that their pairs name."""
    if build(written) is not None:
        return
    named = {
        entry
        for rule in ("before", "follows", "same_step")
        for group in written.get(rule, ())
        for entry in group
    }
    for run in SMALL_RUNS:
        if all(any(ran(entry, names) for names in run) for entry in named):
            assert break_rules(written, run)
