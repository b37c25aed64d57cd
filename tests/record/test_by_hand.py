"""Callbacks in an order that LangGraph itself seldom gives, fed by hand."""

from __future__ import annotations

import uuid
from asyncio import CancelledError

from otel_traj import semconv as sc
from tests.record.events import start_root, start_subgraph, start_task
from tests.record.recording import Recording, get_id, get_parent_id, read, read_steps


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


def start_orphan(recording: Recording) -> tuple[uuid.UUID, list[uuid.UUID]]:
    """Return an open run two levels below the top that goes on though the run between was cancelled, and its callers."""
    root = start_root(recording)
    outer = start_task(recording, root)
    middle = start_subgraph(recording, outer)
    inner = start_task(recording, middle, "b", "id-2")
    deep = start_subgraph(recording, inner, "b", "id-2")
    recording.handler.on_chain_end({}, run_id=start_task(recording, deep, "c", "id-3"))
    recording.handler.on_chain_error(CancelledError(), run_id=middle)
    return deep, [inner, outer, root]


def test_task_of_an_open_run_is_counted_though_a_run_above_it_has_ended(recording: Recording) -> None:
    """Late is only what no manifest can count: a task that starts when the top-level run is open, and its own, is not."""
    deep, callers = start_orphan(recording)
    for run_id in (start_task(recording, deep, "d", "id-4", step=2), deep, *callers):
        recording.handler.on_chain_end({}, run_id=run_id)
    assert sc.LATE not in read(recording.get("invoke_node d"))
    assert read_steps(recording.list_named("invoke_workflow inner")[-1]) == [["c"], ["d"]]
    assert read(recording.get("invoke_workflow by hand"))[sc.SPAN_COUNT] == 6
    assert recording.handler.counters["late_starts"] == 0


def test_task_that_starts_after_the_end_of_its_own_run_is_late(recording: Recording) -> None:
    """A task of a subgraph run that has ended is marked late and counted nowhere, though the top-level run is open."""
    deep, callers = start_orphan(recording)
    recording.handler.on_chain_end({}, run_id=deep)
    for run_id in (start_task(recording, deep, "d", "id-4", step=2), *callers):
        recording.handler.on_chain_end({}, run_id=run_id)
    assert read(recording.get("invoke_node d"))[sc.LATE] is True
    assert read_steps(recording.list_named("invoke_workflow inner")[-1]) == [["c"]]
    assert read(recording.get("invoke_workflow by hand"))[sc.SPAN_COUNT] == 5


def test_task_of_a_subgraph_that_ended_without_one_is_no_task_of_the_run_outside(
    recording: Recording,
) -> None:
    """A subgraph's task that starts after its end is late, though nothing had shown the subgraph to be a graph."""
    root = start_root(recording)
    outer = start_task(recording, root)
    inner = start_subgraph(recording, outer)
    recording.handler.on_chain_error(CancelledError(), run_id=inner)
    for run_id in (start_task(recording, inner, "b", "id-2"), outer, root):
        recording.handler.on_chain_end({}, run_id=run_id)
    run, late = recording.get("invoke_workflow by hand"), read(recording.get("invoke_node b"))
    assert late[sc.LATE] is True
    assert late[sc.RUN_ID] == str(inner)
    assert read_steps(run) == [["a"]]
    assert read(run)[sc.SPAN_COUNT] == 1
    assert recording.is_empty()


def test_task_of_an_unseen_subgraph_is_no_task_of_the_run_outside(recording: Recording) -> None:
    """A task whose own run the handler was never told of lies below what is current, and is not counted there."""
    root = start_root(recording)
    outer = start_task(recording, root)
    unseen = uuid.uuid4()
    for run_id in (start_task(recording, unseen, "b", "id-2"), outer, root):
        recording.handler.on_chain_end({}, run_id=run_id)
    run, span = recording.get("invoke_workflow by hand"), recording.get("invoke_node b")
    assert get_parent_id(span) == get_id(recording.get("invoke_node a"))
    assert read(span)[sc.RUN_ID] == str(unseen)
    assert read_steps(run) == [["a"]]
    assert recording.is_empty()


def test_tool_of_a_run_that_has_ended_is_counted_by_the_top_level_run(recording: Recording) -> None:
    """What is no task is counted by the top-level run alone: it is late when that one has ended, not before."""
    deep, callers = start_orphan(recording)
    recording.handler.on_tool_start(
        {"name": "t"}, "", run_id=(tool := uuid.uuid4()), parent_run_id=callers[0]
    )
    recording.handler.on_tool_end("", run_id=tool)
    for run_id in (deep, *callers):
        recording.handler.on_chain_end({}, run_id=run_id)
    assert sc.LATE not in read(recording.get("execute_tool t"))
    assert read(recording.get("invoke_workflow by hand"))[sc.SPAN_COUNT] == 6


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
        task = start_task(recording, caller := uuid.uuid4())
        recording.handler.on_tool_start({"name": "t"}, "", run_id=(tool := uuid.uuid4()), parent_run_id=task)
        recording.handler.on_tool_end("", run_id=tool)
        recording.handler.on_chain_end({}, run_id=task)
    assert recording.name_parent("invoke_node a") == "pipeline"
    assert recording.name_parent("execute_tool t") == "invoke_node a"
    assert read(recording.get("execute_tool t"))[sc.RUN_ID] == str(caller)
    assert recording.is_empty()


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
