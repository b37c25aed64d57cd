"""Threads against their references, beside the runs against theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_traj import Rules, evaluate_runs
from otel_traj import semconv as sc
from otel_traj.evaluate import AppliesTo, Reference
from otel_traj.evaluate.references.reference import ExpectedResults
from tests.evaluate.judging.threads import ANSWERS, ASKS, expect_thread, lose, record_turn
from tests.otlp_lines import write_lines
from tests.spans import RecordedRun, change_attributes

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from otel_traj import Report
    from otel_traj.match import RunsMode
    from otel_traj.model import Span

TALK = expect_thread("asks", "answers")
FIRST = record_turn("first", "ask")
SECOND = record_turn("second", "search", "answer", start=2_000, first=4)
THIRD = record_turn("third", "ask", start=3_000, first=8)
WRONG = record_turn("wrong", "guess", start=2_000, first=4)


def _judge(spans: list[Span], *references: Reference, **options: object) -> Report:
    return evaluate_runs(spans, references=references or [TALK, ASKS, ANSWERS], **options)  # type: ignore[arg-type]


def test_a_thread_is_judged_by_the_runs_that_its_reference_names() -> None:
    """A thread's verdict names no run but all run ids; what it names applies whatever their own `applies_to`."""
    report = _judge(FIRST + SECOND)
    [verdict] = report.verdicts
    assert (verdict.run_id, verdict.thread_id, verdict.reference) == (None, "t", "talk")
    assert verdict.run_ids == tuple(run.run_id for run in verdict.runs)
    assert len(verdict.runs) == 2
    assert (verdict.verdict, verdict.score, verdict.comment, verdict.metadata) == ("pass", True, None, None)
    assert report.exit_code == 0


def test_references_that_only_a_thread_names_are_met_through_it() -> None:
    """Neither a run judged with its thread nor a reference that it was judged by misses anything."""
    report = _judge(FIRST + SECOND, require_all=True, min_evaluated=2)
    assert (report.exit_code, report.summary["without_reference"], report.summary["unmet_references"]) == (
        0,
        0,
        [],
    )


def test_a_fail_says_which_run_and_names_the_references() -> None:
    """Each run is explained by the options of its own reference; modes that differ are no mode of the thread."""
    [verdict] = (report := _judge(FIRST + WRONG)).verdicts
    assert (verdict.verdict, report.exit_code, report.exit_reasons) == ("fail", 1, ["1 thread failed"])
    assert verdict.comment is not None
    assert verdict.comment.startswith("run 1, superstep 1: expected {answer}, got ")
    metadata = verdict.metadata
    assert metadata is not None
    assert (metadata["trajectory_mode"], metadata["step_mode"]) == (None, "unordered")
    assert metadata["references"] == ["asks", "answers"]
    assert metadata["expected"] == [[["ask"]], [["answer"]]]
    assert metadata["actual"] == [[["__start__"], ["ask"]], [["__start__"], ["guess"]]]


@pytest.mark.parametrize(
    ("mode", "named", "spans", "verdict"),
    [
        ("strict", ("asks", "answers"), FIRST + SECOND + THIRD, "fail"),
        ("strict", ("asks",), FIRST + SECOND, "fail"),
        ("strict", ("asks", "answers", "asks"), FIRST + SECOND + THIRD, "pass"),
        ("each", ("asks",), FIRST + THIRD, "pass"),
        ("each", ("asks",), FIRST + SECOND, "fail"),
        ("last", ("answers",), FIRST + SECOND, "pass"),
        ("last", ("answers",), FIRST + SECOND + THIRD, "fail"),
        ("first", ("asks",), FIRST + SECOND, "pass"),
        ("first", ("answers",), FIRST + SECOND, "fail"),
        ("any", ("answers",), FIRST + SECOND + THIRD, "pass"),
        ("any", ("answers",), FIRST + WRONG, "fail"),
    ],
)
def test_each_mode(mode: RunsMode, named: tuple[str, ...], spans: list[Span], verdict: str) -> None:
    """The mode says which runs meet which references, and what that comes to."""
    [found] = _judge(spans, expect_thread(*named, mode=mode), ASKS, ANSWERS).verdicts
    assert found.verdict == verdict


