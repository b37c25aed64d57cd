"""Which nodes are missing, and from which superstep."""

from __future__ import annotations

import pytest

from otel_traj.evaluate.judging.missing_nodes import MissingNodes, find_missing
from otel_traj.model import Arrival, Invocation


def _call(expected: list[list[str]] | None, arrived: dict[int, list[str]]) -> Invocation:
    return Invocation(
        run_id="r",
        trace_id="t",
        span_id="s",
        resumed=False,
        status="ok",
        steps=list(arrived.values()),
        supersteps=list(arrived),
        started_ns=1,
        ended_ns=2,
        arrival=Arrival(tasks=0, task_spans=0, spans=0, expected_steps=expected),
    )


def _find(expected: str, arrived: dict[int, str]) -> list[tuple[int | None, str]]:
    call = _call(
        [names.split() for names in expected.split(";")],
        {number: names.split() for number, names in arrived.items()},
    )
    return [(lost.superstep, " ".join(lost.nodes)) for lost in find_missing(call)]


@pytest.mark.parametrize(
    ("expected", "arrived", "missing"),
    [
        ("a;b c;d", {1: "a", 2: "c", 3: "d"}, [(2, "b")]),
        ("a;b;c", {1: "a", 3: "c"}, [(2, "b")]),
        ("a;b;c", {2: "b", 3: "c"}, [(1, "a")]),
        ("a;b;c", {1: "a"}, [(2, "b"), (3, "c")]),
        ("a;b;c", {7: "a", 9: "c"}, [(2, "b")]),
        ("w w w;x", {1: "w", 2: "x"}, [(1, "w w")]),
        ("a;b", {}, [(1, "a"), (2, "b")]),
        ("m;t;m", {1: "m", 2: "t"}, [(3, "m")]),
    ],
)
def test_a_missing_node_has_its_superstep(
    expected: str, arrived: dict[int, str], missing: list[tuple[int | None, str]]
) -> None:
    """By the one way in which what arrived fits the manifest's list, whatever number the thread had reached."""
    assert _find(expected, arrived) == missing


@pytest.mark.parametrize(
    ("expected", "arrived", "missing"),
    [
        ("a;b;a;b", {3: "a", 4: "b"}, [(None, "a b")]),
        ("a;a", {1: "a"}, [(None, "a")]),
        ("a;b;c", {1: "a", 9: "c"}, [(None, "b")]),
        ("a;b", {1: "z"}, [(None, "a b")]),
        ("a;b", {1: "b", 2: "a"}, []),
        ("a", {1: "a", 2: "b"}, []),
    ],
)
def test_nothing_is_guessed(
    expected: str, arrived: dict[int, str], missing: list[tuple[int | None, str]]
) -> None:
    """Where several places fit or none does, the names alone are told."""
    assert _find(expected, arrived) == missing


def test_without_a_list_nothing_is_known() -> None:
    """A manifest that lists no names, or a call without one, has no missing nodes."""
    assert find_missing(_call(None, {1: ["a"]})) == []


def test_a_number_far_away_costs_nothing() -> None:
    """Damaged superstep numbers are not counted through."""
    lost = find_missing(_call([["a"], ["b"]], {-(10**18): ["a"], 10**18: ["b"]}))
    assert lost == []
    assert find_missing(_call([["a"], ["b"]], {10**18: ["b"]})) == [MissingNodes(superstep=1, nodes=("a",))]
