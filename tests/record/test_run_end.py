"""What the listener of `on_run_end` is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry import trace

from otel_traj import semconv as sc
from tests.record.graphs import build_chain
from tests.record.recording import Recording, read

if TYPE_CHECKING:
    import pytest

    from otel_traj.record import RunEnd


def test_on_run_end_tells_the_ids_of_each_top_level_run() -> None:
    """`on_run_end` is called once per top-level run, after its span has ended, with its ids and outcome."""
    told: list[RunEnd] = []
    recording = Recording(on_run_end=told.append)
    inner = build_chain("s1", graph_name="inner")
    build_chain("sub", graph_name="outer", sub=inner).invoke({}, recording.config("t1"))
    (end,) = told
    root = recording.get("invoke_workflow outer")
    assert end.run_id == read(root)[sc.RUN_ID]
    assert end.trace_id == trace.format_trace_id(root.context.trace_id)
    assert end.span_id == trace.format_span_id(root.context.span_id)
    assert (end.thread_id, end.graph, end.outcome) == ("t1", "outer", "ok")


def test_failing_on_run_end_is_the_listeners_own_problem(caplog: pytest.LogCaptureFixture) -> None:
    """An exception in `on_run_end` is logged once and counted; the runs go on."""

    def fail(end: RunEnd) -> None:
        raise ValueError(end.graph)

    recording = Recording(on_run_end=fail)
    for _ in range(3):
        assert build_chain("a").invoke({}, recording.config()) == {"nodes": ["a"]}
    assert recording.handler.counters["run_end_errors"] == 3
    assert [record.name for record in caplog.records] == ["otel_traj"]
