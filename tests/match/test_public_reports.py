"""Faults that users of other evaluators reported in public, by the id of the report's case."""

from __future__ import annotations

import pytest

from otel_traj.match import GraphTrajectoryMatchMode, ReferenceStep, graph_trajectory_match
from tests.match.judging import explain, explained, judge, score


@pytest.mark.parametrize(
    ("actual", "passes"),
    [
        ([["a"], ["c", "b"], ["d"]], {"unordered", "subset", "superset", "at_most", "at_least"}),
        ([["a"], ["b"], ["d"]], {"subset", "at_most"}),
        ([["a"], ["b", "c", "x"], ["d"]], {"superset", "at_least"}),
        (
            [["a"], ["b", "c"], ["d"]],
            {"exact", "unordered", "subset", "superset", "at_most", "at_least"},
        ),
    ],
)
@pytest.mark.parametrize("mode", ["exact", "unordered", "subset", "superset", "at_most", "at_least"])
def test_e01_graph_trajectories_have_every_mode(
    actual: list[list[str]], passes: set[str], mode: GraphTrajectoryMatchMode
) -> None:
    """langchain-ai/agentevals#49: graph trajectories are compared in the same modes as tool calls."""
    assert score([["a"], ["b", "c"], ["d"]], actual, mode) is (mode in passes)


def test_e02_a_failing_match_says_why() -> None:
    """langchain-ai/agentevals#66: the first bad superstep, expected, got, missing and extra are named."""
    assert explain([["a"], ["b"]], [["a"], ["c"]]) == [
        "superstep 2: expected {b}, got {c}; missing b; extra c"
    ]


def test_e04_another_number_of_turns_is_a_fail_with_its_own_words() -> None:
    """langchain-ai/agentevals#30: trajectories of different length are no error but a fail that says so."""
    turns = [{"steps": [["a"]]}, {"steps": [["a"]]}, {"steps": [["a"]]}]
    result = graph_trajectory_match(outputs=turns, reference_outputs=turns[:1])
    assert result["score"] is False
    assert result["comment"] == "expected 1 run, got 3"


def test_e05_parallel_and_sequential_differ() -> None:
    """promptfoo/promptfoo#9455: two tasks in parallel are not the same two in a row, in either direction."""
    parallel, sequential = [["s", "s"]], [["s"], ["s"]]
    assert explain(parallel, sequential)[-1] == "hint: s and s ran one after another, expected in parallel"
    assert explain(sequential, parallel)[-1] == "hint: s and s ran in parallel, expected one after another"


def test_e11_three_of_four_right_is_told_from_none() -> None:
    """google/adk-python#5306: precision, recall, F1 and fitness grade what the bool can't."""
    near = explained(judge([["a"], ["b"], ["c"], ["d"]], [["a"], ["b"], ["c"]]))
    far = explained(judge([["a"], ["b"], ["c"], ["d"]], [["x"], ["y"], ["z"]]))
    assert (near["precision"], near["recall"], near["f1"], near["fitness"]) == (1.0, 0.75, 0.857, 0.857)
    assert (far["precision"], far["recall"], far["f1"], far["fitness"]) == (0.0, 0.0, 0.0, 0.0)


def test_e17_the_direction_is_actual_against_reference() -> None:
    """EntityProcess/agentv#294: an added superstep fails in every mode, and the message says which side has it."""
    for mode in ("subset", "superset", "at_most", "at_least"):
        lines = explain([["a"], ["b"]], [["a"], ["b"], ["c"]], mode)
        assert lines == ["superstep 3: got {c}, not expected"]


def test_e17_both_names_of_a_direction_mean_the_same() -> None:
    """`at_most` is `subset` and `at_least` is `superset`, for a call and for one superstep."""
    for other, name in (("at_most", "subset"), ("at_least", "superset")):
        assert explained(judge([["a"]], [["b"]], other))["step_mode"] == name  # type: ignore[arg-type]
    assert score([ReferenceStep(["a", "b"], "at_most")], [["a"]]) is True
    assert score([ReferenceStep(["a"], "at_least")], [["a", "b"]]) is True
    assert score([ReferenceStep(["a"], "at_most")], [["a", "b"]]) is False
