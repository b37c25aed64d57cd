from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj.errors import InvalidReferenceError
from otel_traj.match.compare.flat import FlatComparer
from otel_traj.match.compare.flat_in_order import _Follower, find_order_fault
from otel_traj.match.reference.items import Alternatives, AnySteps, Group, Item
from otel_traj.match.reference.name_patterns import Any, Entry, Glob, OneOf
from otel_traj.match.supersteps import Bounds, ExpectedStep
from tests.match.every_assignment import (
    begins_some_order,
    fits,
    has_common_order,
    is_subsequence_of_some_order,
)
from tests.match.flat_references import (
    bounded,
    entries,
    explain,
    literal_references,
    loose_references,
    names,
    passes,
    ran,
    runs,
    small_references,
    small_runs,
    wanted,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_Member = TypeVar("_Member")


def shortest(items: Sequence[Item]) -> list[list[Entry]]:
    """Return the supersteps that have to come, in order."""
    row: list[list[Entry]] = []
    for item in items:
        if isinstance(item, Group):
            row += shortest(item.items) * item.bounds.min
        elif isinstance(item, Alternatives):
            row.append(
                [OneOf(*(each.entries[0] for (each,) in item.choices if isinstance(each, ExpectedStep)))]
            )
        elif isinstance(item, ExpectedStep):
            row += [list(item.entries)] * item.bounds.min
    return row


def _cut(row: list[_Member], data: st.DataObject) -> list[list[_Member]]:
    steps: list[list[_Member]] = [[]]
    for each in row:
        if data.draw(st.booleans()):
            steps.append([])
        steps[-1].append(each)
    return steps


@given(small_references, small_runs)
def test_flat_exact_agrees_with_every_order(expected: list[list[Entry]], actual: list[list[str]]) -> None:
    """flat_exact gives the verdict that comparing all orders of both sides gives."""
    assert passes(wanted(*expected), ran(*actual), "flat_exact") is has_common_order(expected, actual)


@given(st.lists(entries, max_size=5), st.data())
def test_flat_exact_agrees_where_the_sizes_are_equal(expected: list[Entry], data: st.DataObject) -> None:
    """The same holds for sides of one size, cut into supersteps at random."""
    actual = data.draw(st.lists(names, min_size=len(expected), max_size=len(expected)))
    steps, run = _cut(expected, data), _cut(actual, data)
    assert passes(wanted(*steps), ran(*run), "flat_exact") is has_common_order(steps, run)


@given(st.lists(entries, max_size=5), st.data())
def test_flat_exact_may_go_on_from_every_beginning(expected: list[Entry], data: st.DataObject) -> None:
    """A run that waits may go on exactly where some order of it begins an order of the reference."""
    actual = data.draw(st.lists(names, max_size=len(expected) + 1))
    steps, run = _cut(expected, data), _cut(actual, data)
    assert FlatComparer(wanted(*steps), "flat_exact").may_go_on(ran(*run)) is begins_some_order(steps, run)


@given(loose_references(), small_runs)
def test_flat_in_order_agrees_with_every_order(items: list[Item], actual: list[list[str]]) -> None:
    """flat_in_order gives the verdict that trying all orders of both sides gives; what is optional imposes nothing."""
    expected = shortest(items)
    if sum(map(len, expected)) <= 6:
        verdict = passes(items, ran(*actual), "flat_in_order")
        assert verdict is is_subsequence_of_some_order(expected, actual)


@given(small_references, small_runs)
def test_flat_in_order_agrees_on_supersteps_that_stand_once(
    expected: list[list[Entry]], actual: list[list[str]]
) -> None:
    """The same for supersteps that stand once."""
    verdict = passes(wanted(*expected), ran(*actual), "flat_in_order")
    assert verdict is is_subsequence_of_some_order(expected, actual)


@given(literal_references, runs)
def test_names_are_followed_alike_with_and_without_the_short_cut(
    expected: list[list[str]], actual: list[list[str]]
) -> None:
    """What follows names alone, in linear time, breaks off where the search for patterns does."""
    steps = [ExpectedStep(at, tuple(row), "exact") for at, row in enumerate(expected) if row]
    short, long = find_order_fault(steps, ran(*actual)), _Follower(ran(*actual)).follow(steps)
    assert (short is None) is (long is None)
    if short is not None and long is not None:
        assert (short.step, sorted(map(str, short.entries)), short.begins) == (
            long.step,
            sorted(map(str, long.entries)),
            long.begins,
        )


def test_rounds_of_a_loop_come_in_turn() -> None:
    """In order, two rounds of [a], [b] are a, b, a, b, and not a, a, b, b."""
    loop: list[Item] = [Group(tuple(wanted(["a"], ["b"])), Bounds(2, None))]
    assert passes(loop, ran(["a"], ["b"], ["a"], ["b"]), "flat_in_order")
    assert not passes(loop, ran(["a"], ["a"], ["b"], ["b"]), "flat_in_order")


def test_the_order_is_one_op_where_it_goes_wrong() -> None:
    """Where all names are there, flat_exact says where the first finds no place, flat_in_order what came too early."""
    exact = explain(wanted(["a"], ["b"], ["c"]), ran(["a"], ["c"], ["b"]), "flat_exact")
    assert [(op["op"], op["expected_superstep"], op["actual_superstep"]) for op in exact.ops] == [
        ("reordered", 2, 2)
    ]
    assert exact.lines == ["superstep 2: expected {b}, got {c}; order differs"]
    behind = explain(wanted(["a"], ["b"]), ran(["x"], ["b"], ["a"]), "flat_in_order")
    assert [(op["op"], op["expected_superstep"], op["actual_superstep"]) for op in behind.ops] == [
        ("reordered", 2, 2)
    ]
    assert behind.lines == ["superstep 2: got {b}, b expected from superstep 3 on; order differs"]


def test_what_has_no_certain_place_is_refused_by_flat_exact() -> None:
    """flat_exact takes supersteps that stand once and nothing else; loops that run once are no loops."""
    for item in (AnySteps(), bounded(["a"], 0, 1), Group(tuple(wanted(["a"])), Bounds(2, 2))):
        with pytest.raises(InvalidReferenceError, match=r"flat_exact.*each superstep once"):
            FlatComparer([item], "flat_exact")
    assert passes([Group(tuple(wanted(["a"], ["b"])), Bounds())], ran(["a"], ["b"]), "flat_exact")
    single = Alternatives(tuple((ExpectedStep(1, (name,), "exact"),) for name in "ab"))
    assert passes([single], ran(["b"]), "flat_exact")


def test_wide_patterns_take_polynomial_time() -> None:
    """Forty patterns that accept much of one another do not multiply in order either."""
    letters = "abcdefghijklmnopqrst"
    expected: list[list[Entry]] = [[Glob(f"[{letters[at:]}]") for at in range(20)], [Any()] * 20]
    actual = [list(letters[:10]), list(letters[10:]), list(letters)]
    started = time.process_time()
    assert passes(wanted(*expected), ran(*actual), "flat_in_order")
    assert not passes(wanted(*expected), ran(*actual[:2], list(letters[:19])), "flat_in_order")
    assert time.process_time() - started < 8.0


def test_an_entry_gives_up_its_name_for_one_that_comes_later() -> None:
    """A pattern that took the only name another entry accepts takes a later one of the same superstep instead."""
    for mode in ("flat_in_order", "flat_exact"):
        assert passes(wanted([Glob("[ab]"), "a"]), ran(["a"], ["b"]), mode)
        assert passes(wanted([Any()], [Any(), "a"]), ran(["b"], ["a"], ["c"]), mode)


@given(st.lists(entries, max_size=5), st.data())
def test_what_was_made_from_the_reference_matches_it(made: list[Entry], data: st.DataObject) -> None:
    """A run made by choosing a name for each entry, siblings turned, matches however it is cut between them."""
    steps = _cut(made, data)
    turned = [entry for step in steps for entry in data.draw(st.permutations(step))]
    row = [data.draw(st.sampled_from([name for name in "abc" if fits(entry, name)])) for entry in turned]
    run = _cut(row, data)
    assert passes(wanted(*steps), ran(*run), "flat_exact")
    assert passes(wanted(*steps), ran(*run), "flat_in_order")
