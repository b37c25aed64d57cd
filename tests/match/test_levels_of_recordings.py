"""Levels and depth of real runs, recorded by our handler and read back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, RetryPolicy, interrupt
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import TrajectoryCallbackHandler, read_runs
from otel_traj.match.levels import CalledTool, is_level_known, list_level
from otel_traj.record import samples
from tests.missing_api import needs
from tests.oracles import ALL, by_number
from tests.record.graphs import State, new_chain
from tests.recorded import record_scenario

if TYPE_CHECKING:
    from otel_traj import Run
    from otel_traj.match.levels import Level
    from tests.oracles.driver import Mode
    from tests.oracles.scenario import Scenario
    from tests.record.graphs import Graph

BEGIN = ["__start__"]
PAUSE = ["__interrupt__"]


def record(graph: Any, *inputs: object, **options: Any) -> Run:  # noqa: ANN401 - LangGraph's and the handler's
    """Invoke a graph with each input in turn, on one thread; return the one run that comes of it."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider, **options)
    for value in inputs or ({},):
        graph.invoke(value, {"configurable": {"thread_id": "t"}, "callbacks": [handler]})
    [run] = read_runs(exporter)
    assert run.complete, run.problems
    return run


def names(run: Run, level: Level = "nodes", depth: int | None = 0) -> list[list[str]]:
    """Return a run as it is listed; all of it is known."""
    assert is_level_known(run, level, depth) is None
    return list_level(run, level, depth).names


@tool
def look(at: str) -> str:
    """Look at something."""
    return at


def use_look(_state: State) -> State:
    """Call the tool, without a model."""
    return {"nodes": [look.invoke({"at": "sky"})]}


@pytest.mark.parametrize("content", [False, True])
def test_a_react_agent_is_listed_by_the_tools_of_each_superstep(content: bool) -> None:
    """Two tools of one turn stand in one superstep, by name; with content their arguments are known."""
    run = record(samples.build_tool_agent(), {"messages": [("user", "Oslo?")]}, content=content)
    assert names(run, "tools") == [["get_local_time", "get_weather"]]
    assert names(run, "both") == [
        BEGIN,
        ["model"],
        ["tools", "tools>get_local_time", "tools>get_weather"],
        ["model"],
    ]
    [superstep] = list_level(run, "tools", 0).supersteps
    for called in superstep.names:
        assert isinstance(called, CalledTool)
        assert called.args == ({"city": "Oslo"} if content else None)
    assert superstep.span_ids == tuple(
        (call.span_id,) for call in sorted(run.tool_calls, key=lambda call: call.name)
    )


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_tasks_of_their_own_for_each_tool_make_one_superstep(mode: Mode) -> None:
    """An agent that fans out to one task per tool call lists them in the order of the tasks."""
    exporter = InMemorySpanExporter()
    record_scenario(by_number(38), mode, exporter)
    [run] = read_runs(exporter)
    assert names(run, "tools") == [["read_weather", "read_clock"]]


@needs("agent spans")
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_tool_that_asked_and_went_on_is_one_call(mode: Mode) -> None:
    """A tool that was interrupted and ran again when resumed stands once, with both its spans."""
    exporter = InMemorySpanExporter()
    record_scenario(by_number(40), mode, exporter)
    [run] = read_runs(exporter)
    assert names(run, "tools") == [["read_weather", "book_table"]]
    [superstep] = list_level(run, "tools", 0).supersteps
    assert [len(ids) for ids in superstep.span_ids] == [1, 2]


def build_levels() -> Graph:
    """Return three graphs in one another, each with a node before the next, a tool in the innermost."""
    leaf = new_chain("z1", "z2", z2=use_look).compile()
    middle = new_chain("y1", "y2", y2=leaf).compile()
    return new_chain("x1", "x2", "x3", x2=middle, x3=use_look).compile()


def test_three_levels_of_subgraphs() -> None:
    """Each depth shows one level more, where it ran."""
    run = record(build_levels())
    own = [BEGIN, ["x1"], ["x2"], ["x3"]]
    middle = [["x2/y1"], ["x2/y2"]]
    leaf = [["x2/y2/z1"], ["x2/y2/z2"]]
    assert names(run) == own
    assert names(run, depth=1) == [*own[:3], *middle, own[3]]
    assert names(run, depth=2) == names(run, depth=None) == [*own[:3], *middle, *leaf, own[3]]
    assert names(run, "tools", 0) == names(run, "tools", 1) == [["look"]]
    assert names(run, "tools", 2) == [["x2/y2/look"], ["look"]]
    assert names(run, "both", None)[-2:] == [["x2/y2/z2", "x2/y2/z2>look"], ["x3", "x3>look"]]


def test_parallel_subgraphs_share_supersteps() -> None:
    """Two subgraphs that run side by side are listed superstep by superstep."""
    builder = StateGraph(State)
    for name, inner in (("b", ("b1", "b2", "b3")), ("a", ("a1", "a2"))):
        builder.add_node(name, new_chain(*inner, a2=use_look, b2=use_look).compile())
        builder.add_edge(START, name)
    run = record(builder.compile())
    assert names(run, depth=1) == [BEGIN, ["a", "b"], ["a/a1", "b/b1"], ["a/a2", "b/b2"], ["b/b3"]]
    assert names(run, "tools", 1) == [["a/look", "b/look"]]


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_subgraph_called_twice_in_one_node(mode: Mode) -> None:
    """Two calls of one node stand one after the other."""
    exporter = InMemorySpanExporter()
    record_scenario(by_number(9), mode, exporter)
    [run] = read_runs(exporter)
    twice = [["call/s1"], ["call/s2"]] * 2
    assert names(run, depth=1) == [BEGIN, ["call"], *twice, ["z"]]


