"""Faults that people reported of other tools: what a reader must get right, each test named after its report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, RetryPolicy, interrupt
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import TrajectoryCallbackHandler, read_runs
from otel_traj.record.samples import build_tool_agent
from otel_traj.sources import open_source
from tests.record.graphs import State, mark, new_chain

if TYPE_CHECKING:
    from langchain_core.outputs import LLMResult
    from langchain_core.runnables import RunnableConfig

    from otel_traj import Run


class Recorder:
    """A handler whose spans stay in memory."""

    def __init__(self, *, inner: bool = False) -> None:
        """Make the handler and its exporter."""
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.handler = TrajectoryCallbackHandler(tracer_provider=provider, inner=inner)

    def config(self, thread: str = "t") -> RunnableConfig:
        """Return a config that records a thread."""
        return {"callbacks": [self.handler], "configurable": {"thread_id": thread}}

    def read(self) -> list[Run]:
        """Return the runs so far."""
        return list(read_runs(self.exporter))


@pytest.fixture
def recorder() -> Recorder:
    """Return a recorder of its own for each test."""
    return Recorder()


def test_t16_a_goto_does_not_use_up_a_pending_interrupt(recorder: Recorder) -> None:
    """After an interrupt a `Command(goto=...)` goes on with the run, and the resume after it still joins."""

    def ask(_: State) -> State:
        return {"nodes": [interrupt("go on?")]}

    builder = StateGraph(State)
    for name, node in (("a", mark("a")), ("ask", ask), ("b", mark("b"))):
        builder.add_node(name, node)
    builder.add_edge(START, "a")
    builder.add_edge("a", "ask")
    graph = builder.compile(checkpointer=InMemorySaver())
    graph.invoke({"nodes": []}, recorder.config())
    graph.invoke(Command(goto="b"), recorder.config())
    graph.invoke(Command(resume="yes"), recorder.config())
    [run] = recorder.read()
    assert [sorted(names) for names in run.steps] == [["__start__"], ["a"], ["ask", "b"], ["__interrupt__"]]
    assert (run.complete, run.status, len(run.invocations)) == (True, "ok", 3)


def test_t27_an_inner_agent_streamed_in_a_node_is_recorded_once(recorder: Recorder) -> None:
    """Streaming an agent inside a node neither doubles our spans nor what another handler counts."""

    class CountTokens(BaseCallbackHandler):
        total = 0

        def on_llm_end(self, response: LLMResult, **_: object) -> None:
            generation = response.generations[0][0]
            assert isinstance(generation, ChatGeneration)
            assert isinstance(generation.message, AIMessage)
            assert generation.message.usage_metadata is not None
            self.total += generation.message.usage_metadata["total_tokens"]

    agent = build_tool_agent()

    def delegate(_: State, config: RunnableConfig) -> State:
        chunks = list(agent.stream({"messages": [HumanMessage("How is the morning in Oslo?")]}, config))
        return {"nodes": [str(len(chunks))]}

    builder = new_chain("delegate", delegate=delegate)
    counter = CountTokens()
    config: RunnableConfig = {"callbacks": [counter, recorder.handler]}
    builder.compile().invoke({"nodes": []}, config)
    [run] = recorder.read()
    assert run.steps == [["__start__"], ["delegate"]]
    assert [child.steps for child in run.children] == [[["__start__"], ["model"], ["tools"], ["model"]]]
    assert len(run.model_calls) == 2
    recorded = (run.usage["input_tokens"] or 0) + (run.usage["output_tokens"] or 0)
    assert recorded == counter.total > 0


def test_t30_an_inner_graph_is_no_node(recorder: Recorder) -> None:
    """A compiled graph as a node shows one node and one run below it, never a second level of the same name."""
    inner = new_chain("s").compile()
    new_chain("sub", sub=inner).compile().invoke({"nodes": []}, recorder.config())
    [run] = recorder.read()
    assert run.steps == [["__start__"], ["sub"]]
    assert [child.graph for child in run.children] == ["LangGraph"]


@pytest.mark.parametrize("inner", [False, True])
def test_t32_langgraphs_own_runnables_never_appear(inner: bool) -> None:
    """Writers, routers and `__end__` are no nodes, also where inner runnables are recorded."""
    recorder = Recorder(inner=inner)
    builder = new_chain("a", "b")
    builder.add_conditional_edges("b", lambda _: "__end__")
    builder.compile().invoke({"nodes": []}, recorder.config())
    [run] = recorder.read()
    assert run.steps == [["__start__"], ["a"], ["b"]]


def test_t34_nodes_of_a_subgraph_are_there_in_a_run_of_their_own(recorder: Recorder) -> None:
    """The outer run holds the outer nodes, its child the inner ones."""
    new_chain("a", "sub", "z", sub=new_chain("s1", "s2").compile()).compile().invoke(
        {"nodes": []}, recorder.config()
    )
    [run] = recorder.read()
    assert run.steps == [["__start__"], ["a"], ["sub"], ["z"]]
    [child] = run.children
    assert (child.steps, child.verified) == ([["__start__"], ["s1"], ["s2"]], True)
    assert child.parent_task_id == run.tasks[1].task_id


def test_t35_equal_names_on_two_levels_keep_apart(recorder: Recorder) -> None:
    """A node `agent` whose subgraph has a node `agent`: one of each level, both in superstep 1."""
    new_chain("agent", agent=new_chain("agent").compile()).compile().invoke({"nodes": []}, recorder.config())
    [run] = recorder.read()
    assert run.steps == [["__start__"], ["agent"]]
    assert [child.steps for child in run.children] == [[["__start__"], ["agent"]]]


def test_t74_a_run_lasts_until_its_last_span_ended(recorder: Recorder) -> None:
    """A root that returned before its child does not cut the run's time."""
    new_chain("a").compile().invoke({"nodes": []}, recorder.config())
    spans = list(open_source(recorder.exporter).read_spans(print))
    [root] = [span for span in spans if not span.parent_span_id]
    [task] = [span for span in spans if span.parent_span_id]
    late = msgspec.structs.replace(task, end_ns=root.end_ns + 5_000)
    [run] = read_runs([root, late])
    assert (run.started_ns, run.ended_ns) == (root.start_ns, root.end_ns + 5_000)
    assert run.steps == [["__start__"], ["a"]]


