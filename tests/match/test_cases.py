"""The sixty cases of the specification, by their numbers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from otel_traj import read_runs
from otel_traj.errors import TrajectoryTypeError
from otel_traj.match import Any, AnyOf, Glob, HintKind, OpKind, ReferenceStep, graph_trajectory_match
from tests.match.judging import LONG, SHORTCUT, decide, explained, judge, make_run, score
from tests.record.graphs import State, new_chain
from tests.record.recording import Recording

if TYPE_CHECKING:
    from otel_traj.match import GraphTrajectoryMatchMode, TrajectoryMode
    from otel_traj.match.reference.reference import ReferenceItem

SERIALISED = [*LONG[:2], ["node4"], ["node5"], *LONG[3:]]
WITH_AUDIT = [*LONG[:2], ["node4", "node5", "audit"], *LONG[3:]]
TURNED = [*LONG[:2], ["node5", "node4"], *LONG[3:]]
WITHOUT_5 = [*LONG[:2], ["node4"], *LONG[3:]]


@pytest.mark.parametrize(
    ("expected", "actual", "mode"),
    [
        pytest.param(LONG, LONG, "exact", id="1"),
        pytest.param(LONG, TURNED, "unordered", id="3"),
        pytest.param(LONG, WITHOUT_5, "subset", id="9"),
        pytest.param(LONG, WITH_AUDIT, "superset", id="11"),
        pytest.param([["w", "w"]], [["w", "w", "w"]], "superset", id="15"),
        pytest.param([["w", "w", "w"]], [["w", "w"]], "subset", id="17"),
        pytest.param([["w", "w"]], [["w", "w"]], "exact", id="19"),
        pytest.param([], [], "exact", id="20"),
        pytest.param([[]], [["a"]], "superset", id="22"),
        pytest.param(
            [["a"], ReferenceStep(["b", "c"], "superset"), ["d"]],
            [["a"], ["b", "c", "x"], ["d"]],
            "exact",
            id="41",
        ),
        pytest.param(LONG, [["__start__"], *LONG], "unordered", id="45"),
        pytest.param([("a",)], [["a"]], "exact", id="55"),
        pytest.param(
            [["plan"], ["w", "w", "w"], ["red"]], [["plan"], ["w", "w", "w"], ["red"]], "exact", id="58"
        ),
    ],
)
def test_passes(
    expected: list[ReferenceStep | list[str]], actual: list[list[str]], mode: GraphTrajectoryMatchMode
) -> None:
    """The case passes, with nothing to say."""
    result = judge(expected, actual, mode)
    assert (result["score"], result["comment"], result["metadata"]) == (True, None, None)


@pytest.mark.parametrize(
    ("expected", "actual", "mode", "edits", "fitness", "ops", "hints"),
    [
        pytest.param(LONG, TURNED, "exact", 1, 0.917, ["reordered"], [], id="2"),
        pytest.param(
            LONG, SERIALISED, "unordered", 2, 0.833, ["missing_nodes", "extra_step"], ["serialised"], id="4"
        ),
        pytest.param(LONG, SERIALISED, "subset", 1, 0.917, ["extra_step"], ["serialised"], id="5"),
        pytest.param(
            LONG,
            SHORTCUT,
            "unordered",
            5,
            0.444,
            ["replaced", "missing_step", "missing_step"],
            ["wrong_branch"],
            id="7",
        ),
        pytest.param(LONG, WITHOUT_5, "unordered", 1, 0.909, ["missing_nodes"], [], id="8"),
        pytest.param(LONG, WITHOUT_5, "superset", 1, 0.909, ["missing_nodes"], [], id="10"),
        pytest.param(LONG, WITH_AUDIT, "unordered", 1, 0.923, ["extra_nodes"], [], id="12"),
        pytest.param(LONG, WITH_AUDIT, "subset", 1, 0.923, ["extra_nodes"], [], id="13"),
        pytest.param([["w", "w"]], [["w", "w", "w"]], "unordered", 1, 0.8, ["extra_nodes"], [], id="14"),
        pytest.param([["w", "w", "w"]], [["w", "w"]], "superset", 1, 0.8, ["missing_nodes"], [], id="16"),
        pytest.param([["w"]], [["w", "w"]], "subset", 1, 0.667, ["extra_nodes"], [], id="18"),
        pytest.param([["a"]], [], "subset", 1, 0.0, ["missing_step"], [], id="21"),
        pytest.param([], [["a"]], "superset", 1, 0.0, ["extra_step"], [], id="23"),
        pytest.param(LONG[:3], LONG, "unordered", 2, 0.8, ["extra_step", "extra_step"], [], id="24"),
        pytest.param(
            [["agent"], ["tools"], ["agent"]],
            [["agent"], ["tools"], ["agent"], ["tools"], ["agent"]],
            "exact",
            2,
            0.75,
            ["extra_step", "extra_step"],
            ["loop_count"],
            id="43",
        ),
        pytest.param([["Node1"]], [["node1"]], "exact", 2, 0.0, ["replaced"], ["misspelt"], id="44 case"),
        pytest.param([["sub/l1"]], [["l1"]], "exact", 2, 0.0, ["replaced"], [], id="44 subgraph"),
    ],
)
def test_fails(
    expected: list[list[str]],
    actual: list[list[str]],
    mode: GraphTrajectoryMatchMode,
    edits: int,
    fitness: float,
    ops: list[OpKind],
    hints: list[HintKind],
) -> None:
    """The case fails with this cost, fitness, kinds of difference and hints."""
    result = judge(expected, actual, mode)
    metadata = explained(result)
    assert result["score"] is False
    assert (metadata["edits"], metadata["fitness"]) == (edits, fitness)
    assert [op["op"] for op in metadata["ops"]] == ops
    assert metadata["hints"] == hints


def test_4_is_told_superstep_by_superstep() -> None:
    """Case 4: comment and metadata are those of the design's example, nothing more."""
    result = judge(LONG, SERIALISED)
    assert (result["key"], result["score"]) == ("graph_trajectory_match", False)
    assert result["comment"] == (
        "superstep 3: expected {node4, node5}, got {node4}; missing node5\n"
        "superstep 4: got {node5}, not expected\n"
        "hint: node4 and node5 ran one after another, expected in parallel"
    )
    missing = {"op": "missing_nodes", "run": 0, "expected_superstep": 3, "actual_superstep": 3}
    extra = {"op": "extra_step", "run": 0, "expected_superstep": None, "actual_superstep": 4}
    assert result["metadata"] == {
        "verdict": "fail",
        "step_mode": "unordered",
        "trajectory_mode": "strict",
        "edits": 2,
        "fitness": 0.833,
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
        "ops": [
            {**missing, "missing": ["node5"], "extra": [], "span_ids": []},
            {**extra, "missing": [], "extra": ["node5"], "span_ids": []},
        ],
        "hints": ["serialised"],
        "expected": [LONG],
        "actual": [SERIALISED],
    }


