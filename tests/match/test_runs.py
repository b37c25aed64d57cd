from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import pytest

from otel_traj.match import AnyOf, TrajectoryMatcher, graph_trajectory_match
from tests.match.judging import LONG, SHORTCUT, decide, explained, make_run

if TYPE_CHECKING:
    from otel_traj.match import MatchOutcome, RunsMode
    from otel_traj.match.options import GivenOptions

GOOD = {"steps": LONG}
BAD = {"steps": SHORTCUT}
NEAR = {"steps": LONG[:4]}


def judge(outputs: list[object], expected: list[object], **options: Unpack[GivenOptions]) -> MatchOutcome:
    """Judge a thread; the verdict alone agrees with the explained one."""
    outcome = decide(outputs, expected, **options)
    assert TrajectoryMatcher(expected, **options).matches(outputs) is (outcome.score is True)  # type: ignore[arg-type]
    return outcome


@pytest.mark.parametrize(
    ("mode", "outputs", "passes"),
    [
        ("each", [GOOD, GOOD, GOOD], True),
        ("each", [GOOD, BAD, GOOD], False),
        ("last", [BAD, BAD, GOOD], True),
        ("last", [GOOD, GOOD, BAD], False),
        ("first", [GOOD, BAD, BAD], True),
        ("first", [BAD, GOOD, GOOD], False),
        ("any", [BAD, GOOD, BAD], True),
        ("any", [BAD, BAD], False),
        ("each", [GOOD], True),
        ("any", [GOOD], True),
    ],
)
def test_which_runs_meet_the_one_reference(mode: RunsMode, outputs: list[object], passes: bool) -> None:
    """Each run, the last, the first or any of them is compared with the one reference, whatever their number."""
    assert judge(outputs, [GOOD], runs=mode).score is passes


def test_strict_pairs_runs_in_their_order() -> None:
    """Run by run: two runs that changed places don't make up for each other."""
    assert judge([GOOD, BAD], [GOOD, BAD]).score is True
    turned = judge([BAD, GOOD], [GOOD, BAD])
    assert turned.score is False
    assert turned.metadata is not None
    assert {op["run"] for op in turned.metadata["ops"]} == {0, 1}


@pytest.mark.parametrize("mode", ["strict", "each", "last", "first", "any"])
def test_no_run_at_all_is_a_fail_with_its_words(mode: RunsMode) -> None:
    """Where a run is expected and none there, every way to compare threads says so, for the results as well."""
    trajectory, results = graph_trajectory_match(
        outputs=[], reference_outputs=[{**GOOD, "results": {}}], runs=mode, results="exact"
    )
    for each in (trajectory, results):
        assert (each["score"], each["comment"]) == (False, "expected 1 run, got 0")


@pytest.mark.parametrize(
    ("outputs", "expected", "words", "lost", "surplus"),
    [
        ([GOOD], [GOOD, GOOD], "expected 2 runs, got 1\nrun 1 of the reference did not run", [1], []),
        ([GOOD, GOOD], [GOOD], "expected 1 run, got 2\nrun 1 was not expected", [], [1]),
        ([GOOD, BAD], [BAD], "expected 1 run, got 2\nrun 0 was not expected", [], [0]),
        (
            [GOOD, GOOD],
            [GOOD, BAD, GOOD],
            "expected 3 runs, got 2\nrun 1 of the reference did not run",
            [1],
            [],
        ),
    ],
)
def test_another_number_of_runs_says_which_one(
    outputs: list[object], expected: list[object], words: str, lost: list[int], surplus: list[int]
) -> None:
    """A count that differs is a fail that names the run too many or too few."""
    outcome = judge(outputs, expected)
    assert (outcome.score, outcome.comment) == (False, words)
    assert outcome.metadata is not None
    [op] = outcome.metadata["ops"]
    assert (op["op"], op["expected_runs"], op["actual_runs"]) == (
        "wrong_run_count",
        len(expected),
        len(outputs),
    )
    assert (op["lost_references"], op["surplus_runs"]) == (lost, surplus)
    more = max(len(expected), len(outputs))
    assert outcome.metadata["fitness"] == round((more - 1) / more, 3)


