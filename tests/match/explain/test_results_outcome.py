from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import pytest
from msgspec.structs import replace

from otel_traj.match import AnyOf, TrajectoryMatcher, graph_trajectory_match
from tests.match.judging import make_run

if TYPE_CHECKING:
    from otel_traj.match import ResultsOutcome, RunsMode
    from otel_traj.match.options import GivenOptions
    from otel_traj.match.values.results import ResultsRule
    from otel_traj.model import RunStatus

STEPS = [["a"]]
NOT_RECORDED = "results were not recorded: record content (content=True), and values that no backend cuts"


def results_of(outputs: object, reference: object, **options: Unpack[GivenOptions]) -> ResultsOutcome:
    """Return the outcome for results, compared exactly unless said otherwise."""
    options.setdefault("results", "exact")
    _, results = TrajectoryMatcher(reference, **options).judge(outputs)  # type: ignore[arg-type]
    assert results is not None
    return results


def given(*values: object) -> list[dict[str, object]]:
    """Return runs with these results."""
    return [{"steps": STEPS, "results": value} for value in values]


@pytest.mark.parametrize(
    ("mode", "actual", "expected", "comment"),
    [
        ("exact", {"a": 1}, {"a": 1}, None),
        ("exact", {"a": 1, "b": 2}, {"a": 1}, "results: extra key b"),
        ("superset", {"a": 1, "b": 2}, {"a": 1}, None),
        ("subset", {"a": 1}, {"a": 1, "b": 2}, None),
        ("subset", {"c": 1}, {"a": 1}, "results: extra key c"),
    ],
)
def test_results_are_compared_by_their_mode(
    mode: ResultsRule, actual: object, expected: object, comment: str | None
) -> None:
    """The direction is actual against reference; a fail says where, under its own key and without a score for steps."""
    trajectory, results = graph_trajectory_match(
        outputs=given(actual),
        reference_outputs=given(expected),
        results=mode,
        key="path",
    )
    assert (trajectory["key"], trajectory["score"], trajectory["metadata"]) == ("path", True, None)
    assert set(results) == {"key", "score", "comment", "metadata"}
    assert (results["key"], results["score"], results["comment"]) == (
        "path_results",
        comment is None,
        comment,
    )
    assert results["metadata"] == (None if comment is None else {"verdict": "fail"})


def test_a_callable_judges_results() -> None:
    """It gets actual first; its own words are the comment; one that raises is not evaluated."""
    compare = lambda actual, expected: (actual < expected, "too large")  # noqa: E731
    assert results_of(given(1), given(2), results=compare).verdict == "pass"
    outcome = results_of(given(3), given(2), results=compare)
    assert (outcome.verdict, outcome.comment) == ("fail", "results: too large")
    broken = results_of(given({}), given({}), results=lambda _actual, _expected: 1 / 0 > 0)
    assert broken.verdict == "not_evaluated"
    assert broken.metadata == {"verdict": "not_evaluated", "reason": "broken"}


def test_results_that_were_not_recorded_are_not_evaluated() -> None:
    """Without recorded results, or without expected ones, nothing is said; the trajectory is judged all the same."""
    for outputs in ([{"steps": STEPS}], make_run(STEPS)):
        outcome = results_of(outputs, given({}))
        assert (outcome.score, outcome.comment) == (None, NOT_RECORDED)
        assert outcome.metadata == {"verdict": "not_evaluated", "reason": "not_recorded"}
    assert results_of(given({}), [{"steps": STEPS}]).comment == "the reference has no results to compare with"
    lost = replace(make_run(STEPS, complete=False, problems=["root_open"]), results={})
    assert results_of(lost, given({})).comment == "the run is incomplete"