@pytest.mark.parametrize(
    ("actual", "precision", "recall", "f1"),
    [
        pytest.param(SHORTCUT, 0.667, 0.333, 0.444, id="7"),
        pytest.param(WITHOUT_5, 1.0, 0.833, 0.909, id="8"),
        pytest.param([], 0.0, 0.0, 0.0, id="nothing ran"),
    ],
)
def test_precision_and_recall(actual: list[list[str]], precision: float, recall: float, f1: float) -> None:
    """Names are counted as multisets, whatever superstep they stand in."""
    metadata = explained(judge(LONG, actual))
    assert (metadata["precision"], metadata["recall"], metadata["f1"]) == (precision, recall, f1)


def test_precision_where_nothing_was_expected() -> None:
    """Only the expected side empty: precision 0, recall 1; both empty of names: 1, 1, 1."""
    alone = explained(judge([], [["a"]]))
    assert (alone["precision"], alone["recall"], alone["f1"]) == (0.0, 1.0, 0.0)
    empty = explained(judge([[]], []))
    assert (empty["precision"], empty["recall"], empty["f1"]) == (1.0, 1.0, 1.0)


def test_48_another_number_of_runs_has_its_own_words() -> None:
    """Case 48: two runs expected and three there is a fail that says so, and which one is too many."""
    result = graph_trajectory_match(
        outputs=[{"steps": steps} for steps in (LONG, SHORTCUT, LONG)],
        reference_outputs=[{"steps": LONG}, {"steps": LONG}],
    )
    assert result["score"] is False
    assert result["comment"] == "expected 2 runs, got 3\nrun 1 was not expected"
    metadata = explained(result)
    (op,) = metadata["ops"]
    assert (op["op"], op["run"], op["expected_runs"], op["actual_runs"]) == ("wrong_run_count", None, 2, 3)
    assert (op["lost_references"], op["surplus_runs"]) == ([], [1])
    assert metadata["edits"] == len(SHORTCUT)
    assert metadata["fitness"] == round((1 + 1 + 0) / 3, 3)


