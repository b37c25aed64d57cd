"""Parts to runs: markers, joined invocations, subgraph runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from otel_traj import read_runs
from otel_traj import semconv as sc
from tests.spans import RecordedRun, make_uuid

if TYPE_CHECKING:
    from otel_traj import Run
    from otel_traj.model import Span


def rebuild(spans: list[Span]) -> list[Run]:
    """Return the runs that spans make."""
    return list(read_runs(spans))


def test_a_run_begun_by_input_starts_with_the_start_marker() -> None:
    """A run begun by input starts with ["__start__"], and its supersteps follow in ascending order."""
    run = RecordedRun("r")
    run.task("b", 2)
    run.task("a", 1)
    [rebuilt] = rebuild(run.spans())
    assert rebuilt.steps == [["__start__"], ["a"], ["b"]]
    assert (rebuilt.complete, rebuilt.verified, rebuilt.problems) == (True, True, [])


def test_siblings_stand_by_fan_out_index_then_by_name() -> None:
    """Inside a superstep fan-out tasks come first, by index, then the rest by name."""
    run = RecordedRun("r")
    for node, push in (("zz", None), ("w", 10), ("aa", None), ("w", 2), ("b", 0)):
        run.task(node, 1, push=push)
    [rebuilt] = rebuild(run.spans())
    assert rebuilt.steps == [["__start__"], ["b", "w", "w", "aa", "zz"]]
    assert [task.push_index for task in rebuilt.tasks] == [0, 2, 10, None, None]


def test_node_order_is_the_order_that_the_graph_declares() -> None:
    """With node_order, names stand as the graph declares them; unknown ones come last, by name."""
    run = RecordedRun("r")
    for node in ("a", "b", "c", "d"):
        run.task(node, 1)
    [rebuilt] = read_runs(run.spans(), node_order=["c", "b"])
    assert rebuilt.steps[1] == ["c", "b", "a", "d"]
    assert rebuilt.complete


def test_a_traced_start_task_is_not_listed_twice() -> None:
    """A conditional entry point has a `__start__` task of its own: the marker is not added to it."""
    run = RecordedRun("r")
    run.task("__start__", 0)
    run.task("n1", 1)
    [rebuilt] = rebuild(run.spans())
    assert rebuilt.steps == [["__start__"], ["n1"]]
    assert rebuilt.verified


def test_an_entrypoint_of_the_functional_api_has_no_start_marker() -> None:
    """The functional API's entrypoint is triggered by `__start__` itself; no marker stands before it."""
    run = RecordedRun("r")
    run.task("flow", 0, triggers=["__start__"])
    [rebuilt] = rebuild(run.spans())
    assert rebuilt.steps == [["flow"]]


def test_attempts_of_a_task_are_one_task() -> None:
    """Three attempts give one entry; the last attempt decides the status."""
    run = RecordedRun("r")
    run.task("flaky", 1, id="t", attempt=1, outcome="error", error_type="ValueError")
    run.task("flaky", 1, id="t", attempt=2, outcome="error", error_type="ValueError")
    run.task("flaky", 1, id="t", attempt=3)
    [rebuilt] = rebuild(run.spans())
    assert rebuilt.steps == [["__start__"], ["flaky"]]
    [task] = rebuilt.tasks
    assert (task.attempts, task.status, len(task.span_ids)) == (3, "ok", 3)
    assert rebuilt.verified


def interrupted_and_resumed() -> tuple[RecordedRun, RecordedRun]:
    """Return two calls: one interrupted at `ask`, one that resumes it."""
    first = RecordedRun("one", thread="t", outcome="interrupted")
    first.task("a", 1)
    first.task("ask", 2, id="ask", interrupted=True)
    second = RecordedRun("two", thread="t", start=9_000, resumed=True, previous=first)
    second.task("ask", 2, id="ask")
    second.task("b", 3)
    return first, second


def test_an_interrupted_run_ends_with_the_marker() -> None:
    """An interrupted superstep is followed by ["__interrupt__"], and the run's status says so."""
    first, _ = interrupted_and_resumed()
    [run] = rebuild(first.spans())
    assert run.steps == [["__start__"], ["a"], ["ask"], ["__interrupt__"]]
    assert run.status == "interrupted"
    assert run.complete


