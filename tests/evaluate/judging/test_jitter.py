"""Clocks and the order of arrival never make a verdict: what ran in parallel is known from superstep numbers."""

from __future__ import annotations

import operator
import random
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import msgspec
import pytest
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import TrajectoryCallbackHandler, TrajectoryMatcher, read_runs
from otel_traj.record.otlp_lines import encode_line
from tests.laws.recordings import read_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from otel_traj import Run
    from otel_traj.match import Level
    from otel_traj.model import Span

TIMES = 100
JITTER_NS = 100_000_000
EXPECTED: dict[Level, list[list[str]]] = {
    "nodes": [["plan"], ["left", "right"], ["gather"]],
    "tools": [["look_up", "look_up", "measure"], ["sum_up"]],
    "both": [
        ["plan"],
        ["left", "right", "left>look_up", "left>measure", "right>look_up"],
        ["gather", "gather>sum_up"],
    ],
}
"""The reference of each level."""


class State(TypedDict, total=False):
    """What the tools found."""

    found: Annotated[list[str], operator.add]


@tool
def look_up(what: str) -> str:
    """Look something up."""
    return what


@tool
def measure(what: str) -> str:
    """Measure something."""
    return what


@tool
def sum_up(what: str) -> str:
    """Sum up what was found."""
    return what


def plan(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
    """Call no tool."""
    return {"found": []}


def left(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
    """Call two tools."""
    return {"found": [look_up.invoke({"what": "a"}), measure.invoke({"what": "b"})]}


def right(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
    """Call one tool, that the sibling calls too."""
    return {"found": [look_up.invoke({"what": "c"})]}


def gather(state: State) -> State:
    """Call one tool."""
    return {"found": [sum_up.invoke({"what": " ".join(state["found"])})]}


@cache
def record(*, parallel: bool) -> tuple[Span, ...]:
    """Return the spans of one run of the graph, whose nodes left and right run side by side or in turn."""
    builder = StateGraph(State)
    for node in (plan, left, right, gather):
        builder.add_node(node.__name__, node)
    builder.add_edge(START, "plan")
    builder.add_edge("plan", "left")
    builder.add_edge("plan" if parallel else "left", "right")
    if parallel:
        builder.add_edge(["left", "right"], "gather")
    else:
        builder.add_edge("right", "gather")
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    given: Any = {"found": []}
    builder.compile(name="jitter").invoke(given, {"callbacks": [handler]})
    return tuple(read_spans(encode_line(exporter.get_finished_spans()).decode("ascii")))


def move_each(span: Span, chance: random.Random) -> Span:
    """Return a span whose clock was off by up to 100 ms either way."""
    moved = span.start_ns + chance.randint(-JITTER_NS, JITTER_NS)
    return msgspec.structs.replace(span, start_ns=moved, end_ns=moved + span.end_ns - span.start_ns)


def make_equal(span: Span, _chance: random.Random) -> Span:
    """Return a span that began and ended when all others did."""
    return msgspec.structs.replace(span, start_ns=JITTER_NS, end_ns=JITTER_NS)


def read_often(*, parallel: bool, tell_time: Callable[[Span, random.Random], Span]) -> Iterator[Run]:
    """Yield the run 100 times, each with other clocks, its spans in another order."""
    for seed in range(TIMES):
        chance = random.Random(seed)
        spans = [tell_time(span, chance) for span in record(parallel=parallel)]
        chance.shuffle(spans)
        (run,) = read_runs(spans)
        assert run.complete
        assert run.verified
        yield run


clocks = pytest.mark.parametrize("tell_time", [move_each, make_equal])


@clocks
def test_a_hundred_runs_are_a_hundred_passes(tell_time: Callable[[Span, random.Random], Span]) -> None:
    """Start times off by 100 ms, or all equal, and any order of arrival: every level passes, every time."""
    matchers = {level: TrajectoryMatcher(steps, level=level) for level, steps in EXPECTED.items()}
    passes = dict.fromkeys(matchers, 0)
    for run in read_often(parallel=True, tell_time=tell_time):
        for level, matcher in matchers.items():
            passes[level] += matcher.matches(run)
    assert passes == dict.fromkeys(EXPECTED, TIMES)


@clocks
def test_a_serialised_run_never_passes(tell_time: Callable[[Span, random.Random], Span]) -> None:
    """The same nodes one after another fail at every level, and the hint says what happened."""
    answers = set()
    matchers = {level: TrajectoryMatcher(steps, level=level) for level, steps in EXPECTED.items()}
    for run in read_often(parallel=False, tell_time=tell_time):
        for level, matcher in matchers.items():
            outcome, _ = matcher.judge(run)
            assert outcome.score is False
            assert outcome.metadata is not None
            answers.add((level, tuple(outcome.metadata["hints"]), outcome.comment))
    assert {(level, hints) for level, hints, _ in answers} == {
        ("nodes", ("serialised",)),
        ("tools", ("serialised",)),
        ("both", ("serialised",)),
    }
    comments = {level: comment for level, _, comment in answers if comment is not None}
    assert len(answers) == len(comments) == 3
    assert "hint: left and right ran one after another, expected in parallel" in comments["nodes"]
