from __future__ import annotations

import asyncio
import functools
import logging
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, cast

import pytest
from langchain_core.callbacks import BaseCallbackHandler, CallbackManager
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from opentelemetry import trace

from otel_traj import LangGraphInstrumentor, TrajectoryCallbackHandler, read_runs
from otel_traj import semconv as sc
from otel_traj.record.calling_graph import HEARS_PAUSES
from otel_traj.record.samples import build_tool_agent
from tests.oracles import ALL, sort_names
from tests.record.graphs import build_chain, mark, new_chain
from tests.record.recording import Recording, get_handler, read, read_steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.runnables import RunnableConfig

    from otel_traj import Run
    from tests.oracles.driver import Mode
    from tests.oracles.scenario import Scenario
    from tests.record.graphs import Graph, Node, State

THIRD = [pytest.param(each, mode, id=f"{each.number}-{mode}") for each in ALL[::3] for mode in each.modes]


def list_edges(recording: Recording) -> Counter[tuple[str, str | None]]:
    """Return how often each span name stands under each parent's name."""
    parents = {span: recording.get_parent(span) for span in recording.spans}
    return Counter((span.name, parent.name if parent else None) for span, parent in parents.items())


def read_thread(recording: Recording, thread_id: str) -> list[Run]:
    """Return the runs of a thread that ran anything."""
    return [run for run in read_runs(recording.exporter) if run.thread_id == thread_id and run.steps]


@pytest.mark.parametrize(("scenario", "mode"), THIRD)
def test_oracles_are_recorded_as_with_a_handler(
    scenario: Scenario, mode: Mode, instrumented: Recording
) -> None:
    """Every third oracle gives the same steps without a handler as with one, complete and verified."""
    if scenario.missing:
        pytest.skip(f"the installed versions lack {', '.join(scenario.missing)}")
    driven = scenario.run([]) if mode == "sync" else asyncio.run(scenario.arun([]))
    runs = read_thread(instrumented, driven.thread_id)
    assert all(run.complete and run.verified for run in runs), [run.problems for run in runs]
    assert sort_names([run.steps for run in runs]) == sort_names(scenario.steps_from_spans)
    assert get_handler().open_count == 0
    assert set(get_handler().counters.values()) == {0}

    LangGraphInstrumentor().uninstrument()
    passed = Recording()
    driven = (
        scenario.run([passed.handler]) if mode == "sync" else asyncio.run(scenario.arun([passed.handler]))
    )
    statuses = [run.status for run in read_thread(passed, driven.thread_id)]
    assert [run.status for run in runs] == statuses
    # What the scenario prepares without the handler is recorded too.
    assert list_edges(instrumented) >= list_edges(passed)


@task
def double(number: int) -> int:
    """Return twice the number."""
    return 2 * number


@entrypoint()
def functional(number: int) -> int:
    """Return four times the number, in two tasks."""
    return double(double(number).result()).result()


async def drain(stream: Any) -> None:  # noqa: ANN401 - whatever streams
    """Read an asynchronous stream to its end."""
    async for _ in stream:
        pass


def call_inside(graph: Graph, _value: str) -> object:
    """Call the graph as a plain function of a chain does."""
    return graph.invoke({})


ENTRIES: dict[str, Callable[[Graph], object]] = {
    "invoke": lambda graph: graph.invoke({}),
    "stream": lambda graph: list(graph.stream({})),
    "stream of messages": lambda graph: list(graph.stream({}, stream_mode=["messages", "values"])),
    "batch": lambda graph: graph.batch([{}]),
    "batch as completed": lambda graph: list(graph.batch_as_completed([{}])),
    "ainvoke": lambda graph: asyncio.run(graph.ainvoke({})),
    "astream": lambda graph: asyncio.run(drain(graph.astream({}))),
    "abatch": lambda graph: asyncio.run(graph.abatch([{}])),
    "astream_events": lambda graph: asyncio.run(drain(graph.astream_events({}, version="v2"))),
    "astream_log": lambda graph: asyncio.run(drain(graph.astream_log({}))),
    "in a chain": lambda graph: (RunnableLambda(lambda value: value) | graph).invoke({}),
    "async in a chain": lambda graph: asyncio.run((RunnableLambda(lambda value: value) | graph).ainvoke({})),
    "with a config": lambda graph: graph.with_config(tags=["bound"]).invoke({}),
    "in a plain function": lambda graph: RunnableLambda(functools.partial(call_inside, graph)).invoke("any"),
    "in a thread": lambda graph: ThreadPoolExecutor(1).submit(lambda: graph.invoke({})).result(),
}


@pytest.mark.filterwarnings("ignore:astream_log", "ignore:.*astream_log")
@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_of_a_graph_is_recorded_once(entry: str, instrumented: Recording) -> None:
    """However a graph is called, there is one run, with its steps, complete and verified."""
    ENTRIES[entry](build_chain("a", "b"))
    (run,) = read_runs(instrumented.exporter)
    assert run.steps == [["__start__"], ["a"], ["b"]]
    assert (run.complete, run.verified, run.status) == (True, True, "ok")


