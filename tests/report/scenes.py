"""Runs that show everything a tree can show, rebuilt from recorded spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from otel_traj import read_runs
from otel_traj import semconv as sc
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from otel_traj import Run
    from otel_traj.model import Span

__all__ = [
    "build_agent",
    "build_fan_out",
    "build_hostile",
    "build_incomplete",
    "build_resumed",
    "build_seven",
    "build_subgraphs",
]

_MS = 1_000_000
_START_NS = 1_764_500_000_000_000_000


def _slow_down(spans: list[Span]) -> list[Span]:
    """Return the spans with a millisecond for each tick of the builder's clock."""

    def move(tick: int) -> int:
        return _START_NS + tick * _MS if tick else 0

    return [replace(span, start_ns=move(span.start_ns), end_ns=move(span.end_ns)) for span in spans]


def _rebuild(spans: list[Span]) -> Run:
    [run] = read_runs(_slow_down(spans))
    return run


def build_seven() -> Run:
    """Return the long path through the seven nodes."""
    run = RecordedRun("seven", graph="seven", thread="thread-1")
    for number, names in enumerate(("node1", "node3", "node4 node5", "node6", "node7"), 1):
        for name in names.split():
            run.task(name, number)
    return _rebuild(run.spans(case="long"))


def build_agent() -> Run:
    """Return a model with two tools, one of which failed, tokens cached and reasoned."""
    run = RecordedRun("agent", graph="assistant", outcome="error")
    model = run.task("model", 1)
    usage = {"usage_input_tokens": 1_200, "usage_output_tokens": 34, "usage_cache_read_input_tokens": 1_000}
    run.call(sc.CHAT, "scripted-1", model, **usage)
    tools = run.task("tools", 2, outcome="error", error_type="ValueError")
    run.call(sc.EXECUTE_TOOL, "get_weather", tools)
    run.call(sc.EXECUTE_TOOL, "get_local_time", tools, outcome="error", error_type="ValueError")
    flaky = run.task("flaky", 2, id="flaky", outcome="error")
    run.task("flaky", 2, id="flaky", attempt=2)
    run.call(sc.CHAT, "thinking-1", flaky, usage_output_tokens=7, usage_reasoning_output_tokens=5)
    return _rebuild(run.spans(error_type="ValueError"))


def build_subgraphs() -> Run:
    """Return a graph whose two parallel nodes each call a subgraph, one of them two levels deep."""
    outer = RecordedRun("outer", graph="outer")
    left, right = outer.task("left", 1), outer.task("right", 1)
    inner = RecordedRun("inner left", graph="inner", parent=outer, parent_task=left)
    middle = inner.task("middle", 1)
    deep = RecordedRun("deep", graph="deep", parent=inner, parent_task=middle)
    leaf = deep.task("leaf", 1)
    deep.call(sc.EXECUTE_TOOL, "search", leaf)
    other = RecordedRun("inner right", graph="inner", parent=outer, parent_task=right)
    other.task("first", 1)
    other.task("second", 2)
    outer.task("join", 2)
    spans = outer.spans(below=[inner, deep, other])
    return _rebuild(spans)


def build_resumed() -> Run:
    """Return a run that was interrupted, resumed, and ended."""
    first = RecordedRun("first", graph="approval", thread="mail", outcome="interrupted")
    first.task("draft", 1)
    first.task("ask", 2, id="ask", interrupted=True)
    second = RecordedRun("second", graph="approval", thread="mail", resumed=True, start=5_000, previous=first)
    second.task("ask", 2, id="ask")
    second.task("send", 3)
    return _rebuild(first.spans() + second.spans())


def build_fan_out() -> Run:
    """Return a run of forty workers and three, beside nodes whose names look like that."""
    run = RecordedRun("map", graph="map reduce", thread="wide")
    run.task("plan", 1)
    for index in range(40):
        run.task("worker", 2, push=index)
    run.task("worker x40", 2)
    run.task("x40", 2)
    for index in range(3):
        run.task("worker", 3, push=index)
    return _rebuild(run.spans())


def build_incomplete() -> Run:
    """Return a run that lost its graph-run span and holds an open task."""
    run = RecordedRun("lost", graph="seven", thread="thread-2")
    run.task("node1", 1)
    run.task("node2", 2)
    return _rebuild([run.below[0], replace(run.below[1], end_ns=0)])


def build_hostile() -> Run:
    """Return a run whose names try to recolour, reorder, forge and flood."""
    run = RecordedRun("evil", graph="\x1b[2Jgraph\nFAKE  ok", thread="\u202eevil\u2066")
    run.task("\x1b]0;owned\x07node", 1)
    run.task("a, b", 1)
    run.task("x" * 10_000, 2)
    run.task("node\nsuperstep 9: all fine", 3)
    run.task("\ud800", 4, id="surrogate")
    return _rebuild(run.spans(case='quoted "case"'))
