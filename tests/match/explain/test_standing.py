from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import pytest
from msgspec.structs import replace

from otel_traj.match import graph_trajectory_match
from otel_traj.model import Problem, ProblemCode
from tests.match.judging import LONG, SHORTCUT, decide, explained, judge, make_run

if TYPE_CHECKING:
    from otel_traj.model import RunStatus

START = [["__start__"]]

HARMLESS: tuple[ProblemCode, ...] = ("step_gap", "content_cut", "spans_missing")
"""Problems that say nothing about node tasks."""


def test_a_complete_run_that_matches_passes() -> None:
    """A whole run of status ok that follows its reference passes, with nothing to say."""
    outcome = decide(make_run(START + LONG), {"steps": LONG})
    assert (outcome.verdict, outcome.score, outcome.comment, outcome.metadata) == ("pass", True, None, None)


@pytest.mark.parametrize(
    "code", [code for code in get_args(ProblemCode) if code not in (*HARMLESS, "pause_unknown")]
)
@pytest.mark.parametrize("status", ["ok", "error", "interrupted", "cancelled", "open"])
def test_lost_telemetry_is_never_a_verdict(code: ProblemCode, status: RunStatus) -> None:
    """An incomplete run is neither passed nor failed, whatever it shows; the reason names the codes."""
    for steps in (LONG, SHORTCUT):
        outcome = decide(
            make_run(steps, status=status, complete=False, problems=["step_gap", code, code]),
            {"steps": LONG},
        )
        assert (outcome.verdict, outcome.score) == ("not_evaluated", None)
        assert outcome.comment == f"run is incomplete ({code}): the words of {code}."
        assert outcome.metadata is not None
        assert outcome.metadata["reason"] == "incomplete"
        assert outcome.metadata["problems"] == [code]
        assert outcome.metadata["edits"] is outcome.metadata["fitness"] is None
        assert outcome.metadata["actual"] == [steps]


def test_a_run_that_may_wait_is_not_failed_for_what_it_has_not_done() -> None:
    """Where LangGraph does not tell whether a run waits, one that follows the reference so far is not evaluated."""
    waiting = make_run(START + LONG[:2], problems=["pause_unknown"])
    outcome = decide(waiting, {"steps": LONG})
    assert (outcome.verdict, outcome.score) == ("not_evaluated", None)
    assert outcome.comment == "perhaps waiting after node3 (its LangGraph does not tell)"
    assert outcome.metadata is not None
    assert outcome.metadata["reason"] == "waiting"
    unbegun = decide(make_run([], problems=["pause_unknown"]), {"steps": LONG})
    assert unbegun.comment == "perhaps waiting before its first superstep (its LangGraph does not tell)"


def test_a_run_that_may_wait_is_judged_by_what_it_did() -> None:
    """It passes where it met the whole reference, whether it ended or waits, and fails where it left it."""
    done = make_run(START + LONG, problems=["pause_unknown"])
    assert decide(done, {"steps": LONG}).verdict == "pass"
    assert decide(done, {"steps": LONG}, status="ok").verdict == "not_evaluated"
    astray = make_run(START + SHORTCUT, problems=["pause_unknown"])
    assert decide(astray, {"steps": LONG}).verdict == "fail"


@pytest.mark.parametrize("code", HARMLESS)
def test_problems_that_leave_a_run_complete_leave_its_verdict(code: ProblemCode) -> None:
    """A problem that says nothing about node tasks changes no verdict on them."""
    run = make_run(LONG, problems=[code])
    assert judge(LONG, run)["score"] is True
    assert judge(SHORTCUT, run)["score"] is False


def test_an_open_run_is_not_evaluated_whatever_the_record_says() -> None:
    """A run without an end can't be judged, also where nothing else was found missing."""
    result = judge(LONG, make_run(LONG, status="open"))
    assert (result["score"], result["comment"]) == (None, "run is incomplete (root_open)")


