"""What becomes of graph runs: their spans, what these say, and which lie below which."""

from __future__ import annotations

import hashlib
import json
import logging
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from langchain_core.runnables import RunnableLambda
from langgraph.errors import EmptyInputError
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanLimits

import otel_traj
from otel_traj import semconv as sc
from tests.missing_api import needs
from tests.record.graphs import State, build_chain
from tests.record.recording import Recording, get_parent_id, has_error, read, read_steps

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig


def test_sequential_run_is_one_graph_span_over_its_task_spans(recording: Recording) -> None:
    """A run of two nodes is an `invoke_workflow` span with one `invoke_node` span per node below it."""
    build_chain("a", "b", graph_name="two").invoke({}, recording.config("t1"))
    assert [span.name for span in recording.spans] == [
        "invoke_workflow two",
        "invoke_node a",
        "invoke_node b",
    ]
    assert [recording.name_parent(name) for name in ("invoke_node a", "invoke_node b")] == [
        "invoke_workflow two"
    ] * 2
    assert {span.kind for span in recording.spans} == {trace.SpanKind.INTERNAL}
    assert not has_error(recording.spans)


def test_spans_carry_our_scope_and_version(recording: Recording) -> None:
    """The instrumentation scope is `otel_traj` with the package's version."""
    build_chain("a").invoke({}, recording.config())
    scopes = {span.instrumentation_scope for span in recording.spans}
    assert {(each.name, each.version) for each in scopes if each} == {("otel_traj", otel_traj.__version__)}


def test_graph_run_attributes(recording: Recording) -> None:
    """A graph-run span says graph, run, thread, case, tags and input type, and its manifest at the end."""
    graph = build_chain("a", "b", graph_name="two")
    graph.invoke({}, recording.config("t1", metadata={"case": "short", "secret": "x"}, tags=["nightly"]))
    shown = read(recording.get("invoke_workflow two"))
    run_id = shown.pop(sc.RUN_ID)
    assert len(run_id) == 36
    assert run_id.count("-") == 4
    assert shown == {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": "two",
        "gen_ai.conversation.id": "t1",
        "langgraph.graph": "two",
        "langgraph.thread_id": "t1",
        "langgraph.resumed": False,
        "langgraph.input_type": "dict",
        "langgraph.tags": ("nightly",),
        "langgraph.metadata.case": "short",
        "otel_traj.case": "short",
        "otel_traj.outcome": "ok",
        "otel_traj.task_count": 2,
        "otel_traj.task_span_count": 2,
        "otel_traj.span_count": 2,
        "otel_traj.steps": '[["a"],["b"]]',
        "otel_traj.steps_sha256": hashlib.sha256(b'[["a"],["b"]]').hexdigest(),
        "otel_traj.interrupted_count": 0,
        "otel_traj.schema": 1,
    }


def test_call_from_a_checkpoint_names_it(recording: Recording) -> None:
    """The graph-run span of a call whose config names a checkpoint says which; a subgraph's, and other calls', do not."""
    inner = build_chain("i", graph_name="inner")

    def call(state: State) -> State:
        inner.invoke(state)
        return {}

    graph = build_chain("a", "b", saved=True, b=call)
    graph.invoke({}, recording.config("t1"))
    thread: RunnableConfig = {"configurable": {"thread_id": "t1"}}
    before = next(each.config for each in graph.get_state_history(thread) if each.next == ("b",))
    graph.invoke(None, {**before, "callbacks": [recording.handler]})
    named = [read(run).get(sc.CHECKPOINT_ID) for run in recording.roots]
    assert named == [None, before["configurable"]["checkpoint_id"]]
    inner_runs = [run for run in recording.graph_runs if run not in recording.roots]
    assert inner_runs
    assert all(sc.CHECKPOINT_ID not in read(run) for run in inner_runs)


