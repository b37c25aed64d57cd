"""Runs taken out of a source."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

import pytest

from otel_traj import SourceError, TrajectoryValueError, evaluate_runs, graph_trajectory_match, read_runs
from otel_traj import semconv as sc
from otel_traj.evaluate import Reference, export_runs, load_references
from otel_traj.model import Span
from tests.record.graphs import build_chain
from tests.record.recording import Recording
from tests.spans import RecordedRun, change_attributes, make_id

if TYPE_CHECKING:
    from pathlib import Path


def _record(name: str, *nodes: str, start: int = 1_000, **options: Any) -> list[Span]:  # noqa: ANN401
    run = RecordedRun(name, graph="g", start=start, **options)
    for number, node in enumerate(nodes, 1):
        run.task(node, number)
    return run.spans(case=f"case of {name}")


def _load(source: object, **options: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    return [json.loads(line) for line in export_runs(source, **options)]


def _with_content(text: object) -> Recording:
    recording = Recording(content=True)
    build_chain("a", "b").invoke({"seen": [text]}, recording.config("t1"))  # type: ignore[call-overload]
    return recording


def test_a_case_is_met_by_its_own_run(tmp_path: Path) -> None:
    """`expected` is an entry of a reference file; a file of it passes the run that it came of."""
    spans = _record("one", "a", "b") + _record("two", "a", start=2_000)
    expected = [case["expected"] for case in _load(spans)]
    path = tmp_path / "references.json"
    path.write_text(json.dumps({"version": 1, "references": expected}), "utf-8")
    assert [each.name for each in load_references(path)] == ["case of one", "case of two"]
    report = evaluate_runs(spans, references=path)
    assert (report.summary["passed"], report.exit_code) == (2, 0)


def test_a_case_has_the_input_of_its_run() -> None:
    """Where content was recorded a case can be run again, and needs no review."""
    (case,) = _load(_with_content("hello").exporter)
    assert case["inputs"] == {"seen": ["hello"]}
    assert case["review"] is None


def test_a_case_without_input_says_so() -> None:
    """Content is off by default; then the input is to be written."""
    (case,) = _load(_record("one", "a"))
    assert case["inputs"] is None
    assert "input was not recorded" in case["review"]


@pytest.mark.parametrize("outcome", ["error", "cancelled"])
def test_a_run_that_did_not_end_well_is_a_case_to_edit(outcome: str) -> None:
    """The expectation is what it did; the review says that it should be something else."""
    (case,) = _load(_record("one", "a", outcome=outcome))
    assert case["expected"]["steps"] == ["a"]
    assert outcome in case["review"]


def test_an_incomplete_run_is_a_case_to_edit() -> None:
    """What is missing is named."""
    spans = [span for span in _record("one", "a", "b") if span.name != "invoke_node b"]
    (case,) = _load(spans)
    assert case["run"]["complete"] is False
    assert "manifest_mismatch" in case["review"]


def test_a_run_that_failed_its_reference_says_how() -> None:
    """With references the review holds the words of the verdict; a run that passes has none of them."""
    spans = _record("one", "a", "x") + _record("two", "a", "b", start=2_000)
    failed, passed = _load(spans, references=[Reference(name="r", steps=[["a"], ["b"]])])
    assert "it failed r: superstep 2" in failed["review"]
    assert "failed" not in passed["review"]


def test_a_langsmith_example_has_a_reference_that_its_run_meets() -> None:
    """Inputs, outputs with the supersteps and results, metadata; the id is the same each time."""
    recording = _with_content("hello")
    (example,) = _load(recording.exporter, form="langsmith")
    (run,) = read_runs(recording.exporter)
    assert example["inputs"] == {"seen": ["hello"]}
    assert example["outputs"]["results"] == run.results
    assert example["metadata"]["run_id"] == run.run_id
    assert str(uuid.UUID(example["id"])) == example["id"]
    assert [example] == _load(recording.exporter, form="langsmith")
    result = graph_trajectory_match(outputs=run, reference_outputs=example["outputs"])
    assert result["score"] is True


def test_an_input_that_is_no_mapping_is_wrapped() -> None:
    """LangSmith takes mappings only."""
    recording = Recording(content=True)
    chain = build_chain("a")
    with pytest.raises(Exception):  # noqa: B017, PT011 - what LangGraph raises for it is not the point
        chain.invoke(["hello"], recording.config("t1"))  # type: ignore[call-overload]
    (example,) = _load(recording.exporter, form="langsmith")
    assert example["inputs"] == {"input": ["hello"]}


def test_the_spans_of_one_run_give_that_run_and_no_other(tmp_path: Path) -> None:
    """Of three runs the second with its subgraph comes out; what is read back is the same run."""
    outer = RecordedRun("two", graph="g", start=2_000)
    task = outer.task("sub", 1)
    inner = RecordedRun("inner", graph="h", parent=outer, parent_task=task, start=2_100)
    inner.task("x", 1)
    spans = _record("one", "a") + outer.spans(below=[inner]) + _record("three", "a", start=9_000)
    wanted = list(read_runs(spans))[1]
    path = tmp_path / "one.jsonl"
    path.write_text("\n".join(export_runs(spans, form="otlp", run=wanted.run_id)), "utf-8")
    (run,) = read_runs(path)
    assert (run.steps, run.children[0].steps, run.verified) == (wanted.steps, wanted.children[0].steps, True)


def test_runs_of_one_trace_are_told_apart(tmp_path: Path) -> None:
    """Another run in the trace stays behind; a request around both, and what the user's code recorded, comes along."""
    recording = Recording()
    with recording.tracer.start_as_current_span("request"):
        build_chain("a").invoke({}, recording.config("t1"))
        build_chain("b").invoke({}, recording.config("t2"))
    path = tmp_path / "one.jsonl"
    path.write_text("\n".join(export_runs(recording.exporter, form="otlp", thread="t2")), "utf-8")
    (run,) = read_runs(path)
    assert run.steps == [["__start__"], ["b"]]
    assert '"request"' in path.read_text("utf-8")
    assert run.complete


