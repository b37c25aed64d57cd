"""What is said about a graph that no run is of."""

from __future__ import annotations

import pytest

from otel_traj import read_runs
from otel_traj.evaluate import explain_absent_graphs
from tests.spans import RecordedRun


def _record_outer() -> RecordedRun:
    run = RecordedRun("outer", graph="outer")
    run.task("call", 1)
    return run


def _explain(*graphs: str, lose_caller: bool = False) -> str | None:
    """Explain against a run of `outer` that calls `inner`, which calls `deep`, and one with a hostile name."""
    outer = _record_outer()
    inner = RecordedRun("inner", graph="inner", parent=outer, parent_task=outer.tasks[0][2])
    deep = RecordedRun("deep", graph="deep", parent=inner, parent_task=inner.task("dive", 1))
    deep.task("x", 1)
    other = RecordedRun("other", graph="red\x1b")
    other.task("x", 1)
    spans = other.spans() + (inner.spans(below=[deep]) if lose_caller else outer.spans(below=[inner, deep]))
    return explain_absent_graphs(read_runs(spans), graphs)


def test_graphs_are_listed_with_those_that_are_only_subgraphs() -> None:
    """The sentence names what was asked for, what has runs, and what runs only inside these, safe to print."""
    there = 'graphs there: outer, "red\\x1b"; only as subgraphs: deep, inner'
    assert _explain("deep") == f"no run is of the graph deep; {there}"
    assert _explain("outer", "nope", "inner") == f"no run is of the graphs inner, nope; {there}"


def test_a_subgraph_whose_caller_is_lost_is_still_a_subgraph() -> None:
    """A subgraph's run that stands on top, because its caller's span is lost, makes its graph no top-level one."""
    assert _explain("inner", lose_caller=True) == (
        'no run is of the graph inner; graphs there: "red\\x1b"; only as subgraphs: deep, inner'
    )


@pytest.mark.parametrize("graphs", [(), ("outer",), ("outer", "red\x1b")])
def test_nothing_is_said_where_every_graph_has_runs(graphs: tuple[str, ...]) -> None:
    """Where all that was asked for is there, there is nothing to explain."""
    assert _explain(*graphs) is None


def test_nothing_is_said_where_no_graph_is_known() -> None:
    """Of no runs, and of runs that lost their graph-run span, no graph can be told."""
    assert explain_absent_graphs([], ["outer"]) is None
    assert explain_absent_graphs(read_runs(_record_outer().spans()[:-1]), ["outer"]) is None


def test_a_graph_that_runs_both_ways_is_no_mere_subgraph() -> None:
    """A graph with runs of its own is listed once, whatever calls it as well."""
    outer = _record_outer()
    inner = RecordedRun("inner", graph="both", parent=outer, parent_task=outer.tasks[0][2])
    inner.task("x", 1)
    alone = RecordedRun("alone", graph="both")
    alone.task("x", 1)
    runs = list(read_runs(outer.spans(below=[inner]) + alone.spans()))
    assert explain_absent_graphs(runs, ["both"]) is None
    assert explain_absent_graphs(runs, ["nope"]) == "no run is of the graph nope; graphs there: both, outer"
