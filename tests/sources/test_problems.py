from __future__ import annotations

from otel_traj.model import SourceProblem
from otel_traj.sources.problems import PROBLEMS_PER_CODE, ProblemLog


def test_problems_carry_their_place() -> None:
    """Code, message, source and line arrive as they were reported."""
    problems: list[SourceProblem] = []
    ProblemLog("x.jsonl", problems.append).report("unreadable_line", "why", line=3)
    assert problems == [SourceProblem(code="unreadable_line", message="why", source="x.jsonl", line=3)]


def test_each_code_is_bounded_for_itself() -> None:
    """Many of one kind do not hide one of another, and the sum says how many and where the last was."""
    problems: list[SourceProblem] = []
    log = ProblemLog("x.jsonl", problems.append)
    for line in range(1, 101):
        log.report("unreadable_line", "why", line=line)
    log.report("bad_span", "why", line=101)
    log.close()
    assert [problem.code for problem in problems] == ["unreadable_line"] * PROBLEMS_PER_CODE + [
        "bad_span",
        "unreadable_line",
    ]
    assert problems[-1].message.startswith(
        f"{100 - PROBLEMS_PER_CODE} more of the kind 'unreadable_line', the last at line 100"
    )


def test_problems_can_be_held_back() -> None:
    """Until it is known what the place is, nothing is said; then all of it, in order."""
    problems: list[SourceProblem] = []
    log = ProblemLog("x", problems.append, hold=True)
    log.report("unreadable_line", "first")
    assert problems == []
    log.release()
    log.report("unreadable_line", "second")
    assert [problem.message for problem in problems] == ["first", "second"]


def test_held_problems_can_be_taken_back() -> None:
    """One better sentence replaces them."""
    problems: list[SourceProblem] = []
    log = ProblemLog("x", problems.append, hold=True)
    for line in range(100):
        log.report("unreadable_line", "why", line=line)
    log.discard()
    log.report("not_spans", "an image")
    log.close()
    assert [problem.message for problem in problems] == ["an image"]