def test_a_thread_of_another_length_says_so_and_which_run_is_too_much() -> None:
    """Runs that are left alone are named; the others are compared with their own references."""
    [verdict] = _judge(FIRST + WRONG + record_turn("z", "answer", start=4_000, first=7)).verdicts
    assert verdict.comment == "expected 2 runs, got 3\nrun 1 was not expected"


def test_a_run_has_its_own_verdict_beside_that_of_its_thread() -> None:
    """Both kinds of references are chosen among their own: runs come first, by start, then threads."""
    every = Reference(name="every", rules=Rules(forbidden=["guess"]))
    report = _judge(FIRST + WRONG, TALK, ASKS, ANSWERS, every)
    assert [(v.reference, v.verdict) for v in report.verdicts] == [
        ("every", "pass"),
        ("every", "fail"),
        ("talk", "fail"),
    ]
    assert report.exit_reasons == ["1 run and 1 thread failed"]


def test_a_thread_reference_needs_every_run() -> None:
    """One run of another graph takes the thread from the reference; its runs are then without one."""
    other = record_turn("other", "ask", graph="else", start=2_000)
    report = _judge(FIRST + other)
    assert [v.verdict for v in report.verdicts] == ["not_evaluated", "not_evaluated"]
    assert report.summary["without_reference"] == 2
    assert report.summary["unmet_references"] == ["talk", "asks", "answers"]
    assert (report.exit_code, report.exit_reasons) == (2, ["no run was judged"])


def test_a_run_without_thread_meets_no_thread_reference() -> None:
    """Without a thread id there is no thread, and two such runs are not one conversation."""
    alone = [record_turn(name, "ask", thread=None, start=start) for name, start in (("a", 1), ("b", 900))]
    report = _judge(alone[0] + alone[1])
    assert report.summary["without_reference"] == 2
    assert report.summary["unmet_references"] == ["talk", "asks", "answers"]


def test_two_references_of_a_thread_are_candidates() -> None:
    """Where several apply to a thread none is chosen, and its runs are not without one."""
    report = _judge(FIRST + SECOND, TALK, expect_thread("asks", mode="first", name="begins"), ASKS, ANSWERS)
    [verdict] = report.verdicts
    assert (verdict.verdict, verdict.candidates) == ("not_evaluated", ("talk", "begins"))
    assert verdict.comment == "2 references apply, 'talk', 'begins': narrow their applies_to until one does"
    assert verdict.run_ids is not None
    assert (report.exit_code, report.summary["unmet_references"]) == (2, [])
    assert report.exit_reasons == ["1 thread could not be judged", "no run was judged"]


@pytest.mark.parametrize("lost", ["invoke_workflow", "invoke_node search"])
def test_an_incomplete_run_leaves_its_thread_open(lost: str) -> None:
    """A thread with a run that lost spans is not judged, whatever is left of it."""
    report = _judge(FIRST + lose(SECOND, lost))
    assert {v.verdict for v in report.verdicts} == {"not_evaluated"}
    assert report.verdicts[-1].run_ids is not None
    assert report.exit_code == 2


def test_a_waiting_run_leaves_its_thread_open() -> None:
    """A thread whose last run waits for a person and so far does as expected is not failed."""
    waiting = record_turn("w", "ask", start=2_000, first=4, outcome="interrupted")
    [verdict] = _judge(FIRST + waiting, expect_thread("asks", "asks"), ASKS).verdicts
    assert (verdict.verdict, verdict.comment) == ("not_evaluated", "run 1 is waiting at ask")


