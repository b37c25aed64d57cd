"""Random references with an order, as a user writes them: few names, so that they often meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from otel_traj.match import Any, Gap, Glob, GraphTrajectoryMatchMode, OneOf, ReferenceStep, Regex, Repeat
from tests.match.every_assignment import fits
from tests.match.every_way import list_ways
from tests.match.strategies import MODES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.reference.name_patterns import Entry

__all__ = ["ORDERED_MODES", "PATIENT", "ordered_modes", "references", "runs_near", "small_runs", "step_modes"]

ORDERED_MODES = ("strict", "starts_with", "so_far", "contains", "subsequence")

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
"""For laws that try everything, on machines that do much else."""

ordered_modes = st.sampled_from(ORDERED_MODES)
step_modes = st.sampled_from(MODES)
small_runs = st.lists(st.lists(st.sampled_from("abc"), max_size=2), max_size=4)

_entries: st.SearchStrategy[Entry] = st.sampled_from("abc") | st.sampled_from(
    [Glob("[ab]"), Regex("b|c"), Any(), OneOf("a", Glob("c*"))]
)
_rows = st.lists(_entries, max_size=2)
_bounds = st.sampled_from([(1, 1), (0, 1), (0, None), (1, None), (1, 2), (2, 2)])


@st.composite
def _single(draw: st.DrawFn) -> object:
    row, (low, high) = draw(_rows), draw(_bounds)
    mode = draw(st.none() | st.sampled_from(get_args(GraphTrajectoryMatchMode)))
    return draw(st.sampled_from([row, ReferenceStep(row, mode, min=low, max=high)]))


@st.composite
def _loops(draw: st.DrawFn) -> object:
    low, high = draw(_bounds)
    return Repeat(draw(st.lists(_single() | st.just(Gap()), min_size=1, max_size=2)), low, high)  # type: ignore[arg-type]


@st.composite
def _choices(draw: st.DrawFn) -> object:
    rows = st.lists(_rows, min_size=1, max_size=2) | st.tuples(_rows, st.just(Gap())).map(list)
    return OneOf(*draw(st.lists(_rows | rows | st.sampled_from("abc"), min_size=1, max_size=2)))


references = st.lists(_single() | _single() | _loops() | _choices() | st.just(Gap()), max_size=3)


@st.composite
def runs_near(draw: st.DrawFn, reference: Sequence[object]) -> list[list[str]]:
    """Return a run of one of the ways through a reference, at times with a superstep more or less."""
    ways = sorted(list_ways(reference, "unordered", 5), key=repr)
    actual: list[list[str]] = []
    for step in draw(st.sampled_from(ways)) if ways else ():
        if isinstance(step, str):
            actual += draw(st.lists(st.lists(st.sampled_from("abc"), max_size=1), max_size=1))
        else:
            actual.append(
                [
                    draw(st.sampled_from([name for name in "abc" if fits(entry, name)]))
                    for entry in step.entries
                ]
            )
    at = draw(st.integers(0, len(actual)))
    kind = draw(st.sampled_from(["as it is", "as it is", "more", "less"]))
    return (
        [*actual[:at], ["a"], *actual[at:]]
        if kind == "more"
        else actual[: at - 1 if kind == "less" else None]
    )