@pytest.mark.parametrize(
    ("status", "line"),
    [
        ("error", "run ended in error at node6 (ValueError)"),
        ("cancelled", "run was cancelled at node6"),
    ],
)
def test_a_status_that_is_not_allowed_fails_beside_the_diff(
    status: Literal["error", "cancelled"], line: str
) -> None:
    """A run that ended in error or was cancelled fails, and its difference from the reference is told as well."""
    run = make_run(START + LONG[:4], status=status, ended={"node6": status}, error_type="ValueError")
    result = judge(LONG, run)
    assert result["comment"] == f"{line}\nsuperstep 5: expected {{node7}}, got nothing; missing node7"
    first = explained(result)["ops"][0]
    assert (first["op"], first["actual_superstep"], first["status"]) == ("status", 4, status)
    assert (first["nodes"], first["span_ids"]) == (["node6"], ["span4"])
    assert explained(result)["edits"] == 1


def test_a_status_can_be_allowed() -> None:
    """An allowed status is no fault: a word, a list, or any."""
    run = make_run(LONG[:4], status="error", ended={"node6": "error"})
    for status in ("error", ["ok", "error"], "any", ("any",)):
        assert judge(LONG[:4], run, status=status)["score"] is True
    cancelled = make_run(LONG, status="cancelled")
    assert judge(LONG, cancelled, status="any")["score"] is True
    assert judge(LONG, cancelled)["comment"] == "run was cancelled"


def test_a_run_that_should_have_failed_and_did_not() -> None:
    """Where only error is allowed, a run that ended ok fails with its own words."""
    result = judge(LONG, make_run(LONG), status="error")
    assert (result["score"], result["comment"]) == (False, "run ended ok, expected error")


def test_an_error_without_a_failed_task_names_its_type() -> None:
    """A run can fail as a whole, at the recursion limit, after a failure that was handled earlier."""
    run = make_run([["a"], ["b"]], status="error", ended={"a": "error"}, error_type="GraphRecursionError")
    assert judge([["a"], ["b"]], run)["comment"] == "run ended in error (GraphRecursionError)"


def test_a_run_without_supersteps() -> None:
    """A root that failed before any task fails with its error and all that is missing."""
    run = make_run([], status="error", error_type="EmptyInputError")
    assert judge([["a"]], run)["comment"] == (
        "run ended in error (EmptyInputError)\nsuperstep 1: expected {a}, got nothing; missing a"
    )


ASKING = [["__start__"], ["a"], ["ask", "b"], ["__interrupt__"]]


@pytest.mark.parametrize(
    "expected",
    [
        [["a"], ["ask", "b"], ["__interrupt__"], ["z"]],
        [["a"], ["ask", "b"], ["z"]],
        [["a"], ["ask", "b"]],
    ],
)
@pytest.mark.parametrize("status", [("ok", "interrupted"), "ok"])
def test_a_waiting_run_that_follows_so_far_is_not_evaluated(
    expected: list[list[str]], status: str | tuple[str, ...]
) -> None:
    """An interrupted run that begins like its reference waits: only the interrupted node is named."""
    run = make_run(ASKING, status="interrupted", ended={"ask": "interrupted"})
    result = judge(expected, run, status=status)
    assert (result["score"], result["comment"]) == (None, "waiting at ask")
    metadata = explained(result)
    assert (metadata["verdict"], metadata["reason"]) == ("not_evaluated", "waiting")


def test_a_waiting_run_that_matches_the_whole_reference_passes() -> None:
    """Where the reference expects the run to stop there, waiting there is a pass."""
    run = make_run(ASKING, status="interrupted", ended={"ask": "interrupted"})
    assert judge([["a"], ["ask", "b"], ["__interrupt__"]], run)["score"] is True


def test_a_waiting_run_that_went_wrong_fails() -> None:
    """An interrupted run that already left its reference fails for that, not for waiting."""
    run = make_run(ASKING, status="interrupted", ended={"ask": "interrupted"})
    for status in ("ok", "interrupted"):
        result = judge([["a"], ["x"], ["z"]], run, status=status)
        assert result["score"] is False
        assert result["comment"] is not None
        assert result["comment"].startswith(
            "superstep 2: expected {x}, got {ask, b}; missing x; extra ask, b"
        )


def test_a_static_interrupt_waits_after_its_superstep() -> None:
    """A static interrupt leaves no marker: the run waits after the last superstep, or before the first."""
    run = make_run([["__start__"], ["a"]], status="interrupted")
    assert judge([["a"], ["b"]], run)["comment"] == "waiting after a"
    assert judge([["a"]], run)["score"] is True
    assert judge([["a"]], make_run([["__start__"]], status="interrupted"))["comment"] == (
        "waiting after __start__"
    )
    assert judge([["a"]], make_run([], status="interrupted"))["comment"] == (
        "waiting before its first superstep"
    )


