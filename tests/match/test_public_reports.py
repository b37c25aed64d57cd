"""Faults that users of other evaluators reported in public, by the id of the report's case."""

from __future__ import annotations

import pytest

from otel_traj.match import (
    ArgsMatch,
    Gap,
    GraphTrajectoryMatchMode,
    ReferenceStep,
    Repeat,
    Tool,
    TrajectoryMatcher,
    graph_trajectory_match,
)
from tests.match.judging import decide, explain, explained, judge, make_run, score


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
    assert result["comment"] == "expected 1 run, got 3\nrun 1 was not expected\nrun 2 was not expected"


def test_e04_the_other_ways_need_not_name_every_turn() -> None:
    """langchain-ai/agentevals#30: three turns, one of them interrupted, are compared with one reference."""
    asked = make_run(
        [["__start__"], ["a"], ["ask"], ["__interrupt__"]], status="interrupted", ended={"ask": "interrupted"}
    )
    turns = [make_run([["a"]]), asked, make_run([["a"], ["b"]])]
    assert [decide(turns, [["a"]], runs=mode).score for mode in ("first", "last", "any", "each")] == [
        True,
        False,
        True,
        False,
    ]
    paired = [[["a"]], [["a"], ["ask"], ["__interrupt__"]], [["a"], ["b"]]]
    assert decide(turns, paired).score is True
    assert decide(turns[:2], paired).comment == "expected 3 runs, got 2\nrun 2 of the reference did not run"


def test_e05_grouping_can_be_ignored() -> None:
    """promptfoo/promptfoo#9455: whoever wants parallel and sequential to be equal asks for it."""
    for expected, actual in (([["s", "s"]], [["s"], ["s"]]), ([["s"], ["s"]], [["s", "s"]])):
        assert decide([{"steps": actual}], expected).score is False
        assert decide([{"steps": actual}], expected, trajectory_mode="flat_unordered").score is True


def test_e08_one_wrong_of_four_is_no_zero() -> None:
    """google/adk-python#1591: A, B, C, A against A, D, C, A is three quarters right, and says which quarter is not."""
    metadata = explained(judge([["A"], ["B"], ["C"], ["A"]], [["A"], ["D"], ["C"], ["A"]]))
    assert (metadata["fitness"], metadata["precision"], metadata["recall"]) == (0.75, 0.75, 0.75)
    assert [(op["op"], op["missing"], op["extra"]) for op in metadata["ops"]] == [("replaced", ["B"], ["D"])]


def test_e08_arguments_need_not_be_equal() -> None:
    """google/adk-python#1591: the order of keys is nothing, some keys alone count, numbers have a tolerance."""
    ran = {"tool": "f", "args": {"b": 1.02, "a": "x", "trace": "random"}}
    for args, args_mode, passes in (
        ({"a": "x", "b": 1.02, "trace": "random"}, None, True),
        ({"a": "x", "b": 1.02}, None, False),
        ({"a": "x", "b": 1.02}, "superset", True),
        ({"a": "x", "b": 9}, ["a"], True),
        ({"a": "x", "b": 1}, ArgsMatch("superset", tolerance=0.1), True),
        ({"a": "x", "b": 1}, ArgsMatch("superset", tolerance=0.01), False),
    ):
        assert decide([{"steps": [[ran]]}], [[Tool("f", args, args_mode)]], level="tools").score is passes


def test_e09_arguments_are_not_looked_at_unless_asked() -> None:
    """google/adk-python#2757: a random query changes nothing; names alone are compared."""
    run = [{"steps": [[{"tool": "search", "args": {"query": "random"}}]]}]
    reference = [{"steps": [[{"tool": "search"}]]}]
    assert decide(run, reference, level="tools").score is True
    assert decide(run, [["search"]], level="tools", args="exact").score is True


def test_e11_repeated_names_are_assigned_never_greedily() -> None:
    """google/adk-python#5306: x(1), x(2) is met by x(2), x(1), also where the first could take either."""
    ran = [[{"tool": "x", "args": {"n": 2}}, {"tool": "x", "args": {"n": 1}}]]
    assert decide([{"steps": ran}], [[Tool("x", {"n": 1}), Tool("x", {"n": 2})]]).score is True
    assert decide([{"steps": ran}], [[Tool("x"), Tool("x", {"n": 2})]]).score is True
    assert decide([{"steps": ran}], [[Tool("x", {"n": 2}), Tool("x", {"n": 2})]]).score is False


def test_e11_empty_sides_have_a_score() -> None:
    """google/adk-python#5306: where both are empty F1 is 1, where one is it is 0."""
    for expected, actual, f1 in (([], [], 1.0), ([["a"]], [], 0.0), ([], [["a"]], 0.0)):
        scores = TrajectoryMatcher({"steps": expected}).scores({"steps": actual})
        assert scores[-1] == {
            "key": "graph_trajectory_match_f1",
            "score": f1,
            "comment": None,
            "metadata": None,
        }


def test_e16_a_loop_has_bounds() -> None:
    """google/adk-python#931: a loop that runs too often is caught by bounds, by visits and by supersteps."""
    loop = [["a"], ["b"]]
    bounded = {"steps": [Repeat(loop, 1, 3)]}
    for reference in (bounded, {"rules": {"max_visits": {"b": 3}}}, {"rules": {"max_supersteps": 6}}):
        assert decide([{"steps": loop * 3}], reference).score is True
        assert decide([{"steps": loop * 4}], reference).score is False
    outcome = decide([{"steps": loop * 4}], bounded)
    assert outcome.comment is not None
    assert outcome.comment.split("\n")[:2] == [
        "superstep 7: got {a}, a round more than the 3 allowed",
        "superstep 8: got {b}, a round more than the 3 allowed",
    ]
    assert outcome.metadata is not None
    assert [op["op"] for op in outcome.metadata["ops"]] == ["too_many_repeats"] * 2


def test_e19_one_before_another() -> None:
    """Azure/azure-sdk-tools#15832: check comes before create, with whatever between; and never after it."""
    wanted = [["check"], ["create"]]
    rule = {"rules": {"required": ["create"], "before": [["check", "create"]]}}
    for actual, passes in (([["check"], ["log"], ["create"]], True), ([["create"], ["check"]], False)):
        assert decide([{"steps": actual}], wanted, trajectory_mode="subsequence").score is passes
        assert (
            decide([{"steps": actual}], {"steps": [Gap(), ["check"], Gap(), ["create"], Gap()]}).score
            is passes
        )
        assert decide([{"steps": actual}], rule).score is passes


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
