"""References learned from good runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, seed, settings
from msgspec.structs import replace

from otel_traj import SourceError, TrajectoryTypeError, evaluate_runs, graph_trajectory_match, read_runs
from otel_traj.evaluate import AppliesTo, Learned, learn_references, load_references, write_references
from tests.laws.recordings import read_spans, record
from tests.laws.strategies import cases
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from pathlib import Path

    from otel_traj.model import Span
    from tests.laws.spec import Case


def _record(
    name: str,
    *supersteps: str,
    graph: str = "g",
    case: str | None = "c",
    start: int = 1_000,
    **options: Any,  # noqa: ANN401 - those of the builder
) -> list[Span]:
    run = RecordedRun(name, graph=graph, start=start, **options)
    for number, names in enumerate(supersteps, 1):
        for index, node in enumerate(names.split()):
            run.task(node, number, id=f"{name}/{number}/{index}")
    return run.spans() if case is None else run.spans(case=case)


def _learn(*spans: list[Span]) -> Learned:
    return learn_references([span for each in spans for span in each], name="good")


def test_a_good_run_becomes_a_reference_with_its_trace() -> None:
    """Graph and case say what it is for, supersteps stand in canonical order without `__start__`, with the trace."""
    spans = _record("one", "a", "c b", "d")
    (run,) = read_runs(spans)
    (reference,) = _learn(spans).references
    assert (reference.name, reference.applies_to) == ("good", AppliesTo(graph="g", case="c"))
    assert reference.steps == [["a"], ["b", "c"], ["d"]]
    assert reference.any_of is None
    assert reference.source == run.trace_ids


def test_distinct_trajectories_stand_once_each_the_commonest_first() -> None:
    """Runs that differ in the order of siblings alone are one trajectory; every trace is a source."""
    learned = _learn(
        _record("one", "a", "b"),
        _record("two", "a", "c d", start=2_000),
        _record("three", "a", "d c", start=3_000),
    )
    (reference,) = learned.references
    assert reference.steps is None
    assert reference.any_of == [[["a"], ["c", "d"]], [["a"], ["b"]]]
    assert len(reference.source) == 3
    assert learned.runs_of == {"good": 3}


def test_graphs_and_cases_have_references_of_their_own() -> None:
    """Where there are several, graph and case are part of the name."""
    learned = _learn(
        _record("one", "a", case="x"),
        _record("two", "b", case="y"),
        _record("three", "c", graph="h", case=None),
    )
    assert [(each.name, each.applies_to.graph, each.applies_to.case) for each in learned.references] == [
        ("good g x", "g", "x"),
        ("good g y", "g", "y"),
        ("good h", "h", None),
    ]


def test_names_that_would_be_equal_are_told_apart() -> None:
    """A graph `g x` without a case, and the case `x` of a graph `g`, have references of different names."""
    learned = _learn(_record("one", "a", case="x"), _record("two", "b", graph="g x", case=None))
    assert sorted(each.name for each in learned.references) == ["good g x", "good g x (2)"]


@pytest.mark.parametrize("outcome", ["error", "cancelled", "interrupted"])
def test_a_run_that_did_not_end_ok_teaches_nothing(outcome: str) -> None:
    """It is counted, with its status."""
    learned = _learn(_record("one", "a", outcome=outcome))
    assert learned.references == []
    (reason,) = learned.left_out
    assert "1 run left out" in reason
    assert outcome in reason


def test_an_incomplete_run_teaches_nothing() -> None:
    """A lost span must not become an expectation that it is missing."""
    spans = [span for span in _record("one", "a", "b") if span.name != "invoke_node b"]
    learned = _learn(spans, _record("two", "a", "b", start=2_000))
    (reference,) = learned.references
    assert reference.steps == [["a"], ["b"]]
    assert "incomplete" in learned.left_out[0]


def test_runs_without_a_case_are_left_out_where_others_have_one() -> None:
    """A reference for them would apply to the others too, which then none could be chosen for."""
    spans = [*_record("one", "a", case=None), *_record("two", "b", case="x", start=2_000)]
    learned = learn_references(spans, name="good")
    assert [each.applies_to.case for each in learned.references] == ["x"]
    assert "'g'" in learned.left_out[0]
    assert evaluate_runs(spans, references=learned.references).exit_code == 0


def test_what_no_file_can_hold_costs_its_own_reference_alone() -> None:
    """Half of a character in a name of one run does not keep the others from being learned and written."""
    learned = _learn(_record("one", "a", case="x\ud800"), _record("two", "b", case="y", start=2_000))
    assert [each.applies_to.case for each in learned.references] == ["y"]
    assert "half of a character" in learned.left_out[0]
    assert "- b\n" in write_references(learned.references)


def test_a_run_without_nodes_teaches_nothing() -> None:
    """No reference may be empty."""
    learned = _learn(_record("one"))
    assert learned.references == []
    assert "no node" in learned.left_out[0]


def test_the_order_of_spans_changes_nothing() -> None:
    """What is learned depends on the runs alone."""
    spans = [*_record("one", "a", "b"), *_record("two", "a", "c", start=2_000)]
    assert learn_references(spans, name="n") == learn_references(spans[::-1], name="n")


def test_a_selection_chooses_the_runs() -> None:
    """The keywords of `read_runs` select."""
    spans = [*_record("one", "a", case="x"), *_record("two", "b", case="y", start=2_000)]
    (run, _) = read_runs(spans)
    learned = learn_references(spans, name="n", run=run.run_id)
    assert [each.applies_to.case for each in learned.references] == ["x"]


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_name_is_a_text(name: Any) -> None:  # noqa: ANN401 - that is the point
    """Verdicts tell the name of their reference."""
    with pytest.raises(TrajectoryTypeError, match="name"):
        learn_references([], name=name)


def test_a_source_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """It is not "nothing to learn from"."""
    with pytest.raises(SourceError):
        learn_references(tmp_path / "missing.jsonl", name="n")


@seed(20250101)
@settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(case=cases(edits=False, max_nodes=12))
def test_what_was_learned_passes_its_own_runs_and_no_run_without_a_node(case: Case) -> None:
    """Each run of random graphs that taught passes; without one node it fails, unless another went just that way."""
    spans = read_spans("".join(record(case).lines))
    learned = learn_references(spans, name="learned")
    assume(learned.references)
    report = evaluate_runs(spans, references=learned.references)
    sources = {trace_id for reference in learned.references for trace_id in reference.source}
    taught = [each for each in report.verdicts if sources.issuperset(each.runs[0].trace_ids)]
    assert taught
    assert [each.comment for each in taught if each.verdict != "pass"] == []
    (reference, *_) = learned.references
    ways = reference.any_of or [reference.steps or []]
    shorter = _drop_last_name(ways[0])
    if shorter and shorter not in [[sorted(names) for names in way] for way in ways]:
        expected = {"any_of": reference.any_of} if reference.any_of else {"steps": reference.steps}
        assert graph_trajectory_match(outputs=[shorter], reference_outputs=expected)["score"] is False


def _drop_last_name(way: Any) -> list[list[str]]:  # noqa: ANN401 - supersteps of a reference
    *before, last = [sorted(names) for names in way]
    return [*before, last[1:]] if last[1:] else before


def test_what_is_written_is_what_was_learned(tmp_path: Path) -> None:
    """The file holds the same references, hostile names included."""
    spans = _record("one", "a", "no", graph="g: #1", case="\u202e[x]\n- y")
    learned = learn_references(spans, name='say "good"')
    path = tmp_path / "references.yaml"
    path.write_text(write_references(learned.references), "utf-8")
    assert load_references(path) == [
        replace(each, steps=[list(names) for names in each.steps or ()]) for each in learned.references
    ]
    assert evaluate_runs(spans, references=path).exit_code == 0
