"""Faults that people reported of other tools: what a recorder must get right, each test named after its report.

Most stand beside the behaviour that they prove, under the same names; here are those that cut across it.
"""

from __future__ import annotations

import asyncio
import gc
import json
import math
import threading
import tracemalloc
import uuid
from contextvars import Context
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.types import interrupt
from opentelemetry import context
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from pydantic import BaseModel

from otel_traj import ContentPolicy, read_runs
from otel_traj import semconv as sc
from otel_traj.record.scripted_chat import ScriptedChat
from tests.record.events import ROOT, task_metadata
from tests.record.graphs import State, build_chain, mark, new_chain
from tests.record.recording import Recording, get_id, get_parent_id, read, read_steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_core.messages import BaseMessage
    from opentelemetry.sdk.trace import ReadableSpan


def draw_tree(recording: Recording) -> list[str]:
    """Return each span's name below those above it, sorted."""
    spans = {get_id(span): span for span in recording.spans}

    def name(span: ReadableSpan) -> str:
        above = spans.get(get_parent_id(span) or 0)
        return span.name if above is None else f"{name(above)} > {span.name}"

    return sorted(map(name, spans.values()))


def test_t37_sync_and_async_runs_have_one_shape() -> None:
    """A graph with a model, a tool and a subgraph gives the same tree by `invoke` and by `ainvoke`."""
    model = ScriptedChat(turns=[AIMessage("hi")])
    tool = StructuredTool.from_function(lambda: "shown", name="show", description="shows")

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        model.invoke([HumanMessage("hi")])
        tool.invoke({})
        return {"nodes": ["call"]}

    graph = build_chain("call", "inner", "last", call=call, inner=build_chain("a", "b", graph_name="inner"))
    trees = []
    for run in (graph.invoke, lambda *given: asyncio.run(graph.ainvoke(*given))):
        recording = Recording()
        run({}, recording.config("t1"))
        trees.append(draw_tree(recording))
    assert trees[0] == trees[1]
    assert "invoke_workflow chain > invoke_node call > chat scripted-1" in trees[0]


def test_t40_other_instrumentations_are_not_silenced(recording: Recording) -> None:
    """No key of the context asks another instrumentation to stand aside, in nodes, tools and models; its spans are there."""
    seen: list[str] = []

    def look() -> str:
        seen.extend(str(key) for key in context.get_current())
        with recording.tracer.start_as_current_span("POST /v1/chat"):
            return "seen"

    class Model(ScriptedChat):
        def _answer(self, messages: list[BaseMessage]) -> AIMessage:
            look()
            return super()._answer(messages)

    tool = StructuredTool.from_function(look, name="look", description="looks")

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        look()
        tool.invoke({})
        Model(turns=[AIMessage("hi")]).invoke([HumanMessage("hi")])
        return {"nodes": ["call"]}

    build_chain("call", call=call).invoke({}, recording.config())
    assert [key for key in seen if "suppress" in key] == []
    parents = [recording.get_parent(span) for span in recording.list_named("POST /v1/chat")]
    assert sorted(span.name for span in parents if span) == [
        "chat scripted-1",
        "execute_tool look",
        "invoke_node call",
    ]


class Weight(BaseModel):
    """A megabyte of state."""

    data: str


def test_t45_no_state_is_kept_after_its_run() -> None:
    """With content recorded, runs with a megabyte of state each leave less than one behind, all together."""
    recording = Recording(content=True)
    graph = build_chain("a", "b", a=lambda _: {"value": Weight(data="x" * 1_000_000)})

    def run(number: int) -> None:
        graph.invoke({"value": Weight(data="y" * 1_000_000)}, recording.config(f"t{number}"))
        recording.exporter.clear()

    run(0)
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(1, 31):
            run(number)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 1_000_000
    assert [each for each in gc.get_objects() if type(each) is Weight] == []


class Missing:
    """What data frames put where nothing is: it can be neither compared nor judged."""

    def __eq__(self, other: object) -> Any:  # noqa: ANN401 - as data frames do
        return self

    __hash__ = None  # type: ignore[assignment]  # as above

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    def __repr__(self) -> str:
        return "<NA>"


