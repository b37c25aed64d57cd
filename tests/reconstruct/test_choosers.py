"""A tool call leads back to the model call that chose it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj import read_runs
from otel_traj import semconv as sc
from tests.spans import RecordedRun

if TYPE_CHECKING:
    from otel_traj import Run


def choose(run: RecordedRun, task: str, *ids: str) -> str:
    """Add a model call that chose tool calls with these ids; return its span id."""
    run.call(
        sc.CHAT,
        "m",
        task,
        model_tool_call_count=len(ids),
        model_tool_calls=["search"] * len(ids),
        model_tool_call_ids=list(ids),
    )
    return run.below[-1].span_id


def use(run: RecordedRun, task: str, call_id: str) -> None:
    """Add a tool call with this id."""
    run.call(sc.EXECUTE_TOOL, "search", task, tool_call_id=call_id)


def rebuild(run: RecordedRun, *below: RecordedRun) -> Run:
    """Return the run that its spans make."""
    [rebuilt] = read_runs(run.spans(below=below))
    return rebuilt


def test_a_tool_call_names_the_model_call_with_its_id() -> None:
    """The id of a tool call is looked for in all model calls of the run; no model call, None."""
    run = RecordedRun("r")
    one, two = run.task("one", 1), run.task("two", 1)
    tools = run.task("tools", 2)
    first, second = choose(run, one, "a", "b"), choose(run, two, "c")
    for call_id in ("a", "b", "c", "nobody's"):
        use(run, tools, call_id)
    run.call(sc.EXECUTE_TOOL, "search", tools)
    assert [call.model_call for call in rebuild(run).tool_calls] == [first, first, second, None, None]


def test_of_equal_ids_the_last_before_the_tool_counts_by_superstep() -> None:
    """A script gives the same ids each turn: the superstep decides, also where the clocks disagree."""
    run = RecordedRun("r")
    tasks = [run.task(node, number) for number, node in enumerate(("model", "tools") * 3, 1)]
    # Written in another order than they ran: their starts tell the opposite.
    chosen = {number: choose(run, tasks[number], "same") for number in (4, 0, 2)}
    for number in (5, 3, 1):
        use(run, tasks[number], "same")
    rebuilt = rebuild(run)
    assert [call.superstep for call in rebuilt.tool_calls] == [2, 4, 6]
    assert [call.model_call for call in rebuilt.tool_calls] == [chosen[0], chosen[2], chosen[4]]


def test_of_equal_ids_in_one_task_the_last_that_had_started_counts() -> None:
    """A node that loops over model and tool itself is told by time."""
    run = RecordedRun("r")
    agent = run.task("agent", 1)
    chosen = []
    for _ in range(3):
        chosen.append(choose(run, agent, "same"))
        run.clock += 10
        use(run, agent, "same")
        run.clock += 10
    assert [call.model_call for call in rebuild(run).tool_calls] == chosen


def test_a_subgraph_may_run_what_its_caller_chose() -> None:
    """Model call and tool call stand in different graph runs of one run, either way round."""
    outer = RecordedRun("outer")
    model = outer.task("model", 1)
    chosen = choose(outer, model, "down")
    sub = outer.task("sub", 2)
    inner = RecordedRun("inner", parent=outer, parent_task=sub, start=2_000)
    inner_task = inner.task("x", 1)
    use(inner, inner_task, "down")
    chosen_inside = choose(inner, inner_task, "up")
    outer.clock = 3_000
    use(outer, outer.task("tools", 3), "up")
    rebuilt = rebuild(outer, inner)
    assert [call.model_call for call in rebuilt.tool_calls] == [chosen, chosen_inside]
    assert [call.model_call for call in rebuilt.children[0].tool_calls] == [chosen]


def test_a_resumed_tool_call_was_chosen_before_the_pause() -> None:
    """The call that asks and the one that goes on, in another invocation, name the same model call."""
    first = RecordedRun("one", thread="t", outcome="interrupted")
    chosen = choose(first, first.task("model", 1), "a")
    use(first, first.task("tools", 2, id="paused", interrupted=True), "a")
    second = RecordedRun("two", thread="t", resumed=True, start=9_000, previous=first)
    use(second, second.task("tools", 2, id="paused"), "a")
    [run] = read_runs(first.spans() + second.spans())
    assert [call.model_call for call in run.tool_calls] == [chosen, chosen]
