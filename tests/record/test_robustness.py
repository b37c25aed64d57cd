from __future__ import annotations

import asyncio
import contextvars
import gc
import inspect
import logging
import uuid
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.language_models import FakeListChatModel
from langchain_core.tracers.context import register_configure_hook
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased
from opentelemetry.trace import NoOpTracerProvider

from otel_traj import semconv as sc
from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.record import TrajectoryCallbackHandler
from otel_traj.record.entry import Entry
from otel_traj.record.table import MAX_ENDED_ROOTS
from tests.record.graphs import State, build_chain
from tests.record.recording import Recording, get_id, get_parent_id, has_error, read, read_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.callbacks import BaseCallbackHandler
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace.sampling import SamplingResult
    from opentelemetry.trace import Link, SpanKind, TraceState
    from opentelemetry.util.types import Attributes

    from otel_traj.record import RunEnd

ROOT: dict[str, object] = {"ls_integration": "langgraph", "thread_id": "t1"}


def task_metadata(node: str, step: int = 1, task: str = "id-1") -> dict[str, object]:
    """Return metadata as LangGraph gives it to a node task."""
    return ROOT | {
        "langgraph_step": step,
        "langgraph_node": node,
        "langgraph_triggers": (f"branch:to:{node}",),
        "langgraph_path": ("__pregel_pull", node),
        "langgraph_checkpoint_ns": f"{node}:{task}",
    }


def start_root(recording: Recording) -> uuid.UUID:
    """Start a graph run by hand; return its id."""
    run_id = uuid.uuid4()
    recording.handler.on_chain_start({}, {}, run_id=run_id, name="by hand", metadata=ROOT, tags=[])
    return run_id


def start_task(
    recording: Recording, parent: uuid.UUID, node: str = "a", task: str = "id-1", step: int = 1
) -> uuid.UUID:
    """Start a node task by hand; return its id."""
    run_id = uuid.uuid4()
    recording.handler.on_chain_start(
        {},
        {},
        run_id=run_id,
        parent_run_id=parent,
        name=node,
        tags=[f"graph:step:{step}"],
        metadata=task_metadata(node, step, task),
    )
    return run_id


def test_t70_task_that_starts_after_its_root_is_recorded_below_it(recording: Recording) -> None:
    """A node task that starts after its run has ended lies below the run, marked late and not counted."""
    root = start_root(recording)
    recording.handler.on_chain_end({}, run_id=root)
    task = start_task(recording, root)
    recording.handler.on_chain_end({}, run_id=task)
    run, span = recording.get("invoke_workflow by hand"), recording.get("invoke_node a")
    assert get_parent_id(span) == get_id(run)
    assert span.context.trace_id == run.context.trace_id
    assert read(span)[sc.LATE] is True
    assert read(span)[sc.RUN_ID] == str(root)
    assert (read(run)[sc.TASK_COUNT], read(run)[sc.SPAN_COUNT]) == (0, 0)
    assert recording.handler.counters["late_starts"] == 1
    assert recording.is_empty()


def test_t44_child_that_starts_after_its_parent_finds_it(recording: Recording) -> None:
    """A model call that starts after its node has ended, but not the run, lies below the node."""
    root = start_root(recording)
    task = start_task(recording, root)
    recording.handler.on_chain_end({}, run_id=task)
    model = uuid.uuid4()
    recording.handler.on_chat_model_start({}, [[]], run_id=model, parent_run_id=task)
    recording.handler.on_llm_end(None, run_id=model)
    recording.handler.on_chain_end({}, run_id=root)
    span = recording.get("chat")
    assert get_parent_id(span) == get_id(recording.get("invoke_node a"))
    assert read(span)[sc.TASK_ID] == "id-1"
    assert sc.LATE not in read(span)
    assert recording.is_empty()


def test_child_that_ends_after_its_root_is_kept_until_then(recording: Recording) -> None:
    """A task that is open when its run ends is counted, ends later below it, and then nothing is kept."""
    root = start_root(recording)
    task = start_task(recording, root)
    recording.handler.on_chain_end({}, run_id=root)
    assert recording.handler.open_count == 1
    recording.handler.on_chain_end({}, run_id=task)
    run, span = recording.get("invoke_workflow by hand"), recording.get("invoke_node a")
    assert read(run)[sc.TASK_COUNT] == 1
    assert get_parent_id(span) == get_id(run)
    assert (span.end_time or 0) >= (run.end_time or 0)
    assert recording.is_empty()