def test_the_functional_api_is_recorded(instrumented: Recording) -> None:
    """An entrypoint is a run as any other."""
    assert functional.invoke(1) == 4
    (run,) = read_runs(instrumented.exporter)
    assert (run.steps, run.complete, run.verified) == ([["functional"]], True, True)


def test_an_agent_is_recorded_with_its_model_and_tools(instrumented: Recording) -> None:
    """A model and its tools in a loop are recorded down to each call."""
    build_tool_agent().invoke(cast("Any", {"messages": [("user", "how is Oslo?")]}))
    (run,) = read_runs(instrumented.exporter)
    assert run.steps == [["__start__"], ["model"], ["tools"], ["model"]]
    assert (run.complete, len(run.model_calls), len(run.tool_calls)) == (True, 2, 2)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_subgraphs_hang_under_the_task_that_calls_them(mode: Mode, instrumented: Recording) -> None:
    """A subgraph as a node and one that a node calls are children of one run, in one trace."""
    called = build_chain("deep", graph_name="called")
    inner = build_chain("mid", graph_name="inner")

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        called.invoke({})
        return {}

    async def acall(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        await called.ainvoke({})
        return {}

    graph = build_chain("node", "call", node=inner, call=RunnableLambda(call, acall))
    if mode == "sync":
        graph.invoke({})
    else:
        asyncio.run(graph.ainvoke({}))
    (run,) = read_runs(instrumented.exporter)
    assert [child.graph for child in run.children] == ["inner", "called"]
    assert [child.steps for child in run.children] == [[["__start__"], ["mid"]], [["__start__"], ["deep"]]]
    assert run.complete
    assert len(run.trace_ids) == 1


def test_a_graph_that_a_node_calls_with_other_callbacks_is_recorded_once(instrumented: Recording) -> None:
    """Callbacks of its own in the config hide the caller; the subgraph run hangs under the node all the same."""
    inner = build_chain("deep", graph_name="inner")

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        inner.invoke({}, {"callbacks": CallbackManager([])})
        return {}

    build_chain("call", call=call).invoke({})
    assert instrumented.name_parent("invoke_workflow inner") == "invoke_node call"
    assert len(instrumented.spans) == 4


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("place", ["interrupt_before", "interrupt_after"])
def test_static_interrupts_are_seen(place: str, mode: Mode, instrumented: Recording) -> None:
    """A run that pauses before or after a node is interrupted, and goes on as one run, as far as LangGraph tells."""
    compile_graph: Callable[..., Graph] = new_chain("a", "b").compile
    graph = compile_graph(checkpointer=InMemorySaver(), **{place: ["a"]})
    config: RunnableConfig = {"configurable": {"thread_id": "t1"}}
    inputs: list[Any] = [{}, None]
    for value in inputs:
        if mode == "sync":
            graph.invoke(value, config)
        else:
            asyncio.run(graph.ainvoke(value, config))
    first, second = instrumented.roots
    assert read(first)[sc.OUTCOME] == ("interrupted" if HEARS_PAUSES else "ok")
    assert [sc.PAUSE_UNKNOWN in read(root) for root in (first, second)] == [not HEARS_PAUSES] * 2
    (run,) = read_thread(instrumented, "t1")
    assert run.steps == [["__start__"], ["a"], ["b"]]
    assert len(run.invocations) == 2


def pass_in_list(graph: Graph, handler: TrajectoryCallbackHandler) -> object:
    """Pass the handler as everybody does."""
    return graph.invoke({}, {"callbacks": [handler]})


def pass_in_manager(graph: Graph, handler: TrajectoryCallbackHandler) -> object:
    """Pass it in a callback manager."""
    return graph.invoke({}, {"callbacks": CallbackManager([handler], [handler])})


def bind(graph: Graph, handler: TrajectoryCallbackHandler) -> object:
    """Bind it to the graph."""
    return graph.with_config(callbacks=[handler]).invoke({})


def pass_to_chain(graph: Graph, handler: TrajectoryCallbackHandler) -> object:
    """Pass it to a chain that the graph is the end of."""
    return (RunnableLambda(lambda value: value) | graph).invoke({}, {"callbacks": [handler]})


def pass_async(graph: Graph, handler: TrajectoryCallbackHandler) -> object:
    """Pass it to the asynchronous twin."""
    return asyncio.run(graph.ainvoke({}, {"callbacks": [handler]}))


@pytest.mark.parametrize("passing", [pass_in_list, pass_in_manager, bind, pass_to_chain, pass_async])
def test_a_passed_handler_wins(
    passing: Callable[[Graph, TrajectoryCallbackHandler], object], instrumented: Recording
) -> None:
    """A run that its caller records, subgraphs included, is recorded by that handler alone."""
    own = Recording()
    inner = build_chain("deep", graph_name="inner")
    passing(build_chain("a", "node", node=inner), own.handler)
    assert instrumented.spans == []
    assert sorted(span.name for span in own.spans) == [
        "invoke_node a",
        "invoke_node deep",
        "invoke_node node",
        "invoke_workflow chain",
        "invoke_workflow inner",
    ]


def test_what_the_caller_passes_is_left_as_it_is(instrumented: Recording) -> None:
    """The caller's config, list and manager never hold the handler; its own handlers hear what they did."""
    heard: list[str] = []

    class Own(BaseCallbackHandler):
        def on_chain_start(self, *args: object, **kwargs: object) -> None:  # noqa: ARG002 - LangChain's
            heard.append(cast("str", kwargs["name"]))

    own = Own()
    callbacks = [own]
    manager = CallbackManager([own], [own])
    graph = build_chain("a")
    for given in (callbacks, manager):
        config = cast("RunnableConfig", {"callbacks": given})
        graph.invoke({}, config)
        assert config == {"callbacks": given}
    assert callbacks == [own]
    assert (manager.handlers, manager.inheritable_handlers) == ([own], [own])
    assert heard == ["chain", "a"] * 2
    assert len(instrumented.roots) == 2


def test_batch_gives_one_run_per_input(instrumented: Recording) -> None:
    """Every input of a batch, sync or async, is a run of its own with its own thread."""
    graph = build_chain("a", saved=True)
    configs = [cast("RunnableConfig", {"configurable": {"thread_id": str(n)}}) for n in range(4)]
    graph.batch([{}] * 4, configs)
    asyncio.run(graph.abatch([{}] * 4, configs))
    runs = list(read_runs(instrumented.exporter))
    assert Counter(run.thread_id for run in runs) == dict.fromkeys("0123", 2)
    assert all(run.complete and run.verified for run in runs)


def test_many_runs_at_once_are_told_apart(instrumented: Recording) -> None:
    """Runs in threads and in one event loop at once are each whole, under their own caller's span."""
    inner = build_chain("deep", graph_name="inner")
    graph = build_chain("a", "node", "b", node=inner)

    def run(number: int) -> None:
        with instrumented.tracer.start_as_current_span(f"caller {number}"):
            graph.invoke({})

    async def run_all() -> None:
        await asyncio.gather(*(graph.ainvoke({}) for _ in range(8)))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(run, range(16)))
    asyncio.run(run_all())
    runs = list(read_runs(instrumented.exporter))
    assert len(runs) == 24
    assert all(each.complete and each.verified and len(each.children) == 1 for each in runs)
    assert {tuple(map(tuple, each.steps)) for each in runs} == {(("__start__",), ("a",), ("node",), ("b",))}
    callers = [parent.name for parent in map(instrumented.get_parent, instrumented.roots) if parent]
    assert sorted(callers) == sorted(f"caller {number}" for number in range(16))
    assert get_handler().open_count == 0


