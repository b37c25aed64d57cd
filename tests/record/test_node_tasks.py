"""What becomes of node tasks: their spans, and the supersteps that a run lists."""

from __future__ import annotations

import pytest
from langchain_core.runnables import RunnableLambda
from langgraph.graph import START, StateGraph
from langgraph.types import RetryPolicy, Send

from otel_traj import semconv as sc
from otel_traj.record import samples
from tests.record.graphs import State, build_chain, mark, new_chain
from tests.record.recording import Recording, has_error, read, read_steps


def test_task_attributes(recording: Recording) -> None:
    """A node-task span says node, superstep, task, namespace, path, triggers, run, thread and attempt."""
    graph = build_chain("a", "b", saved=True)
    graph.invoke({}, recording.config("t1"))
    shown = read(recording.get("invoke_node b"))
    history = list(graph.get_state_history({"configurable": {"thread_id": "t1"}}))
    (task,) = next(snapshot.tasks for snapshot in history if snapshot.next == ("b",))
    assert shown == {
        "gen_ai.operation.name": "invoke_node",
        "gen_ai.node.name": "b",
        "langgraph.node": "b",
        "langgraph.step": 2,
        "langgraph.task_id": task.id,
        "langgraph.checkpoint_ns": f"b:{task.id}",
        "langgraph.path": "pull",
        "langgraph.triggers": ("branch:to:b",),
        "langgraph.run_id": read(recording.get("invoke_workflow chain"))[sc.RUN_ID],
        "langgraph.thread_id": "t1",
        "langgraph.attempt": 1,
    }


@pytest.mark.parametrize(
    "overwritten",
    [
        {"langgraph_step": 99},
        {"langgraph_node": "x", "langgraph_path": ("__pregel_push", 4, True), "langgraph_triggers": 1},
        {"langgraph_checkpoint_ns": "x:1"},
        {"langgraph_checkpoint_ns": ""},
        {"langgraph_step": "x", "langgraph_node": None, "langgraph_path": None, "langgraph_checkpoint_ns": 5},
    ],
)
def test_metadata_of_a_node_changes_no_trajectory(
    recording: Recording, overwritten: dict[str, object]
) -> None:
    """Whatever a user's metadata puts over LangGraph's own, each node is a task of its own superstep, once."""
    builder = StateGraph(State)
    for before, name in (("__start__", "a"), ("a", "b"), ("b", "c")):
        builder.add_node(name, mark(name), metadata=overwritten if name < "c" else None)
        builder.add_edge(before, name)
    builder.compile().invoke({}, recording.config())
    assert read_steps(recording.roots[0]) == [["a"], ["b"], ["c"]]
    assert [read(span)[sc.STEP] for span in recording.tasks] == [1, 2, 3]
    assert len({read(span)[sc.TASK_ID] for span in recording.tasks}) == 3
    assert {read(span)[sc.ATTEMPT] for span in recording.tasks} == {1}


def test_copied_metadata_makes_no_task(recording: Recording) -> None:
    """A graph and a runnable inside a node whose config says all that a task's does are no tasks."""
    copied = {"langgraph_step": 1, "langgraph_node": "x", "langgraph_checkpoint_ns": "x:1"}
    inner = RunnableLambda(lambda value: value, name="x")

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        inner.invoke(1, {"metadata": copied, "tags": ["graph:step:1"]})
        return {"nodes": ["call"]}

    graph = build_chain("call", "b", call=call, graph_name="x")
    graph.invoke({}, recording.config(metadata=copied, tags=["graph:step:1"]))
    (root,) = recording.roots
    assert root.name == "invoke_workflow x"
    assert read_steps(root) == [["call"], ["b"]]
    assert len(recording.spans) == 3


def test_parallel_nodes_share_a_superstep() -> None:
    """Nodes that run side by side carry the same number, and the manifest lists them in one superstep."""
    recording = Recording()
    samples.build_seven_nodes().invoke({"shortcut": False, "nodes": []}, recording.config())
    steps = {read(span)[sc.NODE]: read(span)[sc.STEP] for span in recording.tasks}
    assert steps == {"node1": 1, "node3": 2, "node4": 3, "node5": 3, "node6": 4, "node7": 5}
    assert read_steps(recording.roots[0]) == [["node1"], ["node3"], ["node4", "node5"], ["node6"], ["node7"]]


def test_fan_out_tasks_carry_their_index(recording: Recording) -> None:
    """Each task of a `Send` says its index, and the manifest lists them by it, before what edges triggered."""
    builder = new_chain("plan", work=mark("work"))
    builder.add_node("work", mark("work"))
    builder.add_node("aside", mark("aside"))
    builder.add_conditional_edges("plan", lambda _: [Send("work", {}), "aside", Send("work", {})])
    builder.compile().invoke({}, recording.config())
    paths = sorted(read(span)[sc.PATH] for span in recording.list_named("invoke_node work"))
    assert paths == ["push:0", "push:1"]
    assert read(recording.get("invoke_node aside"))[sc.PATH] == "pull"
    assert read_steps(recording.roots[0]) == [["plan"], ["work", "work", "aside"]]


def test_conditional_entry_is_counted_but_not_listed(recording: Recording) -> None:
    """A traced `__start__` has a span and counts as a task; the trajectory does not list it."""
    builder = StateGraph(State)
    builder.add_node("a", mark("a"))
    builder.add_conditional_edges(START, lambda _: "a")
    builder.compile().invoke({}, recording.config())
    (root,) = recording.roots
    assert recording.list_named("invoke_node __start__")
    assert read(root)[sc.TASK_COUNT] == 2
    assert read_steps(root) == [["a"]]


def test_attempts_of_a_task_are_numbered(recording: Recording) -> None:
    """A retried task has one span per attempt, numbered from 1, all of one task id and superstep."""
    attempts = []

    def flaky(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        attempts.append(1)
        if len(attempts) < 3:
            raise ConnectionError("again")
        return {"nodes": ["flaky"]}

    builder = StateGraph(State)
    policy = RetryPolicy(initial_interval=0, jitter=False, max_attempts=3)
    builder.add_node("flaky", flaky, retry_policy=policy)
    builder.add_edge(START, "flaky")
    builder.compile().invoke({}, recording.config())
    spans = recording.list_named("invoke_node flaky")
    assert [read(span)[sc.ATTEMPT] for span in spans] == [1, 2, 3]
    assert len({read(span)[sc.TASK_ID] for span in spans}) == 1
    assert [has_error([span]) for span in spans] == [True, True, False]
    (root,) = recording.roots
    assert (read(root)[sc.TASK_COUNT], read(root)[sc.TASK_SPAN_COUNT]) == (1, 3)
    assert read(root)[sc.OUTCOME] == "ok"


def test_deferred_node_runs_in_a_superstep_of_its_own(recording: Recording) -> None:
    """A deferred node waits for the longer branch and is listed after it."""
    builder = new_chain("a", "b", "b2")
    builder.add_node("c", mark("c"))
    builder.add_node("d", mark("d"), defer=True)
    builder.add_edge("a", "c")
    builder.add_edge(["b2", "c"], "d")
    builder.compile().invoke({}, recording.config())
    assert read_steps(recording.roots[0]) == [["a"], ["b", "c"], ["b2"], ["d"]]
