from __future__ import annotations

import asyncio
import contextvars
import copy
import gc
import inspect
import logging
import pickle
import uuid
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.language_models import FakeListChatModel
from langchain_core.tracers.context import register_configure_hook
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_traj import ContentPolicy, read_runs
from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.record import JsonLinesSpanExporter, TrajectoryCallbackHandler
from otel_traj.record.entry import Entry
from otel_traj.record.table import MAX_ENDED_ROOTS
from tests.record.events import task_metadata
from tests.record.graphs import State, build_chain
from tests.record.recording import Recording, read_steps

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from langchain_core.callbacks import BaseCallbackHandler


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
    tracer = recording.handler._intake._tracers.get_tracer()
    entries = [each for each in kept if isinstance(each, Entry) and each.tree.tracer is tracer]
    assert len(entries) == MAX_ENDED_ROOTS
    assert all(entry.graph is not None and not entry.graph.tasks for entry in entries)


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
POLICIES = (
    False,
    True,
    ContentPolicy(mask_keys=["a*"], mask_patterns=["[0-9]"], max_bytes=64),
    ContentPolicy(redact=lambda _: None),  # type: ignore[arg-type, misc]  # a redaction that fails
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
    recording = Recording(content=data.draw(st.sampled_from(POLICIES)), inner=data.draw(st.booleans()))
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


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copied_config_records_each_run_once(recording: Recording, copied: Callable[[Any], Any]) -> None:
    """A handler in a copied config, and its copy beside it, is the handler itself."""
    config = copied(recording.config())
    assert copied(recording.handler) is recording.handler
    build_chain("a").invoke({}, config | {"callbacks": [*config["callbacks"], copied(recording.handler)]})
    assert [span.name for span in recording.spans] == ["invoke_workflow chain", "invoke_node a"]
    assert recording.is_empty()


def test_pickled_handler_is_a_new_one_with_the_same_options() -> None:
    """Another process gets a handler of its own; one with a provider can't be sent there, and says why."""
    handler = TrajectoryCallbackHandler(content=True, tools=False, metadata_keys=("a", "b"), max_open=5)
    sent = pickle.loads(pickle.dumps(handler))  # noqa: S301 - our own bytes
    assert sent is not handler
    assert sent._settings == handler._settings
    with pytest.raises(TrajectoryTypeError, match="tracer_provider"):
        pickle.dumps(Recording().handler)


def test_two_runs_at_once_under_one_id_are_not_taken_for_one(recording: Recording) -> None:
    """A config that gives two runs at once the same run id mixes their callbacks; what results is incomplete."""

    async def wait(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        await asyncio.sleep(0.01)
        return {"nodes": ["a"]}

    async def run() -> None:
        graph = build_chain("a", "b", a=wait, b=wait)
        config = recording.config(run_id=uuid.uuid4())
        await asyncio.gather(graph.ainvoke({}, config), graph.ainvoke({}, config))

    asyncio.run(run())
    assert [run.complete for run in read_runs(recording.spans)] == [False]
    assert recording.is_empty()


@pytest.mark.timeout(60)
def test_run_may_end_while_its_thread_holds_every_lock(tmp_path: Path) -> None:
    """The garbage collector closes an abandoned stream wherever it likes, inside the recorder and exporter too."""
    exporter = JsonLinesSpanExporter(tmp_path / "traces.jsonl")
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    chunks = iter(build_chain("a", "b").stream({}, {"callbacks": [handler]}))
    next(chunks)
    with handler._table.lock, handler._counters._lock, handler._tracers._lock, exporter._lock:
        handler.on_chain_end({}, run_id=uuid.uuid4())
        del chunks
        gc.collect()
    assert handler.open_count == 0
    assert handler.counters["unknown_ends"] == 1
    assert len((tmp_path / "traces.jsonl").read_text().splitlines()) == 2


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