def test_t47_values_that_are_no_json_become_finite_text() -> None:
    """NA, NaN, bytes, sets, keys of any type, recursion and half a character end their spans, and can be sent."""
    value: dict[Any, Any] = {
        "na": Missing(),
        "nan": math.nan,
        "bytes": b"\xff\x00",
        "set": {3, 1},
        1: "int",
        (2, None): "tuple",
        None: "none",
        "half \ud800": "\udfff",
    }
    value["self"] = value
    recording = Recording(content=True)
    build_chain("a", a=lambda _: {"value": value}).invoke({"value": value}, recording.config())
    assert encode_spans(recording.spans).SerializeToString()
    for key in (sc.TASK_INPUTS, sc.TASK_OUTPUTS):
        text = read(recording.get("invoke_node a"))[key]
        shown = json.loads(text, parse_constant=pytest.fail)["value"]
        assert (shown["nan"], shown["set"], shown["1"]) == ("NaN", [1, 3], "int")
        assert shown["self"] == "<recursion: dict>"
    assert recording.handler.counters["content_dropped"] == 0


@pytest.mark.parametrize("kind", [str, str.encode])
def test_t50_a_huge_state_makes_no_huge_request(kind: Any) -> None:  # noqa: ANN401 - text or bytes
    """Twenty megabytes in the state of each node fit a receiver that takes four, and every key is whole."""
    recording = Recording(content=True)
    huge = kind("é" * 10_000_000)
    build_chain("a", "b", a=lambda _: {"value": [huge, {"again": huge}]}).invoke({}, recording.config("t1"))
    assert len(encode_spans(recording.spans).SerializeToString()) < 4_000_000
    (run,) = read_runs(recording.spans)
    assert (run.steps, run.verified) == ([["__start__"], ["a"], ["b"]], True)
    assert [problem.code for problem in run.problems] == ["content_cut"]


def test_t51_one_large_span_does_not_cost_the_small_ones_their_batch() -> None:
    """A run of a hundred small tasks and a large one stays below a receiver's limit; what is lost after all is named."""
    recording = Recording(content=True)
    names = [f"n{number}" for number in range(101)]
    builder = new_chain(*names, n50=lambda _: {"value": "x" * 5_000_000})
    builder.compile(name="chain").invoke({}, recording.config("t1") | {"recursion_limit": 200})
    assert len(encode_spans(recording.spans).SerializeToString()) < 4_000_000
    (run,) = read_runs(recording.spans)
    assert run.verified
    (run,) = read_runs([span for span in recording.spans if span.name != "invoke_node n50"])
    assert not run.complete
    assert "manifest_mismatch" in [problem.code for problem in run.problems]