def test_subgraph_run_is_revealed_under_its_true_start(recording: Recording) -> None:
    """A subgraph run has a graph-run span between the calling task and its own tasks, begun before them."""
    inner = build_chain("s1", "s2", graph_name="inner")
    build_chain("a", "sub", graph_name="outer", sub=inner).invoke({}, recording.config("t1"))
    run, outer = recording.get("invoke_workflow inner"), recording.get("invoke_workflow outer")
    assert recording.name_parent("invoke_workflow inner") == "invoke_node sub"
    assert recording.name_parent("invoke_node s2") == "invoke_workflow inner"
    first = recording.get("invoke_node s1")
    calling = recording.get("invoke_node sub")
    assert (calling.start_time or 0) <= (run.start_time or 0) <= (first.start_time or 0)
    assert read(run)[sc.PARENT_RUN_ID] == read(outer)[sc.RUN_ID]
    assert read(run)[sc.PARENT_TASK_ID] == read(calling)[sc.TASK_ID]
    assert read(first)[sc.RUN_ID] == read(run)[sc.RUN_ID] != read(outer)[sc.RUN_ID]
    assert read_steps(run) == [["s1"], ["s2"]]
    assert read_steps(outer) == [["a"], ["sub"]]
    assert read(outer)[sc.SPAN_COUNT] == 5


def test_subgraph_called_twice_in_a_node_is_two_runs(recording: Recording) -> None:
    """Two calls of one subgraph inside a node function are two graph runs below that node's task."""
    inner = build_chain("s1", graph_name="inner")

    def call(state: State) -> State:
        inner.invoke(state)
        return inner.invoke(state)  # type: ignore[return-value]  # a graph returns its state as a dict

    build_chain("call", call=call).invoke({}, recording.config())
    runs = recording.list_named("invoke_workflow inner")
    assert len({read(run)[sc.RUN_ID] for run in runs}) == 2
    assert {get_parent_id(run) for run in runs} == {recording.get("invoke_node call").context.span_id}


def test_graph_in_a_chain_is_a_top_level_run(recording: Recording) -> None:
    """A graph behind another runnable has its graph-run span, and the chain around it none."""
    chain = RunnableLambda(lambda value: value) | build_chain("a", graph_name="inner")
    chain.invoke({}, recording.config("t1"))
    assert [span.name for span in recording.spans] == ["invoke_workflow inner", "invoke_node a"]
    assert recording.is_empty()


def test_root_that_fails_before_any_task_is_recorded(recording: Recording) -> None:
    """An input that LangGraph refuses leaves a graph-run span of no tasks, with its error."""
    with pytest.raises(EmptyInputError):
        build_chain("a", saved=True).invoke(None, recording.config("t1"))
    (root,) = recording.spans
    assert read(root)[sc.OUTCOME] == "error"
    assert read(root)[sc.ERROR_TYPE] == "EmptyInputError"
    assert read(root)[sc.TASK_COUNT] == 0
    assert read_steps(root) == []


def test_long_trajectory_leaves_only_its_digest(recording: Recording) -> None:
    """A trajectory of more than 1,500 bytes is written as its digest alone."""
    names = [f"a_node_with_a_long_name_{number:03}" for number in range(60)]
    build_chain(*names).invoke({}, recording.config(recursion_limit=100))
    shown = read(recording.roots[0])
    encoded = json.dumps([[name] for name in names], separators=(",", ":"), ensure_ascii=False)
    assert sc.STEPS not in shown
    assert shown[sc.STEPS_SHA256] == hashlib.sha256(encoded.encode()).hexdigest()


def test_t62_thread_is_found_under_any_of_its_names(recording: Recording) -> None:
    """`thread_id` in the config, else metadata `session_id`, else `conversation_id`, is the thread."""
    graph = build_chain("a")
    graph.invoke({}, recording.config("t1", metadata={"session_id": "s"}))
    graph.invoke({}, recording.config(metadata={"session_id": "s", "conversation_id": "c"}))
    graph.invoke({}, recording.config(metadata={"conversation_id": "c"}))
    graph.invoke({}, recording.config())
    threads = [(read(root).get(sc.THREAD_ID), read(root).get(sc.CONVERSATION_ID)) for root in recording.roots]
    assert threads == [("t1", "t1"), ("s", "s"), ("c", "c"), (None, None)]


