"""Whatever goes wrong in the recorder, under it, or in what it is shown: the agent does what it does without it."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import itertools
import threading
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler, dispatch_custom_event
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.tools import StructuredTool
from langgraph.types import Command, Interrupt, interrupt
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from otel_traj import ContentPolicy
from otel_traj.record import TrajectoryCallbackHandler
from otel_traj.record.quiet_callbacks import QuietCallbacks
from otel_traj.record.scripted_chat import ScriptedChat
from tests.record.events import start_root, start_task, task_metadata
from tests.record.faulty_telemetry import FAULTS, SILENT
from tests.record.graphs import Graph, State, build_chain
from tests.record.hostile import HOSTILE, make_hostile
from tests.record.leaks import Library
from tests.record.recording import Recording, read_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from langchain_core.runnables import RunnableConfig
    from opentelemetry.sdk.trace import ReadableSpan

MASKED = ContentPolicy(mask_keys=("a*", "note"), mask_patterns=("[0-9]{3}",))
CONTENT = pytest.mark.parametrize("content", [False, True, MASKED], ids=["bare", "content", "masked"])
WAYS = ("invoke", "stream", "ainvoke", "astream")


def list_callbacks(*classes: type) -> list[str]:
    """Return the names of all callbacks of handlers."""
    return sorted(
        {name for cls in classes for name, _ in inspect.getmembers(cls, callable) if name.startswith("on_")}
    )


CALLBACKS = list_callbacks(TrajectoryCallbackHandler)


def test_every_callback_that_there_is_is_ours() -> None:
    """What LangChain or LangGraph may call is guarded or does nothing, a callback of a later release too."""
    known = list_callbacks(BaseCallbackHandler, AsyncCallbackHandler, *TrajectoryCallbackHandler.__mro__)
    ours = {**vars(QuietCallbacks), **vars(TrajectoryCallbackHandler)}
    assert [name for name in known if name not in ours] == []
    guarded = [name for name in known if name not in vars(QuietCallbacks)]
    assert [name for name in guarded if not hasattr(ours[name], "__wrapped__")] == []


HANDED: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "a number": lambda: 7,
    "text": lambda: "planted",
    "an empty dict": dict,
    "a list of None": lambda: [None],
    "an id": uuid.uuid4,
    "an exception": lambda: ValueError("planted"),
    "a task's metadata": lambda: task_metadata("a"),
    **HOSTILE,
}
KEYWORDS = (
    "parent_run_id",
    "tags",
    "metadata",
    "name",
    "inputs",
    "invocation_params",
    "response",
    "tool_call_id",
)


@CONTENT
@pytest.mark.parametrize("callback", CALLBACKS)
def test_callback_that_is_given_garbage_raises_nothing(
    callback: str, content: bool | ContentPolicy, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing, too much, wrong types, values that raise, for every argument: no exception, a line per kind of failure."""
    recording = Recording(content=content, inner=True)
    call = getattr(recording.handler, callback)

    def call_all() -> None:
        for value in [make() for make in HANDED.values()]:
            for count, keywords in itertools.product(
                range(4), ({}, {"run_id": uuid.uuid4()}, {"run_id": value})
            ):
                assert call(*[value] * count, **keywords) is None
                assert call(*[value] * count, **keywords, **dict.fromkeys(KEYWORDS, value)) is None

    # Starts without an end stay current, so they are made in a context of their own.
    contextvars.copy_context().run(call_all)
    kinds = [each.msg for each in caplog.records]
    assert len(kinds) == len(set(kinds)) <= 2
    assert "planted" not in caplog.text
    recording.exporter.clear()
    build_chain("a", "b").invoke({}, recording.config("t1"))
    assert read_steps(recording.get("invoke_workflow chain")) == [["a"], ["b"]]


KINDS = ("chain", "chat_model", "llm", "tool", "retriever")


