from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from otel_traj import NotEvaluatedError
from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.record.samples import build_seven_nodes
from otel_traj.testing import Attempt, RepeatedRuns, RunRecorder, Variant
from tests.match.judging import make_run
from tests.testing.asking import LONG, REFERENCES, SHORT, ask, ask_in_turn


def repeat(words: str) -> RepeatedRuns:
    """Return the runs of calls as `ask_in_turn` reads them."""
    recorder = RunRecorder(references=REFERENCES)
    return recorder.repeat(ask_in_turn(recorder, words), times=len(words))


def test_enough_is_enough() -> None:
    """With as many passes as wanted the assertion holds, whatever the other attempts are; without a bound all must."""
    repeat("lll").assert_matches(LONG)
    repeat("lls").assert_matches(LONG, at_least=2)
    repeat("ll-").assert_matches(LONG, at_least=2)
    with pytest.raises(AssertionError, match=r"^FAIL 2 of 3 attempts passed, at least 3 wanted"):
        repeat("lls").assert_matches(LONG)


def test_each_reason_is_told_once_with_how_often_it_came() -> None:
    """The message counts attempts, then gives each distinct reason and each way that they went, the commonest first."""
    with pytest.raises(AssertionError) as raised:
        repeat("lslsx-").assert_matches(LONG, at_least=5)
    assert str(raised.value) == (
        "FAIL 2 of 6 attempts passed, at least 5 wanted: 3 failed, 1 not evaluated\n"
        "  2 times:\n"
        "    FAIL graph_trajectory_match (strict, unordered): 5 edits, fitness 0.444\n"
        "      superstep 2: expected {node3}, got {node2}; missing node3; extra node2\n"
        "      superstep 3: expected {node4, node5}, got nothing; missing node4, node5\n"
        "      superstep 4: expected {node6}, got nothing; missing node6\n"
        "      hint: another branch was taken at superstep 2: {node2}, expected {node3}\n"
        "  once:\n"
        "    FAIL graph_trajectory_match\n"
        "      the call raised ValueError: 'no \\x1b[31manswer'\n"
        "  once:\n"
        "    NOT EVALUATED graph_trajectory_match\n"
        "      the call recorded no run\n"
        "  ways that they went:\n"
        "    2 times: {__start__} {node1} {node3} {node4, node5} {node6} {node7}\n"
        "    2 times: {__start__} {node1} {node2} {node7}\n"
        "    2 times: no run"
    )


@pytest.mark.parametrize(
    ("words", "at_least", "error"), [("ll-", 3, NotEvaluatedError), ("ls-", 3, AssertionError)]
)
def test_what_was_not_judged_is_no_pass(words: str, at_least: int, error: type[Exception]) -> None:
    """It is missing from the passes; it makes a fail only where the bound can't be met even if it had passed."""
    with pytest.raises(AssertionError) as raised:
        repeat(words).assert_matches(LONG, at_least=at_least)
    assert type(raised.value) is error


def test_a_call_that_raises_after_a_good_run_has_failed() -> None:
    """What the test's own code makes of the answer counts as well."""
    with pytest.raises(AssertionError, match="the call raised ValueError"):
        repeat("lr").assert_matches(LONG)


def test_a_run_that_ended_in_the_error_is_judged() -> None:
    """Where the reference allows the status error, an attempt whose agent raised can pass."""
    recorder = RunRecorder()
    graph = build_seven_nodes()
    config = {"callbacks": [recorder.handler], "recursion_limit": 2}

    def call() -> None:
        graph.invoke({"shortcut": True, "nodes": []}, config=config)  # type: ignore[call-overload]

    repeated = recorder.repeat(call, times=2)
    assert [type(attempt.error).__name__ for attempt in repeated.attempts] == ["GraphRecursionError"] * 2
    repeated.assert_matches(SHORT[:2], status="error")
    with pytest.raises(AssertionError, match="run ended in error"):
        repeated.assert_matches(SHORT[:2])