def test_t48_metadata_of_any_kind_is_written_or_left_out_in_silence() -> None:
    """None is left out, a dict and a mixed list are JSON, and nobody warns of an invalid attribute."""
    recording = Recording(metadata_keys=("temp", "d", "mixed", "n", "ok", "absent"))
    metadata = {"temp": None, "d": {"a": 1}, "mixed": [1, "a"], "n": 2, "ok": True, "case": 7}
    build_chain("a").invoke({}, recording.config(metadata=metadata))
    shown = {
        key.removeprefix(sc.METADATA_PREFIX): value
        for key, value in read(recording.roots[0]).items()
        if key.startswith(sc.METADATA_PREFIX)
    }
    assert shown == {"d": '{"a":1}', "mixed": '[1,"a"]', "n": 2, "ok": True}
    assert read(recording.roots[0])[sc.CASE] == "7"


def test_only_allowed_metadata_is_written(recording: Recording) -> None:
    """Metadata that no one allowed is nowhere."""
    build_chain("a").invoke({}, recording.config(metadata={"customer": "planted"}))
    assert "planted" not in repr([read(span) for span in recording.spans])


@needs("agent spans")
def test_agents_of_create_agent_are_agents_and_their_callers_are_not() -> None:
    """A graph that `create_agent` built is `invoke_agent`, a graph around or inside it `invoke_workflow`."""
    recording = Recording()
    inner = build_chain("s1", graph_name="looked up")

    def look_up(city: str) -> str:
        """Look a city up."""
        inner.invoke({})
        return city

    agent = import_module("langchain.agents").create_agent(
        _scripted_caller("look_up", {"city": "Rome"}), [look_up], name="guide"
    )
    build_chain(
        "sub", graph_name="outer", sub=lambda _: {"value": agent.invoke({"messages": ["hi"]})}
    ).invoke({}, recording.config())
    assert sorted(span.name for span in recording.graph_runs) == [
        "invoke_agent guide",
        "invoke_workflow looked up",
        "invoke_workflow outer",
    ]
    shown = read(recording.get("invoke_agent guide"))
    assert shown["gen_ai.agent.name"] == "guide"
    assert shown["gen_ai.operation.name"] == "invoke_agent"
    assert "gen_ai.workflow.name" not in shown


def _scripted_caller(tool: str, args: dict[str, str]) -> object:
    from langchain_core.messages import AIMessage

    from otel_traj.record.scripted_chat import ScriptedChat

    call = AIMessage("", tool_calls=[{"name": tool, "args": args, "id": "call-1"}])
    return ScriptedChat(turns=[call, AIMessage("done")])


def test_key_attributes_survive_the_limit_of_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node that floods its span with attributes pushes none of ours out, down to a limit of 40."""
    recording = Recording(limits=SpanLimits(max_span_attributes=40))

    def flood(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        span = trace.get_current_span()
        span.set_attributes({f"mine.{number}": number for number in range(39)})
        return {"nodes": ["flood"]}

    plain = Recording()
    build_chain("flood").invoke({}, plain.config("t1"))
    monkeypatch.setattr(logging.getLogger("opentelemetry.attributes"), "disabled", True)
    build_chain("flood", flood=flood).invoke({}, recording.config("t1"))
    shown = read(recording.get("invoke_node flood"))
    assert len(shown) == 40
    assert read(plain.get("invoke_node flood")).keys() <= shown.keys()


def test_cut_values_do_not_harm_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit on the length of values the SDK cuts them, and everything else goes on."""
    recording = Recording(limits=SpanLimits(max_span_attribute_length=8))
    monkeypatch.setattr(logging.getLogger("opentelemetry.attributes"), "disabled", True)
    build_chain("a").invoke({}, recording.config("a thread of a long name"))
    assert read(recording.get("invoke_workflow chain"))[sc.THREAD_ID] == "a thread"
    assert recording.handler.counters["callback_errors"] == 0


def test_names_without_a_utf8_form_are_escaped(recording: Recording) -> None:
    """A lone surrogate in a graph's name or thread is escaped: it would cost the exporter a whole batch."""
    build_chain("a", graph_name="g\udc80").invoke({}, recording.config("t\udc80"))
    assert [span.name for span in recording.spans] == ["invoke_workflow g\\udc80", "invoke_node a"]
    assert read(recording.tasks[0])[sc.THREAD_ID] == "t\\udc80"