def test_an_incomplete_run_does_not_become_whole_on_the_way(tmp_path: Path) -> None:
    """An attribute that could not be read is not left out."""
    damaged = [
        Span(**{field: getattr(span, field) for field in span.__struct_fields__} | {"unreadable": (sc.STEP,)})
        if span.name == "invoke_node a"
        else span
        for span in _record("one", "a")
    ]
    (before,) = read_runs(damaged)
    path = tmp_path / "copy.jsonl"
    path.write_text("\n".join(export_runs(damaged, form="otlp")), "utf-8")
    (after,) = read_runs(path)
    assert not before.complete
    assert [problem.code for problem in after.problems] == [problem.code for problem in before.problems]


def test_a_run_of_copies_that_differ_does_not_become_whole_on_the_way(tmp_path: Path) -> None:
    """Nobody can say which of two copies is right; with one of them alone the run would look complete."""
    spans = _record("one", "a", "b")
    other = change_attributes(spans[1], node="c", node_name="c")
    for source in ([*spans, other], [other, *spans]):
        (before,) = read_runs(source)
        path = tmp_path / "copy.jsonl"
        path.write_text("\n".join(export_runs(source, form="otlp")), "utf-8")
        (after,) = read_runs(path)
        assert "conflicting_copy" in [problem.code for problem in before.problems]
        assert [problem.code for problem in after.problems] == [problem.code for problem in before.problems]


def test_a_run_without_a_node_is_a_case_to_edit() -> None:
    """No reference may be empty, so its expectation would be refused as it is."""
    (case,) = _load(_record("one"))
    assert case["expected"]["steps"] == []
    assert "ran no node" in case["review"]


def test_lines_are_json_whatever_was_recorded() -> None:
    """NaN, bytes and halves of characters have a form."""
    recording = _with_content({"nan": float("nan"), "bytes": b"\xff", "half": "\ud800"})
    for form in ("cases", "langsmith", "otlp"):
        for line in export_runs(recording.exporter, form=form):
            json.loads(line, parse_constant=pytest.fail)


@pytest.mark.parametrize("form", ["cases", "langsmith", "otlp"])
def test_ids_may_hold_anything(form: str) -> None:
    """A run id is what some program wrote; half of a character in it breaks no export."""
    spans = [change_attributes(span, run_id="\ud800") for span in _record("one", "a")]
    assert len(_load(spans, form=form)) == 1


def test_a_form_that_is_none_is_refused() -> None:
    """The message lists those there are."""
    with pytest.raises(TrajectoryValueError, match="cases, langsmith, otlp"):
        export_runs([], form="xml")  # type: ignore[arg-type]


def test_a_selection_that_meets_nothing_gives_nothing() -> None:
    """No line, in any form."""
    spans = _record("one", "a")
    for form in ("cases", "langsmith", "otlp"):
        assert list(export_runs(spans, form=form, trace=make_id("other", 32))) == []


def test_a_source_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """It is not an empty export."""
    with pytest.raises(SourceError):
        list(export_runs(tmp_path / "missing.jsonl"))