@pytest.mark.parametrize(
    ("defer", "steps"),
    [
        (False, [["__start__"], ["a"], ["b", "c"], ["b2", "d"], ["d"]]),
        (True, [["__start__"], ["a"], ["b", "c"], ["b2"], ["d"]]),
    ],
)
def test_t77_supersteps_are_barriers(recorder: Recorder, defer: bool, steps: list[list[str]]) -> None:
    """Branches of unequal length joined without a list run the join twice; deferred, once at the end."""
    builder = StateGraph(State)
    for name in ("a", "b", "b2", "c"):
        builder.add_node(name, mark(name))
    builder.add_node("d", mark("d"), defer=defer)
    for before, after in ((START, "a"), ("a", "b"), ("b", "b2"), ("a", "c"), ("b2", "d"), ("c", "d")):
        builder.add_edge(before, after)
    builder.compile().invoke({"nodes": []}, recorder.config())
    [run] = recorder.read()
    assert run.steps == steps


def test_t78_two_parallel_subgraphs_with_equal_inner_names_are_both_there(recorder: Recorder) -> None:
    """Neither of two parallel agents swallows the other."""
    builder = StateGraph(State)
    for name in ("p1", "p2"):
        builder.add_node(name, new_chain("work").compile())
        builder.add_edge(START, name)
    builder.compile().invoke({"nodes": []}, recorder.config())
    [run] = recorder.read()
    assert run.steps == [["__start__"], ["p1", "p2"]]
    assert [child.steps for child in run.children] == [[["__start__"], ["work"]]] * 2
    assert len({child.parent_task_id for child in run.children}) == 2


def test_t80_a_retried_node_is_one_entry_with_its_attempts(recorder: Recorder) -> None:
    """A node that fails twice and then passes is one task of three attempts; the last one decides."""
    calls = []

    def flaky(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        calls.append(1)
        if len(calls) < 3:
            raise ConnectionError("not yet")
        return {"nodes": ["flaky"]}

    builder = StateGraph(State)
    policy = RetryPolicy(initial_interval=0.01, jitter=False, max_attempts=3)
    builder.add_node("flaky", flaky, retry_policy=policy)
    builder.add_edge(START, "flaky")
    builder.compile().invoke({"nodes": []}, recorder.config())
    [run] = recorder.read()
    assert run.steps == [["__start__"], ["flaky"]]
    assert (run.tasks[0].attempts, run.tasks[0].status, run.status) == (3, "ok", "ok")