def test_48_the_runs_that_are_there_are_still_compared() -> None:
    """Of fewer runs than expected each is explained against its nearest reference, in order."""
    result = graph_trajectory_match(
        outputs=[{"steps": [["x"], ["y"]]}, {"steps": LONG[:-1]}],
        reference_outputs=[{"steps": [["x"], ["y"]]}, {"steps": [["p"], ["q"]]}, {"steps": LONG}],
    )
    assert result["comment"] is not None
    assert result["comment"].split("\n") == [
        "expected 3 runs, got 2",
        "run 1 of the reference did not run",
        "run 1, superstep 5: expected {node7}, got nothing; missing node7",
    ]


def test_50_a_run_that_ended_in_error_fails_though_its_nodes_match() -> None:
    """Case 50: the trajectory is right, the run ended in error at node6: a fail that says so."""
    run = make_run(LONG[:4], status="error", ended={"node6": "error"}, error_type="ValueError")
    result = judge(LONG[:4], run)
    assert result["score"] is False
    assert result["comment"] == "run ended in error at node6 (ValueError)"


def test_51_an_incomplete_run_is_not_evaluated() -> None:
    """Case 51: a manifest that is not met gives neither pass nor fail, matched or not."""
    for steps in (LONG, SHORTCUT):
        run = make_run(steps, complete=False, problems=["manifest_mismatch"])
        result = judge(LONG, run)
        assert result["score"] is None
        assert result["comment"] == "run is incomplete (manifest_mismatch): the words of manifest_mismatch."
        assert explained(result)["verdict"] == "not_evaluated"


def test_53_the_interrupt_marker_counts_unless_ignored() -> None:
    """Case 53: a run that waits where the reference expects it passes; ignored, the marker is left out."""
    expected = [["ask"], ["__interrupt__"]]
    run = make_run(
        [["__start__"], ["ask"], ["__interrupt__"]], status="interrupted", ended={"ask": "interrupted"}
    )
    assert judge(expected, run)["score"] is True
    assert judge([["ask"]], [["ask"], ["__interrupt__"]])["score"] is False
    ignore = ("__start__", "__end__", "__interrupt__")
    assert judge([["ask"]], run, ignore=ignore)["score"] is True
    assert judge(expected, [["ask"]], ignore=ignore)["score"] is True


@pytest.mark.parametrize("bad", [None, "abc", [["a", 1]]])
def test_54_bad_input_is_an_error(bad: object) -> None:
    """Case 54: None, a string and a number among names are refused on either side."""
    with pytest.raises(TrajectoryTypeError):
        graph_trajectory_match(outputs=bad, reference_outputs=[["a"]])  # type: ignore[call-overload]
    with pytest.raises(TrajectoryTypeError):
        graph_trajectory_match(outputs=[["a"]], reference_outputs=bad)  # type: ignore[call-overload]