def test_t71_unknown_and_repeated_ends_are_ignored(recording: Recording) -> None:
    """Ends without a start, errors after ends and ends after errors are counted and change nothing."""
    handler = recording.handler
    for end in (handler.on_chain_end, handler.on_tool_end, handler.on_llm_end, handler.on_retriever_end):
        end({}, run_id=uuid.uuid4())
    root = start_root(recording)
    handler.on_chain_error(ValueError(), run_id=root)
    handler.on_chain_error(ValueError(), run_id=root)
    handler.on_chain_end({}, run_id=root)
    assert len(recording.spans) == 1
    assert handler.counters["unknown_ends"] == 6
    assert handler.counters["callback_errors"] == 0
    assert recording.is_empty()


def test_t71_unknown_parent_is_a_root_of_its_own(recording: Recording) -> None:
    """A task, model or tool whose caller was never seen is recorded below what is current."""
    with recording.tracer.start_as_current_span("pipeline"):
        task = start_task(recording, uuid.uuid4())
        recording.handler.on_tool_start({"name": "t"}, "", run_id=(tool := uuid.uuid4()), parent_run_id=task)
        recording.handler.on_tool_end("", run_id=tool)
        recording.handler.on_chain_end({}, run_id=task)
    assert recording.name_parent("invoke_node a") == "pipeline"
    assert recording.name_parent("execute_tool t") == "invoke_node a"
    assert recording.is_empty()


def test_t28_handler_bound_twice_records_once(recording: Recording) -> None:
    """A handler in `with_config` and in the call as well gives one span per run, and nothing stays open."""
    graph = build_chain("a", "b").with_config(callbacks=[recording.handler])
    graph.invoke({}, recording.config())
    assert [span.name for span in recording.spans] == [
        "invoke_workflow chain",
        "invoke_node a",
        "invoke_node b",
    ]
    assert recording.is_empty()


def test_t24_global_handler_and_a_passed_one_record_once(recording: Recording) -> None:
    """A handler that is installed for all runs and passed as well gives one span per run."""
    hook: ContextVar[BaseCallbackHandler | None] = ContextVar("hook", default=None)
    register_configure_hook(hook, inheritable=True)
    model = FakeListChatModel(responses=["hi"])

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        model.invoke("hi")
        return {"nodes": ["call"]}

    graph = build_chain("call", call=call)
    token = hook.set(recording.handler)
    try:
        graph.invoke({}, recording.config())
        graph.invoke({})
        asyncio.run(graph.ainvoke({}))
    finally:
        hook.reset(token)
    assert [span.name for span in recording.spans] == [
        "invoke_workflow chain",
        "invoke_node call",
        "chat",
    ] * 3
    assert recording.is_empty()


def test_t42_nothing_is_kept_of_a_thousand_runs(recording: Recording) -> None:
    """After many runs of every ending the tables hold nothing but the last thousand ended roots, without state."""

    class Weight:
        """Something heavy in the state."""

    def fail(state: State) -> State:
        if state.get("value") is None:
            raise ValueError
        return {"nodes": ["fail"]}

    graph = build_chain("a", "fail", fail=fail)
    for number in range(MAX_ENDED_ROOTS + 100):
        if number % 2:
            graph.invoke({"value": Weight()}, recording.config(f"t{number}"))
        else:
            with pytest.raises(ValueError):  # noqa: PT011 - the node raises it without a message
                graph.invoke({}, recording.config(f"t{number}"))
    recording.exporter.clear()
    gc.collect()
    kept = gc.get_objects()
    assert recording.handler.open_count == 0
    assert sum(isinstance(each, Weight) for each in kept) == 0
    tracer = recording.handler._recorder._tracers.get_tracer()
    entries = [each for each in kept if isinstance(each, Entry) and each.tree.tracer is tracer]
    assert len(entries) == MAX_ENDED_ROOTS
    assert all(entry.graph is not None and not entry.graph.tasks for entry in entries)


