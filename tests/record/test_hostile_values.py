"""Values whose own methods raise: a span loses what they would have said, the trajectory loses nothing."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from opentelemetry import trace

from otel_traj import read_runs
from otel_traj import semconv as sc
from tests.record.events import start_root, start_task
from tests.record.graphs import State, build_chain
from tests.record.recording import Recording, read, read_steps


class Hostile:
    """Raises from every method, and whenever an attribute is asked for that it does not have."""

    def _raise(self, *args: object) -> Any:  # noqa: ANN401 - it never returns
        raise RuntimeError("planted", len(args))

    __repr__ = __str__ = __eq__ = __bool__ = __len__ = __iter__ = __getattr__ = _raise
    __hash__ = _raise


class MuteError(Exception):
    """An exception that can't say a word."""

    def __str__(self) -> str:
        raise RuntimeError("planted")

    __repr__ = __str__


class Column:
    """A column of a data frame: comparing it gives no bool."""

    def __eq__(self, other: object) -> Column:  # type: ignore[override]  # as data frames do
        return self

    __hash__ = None  # type: ignore[assignment]  # as data frames do

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")


class Frame:
    """A data frame with a column named `status`."""

    status = tool_call_id = content = Column()


@pytest.mark.parametrize("content", [False, True])
def test_exception_that_can_not_be_read_costs_no_manifest(content: bool) -> None:
    """The node and the run are ERROR with the exception's type, and the run is complete."""

    def fail(state: State) -> State:
        raise MuteError(state)

    recording = Recording(content=content)
    graph = build_chain("a", "fail", fail=fail)
    with pytest.raises(MuteError):
        graph.invoke({}, recording.config())
    (run,) = read_runs(recording.spans)
    assert (run.complete, run.verified, run.status) == (True, True, "error")
    for name in ("invoke_node fail", "invoke_workflow chain"):
        assert read(recording.get(name))[sc.ERROR_TYPE] == "MuteError"
        assert recording.get(name).status.status_code is trace.StatusCode.ERROR
        assert [event.name for event in recording.get(name).events] == ["exception"]
    assert recording.handler.counters["callback_errors"] == 0


@pytest.mark.parametrize("content", [False, True])
@pytest.mark.parametrize("output", [Frame(), Hostile()], ids=["data frame", "hostile"])
def test_tool_that_returns_anything_at_all_has_its_span(content: bool, output: object) -> None:
    """A data frame with a `status` column, and a value that raises from everything, are results as others are."""
    recording = Recording(content=content)
    lookup = StructuredTool.from_function(lambda: output, name="lookup", description="looks up")

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        assert lookup.invoke({}) is output
        with recording.tracer.start_as_current_span("after"):
            return {"nodes": ["call"]}

    build_chain("call", call=call).invoke({}, recording.config())
    assert recording.name_parent("execute_tool lookup") == "invoke_node call"
    assert sc.ERROR_TYPE not in read(recording.get("execute_tool lookup"))
    assert recording.name_parent("after") == "invoke_node call"
    assert recording.handler.counters["callback_errors"] == 0
    assert recording.is_empty()


@pytest.mark.parametrize("content", [False, True])
def test_end_that_fails_on_our_side_ends_the_span_all_the_same(content: bool) -> None:
    """An answer, a result and documents that raise leave no open span and nothing current behind."""
    recording = Recording(content=content)
    task = start_task(recording, root := start_root(recording))
    handler = recording.handler
    before = trace.get_current_span()
    handler.on_chat_model_start({}, [[]], run_id=(model := uuid.uuid4()), parent_run_id=task)
    handler.on_llm_end(Hostile(), run_id=model)
    handler.on_tool_start({"name": "t"}, "", run_id=(tool := uuid.uuid4()), parent_run_id=task)
    handler.on_tool_end(Hostile(), run_id=tool)
    handler.on_retriever_start({}, "", run_id=(retriever := uuid.uuid4()), parent_run_id=task)
    handler.on_retriever_end(Hostile(), run_id=retriever)
    assert trace.get_current_span() is before
    handler.on_chain_end(Hostile(), run_id=task)
    handler.on_chain_end(Hostile(), run_id=root)
    assert len(recording.spans) == 5
    assert read(recording.roots[0])[sc.SPAN_COUNT] == 4
    assert recording.is_empty()


@pytest.mark.parametrize("key", ["thread_id", "session_id", "case", "kept", "ls_integration"])
def test_metadata_that_can_not_be_read_is_its_type(key: str) -> None:
    """Whatever stands in the config's metadata, the run is whole."""
    recording = Recording(metadata_keys=("kept",))
    build_chain("a").invoke({}, recording.config(metadata={key: Hostile()}))
    (root,) = recording.roots
    assert read_steps(root) == [["a"]]
    assert recording.handler.counters["callback_errors"] == 0
    if key in ("thread_id", "session_id"):
        assert read(root)[sc.THREAD_ID] == f"<{__name__}.Hostile>"


def test_tags_that_are_no_text_are_left_out(recording: Recording) -> None:
    """The other tags are there."""
    build_chain("a").invoke({}, recording.config(tags=["kept", 5, None]))
    (root,) = recording.roots
    assert read(root)[sc.TAGS] == ("kept",)
    assert read_steps(root) == [["a"]]


@pytest.mark.parametrize("content", [False, True])
def test_listener_is_told_when_the_span_could_not_be_ended(content: bool) -> None:
    """`on_run_end` is called even where a span processor raises at the end of the graph-run span."""
    ends: list[str] = []
    recording = Recording(content=content, on_run_end=lambda end: ends.append(end.outcome))

    class Broken:
        def on_start(self, span: object, parent_context: object = None) -> None:
            """Do nothing."""

        def _on_ending(self, span: object) -> None:
            """Do nothing."""

        def on_end(self, span: object) -> None:
            raise RuntimeError(span)

    recording.provider.add_span_processor(Broken())  # type: ignore[arg-type]  # as good as any processor
    build_chain("a").invoke({}, recording.config())
    assert ends == ["ok"]
