"""From counts to an exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_traj import SourceProblem
from otel_traj.evaluate.gate import Demands, decide_exit

if TYPE_CHECKING:
    from otel_traj.evaluate import Summary
    from otel_traj.model import SourceProblemCode


def _make_summary(
    *, passed: int = 0, failed: int = 0, undecided: int = 0, without: int = 0, unmet: tuple[str, ...] = ()
) -> Summary:
    return {
        "passed": passed,
        "failed": failed,
        "not_evaluated": undecided + without,
        "without_reference": without,
        "unmet_references": list(unmet),
    }


def _make_problem(code: SourceProblemCode = "unreadable_line") -> SourceProblem:
    return SourceProblem(code=code, message="found what", source="traces.jsonl", line=3)


@pytest.mark.parametrize(
    ("summary", "problems", "demands", "code"),
    [
        (_make_summary(passed=2), [], Demands(), 0),
        (_make_summary(passed=2, failed=1), [], Demands(), 1),
        (_make_summary(failed=1, undecided=3, without=1, unmet=("x",)), [_make_problem()], Demands(), 1),
        (_make_summary(passed=1, undecided=1), [], Demands(), 2),
        (_make_summary(passed=1), [_make_problem()], Demands(), 2),
        (_make_summary(passed=1), [_make_problem("unfinished_line")], Demands(), 2),
        (_make_summary(passed=1), [_make_problem("bad_span")], Demands(), 2),
        (_make_summary(passed=1), [_make_problem("not_spans")], Demands(), 2),
        (_make_summary(passed=1), [_make_problem("empty_source")], Demands(), 0),
        (_make_summary(passed=1), [_make_problem()], Demands(allow_unreadable=True), 0),
        (_make_summary(passed=1, undecided=1), [_make_problem()], Demands(allow_unreadable=True), 2),
        (_make_summary(), [], Demands(), 2),
        (_make_summary(without=3), [], Demands(), 2),
        (_make_summary(passed=1, without=1), [], Demands(), 0),
        (_make_summary(passed=1, unmet=("x",)), [], Demands(), 0),
        (_make_summary(passed=1, without=1), [], Demands(require_all=True), 1),
        (_make_summary(passed=1, unmet=("x",)), [], Demands(require_all=True), 1),
        (_make_summary(passed=1, undecided=1), [], Demands(require_all=True), 2),
        (_make_summary(passed=1, undecided=1, without=1), [_make_problem()], Demands(require_all=True), 1),
        (_make_summary(unmet=("x",)), [], Demands(require_all=True), 1),
        (_make_summary(passed=2), [], Demands(min_evaluated=2), 0),
        (_make_summary(passed=1, failed=1), [], Demands(min_evaluated=2), 1),
        (_make_summary(passed=1, undecided=1), [], Demands(min_evaluated=2), 1),
        (_make_summary(undecided=1), [], Demands(min_evaluated=0), 2),
    ],
)
def test_each_row_of_the_table(
    summary: Summary, problems: list[SourceProblem], demands: Demands, code: int
) -> None:
    """A fail is 1, whatever else; a doubt is 2; the user's own demands win over doubts."""
    found, reasons = decide_exit(summary, problems, demands, holds_runs=True)
    assert found == code
    assert bool(reasons) is (code != 0)


def test_a_source_without_runs_is_held_against_nothing() -> None:
    """A source that holds no run gives 2, whatever was demanded."""
    demands = Demands(require_all=True, min_evaluated=3)
    code, reasons = decide_exit(_make_summary(unmet=("x",)), [], demands, holds_runs=False)
    assert (code, reasons) == (2, ["the source holds no run"])


@given(
    st.builds(
        _make_summary,
        passed=st.integers(0, 3),
        failed=st.integers(0, 2),
        undecided=st.integers(0, 2),
        without=st.integers(0, 2),
        unmet=st.sampled_from([(), ("x",)]),
    ),
    st.sampled_from([[], [_make_problem()]]),
    st.builds(
        Demands,
        require_all=st.booleans(),
        min_evaluated=st.sampled_from([None, 0, 2]),
        allow_unreadable=st.booleans(),
    ),
)
def test_zero_needs_a_pass_and_no_fail(
    summary: Summary, problems: list[SourceProblem], demands: Demands
) -> None:
    """No combination of doubts and options turns a fail, or nothing judged, into 0."""
    code, reasons = decide_exit(summary, problems, demands, holds_runs=True)
    if summary["failed"]:
        assert code == 1
    if not summary["passed"]:
        assert code != 0
    assert bool(reasons) is (code != 0)