def test_calls_at_once_stand_by_their_number() -> None:
    """Subgraphs that one node calls at the same time stand in the order of the calls, by LangGraph's own numbers."""

    async def wait(_state: State) -> State:
        await asyncio.sleep(0)
        return {"nodes": ["wait"]}

    inner = [new_chain(f"n{number}", **{f"n{number}": wait}).compile() for number in range(4)]

    async def call(_state: State) -> State:
        await asyncio.gather(*(graph.ainvoke({"nodes": []}) for graph in inner))
        return {"nodes": ["call"]}

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    asyncio.run(new_chain("call", call=call).compile().ainvoke({}, {"callbacks": [handler]}))
    [run] = read_runs(exporter)
    spaces = [child.tasks[0].checkpoint_ns.split("|")[1:-1] for child in run.children]
    assert sorted(spaces) == [[], ["1"], ["2"], ["3"]]
    assert names(run, depth=1)[2:] == [[f"call/n{number}"] for number in range(4)]


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_subgraph_that_asked_is_listed_once(mode: Mode) -> None:
    """Interrupted inside and resumed, the inner supersteps stand once, before the outer marker."""
    exporter = InMemorySpanExporter()
    record_scenario(by_number(17), mode, exporter)
    [run] = read_runs(exporter)
    listed = list_level(run, "nodes", None)
    assert listed.names == [BEGIN, ["a"], ["sg"], ["sg/s1"], ["sg/ask"], PAUSE, ["z"]]
    assert [superstep.number for superstep in listed.supersteps] == [0, 1, 2, 3, 4, 4, 5]
    assert [len(ids) for superstep in listed.supersteps for ids in superstep.span_ids] == [
        0,
        1,
        2,
        1,
        2,
        0,
        1,
    ]


def test_two_levels_that_asked_are_listed_once() -> None:
    """The same two levels down, with a tool before the question that runs again with it."""

    def ask(_state: State) -> State:
        look.invoke({"at": "sky"})
        return {"nodes": [interrupt("go on?")]}

    leaf = new_chain("l1", "ask", "l2", ask=ask).compile()
    middle = new_chain("m1", "m2", m2=leaf).compile()
    graph = new_chain("t1", "t2", t2=middle).compile(checkpointer=InMemorySaver())
    run = record(graph, {}, Command(resume="yes"))
    assert names(run, depth=None) == [
        BEGIN,
        ["t1"],
        ["t2"],
        ["t2/m1"],
        ["t2/m2"],
        ["t2/m2/l1"],
        ["t2/m2/ask"],
        ["t2/m2/l2"],
        PAUSE,
    ]
    assert names(run, "tools", None) == [["t2/m2/look"]]


def test_a_retried_node_lists_its_tool_once_and_its_subgraph_calls_in_turn() -> None:
    """What an attempt calls again stands once; a subgraph that was called again ran again, and shows it."""
    tries: list[int] = []

    def fail_once(_state: State) -> State:
        look.invoke({"at": "sky"})
        inner.invoke({"nodes": []})
        tries.append(1)
        if len(tries) == 1:
            raise ConnectionError
        return {"nodes": ["call"]}

    inner = new_chain("s1").compile()
    builder: Any = StateGraph(State)
    builder.add_node("call", fail_once, retry_policy=RetryPolicy(initial_interval=0.01))
    builder.add_edge(START, "call")
    run = record(builder.compile())
    assert names(run, "tools") == [["look"]]
    assert names(run, depth=1) == [BEGIN, ["call"], ["call/s1"], ["call/s1"]]


def test_a_handler_that_leaves_tools_out_leaves_their_level_unknown() -> None:
    """Without tool spans a run can't be judged by its tools, and says why; its nodes can."""
    run = record(build_levels(), {}, tools=False)
    assert "leave out tool calls" in str(is_level_known(run, "tools", 0))
    assert names(run, depth=None)


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: f"oracle {scenario.number}")
def test_no_oracle_loses_a_task_or_a_call(scenario: Scenario) -> None:
    """At depth 0 every run is its own trajectory; with all depths each task and each tool span is listed."""
    if scenario.missing:
        pytest.skip(f"oracle {scenario.number}: the installed versions lack {', '.join(scenario.missing)}")
    exporter = InMemorySpanExporter()
    record_scenario(scenario, scenario.modes[0], exporter)
    for run in read_runs(exporter):
        assert list_level(run, "nodes", 0).names == run.steps
        listed = list_level(run, "both", None)
        span_ids = {span_id for step in listed.supersteps for ids in step.span_ids for span_id in ids}
        assert {call.span_id for call in run.tool_calls} <= span_ids
        if run.steps:
            assert {span_id for task in run.tasks for span_id in task.span_ids} <= span_ids