@CONTENT
@pytest.mark.parametrize("kind", KINDS)
def test_starts_and_ends_in_any_order_leave_nothing_open(kind: str, content: bool | ContentPolicy) -> None:
    """Ends before starts, twice, of both forms and of other kinds, and starts twice: counted, and nothing is kept."""
    recording = Recording(content=content)
    handler: Any = recording.handler
    end = "llm" if kind == "chat_model" else kind

    def start(run_id: uuid.UUID, parent: uuid.UUID) -> None:
        getattr(handler, f"on_{kind}_start")({}, [], run_id=run_id, parent_run_id=parent)

    ends: list[Callable[[uuid.UUID], None]] = [
        lambda run_id: getattr(handler, f"on_{end}_end")(None, run_id=run_id),
        lambda run_id: getattr(handler, f"on_{end}_error")(ValueError("planted"), run_id=run_id),
        lambda run_id: handler.on_chain_end({}, run_id=run_id),
        lambda run_id: handler.on_tool_error(ValueError("planted"), run_id=run_id),
    ]
    root = start_root(recording)
    task = start_task(recording, root)
    before = trace.get_current_span()
    for first, second in itertools.product(ends, repeat=2):
        run_id = uuid.uuid4()
        first(run_id)
        start(run_id, task)
        start(run_id, task)
        second(run_id)
        first(run_id)
        second(run_id)
    assert trace.get_current_span() is before
    handler.on_chain_end({}, run_id=task)
    handler.on_chain_end({}, run_id=root)
    assert recording.is_empty()
    assert handler.counters["duplicate_starts"] == 16
    assert handler.counters["unknown_ends"] == 16 * 3
    assert read_steps(recording.roots[0]) == [["a"]]


def do_everything(state: State) -> State:
    """Call a model, a tool, a retriever and a subgraph, tell an event, and look at what is current."""
    said = ScriptedChat(turns=[AIMessage("well said")]).invoke([HumanMessage("hi")])
    list(ScriptedChat(turns=[AIMessage("well said")]).stream([HumanMessage("hi")]))
    found = Library().invoke("where")
    shown = StructuredTool.from_function(lambda: "shown", name="show", description="shows").invoke({})
    inner = build_chain("inner", graph_name="within").invoke({})
    dispatch_custom_event("told", {"note": "a"})
    with trace.get_tracer("of the user").start_as_current_span("mine"):
        answer = str(state.get("value"))
    if answer == "ask":
        answer = interrupt("go on?")
    if answer == "fail":
        raise ValueError("as it should")
    return {"nodes": [str(said.content), found[0].page_content, shown, *inner["nodes"], answer]}


def run_all(config: Callable[[str], RunnableConfig], way: str) -> list[object]:
    """Run a graph that works, one that asks, and one that fails; return what each gave, or raised."""
    graph = build_chain("everything", "last", saved=True, everything=do_everything)
    calls: list[tuple[str, Any]] = [
        ("t1", {"value": 1}),
        ("t2", {"value": "ask"}),
        ("t2", Command(resume="yes")),
        ("t3", {"value": "fail"}),
    ]
    return [run(graph, way, inputs, config(thread)) for thread, inputs in calls]


def run(graph: Graph, way: str, inputs: Any, config: RunnableConfig) -> object:  # noqa: ANN401 - any input
    """Run a graph one way; return its result or chunks, or what it raised."""

    async def read_all() -> object:
        if way == "ainvoke":
            return await graph.ainvoke(inputs, config)
        return [chunk async for chunk in graph.astream(inputs, config)]

    try:
        if way == "invoke":
            found: object = graph.invoke(inputs, config)
        else:
            found = list(graph.stream(inputs, config)) if way == "stream" else asyncio.run(read_all())
    except Exception as error:  # noqa: BLE001 - what it raises is what is compared
        return f"{type(error).__name__}: {error}"
    return strip_ids(found)


