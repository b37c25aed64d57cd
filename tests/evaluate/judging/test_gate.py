"""From verdicts to an exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from otel_traj import SourceProblem, TrajectoryTypeError, TrajectoryValueError, Verdict, read_runs
from otel_traj.evaluate.judging.gate import Demands, decide_exit, is_damaged, make_demands, summarise
from tests.evaluate.judging.threads import record_turn

if TYPE_CHECKING:
    from otel_traj.evaluate.judging.verdict import VerdictWord
    from otel_traj.model import SourceProblemCode

[_RUN] = read_runs(record_turn("r", "ask"))
_SCORES: dict[VerdictWord, bool | None] = {"pass": True, "fail": False, "not_evaluated": None}


def _make_verdict(
    verdict: VerdictWord, *, reference: str | None = "x", key: str = "graph_trajectory_match"
) -> Verdict:
    """Return a verdict on a run of its own."""
    return Verdict(
        run_id="r",
        thread_id=None,
        reference=reference,
        verdict=verdict,
        score=_SCORES[verdict],
        comment=None,
        metadata=None,
        key=key,
        runs=(replace(_RUN),),
    )


def _make(*, passed: int = 0, failed: int = 0, undecided: int = 0, without: int = 0) -> list[Verdict]:
    return [
        *(_make_verdict("pass") for _ in range(passed)),
        *(_make_verdict("fail") for _ in range(failed)),
        *(_make_verdict("not_evaluated") for _ in range(undecided)),
        *(_make_verdict("not_evaluated", reference=None) for _ in range(without)),
    ]


def _make_problem(code: SourceProblemCode = "unreadable_line") -> SourceProblem:
    return SourceProblem(code=code, message="found what", source="traces.jsonl", line=3)


@pytest.mark.parametrize(
    ("verdicts", "unmet", "problems", "demands", "code"),
    [
        (_make(passed=2), [], [], Demands(), 0),
        (_make(passed=2, failed=1), [], [], Demands(), 1),
        (_make(failed=1, undecided=3, without=1), ["x"], [_make_problem()], Demands(), 1),
        (_make(passed=1, undecided=1), [], [], Demands(), 2),
        (_make(passed=1), [], [_make_problem()], Demands(), 2),
        (_make(passed=1), [], [_make_problem("unfinished_line")], Demands(), 2),
        (_make(passed=1), [], [_make_problem("bad_span")], Demands(), 2),
        (_make(passed=1), [], [_make_problem("not_spans")], Demands(), 2),
        (_make(passed=1), [], [_make_problem("empty_source")], Demands(), 0),
        (_make(passed=1), [], [_make_problem()], Demands(allow_unreadable=True), 0),
        (_make(passed=1, undecided=1), [], [_make_problem()], Demands(allow_unreadable=True), 2),
        ([], [], [], Demands(), 2),
        (_make(without=3), [], [], Demands(), 2),
        (_make(passed=1, without=1), [], [], Demands(), 0),
        (_make(passed=1), ["x"], [], Demands(), 0),
        (_make(passed=1, without=1), [], [], Demands(require_all=True), 1),
        (_make(passed=1), ["x"], [], Demands(require_all=True), 1),
        (_make(passed=1, undecided=1), [], [], Demands(require_all=True), 2),
        (_make(passed=1, undecided=1, without=1), [], [_make_problem()], Demands(require_all=True), 1),
        ([], ["x"], [], Demands(require_all=True), 1),
        (_make(passed=2), [], [], Demands(min_evaluated=2), 0),
        (_make(passed=1, failed=1), [], [], Demands(min_evaluated=2), 1),
        (_make(passed=1, undecided=1), [], [], Demands(min_evaluated=2), 1),
        (_make(undecided=1), [], [], Demands(min_evaluated=0), 2),
    ],
)
def test_each_row_of_the_table(
    verdicts: list[Verdict], unmet: list[str], problems: list[SourceProblem], demands: Demands, code: int
) -> None:
    """A fail is 1, whatever else; a doubt is 2; the user's own demands win over doubts."""
    found, reasons = decide_exit(verdicts, unmet, problems, demands, holds_runs=True)
    assert found == code
    assert bool(reasons) is (code != 0)


def test_a_source_without_runs_is_held_against_nothing() -> None:
    """A source that holds no run gives 2, whatever was demanded."""
    demands = Demands(require_all=True, min_evaluated=3)
    code, reasons = decide_exit([], ["x"], [], demands, holds_runs=False)
    assert (code, reasons) == (2, ["the source holds no run"])


