from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING

import pytest
from langgraph.errors import GraphRecursionError
from langgraph.graph import START, StateGraph
from opentelemetry.trace import StatusCode

from otel_traj import semconv as sc
from tests.record.graphs import Node, State, build_chain, mark
from tests.record.recording import Recording, has_error, read, read_steps

if TYPE_CHECKING:
    from tests.record.graphs import Graph


def raise_error(error: BaseException) -> Node:
    """Return a node that raises."""

    def node(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        raise error

    return node


def build_pair(left: Node, right: Node) -> Graph:
    """Return a graph of two nodes side by side."""
    builder = StateGraph(State)
    builder.add_node("left", left)
    builder.add_node("right", right)
    builder.add_edge(START, "left")
    builder.add_edge(START, "right")
    return builder.compile(name="pair")


def test_error_beside_a_sibling(recording: Recording) -> None:
    """The node that fails is ERROR with its type and frames, its sibling is not, and the run's outcome is error."""
    started = threading.Event()

    def fail(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        assert started.wait(30)
        raise ValueError("planted secret")

    def succeed(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        started.set()
        return {"nodes": ["right"]}

    with pytest.raises(ValueError, match="planted secret"):
        build_pair(fail, succeed).invoke({}, recording.config())
    failed, fine = recording.get("invoke_node left"), recording.get("invoke_node right")
    assert failed.status.status_code is StatusCode.ERROR
    assert not failed.status.description
    assert read(failed)[sc.ERROR_TYPE] == "ValueError"
    (event,) = failed.events
    shown = dict(event.attributes or {})
    assert event.name == "exception"
    assert shown["exception.type"] == "ValueError"
    assert "exception.message" not in shown
    assert "test_endings.py" in str(shown["exception.stacktrace"])
    assert "in fail" in str(shown["exception.stacktrace"])
    assert "planted" not in str(shown["exception.stacktrace"])
    assert not has_error([fine])
    (root,) = recording.roots
    assert read(root)[sc.OUTCOME] == "error"
    assert read(root)[sc.ERROR_TYPE] == "ValueError"
    assert read_steps(root) == [["left", "right"]]
    assert recording.is_empty()


def test_recursion_limit_is_an_error_of_the_run(recording: Recording) -> None:
    """A run that reaches its limit is an error by its type; its nodes are not."""
    builder = StateGraph(State)
    builder.add_node("loop", mark("loop"))
    builder.add_edge(START, "loop")
    builder.add_edge("loop", "loop")
    with pytest.raises(GraphRecursionError):
        builder.compile().invoke({}, recording.config(recursion_limit=3))
    (root,) = recording.roots
    assert read(root)[sc.ERROR_TYPE] == "GraphRecursionError"
    assert read_steps(root) == [["loop"]] * 3
    assert not has_error(recording.tasks)


def test_t19_timeout_around_the_run_ends_every_span(recording: Recording) -> None:
    """A cancelled run leaves ended spans, marked cancelled and not failed."""

    async def run() -> None:
        entered = asyncio.Event()

        async def wait(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
            entered.set()
            await asyncio.Event().wait()
            return {}

        running = asyncio.create_task(build_chain("wait", wait=wait).ainvoke({}, recording.config()))
        await entered.wait()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(running, 0.01)

    asyncio.run(run())
    assert {span.name: read(span)[sc.OUTCOME] for span in recording.spans} == {
        "invoke_node wait": "cancelled",
        "invoke_workflow chain": "cancelled",
    }
    assert not has_error(recording.spans)
    assert recording.is_empty()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)], ids=["keyboard", "exit"])
def test_t21_interrupt_from_the_keyboard_ends_every_span(recording: Recording, error: BaseException) -> None:
    """KeyboardInterrupt and SystemExit inside a node reach the caller untouched, and all spans are ended."""
    inner = build_chain("stop", graph_name="inner", stop=raise_error(error))
    with pytest.raises(type(error)) as caught:
        build_chain("sub", graph_name="outer", sub=inner).invoke({}, recording.config())
    assert caught.value is error
    assert len(recording.spans) == 4
    assert {read(span)[sc.ERROR_TYPE] for span in recording.spans} == {type(error).__name__}
    assert recording.is_empty()


def test_closed_stream_is_a_cancelled_run(recording: Recording) -> None:
    """A caller that leaves a stream early, at no interrupt, leaves a cancelled run of what ran."""
    chunks = build_chain("a", "b", "c").stream({}, recording.config(), stream_mode="updates")
    next(chunks)
    chunks.close()  # type: ignore[attr-defined]  # it is a generator
    (root,) = recording.roots
    assert read(root)[sc.OUTCOME] == "cancelled"
    assert not has_error(recording.spans)
    assert read_steps(root) == [["a"]]
    assert recording.is_empty()


def test_abandoned_async_stream_is_a_cancelled_run(recording: Recording) -> None:
    """A caller that walks away from an async stream leaves a cancelled run too, when the loop closes it."""

    async def run() -> None:
        async for _ in build_chain("a", "b").astream({}, recording.config(), stream_mode="updates"):
            break

    asyncio.run(run())
    assert [read(root)[sc.OUTCOME] for root in recording.roots] == ["cancelled"]
    assert recording.is_empty()


def test_a_node_that_swallows_its_cancellation(recording: Recording) -> None:
    """A node that catches CancelledError and returns is as it ended; the run goes on, and all spans are ended."""

    async def run() -> None:
        entered = asyncio.Event()

        async def stubborn(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
            entered.set()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            return {"nodes": ["stubborn"]}

        graph = build_chain("stubborn", "after", stubborn=stubborn)
        running = asyncio.create_task(graph.ainvoke({}, recording.config()))
        await entered.wait()
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running

    asyncio.run(run())
    (root,) = recording.roots
    assert read(root)[sc.OUTCOME] == "ok"
    assert read_steps(root) == [["stubborn"], ["after"]]
    assert all(sc.OUTCOME not in read(span) and not has_error([span]) for span in recording.tasks)
    assert recording.is_empty()


def test_a_time_limit_inside_a_node(recording: Recording) -> None:
    """What a node cancels inside itself is the node's own affair."""

    async def impatient(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.Event().wait()
        return {"nodes": ["impatient"]}

    asyncio.run(build_chain("impatient", "b", impatient=impatient).ainvoke({}, recording.config()))
    (root,) = recording.roots
    assert read_steps(root) == [["impatient"], ["b"]]
    assert read(root)[sc.OUTCOME] == "ok"
    assert all(sc.OUTCOME not in read(span) and not has_error([span]) for span in recording.tasks)
    assert recording.is_empty()


def test_one_cancelled_among_many(recording: Recording) -> None:
    """Of ten runs at once, one of them cancelled, nine end well and the one is cancelled."""

    async def run() -> None:
        entered = asyncio.Event()

        async def wait(state: State) -> State:
            if state["value"] == 3:
                entered.set()
                await asyncio.Event().wait()
            await asyncio.sleep(0)
            return {}

        graph = build_chain("wait", "b", wait=wait)
        running = [
            asyncio.create_task(graph.ainvoke({"value": n}, recording.config(f"t{n}"))) for n in range(10)
        ]
        await entered.wait()
        running[3].cancel()
        await asyncio.wait(running)

    asyncio.run(run())
    outcomes = {read(root)[sc.CONVERSATION_ID]: read(root)[sc.OUTCOME] for root in recording.roots}
    assert outcomes == {f"t{n}": "cancelled" if n == 3 else "ok" for n in range(10)}
    assert recording.is_empty()


def test_a_group_of_tasks_inside_a_node_fails(recording: Recording) -> None:
    """Of a group of graphs in a node, one of which fails, the others are cancelled and the node is an error."""

    async def run() -> None:
        entered = asyncio.Event()

        async def wait(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
            entered.set()
            await asyncio.Event().wait()
            return {}

        async def fail(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
            await entered.wait()
            raise ValueError

        slow = build_chain("wait", graph_name="slow", wait=wait)
        broken = build_chain("fail", graph_name="broken", fail=fail)

        async def gather(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
            async with asyncio.TaskGroup() as group:
                group.create_task(slow.ainvoke({}))
                group.create_task(broken.ainvoke({}))
            return {}

        with pytest.raises(ExceptionGroup):
            await build_chain("gather", gather=gather).ainvoke({}, recording.config())

    asyncio.run(run())
    assert {
        span.name: (read(span).get(sc.OUTCOME), read(span).get(sc.ERROR_TYPE)) for span in recording.spans
    } == {
        "invoke_workflow chain": ("error", "ExceptionGroup"),
        "invoke_node gather": (None, "ExceptionGroup"),
        "invoke_workflow broken": ("error", "ValueError"),
        "invoke_node fail": (None, "ValueError"),
        "invoke_workflow slow": ("cancelled", None),
        "invoke_node wait": ("cancelled", None),
    }
    assert recording.is_empty()
