from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_traj.errors import InvalidReferenceError
from otel_traj.match import ReferenceStep, Repeat, TrajectoryMatcher, graph_trajectory_match
from otel_traj.match.compare.align import MAX_SUPERSTEPS, is_too_large
from otel_traj.match.compare.program import compile_items
from otel_traj.match.compare.step_match import longest_common_subsequence
from otel_traj.match.supersteps import ActualStep, ExpectedStep
from tests.match.brute_force import passes_strictly
from tests.match.judging import LONG, decide, explained, judge
from tests.match.strategies import MODES

if TYPE_CHECKING:
    from otel_traj.match import StepMode


def test_ten_thousand_supersteps_in_seconds() -> None:
    """A verdict takes linear time: 10,000 supersteps are judged in half a second, on a busy machine in a few."""
    expected = [[f"n{index}", "w", "w"] for index in range(10_000)]
    turned = [["w", *names[:2]] for names in expected]
    for passes in (True, False):
        if not passes:
            turned[9_000] = ["other"]
        started = time.process_time()
        assert judge(expected, turned)["score"] is passes
        assert time.process_time() - started < 4.0


@pytest.mark.parametrize("mode", MODES)
def test_the_largest_alignment_is_bounded(mode: StepMode) -> None:
    """300 against 300 supersteps of random names are aligned within seconds, in every mode."""
    rng = random.Random(7)
    sides = [
        [rng.choices("abcdefghijklmnopqrst", k=5) for _ in range(MAX_SUPERSTEPS)]
        for _ in ("expected", "actual")
    ]
    started = time.process_time()
    result = judge(sides[0], sides[1], mode)
    assert time.process_time() - started < 15.0
    assert explained(result)["edits"] is not None


def test_over_the_bound_only_the_first_difference_is_named() -> None:
    """Over 300 supersteps the explanation is the first difference and the counts, and says so."""
    expected = [["x"]] * 400
    result = judge(expected, [["x"]] * 300 + [["y"]] * 50)
    metadata = explained(result)
    assert result["comment"] == (
        "superstep 301: expected {x}, got {y}; missing x; extra y\n"
        "expected 400 supersteps, got 350; over 300 supersteps: only the first difference is named"
    )
    assert (metadata["edits"], metadata["fitness"], metadata["capped"]) == (None, None, True)
    assert (metadata["precision"], metadata["recall"]) == (0.857, 0.75)
    assert [op["op"] for op in metadata["ops"]] == ["replaced"]
    assert metadata["expected"] == [expected]


@pytest.mark.parametrize(
    ("expected", "actual", "line"),
    [
        (301, 300, "superstep 301: expected {x}, got nothing; missing x"),
        (300, 301, "superstep 301: got {x}, not expected"),
    ],
)
def test_over_the_bound_the_shorter_side_ends_first(expected: int, actual: int, line: str) -> None:
    """Where one side is only longer, its first superstep too many is the difference."""
    comment = judge([["x"]] * expected, [["x"]] * actual)["comment"]
    assert comment is not None
    assert comment.split("\n")[0] == line


def test_one_capped_run_leaves_no_sum() -> None:
    """With one run too long to align, edits and fitness of the whole are unknown; the others are explained."""
    long = [["x"]] * 301
    result = graph_trajectory_match(outputs=[[["a"]], long[:300]], reference_outputs=[[["b"]], long])
    metadata = explained(result)
    assert (metadata["edits"], metadata["fitness"]) == (None, None)
    assert [(op["run"], op["op"]) for op in metadata["ops"]] == [(0, "replaced"), (1, "missing_step")]


@settings(max_examples=20, deadline=None)
@given(mode=st.sampled_from(MODES), at=st.integers(0, 420), longer=st.booleans())
def test_the_bound_never_touches_the_verdict(mode: StepMode, at: int, *, longer: bool) -> None:
    """Above the bound the verdict is still that of the specification, wherever the difference is."""
    expected = [["a", "b"]] * 420
    actual = [list(names) for names in expected]
    if at < len(actual):
        actual[at] = ["a", "b", "c"] if longer else ["b"]
    specified = passes_strictly(expected, actual, [mode] * len(expected))
    assert judge(expected, actual, mode)["score"] is specified


def test_wide_supersteps_are_bounded_too() -> None:
    """Many wide supersteps are not aligned either; a single very wide one is."""
    names = tuple(f"n{index}" for index in range(2_000))
    wide = [ExpectedStep(number, names, "unordered") for number in range(60)]
    actual = [ActualStep(number, names, number) for number in range(60)]
    program = compile_items(wide, "strict")
    assert is_too_large(program, wide, actual)
    assert not is_too_large(program, wide[:1], actual[:1])
    result = judge([names] * 60, [names[1:]] * 60)
    assert result["comment"] is not None
    assert result["comment"].endswith("supersteps too wide to align: only the first difference is named")


def test_a_wide_reordered_superstep_is_priced_quickly() -> None:
    """The order of 10,000 tasks in one superstep is compared in seconds at most."""
    names = [f"n{index % 5_000}" for index in range(10_000)]
    started = time.process_time()
    assert longest_common_subsequence(names, names[::-1]) < 10_000
    assert time.process_time() - started < 8.0


@pytest.mark.parametrize(
    ("item", "is_known"),
    [
        (ReferenceStep(["a"], min=0, max=100), True),
        (ReferenceStep(["a"], min=0, max=10_000), False),
    ],
)
def test_bounds_that_unfold_widely_are_bounded_too(item: ReferenceStep, is_known: bool) -> None:
    """Loops with high bounds are matched at any length; their explanation is capped before it takes long."""
    matcher = TrajectoryMatcher({"steps": [item]})
    started = time.perf_counter()
    passed, _ = matcher.judge([["a"]] * 90, is_rich=False)
    failed, _ = matcher.judge([*[["a"]] * 200, ["b"]])
    assert time.perf_counter() - started < 5
    assert (passed.score, failed.score) == (True, False)
    assert failed.metadata is not None
    assert (failed.metadata["edits"] is not None) is is_known
    assert failed.metadata.get("capped", False) is not is_known


def test_too_many_ways_through_a_reference_are_refused() -> None:
    """A reference whose supersteps may be left out in very many ways is an error, and no program that never ends."""
    started = time.perf_counter()
    with pytest.raises(
        InvalidReferenceError, match="Write smaller bounds, None as max for no bound, or a Gap"
    ):
        TrajectoryMatcher({"steps": [Repeat([ReferenceStep(["a"], min=0)], 0, 10_000)]})
    assert time.perf_counter() - started < 20


def test_many_runs_too_many_are_paired_in_bounded_time() -> None:
    """Threads of long runs whose number differs are paired by their numbers, and the verdict is the same."""
    runs = [[[f"{run}"], *LONG * 20] for run in range(8)]
    started = time.perf_counter()
    outcome = decide(runs[1:], [[*steps, ["z"]] for steps in runs])
    assert time.perf_counter() - started < 10
    assert outcome.score is False
    assert outcome.comment is not None
    assert outcome.comment.startswith("expected 8 runs, got 7\nrun 7 of the reference did not run\n")