def test_a_plain_trajectory_has_no_status() -> None:
    """The same steps without a record are compared as they stand: nothing waits there."""
    assert judge([["a"], ["ask", "b"], ["z"]], ASKING)["score"] is False


def test_ops_carry_the_spans_of_what_was_extra() -> None:
    """An op holds the spans of the tasks that are too many, the last of equal ones; a missing node has none."""
    run = make_run([["__start__"], ["a", "b", "w", "w"], ["c"]])
    result = judge([["a", "w", "x"]], run)
    first, second = explained(result)["ops"]
    assert (first["op"], first["span_ids"]) == ("changed_nodes", ["span1", "span3"])
    assert (second["op"], second["span_ids"]) == ("extra_step", ["span4"])
    turned = explained(judge([["b", "a"]], make_run([["__start__"], ["a", "b"]]), "exact"))["ops"][0]
    assert (turned["op"], turned["span_ids"]) == ("reordered", ["span0", "span1"])
    missing = explained(judge([["a", "b"]], make_run([["a"]])))["ops"][0]
    assert missing["span_ids"] == []


def test_one_failed_run_fails_the_thread() -> None:
    """A fail is a fail beside runs that can't be judged; these are named and left out of the numbers."""
    runs = [
        make_run(SHORTCUT),
        make_run(LONG, complete=False, problems=["root_open"]),
        make_run(LONG[:1], status="interrupted"),
    ]
    result = graph_trajectory_match(outputs=runs, reference_outputs=[LONG, LONG, LONG])
    assert result["score"] is False
    assert result["comment"] is not None
    lines = result["comment"].split("\n")
    assert lines[0].startswith("run 0, superstep 2")
    assert lines[-2:] == [
        "run 1 is incomplete (root_open): the words of root_open.",
        "run 2 is waiting after node1",
    ]
    assert explained(result)["edits"] == 5


def test_runs_that_can_not_be_judged_leave_the_thread_unjudged() -> None:
    """Without a fail one unjudged run is enough; each is named with its reason."""
    runs = [make_run(LONG), make_run(LONG, complete=False, problems=["root_open"])]
    result = graph_trajectory_match(outputs=runs, reference_outputs=[LONG, LONG])
    assert (result["score"], result["comment"]) == (
        None,
        "run 1 is incomplete (root_open): the words of root_open.",
    )


def test_a_count_is_not_judged_by_incomplete_runs() -> None:
    """Lost spans can split a run in two: another number of runs is no fail where one is incomplete."""
    halves = [make_run(LONG[:2]), make_run(LONG[2:], complete=False, problems=["beginning_missing"])]
    result = graph_trajectory_match(outputs=halves, reference_outputs=[LONG])
    assert (result["score"], result["comment"]) == (
        None,
        "run 1 is incomplete (beginning_missing): the words of beginning_missing.",
    )


def test_the_first_problem_says_what_to_do() -> None:
    """The reason holds all codes and the first problem's words, without the ids of the run it stands beside."""
    run = make_run(LONG, complete=False, problems=["step_gap", "task_open", "key_cut", "task_open"])
    assert judge(LONG, run)["comment"] == "run is incomplete (task_open, key_cut): the words of task_open."
    other = replace(run, problems=[Problem(code="root_missing", message="run 'x' (trace 1) is a subgraph's")])
    assert judge(LONG, other)["comment"] == (
        "run is incomplete (root_missing): run 'x' (trace 1) is a subgraph's"
    )


def test_the_words_of_a_problem_are_data_and_bounded() -> None:
    """However long a problem is and whatever it holds, its words stand on one line of 300 characters."""
    problem = Problem(code="task_open", message="a\nb\x1b[31m" + "ü" * 1_000)
    run = replace(make_run(LONG, complete=False), problems=[problem])
    comment = judge(LONG, run)["comment"]
    assert comment is not None
    words = comment.removeprefix("run is incomplete (task_open): ")
    assert words.startswith("a\\nb\\x1b[31müü")
    assert words.endswith("ü...")
    assert len(words) == 300