def test_a_reference_may_hold_results_alone() -> None:
    """A reference of nothing but results passes any trajectory and judges the results."""
    matcher = TrajectoryMatcher({"results": {"a": 1}}, results="superset")
    outcome, results = matcher.judge([{"steps": [["x"], ["y"]], "results": {"a": 1, "b": 2}}])
    assert outcome.score is True
    assert results is not None
    assert results.score is True
    ran = replace(make_run(STEPS), results={"a": 2})
    assert results_of(ran, {"results": {"a": 1}}).comment == "results: at a: differs"


@pytest.mark.parametrize(
    ("mode", "values", "verdict", "comment"),
    [
        ("each", [1, 1], "pass", None),
        ("each", [1, 2], "fail", "run 1, results: differs"),
        ("each", [1, None], "not_evaluated", f"run 1, {NOT_RECORDED}"),
        ("each", [2, None], "fail", f"run 0, results: differs\nrun 1, {NOT_RECORDED}"),
        ("last", [2, 1], "pass", None),
        ("first", [1, None], "pass", None),
        ("first", [2, 1], "fail", "run 0, results: differs"),
        ("any", [2, 1], "pass", None),
        ("any", [2, 3], "fail", "run 0, results: differs\nrun 1, results: differs"),
        ("any", [2, None], "not_evaluated", f"run 0, results: differs\nrun 1, {NOT_RECORDED}"),
    ],
)
def test_the_results_of_a_thread(
    mode: RunsMode, values: list[object], verdict: str, comment: str | None
) -> None:
    """Runs are picked as their trajectories are, and each is spoken of by its number."""
    outcome = results_of(given(*values), given(1), runs=mode)
    assert (outcome.verdict, outcome.comment) == (verdict, comment)


def test_another_number_of_runs_fails_results_too() -> None:
    """A count that differs is a fail with the same words, before what differs."""
    outcome = results_of(given({}, {}, {}), given({}, {}))
    assert (outcome.verdict, outcome.comment) == ("fail", "expected 2 runs, got 3")
    lost = make_run(STEPS, complete=False, problems=["root_open"])
    assert results_of([*given({}), lost], given({})).verdict == "not_evaluated"


def test_results_never_change_the_verdict_on_the_trajectory() -> None:
    """A wrong trajectory with right results fails alone."""
    trajectory, results = graph_trajectory_match(
        outputs=[{"steps": [["b"]], "results": {}}], reference_outputs=given({}), results="exact"
    )
    assert (trajectory["score"], results["score"]) == (False, True)


def test_of_several_trajectories_the_results_are_one() -> None:
    """Beside any_of stand the results that any of the ways should have."""
    reference = {"any_of": AnyOf(STEPS, [["b"]]), "results": {"x": 1}}
    assert results_of(given({"x": 1}), reference).score is True
    assert results_of(given({"x": 2}), reference).score is False


def test_a_run_that_waits_has_no_wrong_results_yet() -> None:
    """What an interrupted run has not resulted in yet is no fail; right results of one that may stay so pass."""
    waiting = replace(make_run([["a"], ["__interrupt__"]], status="interrupted"), results={})
    outcome = results_of(waiting, {"results": {"x": 1}})
    assert (outcome.verdict, outcome.comment) == ("not_evaluated", "waiting at a")
    assert outcome.metadata == {"verdict": "not_evaluated", "reason": "waiting"}
    assert results_of(waiting, {"results": {}}).verdict == "pass"
    assert results_of(waiting, {"results": {}}, status="ok").verdict == "not_evaluated"


@pytest.mark.parametrize(
    ("status", "words"), [("error", "the run ended in error"), ("cancelled", "the run was cancelled")]
)
def test_a_run_that_broke_has_no_right_results(status: RunStatus, words: str) -> None:
    """What a run left that ended otherwise than it may is no result, even where it is contained in the reference."""
    broken = replace(make_run(STEPS, status=status), results={})
    outcome = results_of(broken, {"results": {"x": 1}}, results="subset")
    assert (outcome.verdict, outcome.comment) == ("fail", words)
    assert results_of(broken, {"results": {"x": 1}}, results="subset", status=status).verdict == "pass"