def test_table_is_bounded_and_evicts_what_was_used_least_recently() -> None:
    """Above `max_open` the idlest span is ended and says so; its late end is ignored, other runs are whole."""
    recording = Recording(max_open=4)
    abandoned = start_root(recording)
    busy = start_root(recording)
    for number in range(3):
        recording.handler.on_chain_end({}, run_id=start_task(recording, busy, task=f"id-{number}"))
    tasks = [start_task(recording, busy, f"n{number}", f"id-n{number}") for number in range(3)]
    for run_id in (*reversed(tasks), busy, abandoned):
        recording.handler.on_chain_end({}, run_id=run_id)
    (evicted,) = [span for span in recording.spans if read(span).get(sc.EVICTED)]
    assert read(evicted)[sc.RUN_ID] == str(abandoned)
    assert sc.OUTCOME not in read(evicted)
    assert read(recording.roots[1])[sc.TASK_COUNT] == 6
    assert recording.is_empty()
    assert recording.handler.counters["evicted"] == 1
    assert recording.handler.counters["unknown_ends"] == 1


GARBAGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.binary(),
    st.uuids(),
    st.lists(st.one_of(st.none(), st.text(), st.integers())),
    st.dictionaries(st.text(), st.one_of(st.none(), st.integers(), st.lists(st.text()))),
    st.builds(object),
    st.builds(ValueError),
    st.just(task_metadata("a")),
)
CALLBACKS = sorted(
    name
    for name, member in inspect.getmembers(TrajectoryCallbackHandler, inspect.isfunction)
    if name.startswith("on_")
)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_garbage_in_any_callback_is_no_ones_problem(data: st.DataObject) -> None:
    """Whatever any callback is given, in any order, nothing is raised, and a real run after it is whole."""
    recording = Recording(content=data.draw(st.booleans()), inner=data.draw(st.booleans()))
    calls = [
        (
            name,
            data.draw(st.lists(GARBAGE, max_size=3)),
            {
                key: data.draw(st.sampled_from(IDS) if key.endswith("id") else GARBAGE)
                for key in data.draw(st.sets(st.sampled_from(KEYWORDS)))
            },
        )
        for name in data.draw(st.lists(st.sampled_from(CALLBACKS), max_size=12))
    ]
    # Starts without an end stay current, so they are made in a context of their own.
    contextvars.copy_context().run(call_all, recording.handler, calls)
    recording.exporter.clear()
    build_chain("a", "b").invoke({}, recording.config("t1"))
    assert read_steps(recording.get("invoke_workflow chain")) == [["a"], ["b"]]


def call_all(
    handler: TrajectoryCallbackHandler, calls: list[tuple[str, list[object], dict[str, Any]]]
) -> None:
    """Call the callbacks one after the other; none may raise or return anything."""
    logging.getLogger("otel_traj").disabled = True
    try:
        for name, arguments, keywords in calls:
            assert getattr(handler, name)(*arguments, **keywords) is None
    finally:
        logging.getLogger("otel_traj").disabled = False


IDS = (uuid.uuid4(), uuid.uuid4(), None, "x")
KEYWORDS = (
    "run_id",
    "parent_run_id",
    "tags",
    "metadata",
    "name",
    "inputs",
    "invocation_params",
    "response",
    "tool_call_id",
)


