"""Runs of a source against references."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from otel_traj import InvalidReferenceError, TrajectoryTypeError, TrajectoryValueError, evaluate_runs
from otel_traj.evaluate import AppliesTo, Reference
from tests.spans import RecordedRun, change_attributes

if TYPE_CHECKING:
    from otel_traj import Report
    from otel_traj.model import Span

LONG = Reference(
    name="long path",
    applies_to=AppliesTo(case="long"),
    steps=[["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]],
)
SHORT = Reference(
    name="short path", applies_to=AppliesTo(case="short"), steps=[["node1"], ["node2"], ["node7"]]
)


def _record(
    name: str, *supersteps: str, case: str = "", outcome: str = "ok", start: int = 1_000
) -> list[Span]:
    """Return the spans of a run of the graph "seven"; each superstep is names with spaces between."""
    run = RecordedRun(name, graph="seven", thread=f"thread of {name}", outcome=outcome, start=start)
    for number, names in enumerate(supersteps, 1):
        interrupted = outcome == "interrupted" and number == len(supersteps)
        for index, node in enumerate(names.split()):
            run.task(node, number, id=f"{name}/{number}/{index}", interrupted=interrupted)
    return run.spans(case=case) if case else run.spans()


def _record_long(name: str = "l") -> list[Span]:
    return _record(name, "node1", "node3", "node4 node5", "node6", "node7", case="long")


def _record_short(name: str = "s", case: str = "short") -> list[Span]:
    return _record(name, "node1", "node2", "node7", case=case, start=2_000)


def _judge(spans: list[Span], *references: Reference, **options: object) -> Report:
    return evaluate_runs(spans, references=references or [LONG, SHORT], **options)  # type: ignore[arg-type]


def test_a_pass_has_no_comment() -> None:
    """A run that matches its reference passes, with score True and nothing to explain."""
    report = _judge(_record_long() + _record_short())
    assert [(v.reference, v.verdict, v.score, v.comment, v.metadata) for v in report.verdicts] == [
        ("long path", "pass", True, None, None),
        ("short path", "pass", True, None, None),
    ]
    assert (report.exit_code, report.exit_reasons) == (0, [])
    assert report.summary == {
        "passed": 2,
        "failed": 0,
        "not_evaluated": 0,
        "without_reference": 0,
        "unmet_references": [],
    }


def test_a_fail_says_why() -> None:
    """A run that takes another way fails; the comment names supersteps, the metadata holds both sides."""
    [verdict] = (report := _judge(_record_short(case="long"))).verdicts
    assert (verdict.verdict, verdict.score, report.exit_code) == ("fail", False, 1)
    assert verdict.comment is not None
    assert verdict.comment.startswith("superstep 2: expected {node3}, got {node2}")
    assert verdict.metadata is not None
    assert verdict.metadata["verdict"] == "fail"
    assert verdict.metadata["actual"] == [[["__start__"], ["node1"], ["node2"], ["node7"]]]
    assert report.summary["unmet_references"] == ["short path"]


def test_the_reference_s_own_options_are_used() -> None:
    """Mode, duplicates, ignored names and allowed statuses are those of the reference."""
    spans = _record("r", "a b b", "noise", outcome="error")
    reference = Reference(
        name="own",
        steps=[["b", "a"]],
        step_mode="unordered",
        duplicates="ignore",
        ignore=("__start__", "noise"),
        status=("error",),
    )
    assert _judge(spans, reference).exit_code == 0
    assert _judge(spans, Reference(name="default", steps=[["b", "a"]])).exit_code == 1


def test_no_reference_is_counted_and_named() -> None:
    """A run that no reference applies to is not evaluated, with its facts in the comment."""
    report = _judge(_record_long() + _record("other", "x", case="else"))
    verdict = next(v for v in report.verdicts if v.verdict == "not_evaluated")
    assert (verdict.reference, verdict.score) == (None, None)
    assert verdict.comment == ("no reference applies to graph 'seven', case 'else', thread 'thread of other'")
    assert verdict.metadata == {"verdict": "not_evaluated", "reason": "no_reference", "candidates": []}
    assert (report.summary["not_evaluated"], report.summary["without_reference"]) == (1, 1)
    assert report.exit_code == 0


def test_facts_that_a_run_lacks_are_left_out_of_its_reason() -> None:
    """A run without a case or thread is described by what it has."""
    run = RecordedRun("bare", graph="seven")
    run.task("x", 1)
    [verdict] = _judge(run.spans()).verdicts
    assert verdict.comment == "no reference applies to graph 'seven'"


def test_an_ambiguous_run_names_its_candidates() -> None:
    """Two references that apply: neither is chosen, both count as met, the run is not without a reference."""
    both = [Reference(name=name, steps=LONG.steps) for name in ("one", "two")]
    report = _judge(_record_long(), *both, require_all=True)
    [verdict] = report.verdicts
    assert (verdict.verdict, verdict.reference, verdict.candidates) == ("not_evaluated", None, ("one", "two"))
    assert verdict.comment is not None
    assert "'one', 'two'" in verdict.comment
    assert verdict.metadata == {
        "verdict": "not_evaluated",
        "reason": "ambiguous",
        "candidates": ["one", "two"],
    }
    assert (report.summary["without_reference"], report.summary["unmet_references"]) == (0, [])
    assert report.exit_code == 2


def test_a_reason_stays_short_whatever_it_names() -> None:
    """Of many candidates ten are named, of a long name its beginning; the metadata has them whole."""
    many = [Reference(name=f"{index} " + "x" * 1_000, steps=LONG.steps) for index in range(12)]
    [verdict] = _judge(_record_long(), *many).verdicts
    assert verdict.comment is not None
    assert "12 references apply" in verdict.comment
    assert "and 2 more: narrow" in verdict.comment
    assert len(verdict.comment) < 1_200
    assert verdict.metadata is not None
    assert verdict.metadata["candidates"] == [reference.name for reference in many]
    [verdict] = _judge(_record("other", "x", case="c" * 10_000)).verdicts
    assert len(verdict.comment or "") < 300


def test_an_incomplete_run_is_not_judged() -> None:
    """A run that lost a task is neither pass nor fail, whatever is left of it."""
    report = _judge([span for span in _record_long() if span.name != "invoke_node node5"])
    [verdict] = report.verdicts
    assert (verdict.verdict, verdict.reference, verdict.score) == ("not_evaluated", "long path", None)
    assert verdict.metadata is not None
    assert verdict.metadata["reason"] == "incomplete"
    assert verdict.comment is not None
    assert verdict.comment.startswith(
        "run is incomplete (manifest_mismatch): the recorder of 'invoke_workflow seven' ("
    )
    assert "saw 6 tasks, 5 arrived." in verdict.comment
    assert report.exit_code == 2
    assert report.summary["unmet_references"] == ["short path"]


def test_a_run_without_its_root_is_not_judged() -> None:
    """Where the graph-run span is lost no reference can be chosen by case, and the run is not let through."""
    report = _judge([span for span in _record_long() if not span.name.startswith("invoke_workflow")])
    [verdict] = report.verdicts
    assert (verdict.verdict, verdict.reference, verdict.runs[0].graph) == ("not_evaluated", None, None)
    assert verdict.candidates == ("long path", "short path")
    assert verdict.comment is not None
    assert "can't be told" in verdict.comment
    assert "graph-run span is missing" in verdict.comment
    assert (report.exit_code, report.summary["without_reference"]) == (2, 0)


def test_a_waiting_run_is_not_judged() -> None:
    """A run that is interrupted and so far follows its reference waits; a different one fails."""
    waiting = _record("w", "node1", "node3", case="long", outcome="interrupted")
    [verdict] = (report := _judge(waiting)).verdicts
    assert (verdict.verdict, verdict.comment, report.exit_code) == ("not_evaluated", "waiting at node3", 2)
    assert _judge(_record("w", "node1", "nodeX", case="long", outcome="interrupted")).exit_code == 1


def test_a_run_without_a_manifest_is_judged_unless_one_is_required() -> None:
    """`require_manifest` judges only what a manifest proves to be complete; an incomplete run keeps its reason."""
    report = _judge(_record_long(), require_manifest=True)
    assert report.exit_code == 0
    spans = _record_long()
    foreign = [change_attributes(spans[-1], steps_sha256="", task_count="", task_span_count="")]
    [verdict] = (report := _judge(spans[:-1] + foreign, require_manifest=True)).verdicts
    assert (verdict.verdict, verdict.reference, report.exit_code) == ("not_evaluated", "long path", 2)


def test_verdicts_stand_by_start_whatever_the_order_of_arrival() -> None:
    """Two readings of the same spans, shuffled, give byte-identical JSON."""
    spans = [span for index in range(5) for span in _record_short(f"run {index}", case="long")]
    shuffled = random.Random(7).sample(spans, len(spans))
    assert _judge(spans).to_json() == _judge(shuffled).to_json()


def test_the_json_form_is_pinned() -> None:
    """The JSON of a report has exactly the documented keys, in order, one verdict per line, in ASCII."""
    text = _judge(_record_short(case="l\u00f6ng") + _record_long()).to_json()
    assert text.isascii()
    document = json.loads(text)
    assert list(document) == ["version", "summary", "verdicts"]
    assert document["version"] == 1
    assert document["summary"] == {
        "passed": 1,
        "failed": 0,
        "not_evaluated": 1,
        "without_reference": 1,
        "unmet_references": ["short path"],
    }
    for verdict in document["verdicts"]:
        assert list(verdict) == [
            "key",
            "run_id",
            "thread_id",
            "reference",
            "verdict",
            "score",
            "comment",
            "metadata",
        ]
        assert verdict["key"] == "graph_trajectory_match"
    assert len(text.splitlines()) == 4


def test_the_selection_selects() -> None:
    """Only selected runs get a verdict, and a reference that only others would meet is unmet."""
    spans = _record_long() + _record_short()
    assert [v.reference for v in _judge(spans, thread="thread of l").verdicts] == ["long path"]
    assert [v.reference for v in _judge(spans, attributes={"otel_traj.case": "short"}).verdicts] == [
        "short path"
    ]
    assert _judge(spans, thread="thread of l").summary["unmet_references"] == ["short path"]


def test_a_selection_that_meets_no_run_is_no_pass() -> None:
    """Nothing judged is 2; with `require_all` it is 1, because the source does hold runs."""
    assert _judge(_record_long(), thread="nobody").exit_code == 2
    assert _judge(_record_long(), thread="nobody", require_all=True).exit_code == 1
    assert _judge([], require_all=True).exit_code == 2


def _record_subgraph() -> list[Span]:
    outer = RecordedRun("outer", graph="outer")
    inner = RecordedRun("inner", graph="inner", parent=outer, parent_task=outer.task("call", 1))
    inner.task("x", 1)
    return outer.spans(below=[inner])


def test_a_reference_for_a_subgraph_gets_a_hint() -> None:
    """A reference that no run met, for its graph runs only inside another, is told so; the JSON stays as it is."""
    reference = Reference(name="inner path", applies_to=AppliesTo(graph="inner"), steps=[["x"]])
    report = _judge(_record_subgraph(), reference)
    assert report.summary["unmet_references"] == ["inner path"]
    assert report.hints == ["no run is of the graph inner; graphs there: outer; only as subgraphs: inner"]
    assert "only as subgraphs" not in report.to_json()


def test_a_selection_of_a_subgraph_gets_a_hint() -> None:
    """Who selects a graph that no run is of is told which there are."""
    report = _judge(_record_subgraph(), Reference(name="any", steps=[["call"]]), graph="inner")
    assert report.verdicts == []
    assert report.hints == ["no run is of the graph inner; graphs there: outer; only as subgraphs: inner"]


def test_a_graph_that_has_runs_gets_no_hint() -> None:
    """Where other conditions alone were not met, or nothing is wrong, nothing is said about graphs."""
    reference = Reference(name="x", applies_to=AppliesTo(graph="seven", case="none"), steps=[["x"]])
    assert _judge(_record_long(), reference).hints == []
    assert _judge(_record_long(), LONG).hints == []
    assert _judge([], SHORT, graph="seven").hints == []


def test_references_are_checked() -> None:
    """No reference at all, two of one name, and what can't be compared with are refused at once."""
    with pytest.raises(InvalidReferenceError, match="no reference"):
        evaluate_runs([], references=[])
    with pytest.raises(InvalidReferenceError, match="two references are named 'long path'"):
        evaluate_runs([], references=[LONG, LONG])
    with pytest.raises(InvalidReferenceError, match="steps of 'empty' are empty"):
        evaluate_runs([], references=[Reference(name="empty", steps=[])])
    with pytest.raises(TrajectoryValueError, match="supserset"):
        evaluate_runs([], references=[Reference(name="x", steps=[["a"]], step_mode="supserset")])  # type: ignore[arg-type]
    with pytest.raises(TrajectoryTypeError, match=r"a reference is .* of type dict, and"):
        evaluate_runs([], references=[{"steps": [["a"]]}])  # type: ignore[list-item]
    with pytest.raises(TrajectoryTypeError, match="a reference is None, and"):
        evaluate_runs([], references=[None])  # type: ignore[list-item]
    with pytest.raises(TrajectoryTypeError, match="references is 3 of type int, and"):
        evaluate_runs([], references=3)  # type: ignore[arg-type]


def test_options_are_checked() -> None:
    """A value that is not allowed raises before anything is read."""
    with pytest.raises(TrajectoryValueError, match="min_evaluated"):
        evaluate_runs("nowhere", references=[LONG], min_evaluated=-1)
    with pytest.raises(TrajectoryTypeError, match="min_evaluated is '2' of type str"):
        evaluate_runs("nowhere", references=[LONG], min_evaluated="2")  # type: ignore[arg-type]
    with pytest.raises(TrajectoryValueError, match="wait is -1"):
        evaluate_runs("nowhere", references=[LONG], wait=-1)
    with pytest.raises(TrajectoryTypeError, match="require_all is 'yes' of type str"):
        evaluate_runs("nowhere", references=[LONG], require_all="yes")  # type: ignore[arg-type]
    with pytest.raises(TrajectoryValueError, match="no status"):
        evaluate_runs("nowhere", references=[LONG], status="finished")  # type: ignore[arg-type]
