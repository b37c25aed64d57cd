"""Runs of a thread against references that differ in their options."""

from __future__ import annotations

import pytest

from otel_traj import InvalidReferenceError, Run, TrajectoryMatcher, graph_trajectory_match, read_runs
from otel_traj.match.thread_matcher import ThreadMatcher
from tests.spans import RecordedRun

_DOUBT = "runs may be missing"


def _make_runs(*trajectories: str) -> list[Run]:
    spans = []
    for at, nodes in enumerate(trajectories):
        run = RecordedRun(f"run {at}", thread="t", start=1_000 * (at + 1))
        for superstep, node in enumerate(nodes.split(), 1):
            run.task(node, superstep)
        spans += run.spans(results=f'{{"n": {at}}}')
    return list(read_runs(spans)) if spans else []


def test_each_run_is_compared_by_the_options_of_its_reference() -> None:
    """What one reference leaves open, ignores or allows does not hold for another."""
    matchers = [
        TrajectoryMatcher([["a"]], ignore=("__start__", "log")),
        TrajectoryMatcher([["b"]], trajectory_mode="contains"),
    ]
    thread = ThreadMatcher(matchers, runs="strict")
    assert thread.judge(_make_runs("log a", "x b"))[0].verdict == "pass"
    outcome, _ = thread.judge(_make_runs("x a", "log b"))
    assert outcome.verdict == "fail"
    assert outcome.comment is not None
    assert [line for line in outcome.comment.splitlines() if "run 1" in line] == []


def test_references_of_one_kind_give_what_one_call_gives() -> None:
    """With equal options nothing differs from one comparison with a list of references."""
    expected = [[["a"]], [["b"], ["c"]], [["d"]]]
    for runs in (["a", "b c", "d"], ["a", "b x", "d"], ["a", "d"], ["a", "x y", "b c", "d"], []):
        trajectories = _make_runs(*runs)
        outcome, _ = ThreadMatcher([TrajectoryMatcher([each]) for each in expected], runs="strict").judge(
            trajectories
        )
        answer = graph_trajectory_match(outputs=trajectories, reference_outputs=expected)
        assert not isinstance(answer, list)
        assert (outcome.score, outcome.comment) == (answer["score"], answer["comment"])
        assert outcome.metadata == answer["metadata"]


def test_runs_are_aligned_by_their_own_references() -> None:
    """Where one run is too much, it is the one that no reference fits by its own options."""
    matchers = [
        TrajectoryMatcher([["a"]]),
        TrajectoryMatcher([["b"]], ignore=("__start__", "noise"), trajectory_mode="starts_with"),
    ]
    outcome, _ = ThreadMatcher(matchers, runs="strict").judge(_make_runs("a", "x b", "noise b"))
    assert outcome.comment == "expected 2 runs, got 3\nrun 1 was not expected"


def test_results_are_compared_where_a_reference_says_so() -> None:
    """A reference without results asks for none, and those that have some compare by their own mode."""
    runs = _make_runs("a", "a")
    plain = TrajectoryMatcher([["a"]])
    exact = TrajectoryMatcher([{"steps": [["a"]], "results": {"n": 1}}], results="exact")
    assert ThreadMatcher([plain, plain], runs="strict").judge(runs)[1] is None
    _, results = ThreadMatcher([plain, exact], runs="strict").judge(runs)
    assert results is not None
    assert results.verdict == "pass"
    _, results = ThreadMatcher([exact, plain], runs="strict").judge(runs)
    assert results is not None
    assert (results.verdict, results.comment) == ("fail", "run 0, results: at n: differs")


@pytest.mark.parametrize(
    ("mode", "runs", "verdict"),
    [
        ("strict", ["x"], "fail"),
        ("strict", ["a", "a"], "not_evaluated"),
        ("each", ["a", "x"], "fail"),
        ("each", ["a", "a"], "pass"),
        ("last", ["a", "x"], "not_evaluated"),
        ("first", ["x", "a"], "not_evaluated"),
        ("any", ["x"], "not_evaluated"),
        ("any", ["a"], "pass"),
    ],
)
def test_a_doubt_leaves_open_what_another_run_could_change(mode: str, runs: list[str], verdict: str) -> None:
    """With runs that may be missing a fail stands only where no further run could have made it none."""
    thread = ThreadMatcher([TrajectoryMatcher([["a"]])], runs=mode)  # type: ignore[arg-type]
    assert thread.judge(_make_runs(*runs))[0].verdict in ("pass", "fail")
    outcome, _ = thread.judge(_make_runs(*runs), doubt=_DOUBT)
    assert outcome.verdict == verdict
    assert (outcome.comment or "").startswith(_DOUBT) is (verdict == "not_evaluated")


def test_a_doubt_about_the_number_of_runs_is_no_fail_of_anything() -> None:
    """A strict thread of another length is not evaluated, in its results neither."""
    exact = TrajectoryMatcher([{"steps": [["a"]], "results": {"n": 0}}], results="exact")
    outcome, results = ThreadMatcher([exact, exact], runs="strict").judge(_make_runs("a"), doubt=_DOUBT)
    assert results is not None
    assert (outcome.verdict, results.verdict) == ("not_evaluated", "not_evaluated")
    assert outcome.metadata is not None
    assert outcome.metadata["reason"] == "incomplete"
    assert results.metadata == {"verdict": "not_evaluated", "reason": "incomplete"}


def test_a_mode_for_one_reference_refuses_two() -> None:
    """Only `strict` compares run by run."""
    matcher = TrajectoryMatcher([["a"]])
    with pytest.raises(InvalidReferenceError, match="runs is 'each', which compares with one reference"):
        ThreadMatcher([matcher, matcher], runs="each")