class Repeating(BaseChatModel):
    """A model whose chunks each carry the usage so far."""

    new_only: bool = False

    @property
    def _llm_type(self) -> str:
        return "repeating"

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:  # noqa: ANN401, ARG002 - LangChain's
        return ChatResult(generations=[ChatGeneration(message=AIMessage("hi"))])

    def _stream(self, messages: Any, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:  # noqa: ANN401, ARG002 - as above
        for count in (1, 2, 3):
            told = (100 if count == 1 else 0, 1) if self.new_only else (100, count)
            usage: Any = {"input_tokens": told[0], "output_tokens": told[1], "total_tokens": sum(told)}
            yield ChatGenerationChunk(message=AIMessageChunk(content="x", usage_metadata=usage))


@pytest.mark.parametrize("new_only", [True, False], ids=["what came new", "the total so far"])
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_t54_tokens_of_a_stream_are_those_of_its_last_figure(
    recording: Recording, mode: str, new_only: bool
) -> None:
    """Whether chunks say what came new or repeat the total, a call has its tokens once, and so has the run."""
    model = Repeating(new_only=new_only)

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        list(model.stream("hi"))
        return {"nodes": ["call"]}

    async def acall(state: State) -> State:  # noqa: ARG001 - as above
        _ = [chunk async for chunk in model.astream("hi")]
        return {"nodes": ["call"]}

    if mode == "sync":
        build_chain("call", "again", call=call, again=call).invoke({}, recording.config())
    else:
        asyncio.run(build_chain("call", "again", call=acall, again=acall).ainvoke({}, recording.config()))
    calls = recording.list_operation(sc.CHAT)
    assert [(read(each)[sc.USAGE_INPUT_TOKENS], read(each)[sc.USAGE_OUTPUT_TOKENS]) for each in calls] == [
        (100, 3)
    ] * 2
    (run,) = read_runs(recording.spans)
    assert (run.usage["input_tokens"], run.usage["output_tokens"]) == (200, 6)


def test_t55_keys_and_patterns_are_hidden_at_any_depth() -> None:
    """By default nothing of the state is there; with content the chosen keys and patterns are hidden, the rest is not."""
    state: Any = {
        "value": {"user": {"given_name": "Jane", "n": 1}, "api_key": "x-1", "v": "no 1234-6789-123"}
    }
    policy = ContentPolicy(mask_keys=("given_name", "*_key"), mask_patterns=(r"\d{4}-\d{4}-\d{3}",))
    shown = []
    for content in (False, policy):
        recording = Recording(content=content)
        build_chain("a").invoke(state, recording.config())
        shown.append("".join(span.to_json() for span in recording.spans))
    for secret in ("Jane", "x-1", "1234-6789-123"):
        assert not [text for text in shown if secret in text]
    assert "given_name" not in shown[0]
    assert "given_name" in shown[1]


@pytest.mark.parametrize("place", ["configurable", "metadata"])
def test_t63_turns_of_a_thread_are_runs_of_their_own(place: str, recording: Recording) -> None:
    """Three turns on a thread, named in the config's values or its metadata, are three runs without empty supersteps."""

    def ask(state: State) -> State:
        return {"nodes": [interrupt("?")]} if state.get("value") == "ask" else {"nodes": ["ask"]}

    graph = build_chain("a", "ask", "z", saved=place == "configurable", ask=ask)
    for value in ("go", "ask", "go") if place == "configurable" else ("go", "go", "go"):
        config: Any = {"callbacks": [recording.handler], place: {"thread_id": "t1"}}
        turn: State = {"value": value}
        graph.invoke(turn, config)
    runs = list(read_runs(recording.spans))
    whole = [["__start__"], ["a"], ["ask"], ["z"]]
    asked = [["__start__"], ["a"], ["ask"], ["__interrupt__"]]
    assert [run.steps for run in runs] == [whole, asked if place == "configurable" else whole, whole]
    assert [run.thread_id for run in runs] == ["t1"] * 3
    assert all(run.verified for run in runs)


def test_t73_parents_do_not_hang_on_the_context(recording: Recording) -> None:
    """Callbacks that each come in a thread and a context of their own, which is then lost, give the same tree."""
    handler = recording.handler
    root, task, model, tool = (uuid.uuid4() for _ in range(4))
    calls: list[Any] = [
        lambda: handler.on_chain_start({}, {}, run_id=root, name="by hand", metadata=ROOT, tags=[]),
        lambda: handler.on_chain_start(
            {},
            {},
            run_id=task,
            parent_run_id=root,
            name="a",
            tags=["graph:step:1"],
            metadata=task_metadata("a"),
        ),
        lambda: handler.on_chat_model_start({}, [[]], run_id=model, parent_run_id=task),
        lambda: handler.on_tool_start({"name": "t"}, "", run_id=tool, parent_run_id=task),
        lambda: handler.on_llm_end(None, run_id=model),
        lambda: handler.on_tool_end("", run_id=tool),
        lambda: handler.on_chain_end({}, run_id=task),
        lambda: handler.on_chain_end({}, run_id=root),
    ]
    for call in calls:
        thread = threading.Thread(target=Context().run, args=(call,))
        thread.start()
        thread.join()
    assert draw_tree(recording) == [
        "invoke_workflow by hand",
        "invoke_workflow by hand > invoke_node a",
        "invoke_workflow by hand > invoke_node a > chat",
        "invoke_workflow by hand > invoke_node a > execute_tool t",
    ]
    assert read_steps(recording.roots[0]) == [["a"]]


def test_t76_a_node_is_named_as_proposed_and_numbered_in_a_namespace_of_its_own(recording: Recording) -> None:
    """A node task says `invoke_node` and its node as the open proposal does, and its superstep as LangGraph's own fact."""
    build_chain("a", a=mark("a")).invoke({}, recording.config())
    span = recording.get("invoke_node a")
    shown = read(span)
    assert (shown["gen_ai.operation.name"], shown["gen_ai.node.name"]) == ("invoke_node", "a")
    assert (shown["langgraph.step"], shown["langgraph.node"]) == (1, "a")
    assert not [key for key in shown if key.startswith("gen_ai.") and "step" in key]
