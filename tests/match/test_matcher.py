from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING

import pytest

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.match import Gap, ReferenceStep, TrajectoryMatcher, graph_trajectory_match
from tests.match.judging import LONG, SHORTCUT, make_run

if TYPE_CHECKING:
    from otel_traj.match import MatchMetadata, MatchResult, Outputs

LOOSE = [
    ["a"],
    ReferenceStep(["b", "c"], "subset"),
    Gap(),
    ReferenceStep(["d"], "superset"),
    ["e", "f"],
]


def ask(matcher: TrajectoryMatcher, actual: Outputs) -> tuple[MatchResult, MatchMetadata]:
    """Return the one result of a matcher, and its metadata."""
    result = matcher(actual)
    assert not isinstance(result, list)
    assert result["metadata"] is not None
    return result, result["metadata"]


def test_a_reference_is_prepared_once_for_many_runs() -> None:
    """One matcher gives every run the verdict and the explanation that the function gives."""
    matcher = TrajectoryMatcher([{"steps": LONG}])
    for steps in (LONG, SHORTCUT, [], LONG):
        by_function = graph_trajectory_match(outputs=[{"steps": steps}], reference_outputs=[{"steps": LONG}])
        result, metadata = ask(matcher, [{"steps": steps}])
        assert set(result) == {"key", "score", "comment", "metadata"}
        assert (result["score"], result["comment"]) == (by_function["score"], by_function["comment"])
        assert matcher.matches([{"steps": steps}]) is by_function["score"]
        if by_function["metadata"] is not None:
            assert {key: metadata[key] for key in by_function["metadata"]} == by_function["metadata"]  # type: ignore[literal-required]
        assert json.loads(json.dumps(result)) == result


def test_a_reference_that_changes_afterwards_changes_nothing() -> None:
    """A matcher owns its reference, and hands out copies of it."""
    given = [{"steps": copy.deepcopy(LONG)}]
    matcher = TrajectoryMatcher(given)
    given[0]["steps"][0].append("more")
    _, metadata = ask(matcher, [{"steps": LONG}])
    assert metadata["verdict"] == "pass"
    metadata["expected"][0].clear()
    assert ask(matcher, [{"steps": LONG}])[1]["expected"] == [LONG]


def test_a_pass_says_what_was_tolerated() -> None:
    """Missing and extra names that modes allow, another order and what a gap took are counted; the share is whole."""
    actual = [["a"], ["c"], ["q"], ["q"], ["x", "d"], ["f", "e"]]
    result, metadata = ask(TrajectoryMatcher([{"steps": LOOSE}]), [{"steps": actual}])
    assert (result["score"], result["comment"]) == (True, None)
    assert metadata["tolerated"] == {
        "missing": ["b"],
        "extra": ["x"],
        "reordered_supersteps": 1,
        "gap_supersteps": 2,
    }
    assert metadata["steps_matched"] == 1.0
    assert (metadata["verdict"], metadata["edits"], metadata["fitness"], metadata["ops"]) == (
        "pass",
        0,
        1.0,
        [],
    )


def test_what_several_runs_tolerate_is_added_up() -> None:
    """The tolerated differences of all runs stand together."""
    matcher = TrajectoryMatcher([["a", "b"]], step_mode="subset", runs="each")
    _, metadata = ask(matcher, [[["a"]], [["b"]], [["b", "a"]]])
    assert metadata["tolerated"] == {
        "missing": ["b", "a"],
        "extra": [],
        "reordered_supersteps": 1,
        "gap_supersteps": 0,
    }


def test_a_fail_says_which_share_was_met() -> None:
    """A matcher's fail has the share of expected supersteps that ran as expected; the function leaves it out."""
    _, metadata = ask(TrajectoryMatcher([["a"], ["b"], ["c"], ["d"]]), [["a"], ["x"], ["c"], ["d"]])
    assert metadata["steps_matched"] == 0.75
    assert "tolerated" not in metadata
    plain = graph_trajectory_match(outputs=[["x"]], reference_outputs=[["a"]])
    assert plain["metadata"] is not None
    assert "steps_matched" not in plain["metadata"]


def test_each_number_has_its_key() -> None:
    """scores() answers with the verdict and four numbers, each a result of its own, which a pass has too."""
    matcher = TrajectoryMatcher([{"steps": LONG}], key="path")
    verdict, *numbers = matcher.scores([{"steps": SHORTCUT}])
    assert (verdict["key"], verdict["score"]) == ("path", False)
    assert [(each["key"], each["score"]) for each in numbers] == [
        ("path_fitness", 0.444),
        ("path_precision", 0.667),
        ("path_recall", 0.333),
        ("path_f1", 0.444),
    ]
    assert all(set(each) == {"key", "score", "comment", "metadata"} for each in numbers)
    assert [each["score"] for each in matcher.scores([{"steps": LONG}])] == [True, 1.0, 1.0, 1.0, 1.0]