def test_a_resumed_invocation_belongs_to_its_run() -> None:
    """Interrupt and resume are one run: the resumed superstep stands once, the marker stays, ids stay whole."""
    first, second = interrupted_and_resumed()
    [run] = rebuild([*second.spans(), *first.spans()])
    assert run.steps == [["__start__"], ["a"], ["ask"], ["__interrupt__"], ["b"]]
    assert run.step_task_ids == [
        [],
        [make_uuid("one.a.1.None")],
        [make_uuid("ask")],
        [],
        [make_uuid("two.b.3.None")],
    ]
    assert [part.steps for part in run.invocations] == [[["a"], ["ask"]], [["ask"], ["b"]]]
    assert [part.supersteps for part in run.invocations] == [[1, 2], [2, 3]]
    assert run.trace_ids == (first.trace_id, second.trace_id)
    assert (run.run_id, run.status, run.verified) == (first.run_id, "ok", True)
    ask = run.tasks[1]
    assert (ask.interrupted, ask.status, ask.attempts) == (True, "ok", 2)


def test_new_input_while_interrupted_is_a_new_run() -> None:
    """New input instead of a resume leaves the interrupted run as it is and begins another."""
    first, _ = interrupted_and_resumed()
    second = RecordedRun("two", thread="t", start=9_000)
    second.task("a", 5)
    assert [run.steps for run in rebuild(first.spans() + second.spans())] == [
        [["__start__"], ["a"], ["ask"], ["__interrupt__"]],
        [["__start__"], ["a"]],
    ]


def test_time_travel_appends_to_the_last_run() -> None:
    """A resume from an earlier checkpoint shares no task: its supersteps are appended, not merged."""
    first = RecordedRun("one", thread="t")
    for number, node in enumerate("abc", 1):
        first.task(node, number)
    again = RecordedRun("two", thread="t", start=9_000, resumed=True, previous=first)
    again.task("b", 2)
    again.task("c", 3)
    [run] = rebuild(first.spans() + again.spans())
    assert run.steps == [["__start__"], ["a"], ["b"], ["c"], ["b"], ["c"]]
    assert run.complete


def test_a_subgraph_run_is_a_child_with_supersteps_of_its_own() -> None:
    """A subgraph's tasks never mix with the outer ones, whatever their superstep numbers and names."""
    outer = RecordedRun("outer")
    caller = outer.task("agent", 1)
    inner = RecordedRun("inner", graph="sub", parent=outer, parent_task=caller)
    inner.task("agent", 1)
    inner.task("tools", 2)
    outer.task("end", 2)
    [run] = rebuild(outer.spans(below=[inner]))
    assert run.steps == [["__start__"], ["agent"], ["end"]]
    [child] = run.children
    assert child.steps == [["__start__"], ["agent"], ["tools"]]
    assert (child.graph, child.parent_task_id) == ("sub", make_uuid(caller))
    assert run.verified
    assert child.verified


def test_a_subgraph_resumed_with_its_caller_is_one_child() -> None:
    """The two halves of a subgraph run, interrupted and resumed with the run that called it, are one child."""
    first = RecordedRun("one", thread="t", outcome="interrupted")
    first.task("sg", 1, id="sg", interrupted=True)
    inner = RecordedRun("inner-one", graph="sub", parent=first, parent_task="sg", outcome="interrupted")
    inner.task("ask", 1, id="inner-ask", interrupted=True)
    second = RecordedRun("two", thread="t", start=9_000, resumed=True, previous=first)
    second.task("sg", 1, id="sg")
    resumed = RecordedRun("inner-two", graph="sub", parent=second, parent_task="sg", resumed=True)
    resumed.task("ask", 1, id="inner-ask")
    resumed.task("done", 2)
    [run] = rebuild(first.spans(below=[inner]) + second.spans(below=[resumed]))
    assert run.steps == [["__start__"], ["sg"], ["__interrupt__"]]
    assert [child.steps for child in run.children] == [[["__start__"], ["ask"], ["__interrupt__"], ["done"]]]


def test_a_run_of_another_service_below_a_remote_parent_is_a_run() -> None:
    """A graph-run span whose parent span is not here (a remote caller's) is the root of a run of its own."""
    remote = RecordedRun("remote", service="other")
    remote.task("a", 1)
    remote.parent_task_span = "1234567890abcdef"
    [run] = rebuild(remote.spans())
    assert (run.complete, run.service) == (True, "other")