def test_59_an_unknown_mode_is_refused_at_construction() -> None:
    """Case 59: a misspelt mode is a ValueError that lists the modes, for a superstep and for a call."""
    listed = "exact, unordered, subset, superset, at_most, at_least"
    with pytest.raises(ValueError, match=f"'supserset'.*{listed}"):
        ReferenceStep(["a"], "supserset")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"'supserset'.*{listed}"):
        judge([["a"]], [["a"]], "supserset")  # type: ignore[arg-type]


def test_trimming_a_common_beginning_would_cost_more() -> None:
    """The cheapest alignment is found where a common beginning, taken first, would make it dearer."""
    assert score([[]], [[], ["d", "c"]], "superset") is False
    assert explained(judge([[]], [[], ["d", "c"]], "superset"))["edits"] == 1


CACHE: list[ReferenceStep | list[str]] = [["node1"], ReferenceStep(["cache"], min=0), ["node7"]]
SKIPPED: list[list[str]] = [["node1"], ["node7"]]
CACHED = [["node1"], ["cache"], ["node7"]]
TOOLS = ["tools"]
AGENT = ["agent"]


@pytest.mark.parametrize(
    ("expected", "actual", "trajectory_mode", "passes"),
    [
        pytest.param(LONG, SERIALISED, "flat_superset", True, id="6"),
        pytest.param(LONG[:3], LONG, "starts_with", True, id="25"),
        pytest.param(LONG[1:3], LONG, "starts_with", False, id="26"),
        pytest.param(LONG[1:3], LONG, "contains", True, id="27"),
        pytest.param([LONG[0], LONG[2]], LONG, "contains", False, id="28"),
        pytest.param([LONG[0], LONG[2]], LONG, "subsequence", True, id="29"),
        pytest.param([LONG[2], LONG[0]], LONG, "subsequence", False, id="30"),
        pytest.param(CACHE, SKIPPED, "strict", True, id="33"),
        pytest.param(CACHE, CACHED, "strict", True, id="34 once"),
        pytest.param(CACHE, [*CACHED[:2], *CACHED[1:]], "strict", False, id="34 twice"),
        pytest.param(
            [AGENT, ReferenceStep(TOOLS, max=3), AGENT], [AGENT, TOOLS, TOOLS, AGENT], "strict", True, id="35"
        ),
        pytest.param(
            [AGENT, ReferenceStep(TOOLS, max=2), AGENT],
            [AGENT, TOOLS, TOOLS, TOOLS, AGENT],
            "strict",
            False,
            id="36",
        ),
        pytest.param(
            [ReferenceStep(["a"], min=0, max=None), ["a"]], [["a"], ["a"], ["a"]], "strict", True, id="37"
        ),
        pytest.param([[Glob("node*"), "node4"]], [["node4", "node5"]], "strict", True, id="38"),
        pytest.param([[Glob("node*"), "node4"]], [["node4", "x"]], "strict", False, id="39"),
        pytest.param([["node1"], [Any()], ["node7"]], SHORTCUT, "strict", True, id="40 node2"),
        pytest.param(
            [["node1"], [Any()], ["node7"]], [LONG[0], LONG[2], LONG[4]], "strict", False, id="40 two nodes"
        ),
        pytest.param([["a"], ["b", "c"]], [["c", "b"], ["a"]], "steps_any_order", True, id="42"),
        pytest.param(LONG, LONG[:2], "so_far", True, id="46"),
    ],
)
def test_other_modes_and_patterns(
    expected: list[ReferenceItem], actual: list[list[str]], trajectory_mode: TrajectoryMode, passes: bool
) -> None:
    """The case has this verdict in its trajectory mode, supersteps unordered."""
    outcome = decide([{"steps": actual}], [{"steps": expected}], trajectory_mode=trajectory_mode)
    assert outcome.score is passes
    assert (outcome.comment is None) is passes