def test_what_is_not_known_has_no_number() -> None:
    """Outside of strict there is no fitness, and of a run that can't be judged there is nothing."""
    contains = TrajectoryMatcher([["b"]], trajectory_mode="contains").scores([["a"], ["b"]])
    assert [each["score"] for each in contains] == [True, None, 1.0, 1.0, 1.0]
    lost = make_run(LONG, complete=False, problems=["root_open"])
    assert [each["score"] for each in TrajectoryMatcher([{"steps": LONG}]).scores(lost)] == [None] * 5


def test_a_reference_may_come_with_each_call() -> None:
    """A matcher without a reference takes the call's; one with its own keeps to it; one of the two is needed."""
    free = TrajectoryMatcher(trajectory_mode="contains")
    result = free([["a"], ["b"]], [["b"]])
    assert not isinstance(result, list)
    assert result["score"] is True
    own = TrajectoryMatcher([["a"]])
    result = own(outputs=[["a"]], reference_outputs=[["other"]])
    assert not isinstance(result, list)
    assert result["score"] is True
    assert free.scores([["a"]], [["b"]])[0]["score"] is False
    for call in (free, free.scores, free.matches):
        with pytest.raises(TrajectoryTypeError, match="reference_outputs is None"):
            call([["a"]])


def test_results_are_a_second_answer() -> None:
    """With results compared a call gives two dicts; matches and scores leave results aside."""
    matcher = TrajectoryMatcher([{"steps": [["a"]], "results": {"x": 1}}], results="exact", key="path")
    answers = matcher([{"steps": [["a"]], "results": {"x": 2}}])
    assert isinstance(answers, list)
    assert [(each["key"], each["score"]) for each in answers] == [("path", True), ("path_results", False)]
    assert matcher.matches([{"steps": [["a"]], "results": {"x": 2}}]) is True
    assert [each["key"] for each in matcher.scores([{"steps": [["a"]]}])][:2] == ["path", "path_fitness"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"step_mode": "supserset"}, "Allowed: exact, unordered, subset, superset, at_most, at_least"),
        ({"trajectory_mode": "strickt"}, "Allowed: strict, starts_with, so_far, contains, subsequence"),
        ({"runs": "all"}, "Allowed: strict, each, last, first, any"),
        ({"duplicates": True}, "Allowed: count, ignore"),
        ({"level": "node"}, "Allowed: nodes, tools, both"),
        ({"args": "same"}, "Allowed: exact, ignore, subset, superset"),
        ({"results": "equal"}, "Allowed: ignore, exact, subset, superset"),
        ({"status": "done"}, "Allowed: ok, error, interrupted, cancelled, or any"),
        ({"status": []}, "Allowed: ok, error, interrupted, cancelled, or any"),
        ({"depth": -1}, "Write 0 or more, or None for all"),
    ],
)
def test_an_unknown_word_lists_what_is_allowed(options: dict[str, object], words: str) -> None:
    """A misspelt option is refused where the matcher is made."""
    with pytest.raises(TrajectoryValueError, match=words):
        TrajectoryMatcher([["a"]], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stepmode": "exact"}, "unknown option stepmode.*Allowed: step_mode, trajectory_mode"),
        ({"ignore": "__start__"}, r"Write a list, \['__start__'\]"),
        ({"ignore": 1}, "Write a list"),
        ({"ignore": [1]}, "Write a string or Glob"),
        ({"depth": "1"}, "Write a whole number, or None for all"),
        ({"depth": True}, "Write a whole number, or None for all"),
        ({"key": ""}, "Write a string that is not empty"),
        ({"status": 1}, "Write a list"),
        ({"args": 1}, "Allowed: exact"),
        ({"results": 1}, "Allowed: ignore"),
    ],
)
def test_an_option_of_a_wrong_type_says_what_to_write(options: dict[str, object], words: str) -> None:
    """An option that is unknown or of another type is refused where the matcher is made."""
    with pytest.raises(TrajectoryTypeError, match=words):
        TrajectoryMatcher([["a"]], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["each", "last", "first", "any"])
def test_modes_of_one_reference_take_one(mode: str) -> None:
    """Ways to compare threads with one reference refuse two and none."""
    for references in ([[["a"]], [["b"]]], []):
        with pytest.raises(InvalidReferenceError, match="Give one, or an AnyOf of them"):
            TrajectoryMatcher(references, runs=mode)  # type: ignore[arg-type]