def test_a_thread_that_begins_late_is_not_failed_for_it() -> None:
    """Supersteps count over a thread: where the first ones are missing, so are runs, and nothing is judged."""
    seeded = record_turn("second", "search", "answer", start=2_000, first=3)
    [verdict] = (report := _judge(seeded)).verdicts
    assert (verdict.verdict, report.exit_code) == ("fail", 1)
    later = record_turn("second", "search", "answer", start=2_000, first=9)
    [verdict] = (report := _judge(later)).verdicts
    assert (verdict.verdict, report.exit_code) == ("not_evaluated", 2)
    assert verdict.comment is not None
    assert "begins with superstep 9 of the thread, which was at 0" in verdict.comment
    assert verdict.metadata is not None
    assert verdict.metadata["reason"] == "incomplete"


def test_a_thread_that_leaps_is_not_failed_for_it() -> None:
    """A run that begins far behind the one before leaves room for another, which may be lost."""
    [verdict] = _judge(
        FIRST + record_turn("later", "guess", start=5_000, first=20),
        expect_thread("answers", mode="last"),
        ANSWERS,
    ).verdicts
    assert verdict.verdict == "not_evaluated"
    assert verdict.comment is not None
    assert "begins with superstep 20 of the thread, which was at 1" in verdict.comment


def test_lost_runs_do_not_excuse_what_fails_whatever_they_were() -> None:
    """The right number of runs, and a mode that asks each run, fail with or without others."""
    later = record_turn("later", "guess", start=5_000, first=20)
    assert _judge(FIRST + later).exit_code == 1
    assert _judge(FIRST + later, expect_thread("asks", mode="each"), ASKS).exit_code == 1


def test_a_run_that_lost_its_thread_may_be_the_one_that_is_missing() -> None:
    """Beside a run of which the thread is not known, no thread is failed for its number of runs."""
    stray = [change_attributes(span, thread_id="") for span in lose(SECOND, "invoke_workflow")]
    report = _judge(FIRST + stray)
    verdict = next(v for v in report.verdicts if v.run_ids is not None)
    assert (verdict.verdict, report.exit_code) == ("not_evaluated", 2)
    assert verdict.comment is not None
    assert "it is not known which thread it is of" in verdict.comment


def test_a_damaged_source_may_have_held_the_run_that_is_missing(tmp_path: Path) -> None:
    """Where a line could not be read no thread is failed for its number of runs; accepted lines change no verdict."""
    path = write_lines(tmp_path / "traces.jsonl", FIRST, "{nope")
    for accepted in (False, True):
        report = evaluate_runs(path, references=[TALK, ASKS, ANSWERS], allow_unreadable=accepted)
        [verdict] = report.verdicts
        assert (verdict.verdict, report.exit_code) == ("not_evaluated", 2)
        assert verdict.comment is not None
        assert "parts of the source could not be read" in verdict.comment


def test_a_manifest_is_required_of_every_run() -> None:
    """With `require_manifest` a thread is judged where each of its runs proves that it is whole."""
    run = RecordedRun("second", graph="chat", thread="t", start=2_000)
    run.call(sc.CHAT, "scripted-1", run.task("answer", 4))
    unproved = lose(run.spans(), sc.CHAT)
    assert _judge(FIRST + unproved).exit_code == 0
    assert _judge(FIRST + run.spans(), require_manifest=True).exit_code == 0
    [verdict] = _judge(FIRST + unproved, require_manifest=True).verdicts
    assert (verdict.verdict, verdict.reference) == ("not_evaluated", "talk")
    assert verdict.metadata is not None
    assert verdict.metadata["reason"] == "unverified"


