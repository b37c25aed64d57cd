"""The user's own evaluators over the runs of a source."""

from __future__ import annotations

import asyncio
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from otel_traj import InvalidReferenceError, TrajectoryMatcher, TrajectoryTypeError, evaluate_runs, read_runs
from otel_traj import semconv as sc
from otel_traj.evaluate import Reference
from otel_traj.evaluate.judging.evaluators import ask_evaluators
from tests.evaluate.judging.threads import lose, record_turn
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from otel_traj import Report, Run
    from otel_traj.model import Span

GOOD = record_turn("good", "ask", thread=None)
OTHER = record_turn("other", "ask", thread=None, start=2_000)
ASKS = Reference(name="asks", steps=[["ask"]])


def _judge(spans: list[Span], *evaluators: Any, **options: Any) -> Report:  # noqa: ANN401 - whatever a user passes
    return evaluate_runs(spans, evaluators=evaluators, **options)


def is_short(run: Run) -> bool:
    """Return whether a run is short."""
    return len(run.tasks) < 3


def is_long(run: Run) -> bool:
    """Return whether a run is long."""
    return len(run.tasks) > 3


def count_tasks(run: Run) -> int:
    """Return a number."""
    return len(run.tasks)


def fail_to_judge(run: Run) -> bool:
    """Raise."""
    raise KeyError(run.run_id)


async def wait_and_judge(run: Run) -> dict[str, object]:
    """Answer later."""
    await asyncio.sleep(0)
    return {
        "key": "later",
        "score": run.status == "ok",
        "comment": None,
        "metadata": {"thread": run.thread_id},
    }


def test_verdicts_stand_beside_those_of_references() -> None:
    """Of each run: by its reference, then by the evaluators in their order; these have no reference."""
    report = _judge(GOOD + OTHER, is_short, count_tasks, wait_and_judge, references=[ASKS])
    of_one = [
        ("graph_trajectory_match", "asks", "pass", True),
        ("is_short", None, "pass", True),
        ("count_tasks", None, "pass", 1),
        ("later", None, "pass", True),
    ]
    assert [(v.key, v.reference, v.verdict, v.score) for v in report.verdicts] == of_one * 2
    assert report.summary == {
        "passed": 8,
        "failed": 0,
        "not_evaluated": 0,
        "without_reference": 0,
        "unmet_references": [],
    }
    assert report.exit_code == 0
    assert all(v.metadata == {"thread": None} for v in report.verdicts if v.key == "later")


def test_false_gates_and_a_number_does_not() -> None:
    """False fails the run that it is about, alone or as a score; a number passes whatever it is, and judges nothing."""
    assert _judge(GOOD, is_long).exit_code == 1
    assert _judge(GOOD, lambda _run: {"score": False}).exit_code == 1
    report = _judge(GOOD, lambda _run: 0.0)
    assert (report.verdicts[0].verdict, report.exit_code, report.exit_reasons) == (
        "pass",
        2,
        ["no run was judged"],
    )
    assert _judge(GOOD, lambda _run: 0.0, is_short).exit_code == 0


def test_a_number_hides_no_reference_that_met_nothing() -> None:
    """Beside runs that no reference judges a number is no judgement: the gate stays at could not tell."""
    never = Reference(name="never", steps=[["x"]], applies_to=replace(ASKS.applies_to, case="never"))
    report = _judge(GOOD, count_tasks, references=[never])
    assert (report.exit_code, report.summary["without_reference"]) == (2, 1)
    assert _judge(GOOD, count_tasks, references=[ASKS], min_evaluated=2).exit_code == 1


def test_what_is_raised_is_no_fail() -> None:
    """A raise is not evaluated, with the type and the place but not the text; the other evaluators go on."""
    report = _judge(GOOD, fail_to_judge, is_short)
    broken, good = report.verdicts
    assert (broken.key, broken.verdict, broken.score) == ("fail_to_judge", "not_evaluated", None)
    assert broken.comment is not None
    assert broken.comment.startswith("the evaluator fail_to_judge raised KeyError (test_evaluators.py, line ")
    assert broken.runs[0].run_id not in broken.comment
    assert broken.metadata == {"verdict": "not_evaluated", "reason": "broken", "error_type": "KeyError"}
    assert good.verdict == "pass"
    assert (report.exit_code, report.exit_reasons) == (2, ["1 run could not be judged"])
    assert report.summary["without_reference"] == 0


def test_a_fail_wins_over_what_is_raised() -> None:
    """An evaluator that breaks takes no fail away."""
    report = _judge(GOOD, fail_to_judge, is_long)
    assert (report.exit_code, report.exit_reasons) == (1, ["1 run failed", "1 run could not be judged"])


def test_what_an_asynchronous_one_raises_is_no_fail_either() -> None:
    """An exception after waiting, and a cancellation, are told as any other."""

    async def break_later(_run: Run) -> bool:
        await asyncio.sleep(0)
        raise ValueError("secret")

    async def give_up(_run: Run) -> bool:
        raise asyncio.CancelledError

    for evaluator, name in ((break_later, "ValueError"), (give_up, "CancelledError")):
        [verdict] = _judge(GOOD, evaluator).verdicts
        assert (verdict.verdict, (verdict.metadata or {})["error_type"]) == ("not_evaluated", name)
        assert "(test_evaluators.py, line " in (verdict.comment or "")
        assert "secret" not in (verdict.comment or "")


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_end_of_the_program_goes_through(error: type[BaseException]) -> None:
    """Who presses the keys that end a program ends it, also while an evaluator runs."""

    def stop(_run: Run) -> bool:
        raise error

    async def stop_later(_run: Run) -> bool:
        raise error

    for evaluator in (stop, stop_later):
        with pytest.raises(error):
            _judge(GOOD, evaluator)