def test_runs_are_counted_and_not_verdicts() -> None:
    """A run that several things are said of is one run, that failed, was judged or could not be."""
    trajectory, evaluator = _make_verdict("fail"), _make_verdict("fail", reference=None, key="mine")
    results = _make_verdict("not_evaluated", key="graph_trajectory_match_results")
    same = [replace(each, runs=trajectory.runs) for each in (trajectory, evaluator, results)]
    code, reasons = decide_exit(same, [], [], Demands(min_evaluated=2), holds_runs=True)
    assert (code, reasons) == (
        1,
        ["1 run failed", "1 run judged, at least 2 wanted (min-evaluated)", "1 run could not be judged"],
    )
    assert summarise(same, ["y"]) == {
        "passed": 0,
        "failed": 2,
        "not_evaluated": 1,
        "without_reference": 0,
        "unmet_references": ["y"],
    }


def test_a_thread_judges_its_runs() -> None:
    """A thread is counted as a thread where it fails, and its runs are judged by it."""
    thread = replace(
        _make_verdict("fail"), run_id=None, run_ids=("a", "b"), runs=(replace(_RUN), replace(_RUN))
    )
    code, reasons = decide_exit([thread, *_make(failed=2)], [], [], Demands(min_evaluated=4), holds_runs=True)
    assert (code, reasons) == (1, ["2 runs and 1 thread failed"])


def test_numbers_judge_nothing() -> None:
    """A verdict whose score is a number is no judgement of the run."""
    number = replace(_make_verdict("pass", reference=None, key="tokens"), score=1.0)
    assert decide_exit([number], [], [], Demands(), holds_runs=True) == (2, ["no run was judged"])
    assert decide_exit([number], [], [], Demands(min_evaluated=1), holds_runs=True)[0] == 1


def test_an_evaluator_has_no_reference_and_lacks_none() -> None:
    """Only a run that references were chosen for can be without one."""
    verdicts = [_make_verdict("not_evaluated", reference=None, key="mine"), *_make(without=1)]
    assert summarise(verdicts, [])["without_reference"] == 1


def test_some_problems_of_a_source_lose_nothing() -> None:
    """A source without a span, and a search that ended at its limit, hide nothing of what was asked for."""
    assert is_damaged([_make_problem("limit_reached"), _make_problem("empty_source")]) is False
    assert is_damaged([_make_problem("limit_reached"), _make_problem("partial_response")]) is True


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"require_all": "no"}, TrajectoryTypeError, "require_all is 'no' of type str, which says neither"),
        ({"require_manifest": 1}, TrajectoryTypeError, "require_manifest is 1 of type int"),
        ({"allow_unreadable": None}, TrajectoryTypeError, "allow_unreadable is None"),
        ({"min_evaluated": True}, TrajectoryTypeError, "min_evaluated is True of type bool"),
        ({"min_evaluated": 1.0}, TrajectoryTypeError, "min_evaluated is 1.0 of type float"),
        ({"min_evaluated": -1}, TrajectoryValueError, "min_evaluated is -1, which counts no runs"),
    ],
)
def test_demands_are_checked(wrong: dict[str, object], error: type[Exception], words: str) -> None:
    """What says nothing as a demand is refused."""
    given = {
        "require_all": False,
        "min_evaluated": None,
        "allow_unreadable": False,
        "require_manifest": False,
    }
    with pytest.raises(error, match=words):
        make_demands(**(given | wrong))  # type: ignore[arg-type]
    assert make_demands(**given) == Demands()  # type: ignore[arg-type]


@given(
    st.builds(
        _make,
        passed=st.integers(0, 3),
        failed=st.integers(0, 2),
        undecided=st.integers(0, 2),
        without=st.integers(0, 2),
    ),
    st.sampled_from([[], ["x"]]),
    st.sampled_from([[], [_make_problem()]]),
    st.builds(
        Demands,
        require_all=st.booleans(),
        min_evaluated=st.sampled_from([None, 0, 2]),
        allow_unreadable=st.booleans(),
    ),
)
def test_zero_needs_a_pass_and_no_fail(
    verdicts: list[Verdict], unmet: list[str], problems: list[SourceProblem], demands: Demands
) -> None:
    """No combination of doubts and options turns a fail, or nothing judged, into 0."""
    code, reasons = decide_exit(verdicts, unmet, problems, demands, holds_runs=True)
    words = [verdict.verdict for verdict in verdicts]
    if "fail" in words:
        assert code == 1
    if "pass" not in words:
        assert code != 0
    assert bool(reasons) is (code != 0)
