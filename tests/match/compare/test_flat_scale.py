from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import InvalidReferenceError
from otel_traj.match.compare.flat import FlatComparer
from otel_traj.match.explain.ops import SpanIndex
from otel_traj.match.reference.items import Group, Item
from otel_traj.match.reference.name_patterns import Any, Entry, Glob
from otel_traj.match.supersteps import Bounds
from tests.match.flat_references import (
    MODES,
    bounded,
    passes,
    ran,
    wanted,
)

if TYPE_CHECKING:
    from otel_traj.match.compare.flat_items import FlatMode


def test_a_reference_that_unfolds_without_end_is_refused() -> None:
    """Bounds that multiply to more than 200,000 names are an error, and no endless explanation."""
    items: list[Item] = [Group((bounded(["a"], 1_000, None),), Bounds(1_000, None))]
    for mode in ("flat_unordered", "flat_in_order"):
        with pytest.raises(InvalidReferenceError, match="200,000"):
            FlatComparer(items, mode)


def test_a_large_bound_costs_nothing() -> None:
    """What may stand up to ten thousand million times is compared with what ran alone."""
    items: list[Item] = [Group((bounded([Any()], 0, 100_000),), Bounds(0, 100_000))]
    started = time.process_time()
    assert passes(items, ran(["a"] * 10), "flat_unordered")
    assert time.process_time() - started < 12.0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("distinct", [True, False])
def test_ten_thousand_supersteps_in_seconds(mode: FlatMode, distinct: bool) -> None:
    """Names without patterns take linear time: 10,000 supersteps that ran as 30,000 are judged in seconds."""
    expected = [[f"n{index}" if distinct else "n", "w", "w"] for index in range(10_000)]
    flat = [[name] for superstep in expected for name in superstep]
    comparer = FlatComparer(wanted(*expected), mode)
    actual, broken = ran(*flat), ran(*flat[:27_000], ["other"], *flat[27_001:])
    started = time.process_time()
    assert comparer.matches(actual)
    assert time.process_time() - started < 8.0
    assert not comparer.matches(broken)
    assert comparer.explain(broken, 0, SpanIndex.of(None)).ops


@pytest.mark.parametrize("mode", MODES)
def test_one_superstep_as_wide_as_ten_thousand(mode: FlatMode) -> None:
    """The same where one side has all the names in one superstep."""
    flat = [[f"n{index}"] for index in range(10_000)]
    wide = [name for superstep in flat for name in superstep]
    started = time.process_time()
    assert FlatComparer(wanted(wide), mode).matches(ran(*flat))
    assert FlatComparer(wanted(*flat), mode).matches(ran(wide))
    assert time.process_time() - started < 12.0


@pytest.mark.parametrize("mode", MODES)
def test_a_pattern_among_ten_thousand_supersteps(mode: FlatMode) -> None:
    """One pattern in a long reference costs no search over all of it for every superstep."""
    expected: list[list[Entry]] = [["w"] for _ in range(10_000)]
    expected[5_000] = [Glob("x*")]
    actual = [["w"] for _ in range(10_000)]
    actual[5_000] = ["xy"]
    started = time.process_time()
    assert passes(wanted(*expected), ran(*actual), mode)
    actual[9_000] = ["z"]
    passes(wanted(*expected), ran(*actual), mode)
    assert time.process_time() - started < 15.0
