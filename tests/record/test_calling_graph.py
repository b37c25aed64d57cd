"""Graph runs that no node task reveals, and pauses that nobody tells of: whatever the installed langgraph says."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.runnables import RunnableLambda
from langgraph.cache.memory import InMemoryCache
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import CachePolicy
from pydantic import BaseModel, ValidationError

from otel_traj import semconv as sc
from otel_traj.record import TrajectoryCallbackHandler, calling_graph, intake
from otel_traj.record.calling_graph import HEARS_PAUSES, find_calling_graph
from tests.record.graphs import Graph, State, build_chain, mark, new_chain
from tests.record.recording import Recording, read, read_steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.runnables import Runnable, RunnableConfig


class Numbers(BaseModel):
    """A state that refuses text."""

    number: int


def run(graph: Runnable[Any, Any], value: object, config: RunnableConfig, mode: str) -> None:
    """Run a graph by its sync or its async API."""
    if mode == "sync":
        graph.invoke(value, config)
    else:
        asyncio.run(graph.ainvoke(value, config))


def compile_paused(**places: list[str]) -> Graph:
    """Return the graph a, b with static interrupts."""
    compile_graph: Callable[..., Graph] = new_chain("a", "b").compile
    return compile_graph(checkpointer=InMemorySaver(), name="paused", **places)


class DeafHandler(TrajectoryCallbackHandler):
    """A handler that no LangGraph tells of pauses, as none does before 1.1.8."""

    def on_interrupt(self, event: object) -> None:
        """Hear nothing."""


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> Recording:
    """A recording by a handler that hears of no pause, whatever is installed."""
    monkeypatch.setattr(intake, "HEARS_PAUSES", False)
    recording = Recording()
    recording.handler = DeafHandler(tracer_provider=recording.provider)
    return recording


both_modes = pytest.mark.parametrize("mode", ["sync", "async"])


@both_modes
def test_a_run_whose_input_is_refused_is_recorded(recording: Recording, mode: str) -> None:
    """A root that fails before any node is a graph run with an error and no steps."""
    builder = StateGraph(Numbers)
    builder.add_node("a", lambda _state: {})
    builder.add_edge(START, "a")
    with pytest.raises(ValidationError):
        run(builder.compile(name="numbers"), {"number": "none"}, recording.config("t1"), mode)
    (root,) = recording.spans
    assert root.name == "invoke_workflow numbers"
    assert read(root)[sc.OUTCOME] == "error"
    assert read_steps(root) == []


@both_modes
def test_a_run_of_cached_nodes_only_is_recorded(recording: Recording, mode: str) -> None:
    """A root all of whose nodes are cached is a graph run that ended well and shows no steps."""
    builder = StateGraph(State)
    builder.add_node("a", mark("a"), cache_policy=CachePolicy())
    builder.add_edge(START, "a")
    graph = builder.compile(cache=InMemoryCache(), name="cached")
    run(graph, {"nodes": []}, {}, mode)
    run(graph, {"nodes": []}, recording.config("t1"), mode)
    (root,) = recording.spans
    assert root.name == "invoke_workflow cached"
    assert read(root)[sc.OUTCOME] == "ok"
    assert read_steps(root) == []


@both_modes
def test_a_run_that_pauses_before_its_first_node_is_recorded(recording: Recording, mode: str) -> None:
    """A root with a static interrupt before its first node is a graph run, in a chain too."""
    run(compile_paused(interrupt_before=["a"]), {}, recording.config("t1"), mode)
    chain = RunnableLambda(lambda value: value) | compile_paused(interrupt_before=["a"])
    run(chain, {}, recording.config("t2"), mode)
    assert [(root.name, read(root)[sc.THREAD_ID]) for root in recording.spans] == [
        ("invoke_workflow paused", "t1"),
        ("invoke_workflow paused", "t2"),
    ]


@both_modes
@pytest.mark.parametrize("place", ["interrupt_before", "interrupt_after"])
def test_a_pause_that_nobody_tells_of_is_said_to_be_unknown(deaf: Recording, place: str, mode: str) -> None:
    """Where LangGraph tells of no pause, a run with static interrupts that ended well says that it may wait."""
    run(compile_paused(**{place: ["a"]}), {}, deaf.config("t1"), mode)
    (root,) = deaf.roots
    assert read(root)[sc.OUTCOME] == "ok"
    assert read(root)[sc.PAUSE_UNKNOWN] is True


def test_static_interrupts_of_one_run_only_count_as_well(deaf: Recording) -> None:
    """Static interrupts may be given to `invoke` instead of `compile`."""
    graph: Any = build_chain("a", "b", saved=True)
    graph.invoke({}, deaf.config("t1"), interrupt_before=["b"])
    graph.invoke({}, deaf.config("t2"))
    assert [sc.PAUSE_UNKNOWN in read(root) for root in deaf.roots] == [True, False]


def test_only_runs_that_may_have_paused_say_so(deaf: Recording) -> None:
    """An error is an error, and a graph without static interrupts ends where it ends."""

    def fail(state: State) -> State:
        raise ValueError(state)

    compile_graph: Callable[..., Graph] = new_chain("a", "b", b=fail).compile
    with pytest.raises(ValueError, match="nodes"):
        compile_graph(interrupt_after=["b"], name="failing").invoke({}, deaf.config())
    build_chain("a", "b").invoke({}, deaf.config())
    assert [read(root)[sc.OUTCOME] for root in deaf.roots] == ["error", "ok"]
    assert not any(sc.PAUSE_UNKNOWN in read(root) for root in deaf.roots)


def test_a_langgraph_that_tells_is_believed(recording: Recording) -> None:
    """The flag is there exactly where the installed langgraph does not tell."""
    run(compile_paused(interrupt_before=["b"]), {}, recording.config("t1"), "sync")
    (root,) = recording.roots
    assert read(root)[sc.OUTCOME] == ("interrupted" if HEARS_PAUSES else "ok")
    assert (sc.PAUSE_UNKNOWN in read(root)) is not HEARS_PAUSES


def test_a_subclass_finds_the_graph_as_well(recording: Recording) -> None:
    """A user's own callback around ours does not hide the graph."""

    class Wrapped(TrajectoryCallbackHandler):
        def on_chain_start(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - passed on as it comes
            super().on_chain_start(*args, **kwargs)

    recording.handler = Wrapped(tracer_provider=recording.provider)
    run(compile_paused(interrupt_before=["a"]), {}, recording.config("t1"), "sync")
    assert [root.name for root in recording.spans] == ["invoke_workflow paused"]


def test_a_chain_that_is_no_graph_is_none(recording: Recording) -> None:
    """What a plain chain's callbacks come from is not a graph, though a graph may stand further out."""

    def call(_state: State) -> dict[str, object]:
        RunnableLambda(lambda value: value, name="alone").invoke(1, recording.config())
        return {}

    build_chain("call", call=call).invoke({})
    RunnableLambda(lambda value: value, name="alone").invoke(1, recording.config())
    assert recording.spans == []
    assert find_calling_graph() is None
    assert calling_graph.HEARS_PAUSES is HEARS_PAUSES