@pytest.mark.parametrize(
    ("expected", "actual", "passes"),
    [
        pytest.param([["a"], ["b"]], [["a", "b"]], False, id="31"),
        pytest.param([["a"], ["a", "b"]], [["a", "b"], ["a"], ["a", "b"]], True, id="32"),
    ],
)
def test_one_superstep_serves_one_expected_superstep(
    expected: list[list[str]], actual: list[list[str]], passes: bool
) -> None:
    """Cases 31 and 32: in a subsequence every expected superstep takes one of its own."""
    outcome = decide(
        [{"steps": actual}], [{"steps": expected}], step_mode="superset", trajectory_mode="subsequence"
    )
    assert outcome.score is passes


def test_34_a_round_too_many_costs_one() -> None:
    """Case 34: the optional superstep twice is one edit, and is told from a superstep nobody knows."""
    metadata = explained(judge(CACHE, [*CACHED[:2], *CACHED[1:]]))
    assert (metadata["edits"], metadata["fitness"]) == (1, 0.833)
    assert [op["op"] for op in metadata["ops"]] == ["too_many_repeats"]


def test_47_any_of_several_trajectories() -> None:
    """Case 47: any of the trajectories passes; where none does, the cheaper one is explained."""
    either = AnyOf(LONG, SHORTCUT)
    assert decide([{"steps": SHORTCUT}], either).score is True
    assert decide([{"steps": LONG}], either).score is True
    neither = decide([{"steps": [["node1"], ["node2"]]}], either)
    assert neither.comment == "superstep 3: expected {node7}, got nothing; missing node7"
    assert neither.metadata is not None
    assert neither.metadata["expected"] == [SHORTCUT]


def test_49_each_run_meets_the_one_reference() -> None:
    """Case 49: one bad run fails the thread, and the fitness is the mean of both."""
    result = graph_trajectory_match(
        outputs=[{"steps": LONG}, {"steps": SHORTCUT}], reference_outputs=[{"steps": LONG}], runs="each"
    )
    assert result["score"] is False
    assert explained(result)["fitness"] == round((1 + 4 / 9) / 2, 3)
    assert {op["run"] for op in explained(result)["ops"]} == {1}


def test_52_results_have_a_key_of_their_own() -> None:
    """Case 52: the right supersteps with a wrong result pass under their key, and the results fail under theirs."""
    trajectory, results = graph_trajectory_match(
        outputs=[{"steps": LONG, "results": {"shortcut": True}}],
        reference_outputs=[{"steps": LONG, "results": {"shortcut": False}}],
        results="exact",
    )
    assert (trajectory["key"], trajectory["score"]) == ("graph_trajectory_match", True)
    assert (results["key"], results["score"]) == ("graph_trajectory_match_results", False)


def test_56_a_forbidden_node() -> None:
    """Case 56: the rule says which node broke it, and in which superstep."""
    outcome = decide([{"steps": SHORTCUT}], {"rules": {"forbidden": ["node2"]}})
    assert (outcome.score, outcome.comment) == (False, "rule forbidden: node2 ran in superstep 2")


def test_57_two_nodes_of_one_superstep() -> None:
    """Case 57: nodes that ran one after another break the rule, parallel ones hold it."""
    rules = {"rules": {"same_step": [["node4", "node5"]]}}
    assert decide([{"steps": SERIALISED}], rules).score is False
    assert decide([{"steps": LONG}], rules).score is True


def test_60_two_invocations_at_once_are_two_runs() -> None:
    """Case 60: two invocations of one thread whose spans interleave are two clean runs, each with its own verdict."""
    recording = Recording()
    barrier = threading.Barrier(2, timeout=20)

    def meet(_state: State) -> State:
        barrier.wait()
        return {"nodes": []}

    graph = new_chain("a", "b", "c", a=meet, b=meet, c=meet).compile()
    threads = [threading.Thread(target=graph.invoke, args=({}, recording.config("thread"))) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    runs = list(read_runs(recording.exporter))
    assert len(runs) == 2
    assert runs[0].started_ns < runs[1].ended_ns
    assert runs[1].started_ns < runs[0].ended_ns
    expected = [["a"], ["b"], ["c"]]
    assert decide(runs, [{"steps": expected}, {"steps": expected}]).score is True