def test_nothing_is_asked_of_a_run_that_lost_spans() -> None:
    """An evaluator never sees a run that is incomplete, open, or lacks calls: it would judge what was not there."""
    asked: list[Run] = []

    def note(run: Run) -> bool:
        asked.append(run)
        return False

    called = RecordedRun("called", graph="chat")
    called.call(sc.EXECUTE_TOOL, "search", called.task("ask", 1))
    *below, root = GOOD
    for spans, word in (
        (lose(GOOD, "invoke_node"), "manifest_mismatch"),
        (lose(GOOD, "invoke_workflow"), "root_missing"),
        ([*below, replace(root, end_ns=0)], "root_open"),
        (lose(called.spans(), sc.EXECUTE_TOOL), "spans_missing"),
    ):
        report = _judge(spans, note)
        [verdict] = report.verdicts
        assert (verdict.verdict, report.exit_code) == ("not_evaluated", 2)
        assert f"run is incomplete ({word})" in (verdict.comment or "")
        assert verdict.metadata == {"verdict": "not_evaluated", "reason": "incomplete"}
    assert asked == []


def test_a_required_manifest_holds_for_evaluators() -> None:
    """With `require_manifest` only what is proved to be whole is shown."""
    [run] = read_runs(GOOD)
    unproved = [replace(run, verified=False)]
    asked: dict[str, Any] = {"is_short": is_short}
    for required, verdict in ((False, "pass"), (True, "not_evaluated")):
        [[found]] = ask_evaluators(asked, unproved, require_manifest=required)
        reason = {"verdict": "not_evaluated", "reason": "unverified"} if required else None
        assert (found.verdict, found.metadata) == (verdict, reason)


def test_a_run_that_waits_is_shown() -> None:
    """An interrupted run is whole: what its evaluator makes of it is the evaluator's own."""
    waiting = record_turn("waits", "ask", outcome="interrupted")
    assert [v.score for v in _judge(waiting, lambda run: run.status == "interrupted").verdicts] == [True]


def test_only_selected_runs_are_shown() -> None:
    """A selection leaves out what evaluators would be asked about."""
    report = _judge(GOOD + OTHER, is_short, run=RecordedRun("other").run_id)
    assert [v.run_id for v in report.verdicts] == [RecordedRun("other").run_id]


def test_a_matcher_is_an_evaluator() -> None:
    """What compares with one reference judges runs as it is; its key is told from that of the references."""
    report = _judge(
        GOOD, TrajectoryMatcher([["ask"]]), TrajectoryMatcher([["x"]], key="x"), references=[ASKS]
    )
    assert [(v.key, v.verdict) for v in report.verdicts] == [
        ("graph_trajectory_match", "pass"),
        ("graph_trajectory_match_2", "pass"),
        ("x", "fail"),
    ]


def test_no_two_verdicts_of_a_run_have_one_key() -> None:
    """Keys that evaluators give are told apart in the order of the answers, those of references never taken."""
    answers = [{"key": key, "score": True} for key in ("a", "a", "graph_trajectory_match", "is_short")]
    report = _judge(GOOD, lambda _run: answers, is_short, references=[ASKS])
    assert [v.key for v in report.verdicts] == [
        "graph_trajectory_match",
        "a",
        "a_2",
        "graph_trajectory_match_2",
        "is_short",
        "is_short_2",
    ]


def test_one_loop_serves_all_runs() -> None:
    """What an asynchronous evaluator keeps between runs belongs to a loop that is still there."""
    loops: list[asyncio.AbstractEventLoop] = []

    async def note(_run: Run) -> bool:
        loops.append(asyncio.get_running_loop())
        return True

    assert _judge(GOOD + OTHER, note, note).exit_code == 0
    assert len(loops) == 4
    assert len(set(loops)) == 1
    assert loops[0].is_closed()


def test_an_asynchronous_program_can_judge() -> None:
    """Where a loop runs already, as in a notebook, asynchronous evaluators are waited for beside it."""
    threads: list[int] = []

    async def note(run: Run) -> bool:
        threads.append(threading.get_ident())
        await asyncio.sleep(0)
        return run.complete

    async def judge() -> Report:
        return _judge(GOOD + OTHER, note, is_short)

    assert asyncio.run(judge()).exit_code == 0
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()


def test_who_interrupts_a_notebook_waits_for_no_answer() -> None:
    """Where asynchronous evaluators run beside the program's own loop, an interrupt ends them as well."""
    ended: list[str] = []

    async def wait_for_ever(_run: Run) -> bool:
        try:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return True

    async def judge() -> Report:
        return _judge(GOOD, wait_for_ever)

    loop = asyncio.new_event_loop()
    try:
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(judge())
    finally:
        loop.close()
    assert ended == ["cancelled"]


def test_two_askings_give_the_same_bytes() -> None:
    """The same runs and the same answers give the same report."""
    evaluators = [is_short, count_tasks, fail_to_judge, wait_and_judge, lambda _run: {"score": 0.1 + 0.2}]
    first, second = (_judge(GOOD + OTHER, *evaluators, references=[ASKS]).to_json() for _ in range(2))
    assert first == second


def test_mistakes_are_refused_before_anything_is_read() -> None:
    """What can't be called, and nothing to judge by at all, is an error; the source is not opened."""
    with pytest.raises(TrajectoryTypeError, match="an evaluator is 3"):
        evaluate_runs("nowhere", evaluators=[3])  # type: ignore[list-item]
    with pytest.raises(InvalidReferenceError, match="neither a reference nor an evaluator"):
        evaluate_runs("nowhere")
    with pytest.raises(InvalidReferenceError, match="there is no reference"):
        evaluate_runs("nowhere", references=[], evaluators=[is_short])