def test_spans_of_the_user_nest(instrumented: Recording) -> None:
    """A span that a node opens is a child of the node's, and the run one of the caller's span."""

    def work(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        with instrumented.tracer.start_as_current_span("own"):
            return {}

    with instrumented.tracer.start_as_current_span("request"):
        build_chain("work", work=cast("Node", work)).invoke({})
    assert instrumented.name_parent("own") == "invoke_node work"
    assert instrumented.name_parent("invoke_workflow chain") == "request"
    assert not trace.get_current_span().get_span_context().is_valid


def test_an_error_of_the_agent_is_the_agents(instrumented: Recording) -> None:
    """What a node raises, and what LangGraph says of callbacks that are none, comes out as without us."""

    def fail(state: State) -> State:
        raise LookupError(state)

    with pytest.raises(LookupError):
        build_chain("fail", fail=fail).invoke({})
    assert [run.status for run in read_runs(instrumented.exporter)] == ["error"]
    messages = []
    for is_instrumented in (True, False):
        if not is_instrumented:
            LangGraphInstrumentor().uninstrument()
        with pytest.raises((AttributeError, TypeError, NotImplementedError)) as caught:
            build_chain("a").invoke({}, cast("Any", {"callbacks": "none at all"}))
        messages.append(repr(caught.value))
    assert messages[0] == messages[1]


def test_steps_of_a_recorded_run_stand_in_its_manifest(instrumented: Recording) -> None:
    """The graph-run span says what ran, as under a handler."""
    build_chain("a", "b", a=mark("a")).invoke({})
    (root,) = instrumented.roots
    assert read_steps(root) == [["a"], ["b"]]


def test_all_instances_are_one(instrumented: Recording) -> None:
    """Whoever makes another instrumentor sees, and ends, the same instrumentation."""
    assert instrumented.spans == []
    first, second = LangGraphInstrumentor(), LangGraphInstrumentor()
    assert first.handler is second.handler is not None
    assert second.is_instrumented_by_opentelemetry
    second.uninstrument()
    assert not first.is_instrumented_by_opentelemetry


def test_it_says_what_it_instruments() -> None:
    """Its dependency is what the package itself needs."""
    assert list(LangGraphInstrumentor().instrumentation_dependencies()) == ["langgraph >= 0.6"]


def test_nothing_is_logged_in_the_usual_course(
    instrumented: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """A run under the instrumentor leaves no log line."""
    with caplog.at_level(logging.INFO):
        build_chain("a").invoke({})
    assert len(instrumented.roots) == 1
    assert [each.getMessage() for each in caplog.records if each.name == "otel_traj"] == []
