"""An instrumented HTTP client where code stands apart from nodes: callbacks, the functional API, graphs in nodes."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler
from langchain_core.messages import AIMessage
from langgraph.func import entrypoint, task
from opentelemetry import trace
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, ParentBased

from otel_traj.record.scripted_chat import ScriptedChat
from tests.missing_api import needs
from tests.record.calling_out import Outside, calling_out
from tests.record.graphs import State, build_chain
from tests.record.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_core.runnables import Runnable

pytestmark = needs("instrumented servers and clients")

MODEL = ScriptedChat(turns=[AIMessage("two words")])


@pytest.fixture
def outside(recording: Recording) -> Iterator[Outside]:
    """A server that is called."""
    with calling_out(recording) as found:
        yield found


class CallingBack(BaseCallbackHandler):
    """A user's callbacks that ask a server while a model is at work."""

    def __init__(self, outside: Outside) -> None:
        """Keep it."""
        self.outside = outside

    def on_chat_model_start(self, *args: object, **kwargs: object) -> None:  # noqa: ARG002 - LangChain's
        """Ask."""
        self.outside.call("chat+scripted-1", "start")

    def on_llm_new_token(self, *args: object, **kwargs: object) -> None:  # noqa: ARG002 - LangChain's
        """Ask."""
        self.outside.call("chat+scripted-1", "token")


class CallingInline(CallingBack):
    """The same, in the thread of the caller also where that is a coroutine."""

    run_inline = True


class CallingBackAsync(AsyncCallbackHandler):
    """The same, asynchronous."""

    def __init__(self, outside: Outside) -> None:
        """Keep it."""
        self.outside = outside

    async def on_chat_model_start(self, *args: object, **kwargs: object) -> None:  # noqa: ARG002 - LangChain's
        """Ask."""
        await self.outside.acall("chat+scripted-1", "start")

    async def on_llm_new_token(self, *args: object, **kwargs: object) -> None:  # noqa: ARG002 - LangChain's
        """Ask."""
        await self.outside.acall("chat+scripted-1", "token")


def stream_words(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
    """Have the model stream."""
    return {"nodes": [str(chunk.content) for chunk in MODEL.stream("hi")]}


async def astream_words(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
    """Have the model stream to a coroutine."""
    return {"nodes": [str(chunk.content) async for chunk in MODEL.astream("hi")]}


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("sync", CallingBack),
        ("sync", CallingInline),
        ("async", CallingBack),
        ("async", CallingInline),
        ("async", CallingBackAsync),
    ],
)
def test_calls_of_a_models_callbacks_are_below_the_model(
    recording: Recording, outside: Outside, mode: str, kind: type[Any]
) -> None:
    """What a callback after ours asks for while a model is at work stands below the model call, in every kind of it."""
    config = recording.config()
    config["callbacks"] = [recording.handler, kind(outside)]
    if mode == "sync":
        result = build_chain("say", say=stream_words).invoke({}, config)
    else:
        result = asyncio.run(build_chain("say", say=astream_words).ainvoke({}, config))
    assert "".join(result["nodes"]) == "two words"
    pieces = len(result["nodes"])
    calls = Counter({("chat+scripted-1", "start"): 1, ("chat+scripted-1", "token"): pieces})
    outside.check(calls, of_threads=False, parents=1)


def build_flow(outside: Outside, place: str) -> Runnable[Any, Any]:
    """Return an entrypoint that calls two tasks; it and they call out."""

    @task
    def double(number: int) -> int:
        outside.call(place, number)
        return 2 * number

    @entrypoint()
    def flow(numbers: list[int]) -> list[int]:
        outside.call("invoke_node+flow", "whole")
        return [each.result() for each in [double(number) for number in numbers]]

    return flow


def build_async_flow(outside: Outside, place: str) -> Runnable[Any, Any]:
    """Return the same of coroutines."""

    @task
    async def double(number: int) -> int:
        await outside.acall(place, number)
        return 2 * number

    @entrypoint()
    async def flow(numbers: list[int]) -> list[int]:
        await outside.acall("invoke_node+flow", "whole")
        return list(await asyncio.gather(*map(double, numbers)))

    return flow