def test_numbers_are_the_mean_over_the_longer_side() -> None:
    """Fitness is the mean over as many runs as the longer side has, edits are the sum."""
    metadata = explained(graph_trajectory_match(outputs=[GOOD, NEAR], reference_outputs=[GOOD, GOOD]))
    assert (metadata["edits"], metadata["fitness"]) == (1, round((1 + 10 / 11) / 2, 3))
    metadata = explained(graph_trajectory_match(outputs=[BAD, NEAR], reference_outputs=[GOOD], runs="each"))
    assert (metadata["edits"], metadata["fitness"]) == (6, round((4 / 9 + 10 / 11) / 2, 3))


def test_of_any_the_nearest_run_is_explained() -> None:
    """Where no run passes, the nearest one is explained, the first of equally near ones; the others are not."""
    outcome = judge([BAD, NEAR, NEAR], [GOOD], runs="any")
    assert outcome.comment == "run 1, superstep 5: expected {node7}, got nothing; missing node7"
    assert outcome.metadata is not None
    assert (outcome.metadata["edits"], outcome.metadata["fitness"]) == (1, 0.909)


def test_any_leaves_open_what_it_can_not_know() -> None:
    """With any, a pass wins over what can't be judged, and that over fails."""
    lost = make_run(LONG, complete=False, problems=["root_open"])
    assert judge([lost, GOOD], [GOOD], runs="any").verdict == "pass"
    assert judge([lost, BAD], [GOOD], runs="any").verdict == "not_evaluated"
    assert judge([lost, BAD], [GOOD], runs="each").verdict == "fail"


def test_only_the_runs_that_are_compared_are_judged() -> None:
    """An incomplete run that nobody compares is no reason to leave the others unjudged."""
    lost = make_run(LONG, complete=False, problems=["root_open"])
    assert judge([lost, GOOD], [GOOD], runs="last").verdict == "pass"
    assert judge([GOOD, lost], [GOOD], runs="first").verdict == "pass"
    assert judge([GOOD, lost], [GOOD], runs="last").verdict == "not_evaluated"


def test_the_metadata_has_all_runs() -> None:
    """Expected has one reference per compared run, actual every run that was given."""
    metadata = explained(graph_trajectory_match(outputs=[GOOD, BAD], reference_outputs=[GOOD], runs="last"))
    assert (metadata["expected"], metadata["actual"]) == ([LONG], [LONG, SHORTCUT])
    metadata = explained(graph_trajectory_match(outputs=[GOOD, BAD], reference_outputs=[GOOD], runs="each"))
    assert (metadata["expected"], metadata["actual"]) == ([LONG, LONG], [LONG, SHORTCUT])


def test_each_run_has_its_own_nearest_trajectory() -> None:
    """With AnyOf, the metadata shows for every run the trajectory that it is explained by."""
    either = AnyOf(LONG, SHORTCUT)
    metadata = explained(graph_trajectory_match(outputs=[BAD, NEAR], reference_outputs=either, runs="each"))
    assert metadata["expected"] == [SHORTCUT, LONG]


def test_numbers_over_several_runs_are_means() -> None:
    """Edits are added up; fitness, precision, recall and F1 are the mean over all runs, one without a partner too."""
    result = graph_trajectory_match(
        outputs=[[["a"], ["b"]], [["a"]]], reference_outputs=[[["a"], ["b"]], [["a"], ["c"]], [["x"], ["y"]]]
    )
    metadata = explained(result)
    assert metadata["edits"] == 0 + 1 + 2
    assert metadata["precision"] == round((1 + 1 + 0) / 3, 3)
    assert metadata["recall"] == 0.5
    assert metadata["fitness"] == round((1 + 2 / 3 + 0) / 3, 3)