def test_failures_are_logged_once_and_counted(
    recording: Recording, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A callback that fails is logged the first time, without any text of its exception, and counted always."""

    def fail(*args: object, **kwargs: object) -> None:
        raise ValueError("planted", args, kwargs)

    monkeypatch.setattr(recording.handler._chains, "start", fail)
    assert build_chain("a", "b").invoke({}, recording.config()) == {"nodes": ["a", "b"]}
    (record,) = caplog.records
    assert record.name == "otel_traj"
    assert "ValueError" in record.getMessage()
    assert "planted" not in record.getMessage()
    assert recording.handler.counters["callback_errors"] == 3
    assert recording.is_empty()


def test_provider_without_sdk_is_warned_of_once() -> None:
    """A handler whose provider records nothing says so at the first run, and what to do; the run is untouched."""
    handler = TrajectoryCallbackHandler(tracer_provider=NoOpTracerProvider())
    with pytest.warns(UserWarning, match=r"configure\(\)"):
        assert build_chain("a").invoke({}, {"callbacks": [handler]}) == {"nodes": ["a"]}
    build_chain("a").invoke({}, {"callbacks": [handler]})
    assert handler.open_count == 0


def test_global_provider_that_nobody_set_is_warned_of() -> None:
    """So does a handler that was left to the global provider."""
    handler = TrajectoryCallbackHandler()
    with pytest.warns(UserWarning, match=r"configure\(\)"):
        build_chain("a").invoke({}, {"callbacks": [handler]})


def test_disabled_sdk_is_no_reason_to_warn(monkeypatch: pytest.MonkeyPatch) -> None:
    """OTEL_SDK_DISABLED is somebody's wish: nothing is recorded and nothing is said."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    told: list[RunEnd] = []
    for provider in (NoOpTracerProvider(), TracerProvider(shutdown_on_exit=False)):
        handler = TrajectoryCallbackHandler(tracer_provider=provider, on_run_end=told.append)
        build_chain("a").invoke({}, {"callbacks": [handler]})
        assert handler.open_count == 0
    assert [(end.trace_id, end.outcome) for end in told] == [("", "ok"), ("", "ok")]


class CountingSampler(ParentBased):
    """Samples nothing, and counts how often it was asked."""

    def __init__(self) -> None:
        super().__init__(ALWAYS_OFF)
        self.asked = 0

    def should_sample(  # noqa: D102 - the SDK's
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        self.asked += 1
        return super().should_sample(parent_context, trace_id, name, kind, attributes, links, trace_state)


def test_unsampled_run_makes_no_spans_and_takes_the_users_along() -> None:
    """Where the sampler drops a run it is asked once; the user's spans in it are dropped with it, outcome told."""
    sampler = CountingSampler()
    told: list[RunEnd] = []
    recording = Recording(sampler=sampler, content=True, on_run_end=told.append)
    seen: list[trace.SpanContext] = []

    def look(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        seen.append(trace.get_current_span().get_span_context())
        return {"nodes": ["look"]}

    build_chain("look", "b", look=look).invoke({}, recording.config())
    assert sampler.asked == 1
    assert not recording.spans
    assert not seen[0].trace_flags.sampled
    assert seen[0].is_valid
    assert trace.format_trace_id(seen[0].trace_id) == told[0].trace_id
    assert told[0].outcome == "ok"
    assert recording.is_empty()


def test_samplers_see_the_key_attributes() -> None:
    """All key attributes stand on a span at its start, where samplers look."""
    seen: dict[str, Attributes] = {}

    class Look(CountingSampler):
        def should_sample(self, *args: Any, **kwargs: Any) -> SamplingResult:  # noqa: ANN401 - the SDK's
            seen[args[2]] = args[4]
            return super().should_sample(*args, **kwargs)

    recording = Recording(sampler=Look())
    build_chain("a").invoke({}, recording.config("t1"))
    shown = seen["invoke_workflow chain"]
    assert shown is not None
    assert {sc.GRAPH, sc.RUN_ID, sc.THREAD_ID, sc.RESUMED, sc.INPUT_TYPE, sc.OPERATION_NAME} <= shown.keys()


def test_failing_exporter_and_processor_do_not_reach_the_agent(caplog: pytest.LogCaptureFixture) -> None:
    """A span processor that raises when a span starts or ends costs spans, never the run."""

    class Broken:
        def on_start(self, span: object, parent_context: object = None) -> None:
            raise RuntimeError(span, parent_context)

        def _on_ending(self, span: object) -> None:
            """Do nothing."""

        def on_end(self, span: object) -> None:
            raise RuntimeError(span)

        def shutdown(self) -> None:
            """Do nothing."""

        def force_flush(self, timeout_millis: int = 0) -> bool:
            return bool(timeout_millis) or True

    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(Broken())  # type: ignore[arg-type]  # as good as any processor
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    assert build_chain("a").invoke({}, {"callbacks": [handler]}) == {"nodes": ["a"]}
    assert handler.counters["callback_errors"] > 0
    assert handler.open_count == 0
    assert [record.name for record in caplog.records] == ["otel_traj"]


def test_wrong_options_are_refused() -> None:
    """Options that can't be meant are refused when the handler is made."""
    with pytest.raises(TrajectoryTypeError, match="content"):
        TrajectoryCallbackHandler(content="yes")  # type: ignore[arg-type]  # what is refused
    with pytest.raises(TrajectoryTypeError, match="metadata_keys"):
        TrajectoryCallbackHandler(metadata_keys="case")
    with pytest.raises(TrajectoryValueError, match="max_open"):
        TrajectoryCallbackHandler(max_open=0)


def test_handler_is_inline_and_never_raises_by_choice() -> None:
    """The two flags by which LangChain decides where and how a handler runs."""
    handler = TrajectoryCallbackHandler()
    assert handler.run_inline is True
    assert handler.raise_error is False
    assert not has_error([])
