from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, get_args

import pytest

from otel_traj import (
    Any,
    Gap,
    Glob,
    OneOf,
    ReferenceStep,
    Regex,
    Repeat,
    TrajectoryMatcher,
    graph_trajectory_match,
    graph_trajectory_match_async,
)
from otel_traj.match import TrajectoryMode
from otel_traj.match.options import GivenOptions
from tests.match.judging import LONG, SHORTCUT, make_run

if TYPE_CHECKING:
    from otel_traj.match import MatchResult
    from otel_traj.match.values.results import ResultsRule
    from otel_traj.model import Run

DEFAULTS = {
    "step_mode": "unordered",
    "trajectory_mode": "strict",
    "runs": "strict",
    "duplicates": "count",
    "ignore": ("__start__", "__end__"),
    "results": "ignore",
    "level": "nodes",
    "args": "ignore",
    "depth": 0,
    "status": ("ok", "interrupted"),
    "key": "graph_trajectory_match",
}
PARTS = {"key", "score", "comment", "metadata"}
EXPLAINED = [
    "verdict",
    "step_mode",
    "trajectory_mode",
    "edits",
    "fitness",
    "precision",
    "recall",
    "f1",
    "ops",
    "hints",
    "expected",
    "actual",
]
"""The keys of a fail's metadata."""


def test_the_signature_is_what_users_type() -> None:
    """Two arguments and eleven options, all by name, with these defaults."""
    parameters = inspect.signature(graph_trajectory_match).parameters
    assert list(parameters) == ["outputs", "reference_outputs", *DEFAULTS]
    assert {each.kind for each in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert {name: parameters[name].default for name in DEFAULTS} == DEFAULTS
    needed = [name for name, each in parameters.items() if each.default is inspect.Parameter.empty]
    assert needed == ["outputs", "reference_outputs"]


def test_the_twin_and_the_matcher_have_the_same_options() -> None:
    """Each option is known to all three, and leaving them out is giving their defaults."""
    assert set(GivenOptions.__annotations__) == set(DEFAULTS)
    given = GivenOptions(**DEFAULTS)  # type: ignore[typeddict-item] # the values are those of the signature
    assert TrajectoryMatcher([["a"]]).options == TrajectoryMatcher([["a"]], **given).options
    for outputs in (LONG, SHORTCUT):
        short = asyncio.run(graph_trajectory_match_async(outputs=outputs, reference_outputs=LONG))
        whole = asyncio.run(graph_trajectory_match_async(outputs=outputs, reference_outputs=LONG, **given))
        assert short == whole == graph_trajectory_match(outputs=outputs, reference_outputs=LONG)


@pytest.mark.parametrize("mode", get_args(TrajectoryMode))
def test_a_result_has_four_keys_in_every_mode(mode: TrajectoryMode) -> None:
    """A pass has nothing to say; a fail has a comment, and metadata with these keys; both under the key asked for."""
    passed: MatchResult = graph_trajectory_match(
        outputs=LONG, reference_outputs=LONG, trajectory_mode=mode, key="path"
    )
    assert passed == {"key": "path", "score": True, "comment": None, "metadata": None}
    failed: MatchResult = graph_trajectory_match(
        outputs=[["x"], ["y"]], reference_outputs=LONG, trajectory_mode=mode, key="path"
    )
    assert set(failed) == PARTS
    assert (failed["key"], failed["score"]) == ("path", False)
    assert failed["comment"]
    assert failed["metadata"] is not None
    assert list(failed["metadata"]) == EXPLAINED
    assert (failed["metadata"]["edits"] is None) is (mode != "strict")


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (make_run(LONG, complete=False, problems=["root_missing"]), "incomplete"),
        (make_run(LONG[:2], status="interrupted"), "waiting"),
    ],
)
def test_what_is_not_evaluated_has_the_four_keys_too(run: Run, reason: str) -> None:
    """Its score is None, its comment and its metadata say why."""
    result = graph_trajectory_match(outputs=run, reference_outputs=LONG)
    assert set(result) == PARTS
    assert result["score"] is None
    assert result["comment"]
    assert result["metadata"] is not None
    assert (result["metadata"]["verdict"], result["metadata"]["reason"]) == ("not_evaluated", reason)


def test_results_make_it_a_list_of_two() -> None:
    """Any way to compare results gives two results of four keys, the second under the key with `_results`."""
    reference = {"steps": LONG, "results": {"x": 1}}
    rules: list[ResultsRule] = ["exact", "subset", "superset", lambda actual, expected: actual == expected]
    for rule in rules:
        for found, passes in (({"x": 1}, True), ({"x": 2}, False)):
            answers = graph_trajectory_match(
                outputs={"steps": LONG, "results": found},
                reference_outputs=reference,
                results=rule,
                key="path",
            )
            assert [set(each) for each in answers] == [PARTS, PARTS]
            assert [(each["key"], each["score"]) for each in answers] == [
                ("path", True),
                ("path_results", passes),
            ]
            if passes:
                assert [(each["comment"], each["metadata"]) for each in answers] == [(None, None)] * 2


def test_what_a_reference_may_hold_can_be_written_in_one_list() -> None:
    """Names, patterns, loops and gaps side by side are no error of a type checker, which reads this file too."""
    result = graph_trajectory_match(
        outputs=[["plan"], ["model"], ["tools"], ["a"], ["z"], ["save_db", "log"]],
        reference_outputs=[
            ["plan"],
            ReferenceStep(["cache"], min=0),
            Repeat([["model"], ["tools"]], 1, 5),
            OneOf(["a"], ["b", "c"]),
            Gap(),
            [Glob("save_*"), Any()],
        ],
    )
    assert result["score"] is True
    assert graph_trajectory_match(outputs=[["a"]], reference_outputs=[[Regex("a|b")]])["score"] is True
    both = graph_trajectory_match(outputs=[["a"]], reference_outputs=[["a"]], results="exact")
    assert [each["key"] for each in both] == ["graph_trajectory_match", "graph_trajectory_match_results"]