def test_references_of_a_file_are_met() -> None:
    """Chosen by what they apply to, or named; a name that is unknown is an error at once."""
    repeat("lsl").assert_meets()
    repeat("lsl").assert_meets("long path", at_least=2)
    with pytest.raises(AssertionError, match='reference "short path"'):
        repeat("lsl").assert_meets("short path", at_least=2)
    with pytest.raises(InvalidReferenceError, match="no reference is named 'longer path'"):
        repeat("l").assert_meets("longer path")


def test_attempts_and_variants() -> None:
    """Each attempt holds its own runs and what it raised; variants are the ways they went, the commonest first."""
    recorder = RunRecorder()
    ask(recorder)
    repeated = recorder.repeat(ask_in_turn(recorder, "ssl-"), times=4)
    assert [len(attempt.runs) for attempt in repeated.attempts] == [1, 1, 1, 0]
    assert [attempt.error for attempt in repeated.attempts] == [None] * 4
    start = ["__start__"]
    assert repeated.variants == [
        Variant(steps=([start, *SHORT],), count=2),
        Variant(steps=([start, *LONG],), count=1),
        Variant(steps=(), count=1),
    ]
    assert len(recorder.runs) == 4


def test_async_calls_are_awaited_one_after_another() -> None:
    """`repeat_async` does the same in an event loop, what is raised included."""
    recorder = RunRecorder()
    graph = build_seven_nodes()
    turns = iter("ll!")

    async def call() -> None:
        await graph.ainvoke({"shortcut": False, "nodes": []}, config={"callbacks": [recorder.handler]})
        if next(turns) == "!":
            raise ValueError("no answer")

    repeated = asyncio.run(recorder.repeat_async(call, times=3))
    repeated.assert_matches(LONG, at_least=2)
    with pytest.raises(AssertionError, match="2 of 3 attempts passed"):
        repeated.assert_matches(LONG)


def test_what_ends_a_test_ends_the_repetition() -> None:
    """A skip in the call is the test's, and no attempt that failed."""
    recorder = RunRecorder()
    with pytest.raises(pytest.skip.Exception):
        recorder.repeat(lambda: pytest.skip("not today"), times=3)


def test_bounds_that_would_assert_nothing_are_refused() -> None:
    """No attempt, a bound of none or beyond all, and what is no whole number."""
    recorder = RunRecorder()
    for times in (0, -1):
        with pytest.raises(TrajectoryValueError, match=f"times is {times}, and nothing would be asserted"):
            recorder.repeat(lambda: None, times=times)
    for wrong in (True, 2.0, "3"):
        with pytest.raises(TrajectoryTypeError, match="counts no attempts"):
            recorder.repeat(lambda: None, times=wrong)  # type: ignore[arg-type]
    repeated = repeat("ll")
    for at_least in (0, 3):
        with pytest.raises(TrajectoryValueError, match=r"give a number from 1 to 2"):
            repeated.assert_matches(LONG, at_least=at_least)
    with pytest.raises(TrajectoryTypeError, match=r"at_least is 0\.9 of type float"):
        repeated.assert_meets("long path", at_least=0.9)  # type: ignore[arg-type]


def test_the_page_shows_what_is_said() -> None:
    """The message in docs/pytest.md is the one that such attempts give."""
    page = Path(__file__).parents[2] / "docs" / "pytest.md"
    shown = page.read_text("utf-8").partition("```text\n")[2].partition("```")[0]
    start = ["__start__"]
    ways = [[make_run([start, *SHORT])]] * 7 + [[make_run([start, ["node1"], ["node7"]])]] * 2 + [[]]
    attempts = [Attempt(runs=tuple(runs), error=None, spans=()) for runs in ways]
    repeated = RepeatedRuns(attempts, list, lambda _: None)
    with pytest.raises(AssertionError) as raised:
        repeated.assert_matches(SHORT, at_least=9)
    assert str(raised.value) == shown.rstrip("\n")