@pytest.mark.parametrize(
    "selection", [{"run": "SECOND"}, {"status": "interrupted"}, {"since": "1970-01-01T00:00:00.000002Z"}]
)
def test_a_thread_of_which_a_part_is_selected_is_no_thread(selection: dict[str, str]) -> None:
    """A selection that takes some runs of a thread gives no verdict on it, and a hint says so."""
    last = record_turn("last", "answer", start=2_000, first=4, outcome="interrupted")
    if "run" in selection:
        selection = {"run": RecordedRun("last").run_id}
    report = _judge(FIRST + last, **selection)
    assert [v.run_ids for v in report.verdicts] == [None]
    assert report.summary["unmet_references"] == ["talk", "asks", "answers"]
    assert report.hints == [
        "not judged as a thread, because only a part of its runs is selected: thread 't'; select by thread"
    ]


def test_a_thread_that_is_selected_whole_is_judged() -> None:
    """A selection by thread, or by what all its runs are, leaves the verdict as it is without one."""
    spans = FIRST + SECOND + record_turn("x", "ask", thread="u", start=9_000)
    for selection in ({"thread": "t"}, {"until": "1970-01-01T00:00:00.000003Z"}):
        report = _judge(spans, **selection)
        assert [(v.thread_id, v.verdict) for v in report.verdicts] == [("t", "pass")]
        assert report.hints == []


def test_results_of_a_thread_are_a_second_verdict() -> None:
    """Runs whose references expect results are judged by them too, each by its own mode."""

    def record(name: str, start: int, first: int, results: str) -> list[Span]:
        run = RecordedRun(name, graph="chat", thread="t", start=start)
        run.task("ask", first)
        return run.spans(results=results)

    spans = record("a", 1_000, 1, '{"n": 1, "more": 2}') + record("b", 2_000, 4, '{"n": 3}')
    never = AppliesTo(case="never")
    both = Reference(
        name="both",
        applies_to=never,
        steps=[["ask"]],
        results=ExpectedResults(value={"n": 1}, mode="superset"),
    )
    alone = Reference(name="alone", applies_to=never, results=ExpectedResults(value={"n": 2}))
    report = _judge(spans, expect_thread("both", "alone"), both, alone)
    assert [(v.key, v.verdict, v.comment) for v in report.verdicts] == [
        ("graph_trajectory_match", "pass", None),
        ("graph_trajectory_match_results", "fail", "run 1, results: at n: differs"),
    ]
    [verdict] = _judge(spans, expect_thread("alone", mode="last"), alone).verdicts
    assert (verdict.key, verdict.verdict) == ("graph_trajectory_match_results", "fail")


_PIECES = {
    "first": FIRST,
    "second": SECOND,
    "third": THIRD,
    "alone": record_turn("alone", "ask", thread="u", start=50),
}


@given(
    order=st.randoms(use_true_random=False),
    taken=st.sets(st.sampled_from(sorted(_PIECES)), min_size=1),
    selection=st.sampled_from(
        [
            {},
            {"thread": "t"},
            {"run": RecordedRun("second").run_id},
            {"since": "1970-01-01T00:00:00.000002Z"},
        ]
    ),
)
@settings(max_examples=60, deadline=None)
def test_a_selection_and_the_order_of_arrival_change_no_verdict(
    order: random.Random, taken: set[str], selection: dict[str, str]
) -> None:
    """Shuffled spans give the same bytes, and what a selection gives, no selection gives as well."""
    spans = [span for name in sorted(taken) for span in _PIECES[name]]
    every = Reference(name="every", steps=[["ask"]])
    references = [TALK, ASKS, ANSWERS, every]
    whole = evaluate_runs(spans, references=references)
    mixed = list(spans)
    order.shuffle(mixed)
    assert evaluate_runs(mixed, references=references).to_json() == whole.to_json()
    selected = evaluate_runs(mixed, references=references, **selection)  # type: ignore[arg-type]
    known = {(v.run_id, v.run_ids, v.key): (v.verdict, v.comment, v.metadata) for v in whole.verdicts}
    for verdict in selected.verdicts:
        assert known[verdict.run_id, verdict.run_ids, verdict.key] == (
            verdict.verdict,
            verdict.comment,
            verdict.metadata,
        )