@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_calls_of_functional_tasks_are_in_their_place(mode: str, inner: bool) -> None:
    """With `inner` a functional task has a span, and its calls are below it; without, below the entrypoint's node."""
    recording = Recording(inner=inner)
    place = "functional_task+double" if inner else "invoke_node+flow"
    with calling_out(recording) as outside:
        if mode == "sync":
            assert build_flow(outside, place).invoke([1, 2], recording.config()) == [2, 4]
        else:
            flow = build_async_flow(outside, place)
            assert asyncio.run(flow.ainvoke([1, 2], recording.config())) == [2, 4]
        calls = Counter({("invoke_node+flow", "whole"): 1, (place, "1"): 1, (place, "2"): 1})
        outside.check(calls, of_threads=False)


def test_calls_of_graphs_in_graphs_are_in_their_place(recording: Recording, outside: Outside) -> None:
    """Three levels deep, a sync graph called in a coroutine's node: each call is below the node that makes it."""

    def deepest(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        outside.call("invoke_node+deepest~deepest", "1")
        return {"nodes": ["deepest"]}

    bottom = build_chain("deepest", graph_name="bottom", deepest=deepest)

    def between(state: State) -> State:
        outside.call("invoke_node+between~between", "1")
        inside = bottom.invoke(state)
        outside.call("invoke_node+between~between", "1")
        return {"nodes": inside["nodes"]}

    middle = build_chain("between", graph_name="middle", between=between)

    async def top(state: State) -> State:
        await outside.acall("invoke_node+top~top", "1")
        inside = middle.invoke(state)
        await outside.acall("invoke_node+top~top", "1")
        return {"nodes": inside["nodes"]}

    result = asyncio.run(build_chain("top", top=top).ainvoke({}, recording.config("1")))
    assert result["nodes"] == ["deepest"]
    calls = {"invoke_node+top~top": 2, "invoke_node+between~between": 2, "invoke_node+deepest~deepest": 1}
    outside.check(Counter({(place, "1"): count for place, count in calls.items()}), parents=1)
    assert len({span.context.trace_id for span in recording.spans}) == 1


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_calls_after_a_model_and_a_failed_tool_are_below_the_node(
    recording: Recording, outside: Outside, mode: str
) -> None:
    """When the model or the tool is done, well or not, the node's span is the current one again."""

    def fail(state: State) -> State:
        raise LookupError(state)

    broken = build_chain("fail", graph_name="broken", fail=fail)

    def node(state: State) -> State:
        MODEL.invoke("hi")
        outside.call("invoke_node+node~node", "1")
        with pytest.raises(LookupError):
            broken.invoke(state)
        outside.call("invoke_node+node~node", "1")
        return {"nodes": []}

    async def anode(state: State) -> State:
        await MODEL.ainvoke("hi")
        await outside.acall("invoke_node+node~node", "1")
        with pytest.raises(LookupError):
            await broken.ainvoke(state)
        await outside.acall("invoke_node+node~node", "1")
        return {"nodes": []}

    if mode == "sync":
        build_chain("node", node=node).invoke({}, recording.config("1"))
    else:
        asyncio.run(build_chain("node", node=anode).ainvoke({}, recording.config("1")))
    outside.check(Counter({("invoke_node+node~node", "1"): 2}), parents=1)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_what_an_unsampled_run_calls_is_told_so(mode: str) -> None:
    """Below a caller that is not sampled nothing is recorded, and who is called is told so, in the caller's trace."""
    recording = Recording(sampler=ParentBased(ALWAYS_ON))
    caller = trace.SpanContext(0xABC, 0xDEF, is_remote=True, trace_flags=trace.TraceFlags(0))
    with calling_out(recording) as outside:

        def node(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
            outside.call("nowhere", "1")
            return {"nodes": ["node"]}

        async def anode(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
            await outside.acall("nowhere", "1")
            return {"nodes": ["node"]}

        with trace.use_span(trace.NonRecordingSpan(caller)):
            if mode == "sync":
                result = build_chain("node", node=node).invoke({}, recording.config())
            else:
                result = asyncio.run(build_chain("node", node=anode).ainvoke({}, recording.config()))
        told = [traceparent.split("-") for traceparent in outside.traceparents]
    assert result == {"nodes": ["node"]}
    assert recording.spans == []
    assert len(told) == 2
    for _, trace_id, _, flags in told:
        assert (int(trace_id, 16), int(flags, 16) & trace.TraceFlags.SAMPLED) == (0xABC, 0)
    assert recording.is_empty()