def strip_ids(found: object) -> object:
    """Return what a graph gave without the ids of its interrupts, which are new each time."""
    if isinstance(found, dict):
        return {key: strip_ids(value) for key, value in found.items()}
    if isinstance(found, list):
        return [strip_ids(each) for each in found]
    if isinstance(found, tuple):
        return strip_ids(list(found))
    return found.value if isinstance(found, Interrupt) else found


def forget_the_sdks_own_complaints(caplog: pytest.LogCaptureFixture) -> None:
    """Let the SDK say what it has to of faults of its own parts; of contexts nobody complains."""
    assert [each for each in caplog.records if each.name == "opentelemetry.context"] == []
    caplog.clear()


@functools.cache
def expect(way: str) -> list[object]:
    """Return what the graphs do without a handler."""
    return run_all(config_without, way)


def config_without(thread: str) -> RunnableConfig:
    """Return a config without a handler."""
    return {"configurable": {"thread_id": thread}}


@pytest.mark.parametrize("content", [False, True], ids=["bare", "content"])
@pytest.mark.parametrize("way", ["invoke", "astream"])
@pytest.mark.parametrize("fault", FAULTS)
def test_broken_telemetry_does_not_change_what_an_agent_does(
    fault: str, way: str, content: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Results, questions, chunks and exceptions are the same as without a handler; one line, and a count of the rest."""
    handler = TrajectoryCallbackHandler(tracer_provider=FAULTS[fault](), content=content)
    found = run_all(lambda thread: {"callbacks": [handler], **config_without(thread)}, way)
    assert found == expect(way)
    assert handler.open_count == 0
    assert trace.get_current_span() is trace.INVALID_SPAN
    counted = handler.counters["callback_errors"]
    lines = [
        each for each in caplog.records if each.name in ("otel_traj", "langchain_core.callbacks.manager")
    ]
    assert len(lines) == min(1, counted)
    if fault != "processor raises before ends":  # older SDKs keep that to themselves
        assert (counted > 0) is (fault not in SILENT)
    forget_the_sdks_own_complaints(caplog)


@pytest.mark.parametrize("way", WAYS)
def test_hooks_that_raise_do_not_change_what_an_agent_does(
    way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """`on_run_end` and `redact` that raise are the user's own; each is logged once, and counted every time."""

    def fail(*arguments: object) -> Any:  # noqa: ANN401 - it never returns
        raise ValueError("planted", len(arguments))

    recording = Recording(on_run_end=fail, content=ContentPolicy(redact=fail))
    found = run_all(lambda thread: recording.config(thread), way)
    assert found == expect(way)
    assert recording.handler.counters["run_end_errors"] == 4
    assert recording.handler.counters["content_dropped"] > 20
    assert recording.handler.counters["callback_errors"] == 0
    assert len([each for each in caplog.records if each.name == "otel_traj"]) == 2
    assert "planted" not in caplog.text
    assert recording.is_empty()
    assert len(recording.roots) == 4


class HangingExporter(SpanExporter):
    """An exporter that never returns, until it is let go."""

    def __init__(self) -> None:
        """Hold."""
        self.go = threading.Event()
        self.held = threading.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:  # noqa: ARG002 - nothing is sent
        """Wait."""
        self.held.set()
        self.go.wait()
        return SpanExportResult.FAILURE


@pytest.mark.timeout(120)
@pytest.mark.parametrize("way", WAYS)
def test_an_exporter_that_hangs_holds_no_agent(way: str, caplog: pytest.LogCaptureFixture) -> None:
    """Behind a batch processor runs go on and end while an export never does, with a full queue too."""
    exporter = HangingExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(
        BatchSpanProcessor(exporter, max_queue_size=8, max_export_batch_size=4, schedule_delay_millis=1)
    )
    handler = TrajectoryCallbackHandler(tracer_provider=provider, flush_on_end=0.01)
    try:
        run_all(lambda thread: {"callbacks": [handler], **config_without(thread)}, way)
        assert exporter.held.wait(60)
        found = run_all(lambda thread: {"callbacks": [handler], **config_without(thread)}, way)
        assert found == expect(way)
        assert handler.open_count == 0
        assert handler.counters["flush_failures"] > 0
        assert len([each for each in caplog.records if each.name == "otel_traj"]) == 1
        forget_the_sdks_own_complaints(caplog)
    finally:
        exporter.go.set()


def carry(value: object) -> Callable[[State], State]:
    """Return a node that passes a value through everything that a recorder may look at."""

    def node(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        StructuredTool.from_function(lambda: value, name="show", description="shows").invoke({})
        dispatch_custom_event("told", value)
        return {"nodes": ["carry"], "value": value}

    return node


@CONTENT
@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_values_that_raise_change_nothing(kind: str, way: str, content: bool | ContentPolicy) -> None:
    """State, tool results, events and config whose own code raises do what they do without a handler."""
    value = make_hostile(kind)
    recording = Recording(content=content, metadata_keys=("carried",))
    graph = build_chain("carry", "last", carry=carry(value))
    metadata = {"carried": value, "case": value}
    expected = run_with(graph, way, value, {"metadata": metadata})
    assert run_with(graph, way, value, recording.config(metadata=metadata)) == expected
    assert recording.handler.counters["callback_errors"] == 0
    if expected[0] == "gave":
        assert recording.is_empty()
        assert read_steps(recording.roots[0]) == [["carry"], ["last"]]
    # LangChain tells nobody of the end of a tool whose result it can't look at.
    assert recording.handler.open_count <= 1


def run_with(graph: Graph, way: str, value: object, config: RunnableConfig) -> tuple[object, ...]:
    """Run a graph with a value in its input; return whether it gave that value back, or what it raised."""
    try:
        inputs: State = {"value": value}
        if way == "ainvoke":
            found: Any = asyncio.run(graph.ainvoke(inputs, config))
        else:
            found = graph.invoke(inputs, config)
    except Exception as error:  # noqa: BLE001 - what it raises is what is compared
        return ("raised", type(error))
    return ("gave", found["nodes"], found["value"] is value)


@CONTENT
@pytest.mark.parametrize("kind", HOSTILE)
def test_answers_that_raise_end_their_spans(kind: str, content: bool | ContentPolicy) -> None:
    """A model's answer, usage, metadata and calls, documents and interrupts of any kind leave no open span."""
    recording = Recording(content=content)
    handler = recording.handler
    root = start_root(recording)
    task = start_task(recording, root)
    for place in (
        "response",
        "generation",
        "content",
        "usage_metadata",
        "response_metadata",
        "tool_calls",
        "llm_output",
    ):
        value = make_hostile(kind)
        message = AIMessage("hi")
        generation = ChatGeneration.model_construct(message=message, text="hi")
        response: Any = LLMResult.model_construct(generations=[[generation]], llm_output=None)
        if place == "llm_output":
            response.llm_output = value
        elif place == "generation":
            response.generations = [[value]]
        elif place == "response":
            response = value
        else:
            object.__getattribute__(message, "__dict__")[place] = value
        handler.on_chat_model_start(value, value, run_id=(run_id := uuid.uuid4()), parent_run_id=task)
        handler.on_llm_new_token(value, run_id=run_id, chunk=value)
        handler.on_llm_end(response, run_id=run_id)
    for error in (None, ValueError(make_hostile(kind))):
        handler.on_retriever_start(
            {}, make_hostile(kind), run_id=(run_id := uuid.uuid4()), parent_run_id=task
        )
        if error is None:
            handler.on_retriever_end([make_hostile(kind)], run_id=run_id)
        else:
            handler.on_retriever_error(error, run_id=run_id)
    handler.on_chain_end(make_hostile(kind), run_id=task)
    handler.on_chain_end(make_hostile(kind), run_id=root)
    assert len(recording.spans) == 11
    assert recording.is_empty()
    assert trace.get_current_span() is trace.INVALID_SPAN