@pytest.mark.parametrize("lost", [None, "outer root", "remote root", "calling task", "remote task"])
def test_a_run_that_a_node_of_another_service_called_is_a_run_of_its_own(lost: str | None) -> None:
    """One trace, two services: the called graph's run stands beside its caller's, and what one lost harms one."""
    outer = RecordedRun("outer", service="a", thread="t")
    outer.task("call", 1, id="call")
    remote = RecordedRun("remote", service="b", trace="outer")
    remote.task("s", 1)
    remote.parent_task_span = outer.below[0].span_id
    parts = {
        "outer root": outer.root(),
        "remote root": remote.root(),
        "calling task": outer.below[0],
        "remote task": remote.below[0],
    }
    runs = rebuild([span for name, span in parts.items() if name != lost])
    harmed = {"outer root": "a", "calling task": "a", "remote root": "b", "remote task": "b"}
    assert {run.service for run in runs} == {"a", "b"}
    assert [run.children for run in runs] == [[], []]
    assert {run.service for run in runs if not run.complete} == ({harmed[lost]} if lost else set())


def test_runs_stand_by_their_start_unless_unordered() -> None:
    """Runs stand by their start, whatever the order of arrival."""
    runs = [RecordedRun(name, start=start) for name, start in (("x", 300), ("y", 100), ("z", 200))]
    for run in runs:
        run.task("a", 1)
    spans = [span for run in runs for span in run.spans()]
    assert [run.started_ns for run in rebuild(spans)] == [100, 200, 300]
    assert len(list(read_runs(spans, unordered=True))) == len(runs)


def test_a_run_that_failed_before_any_task_has_no_steps() -> None:
    """A root that failed before any node (an empty input) is a run of status error without steps."""
    [run] = rebuild(RecordedRun("r", outcome="error").spans(error_type="EmptyInputError"))
    assert (run.status, run.steps, run.error_type) == ("error", [], "EmptyInputError")
    assert run.complete


def test_the_same_run_id_in_one_trace_does_not_mix_runs() -> None:
    """A caller may give the same run id to two runs of one trace: the parent spans tell them apart."""
    one = RecordedRun("same", trace="trace")
    one.task("a", 1)
    two = RecordedRun("same", trace="trace", start=9_000)
    two.span_id = "00000000000000ff"
    two.task("b", 1)
    assert [run.steps for run in rebuild(one.spans() + two.spans())] == [
        [["__start__"], ["a"]],
        [["__start__"], ["b"]],
    ]


def test_calls_stand_with_their_task_and_tokens_add_up_once() -> None:
    """Model and tool calls carry superstep and node, follow their tasks, and tokens count each call once."""
    outer = RecordedRun("outer")
    model = outer.task("model", 1)
    tools = outer.task("tools", 2)
    outer.call(sc.EXECUTE_TOOL, "search", tools, tool_call_id="c1", tool_call_arguments='{"q": 1}')
    outer.call(sc.CHAT, "m", model, usage_input_tokens=7, usage_output_tokens=3)
    inner = RecordedRun("inner", graph="sub", parent=outer, parent_task=model, start=2_000)
    inner.call(sc.CHAT, "small", inner.task("x", 1), usage_input_tokens=5)
    [run] = rebuild(outer.spans(below=[inner]))
    assert [(call.model, call.superstep, call.node) for call in run.model_calls] == [
        ("m", 1, "model"),
        ("small", 1, "x"),
    ]
    [tool] = run.tool_calls
    assert (tool.name, tool.id, tool.args, tool.superstep) == ("search", "c1", {"q": 1}, 2)
    assert (run.usage["input_tokens"], run.usage["output_tokens"]) == (12, 3)
    assert run.usage["reasoning_output_tokens"] is None


def test_content_comes_back_where_it_was_recorded() -> None:
    """Inputs and results are the recorded ones, {} where the run did not end ok, None where nothing was kept."""
    ok = RecordedRun("ok")
    ok.task("a", 1)
    [run] = rebuild(ok.spans(inputs='{"x":1}', results='{"x":2}'))
    assert (run.inputs, run.results) == ({"x": 1}, {"x": 2})
    failed = RecordedRun("failed", outcome="error")
    failed.task("a", 1)
    [run] = rebuild(failed.spans(inputs='{"x":1}'))
    assert run.results == {}
    [run] = rebuild(ok.spans())
    assert (run.inputs, run.results) == (None, None)


def test_times_cover_what_ended_after_the_root() -> None:
    """A child that ends after its root stretches the run's time."""
    run = RecordedRun("r", start=1_000)
    run.task("a", 1)
    spans = run.spans()
    end = spans[0].end_ns
    [rebuilt] = rebuild(spans)
    assert rebuilt.ended_ns == spans[-1].end_ns > end
