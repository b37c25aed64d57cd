"""Levels and depth of run records made by hand: each rule by itself."""

from __future__ import annotations

import copy
import pickle
from itertools import count
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from otel_traj.match.levels import CalledTool, is_level_known, list_level
from otel_traj.model import Problem, Run, Task, ToolCall, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otel_traj.match.levels import Level
    from otel_traj.model import AttributeValue, ProblemCode

START = ["__start__"]
INTERRUPT = ["__interrupt__"]
_USAGE: Usage = {
    "input_tokens": None,
    "output_tokens": None,
    "cache_read_input_tokens": None,
    "cache_write_input_tokens": None,
    "reasoning_output_tokens": None,
}
_numbers = count(1)


def make_run(
    steps: Sequence[Sequence[str]],
    *,
    tools: Mapping[str, Sequence[str]] | None = None,
    below: Mapping[str, Sequence[Run]] | None = None,
    attempts: Mapping[str, int] | None = None,
    space: str | None = None,
    problems: Sequence[ProblemCode] = (),
    complete: bool = True,
    started: int | None = None,
) -> Run:
    """Make a run whose tasks have the spans `<node>.<attempt>`.

    Args:
        steps: As in a run, markers included; a node that is listed twice gets what belongs to it at its first place.
        tools: Tool calls by node; `search@2` ran in the second attempt.
        below: Subgraph runs by node.
        attempts: How often a node was tried, if not once.
        space: Namespace of the tasks' checkpoints but for the task itself.
        problems: Codes.
        complete: Whether the record says it is complete.
        started: Start; later than every earlier record's if None.
    """
    run_id = f"run{next(_numbers)}"
    tasks: list[Task] = []
    ids: list[list[str]] = []
    for number, names in enumerate(steps):
        ids.append(
            [] if names in (START, INTERRUPT) else [f"{run_id}.{number}.{i}" for i in range(len(names))]
        )
        for node, task_id in zip(names, ids[-1], strict=False):
            spans = tuple(f"{node}.{attempt}" for attempt in range(1, (attempts or {}).get(node, 1) + 1))
            tasks.append(
                Task(
                    node=node,
                    superstep=number,
                    task_id=task_id,
                    run_id=run_id,
                    checkpoint_ns=f"{space}|{node}:x" if space else f"{node}:x",
                    attempts=len(spans),
                    span_ids=spans,
                )
            )
    first = {task.node: task for task in reversed(tasks)}
    calls = [_make_call(first[node], tool) for node, called in (tools or {}).items() for tool in called]
    children = [
        replace(child, parent_run_id=run_id, parent_task_id=first[node].task_id)
        for node, runs in (below or {}).items()
        for child in runs
    ]
    return Run(
        graph="g",
        run_id=run_id,
        thread_id=None,
        case=None,
        trace_ids=(),
        status="ok",
        steps=[list(names) for names in steps],
        step_task_ids=ids,
        tasks=tasks,
        invocations=[],
        children=children,
        inputs=None,
        results=None,
        started_ns=next(_numbers) if started is None else started,
        ended_ns=0,
        usage=_USAGE,
        model_calls=[],
        tool_calls=calls + [call for child in children for call in child.tool_calls],
        complete=complete,
        verified=complete,
        problems=[Problem(code=code, message=f"{code} it is") for code in problems],
        service=None,
        attributes={},
        parent_task_id=None,
        error_type=None,
        source="made",
    )


def _make_call(task: Task, tool: str) -> ToolCall:
    name, _, attempt = tool.partition("@")
    number = next(_numbers)
    return ToolCall(
        name=name,
        id=None,
        args={"n": number},
        superstep=task.superstep,
        node=task.node,
        run_id=task.run_id,
        task_id=task.task_id,
        started_ns=number,
        span_id=f"{tool}",
        parent_span_id=f"{task.node}.{attempt or 1}",
    )


def make_traced(*tools: str) -> Run:
    """Make a run with a conditional entry, whose `__start__` is a task that called these tools, and the node n."""
    run = make_run([["in"], ["n"]], tools={"in": tools})
    first, *rest = run.tasks
    return replace(run, steps=[START, ["n"]], tasks=[replace(first, node="__start__"), *rest])


def names(run: Run, level: Level = "nodes", depth: int | None = 0) -> list[list[str]]:
    """Return a run as it is listed."""
    return list_level(run, level, depth).names


def numbers(run: Run, level: Level = "nodes", depth: int | None = 0) -> list[int]:
    """Return the numbers of its supersteps."""
    return [superstep.number for superstep in list_level(run, level, depth).supersteps]


INNER = make_run([START, ["s1"], ["s2"]], tools={"s1": ["look"], "s2": ["find"]}, space="sub:x")
OUTER = make_run(
    [START, ["a", "sub"], ["b"]], tools={"a": ["search", "clock"], "b": ["search"]}, below={"sub": [INNER]}
)


def test_depth_0_at_level_nodes_is_the_run_itself() -> None:
    """Nodes at depth 0 are the run's own supersteps with its own numbers, whatever ran below."""
    run = make_run([START, ["a"], INTERRUPT, ["b", "a"], INTERRUPT], below={"a": [INNER]})
    assert names(run) == run.steps
    assert numbers(run) == [0, 1, 1, 2, 2]
    assert names(make_run([["a"]])) == [["a"]]
    assert numbers(make_run([["a"], START])) == [1, 2]
    assert numbers(make_run([["__start__", "a"]])) == [1]
    assert names(make_run([])) == []


def test_inner_supersteps_follow_the_superstep_of_their_node() -> None:
    """With depth a subgraph's supersteps stand behind its node's, their names with the node's before them."""
    assert names(OUTER, depth=1) == [START, ["a", "sub"], ["sub/s1"], ["sub/s2"], ["b"]]
    assert numbers(OUTER, depth=1) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("depth", "listed"), [(0, 1), (1, 2), (2, 3), (3, 3), (None, 3)])
def test_depth_bounds_the_levels_of_subgraphs(depth: int | None, listed: int) -> None:
    """0 is the graph's own nodes, n goes down n levels, None all the way."""
    leaf = make_run([START, ["z"]])
    middle = make_run([START, ["y"]], below={"y": [leaf]})
    run = make_run([START, ["x"]], below={"x": [middle]})
    assert names(run, depth=depth) == [START, ["x"], ["x/y"], ["x/y/z"]][: listed + 1]


def test_subgraphs_side_by_side_share_their_supersteps() -> None:
    """The k-th supersteps of parallel subgraphs are one, in the order of their tasks; the longer one goes on alone."""
    deep = make_run([START, ["q"]], below={"q": [make_run([START, ["r"]])]})
    long = make_run([START, ["l1"], ["l2"], ["l3"]])
    run = make_run([START, ["a", "b", "c"], ["z"]], below={"c": [long], "a": [deep]})
    assert names(run, depth=None) == [
        START,
        ["a", "b", "c"],
        ["a/q", "c/l1"],
        ["a/q/r", "c/l2"],
        ["c/l3"],
        ["z"],
    ]


def test_calls_of_one_task_follow_one_another_by_their_number() -> None:
    """LangGraph counts a task's calls in their namespaces; started at once, the count decides."""
    calls = [
        make_run([START, [f"n{number}"]], space="call:x" + (f"|{number}" if number else ""), started=-number)
        for number in (10, 2, 0, 1)
    ]
    run = make_run([START, ["call"]], below={"call": calls})
    assert names(run, depth=1)[2:] == [["call/n0"], ["call/n1"], ["call/n2"], ["call/n10"]]


def test_calls_of_independent_graphs_follow_one_another_by_start() -> None:
    """A graph with a namespace of its own has no number: then the start decides for all calls of the task."""
    counted = make_run([START, ["first"]], space="call:x|7", started=1)
    alone = [make_run([START, [f"n{start}"]], started=start) for start in (3, 2)]
    run = make_run([START, ["call"]], below={"call": [*alone, counted, make_run([])]})
    assert names(run, depth=1)[2:] == [["call/first"], ["call/n2"], ["call/n3"]]


def test_markers_of_a_subgraph_are_never_listed() -> None:
    """Inside, neither `__start__`, traced or not, nor `__interrupt__` stand; the outer ones do."""
    inner = make_run([START, ["ask"], INTERRUPT, ["z"]])
    traced = make_traced()
    run = make_run([START, ["a"], INTERRUPT, ["b"]], below={"a": [inner], "b": [traced]})
    assert names(run, depth=1) == [START, ["a"], ["a/ask"], ["a/z"], INTERRUPT, ["b"], ["b/n"]]
    assert numbers(run, depth=1) == [0, 1, 2, 3, 3, 4, 5]


def test_level_tools_lists_the_calls_of_each_superstep() -> None:
    """Supersteps without a tool call are left out, the rest counts 1, 2, ...; depth 0 has the graph's own tasks'."""
    assert names(OUTER, "tools") == [["clock", "search"], ["search"]]
    assert numbers(OUTER, "tools") == [1, 2]
    assert names(make_run([START, ["a"], INTERRUPT]), "tools") == []


def test_tool_calls_of_subgraphs_have_the_node_before_them() -> None:
    """Deeper calls read `outer/tool` and stand where the inner superstep stands."""
    assert names(OUTER, "tools", 1) == [["clock", "search"], ["sub/look"], ["sub/find"], ["search"]]
    top = make_run([START, ["top"]], below={"top": [OUTER]})
    assert names(top, "tools") == []
    assert names(top, "tools", None)[1] == ["top/sub/look"]


def test_calls_stand_by_task_then_by_tool_name() -> None:
    """Inside a superstep the order is that of the tasks, inside a task that of the names, never of the clock."""
    run = make_run([START, ["a", "b"]], tools={"b": ["x", "a"], "a": ["z", "y"]})
    assert names(run, "tools") == [["y", "z", "a", "x"]]


def test_level_both_lists_nodes_then_their_calls() -> None:
    """A superstep's nodes are followed by its calls as `node>tool`, inner ones as `outer/inner>tool`."""
    assert names(OUTER, "both", 1) == [
        START,
        ["a", "sub", "a>clock", "a>search"],
        ["sub/s1", "sub/s1>look"],
        ["sub/s2", "sub/s2>find"],
        ["b", "b>search"],
    ]
    assert numbers(OUTER, "both", 1) == [0, 1, 2, 3, 4]


def test_tools_of_a_conditional_entry_are_listed() -> None:
    """A traced `__start__` that calls a tool is still number 0; inside a subgraph its name is hidden, its call not."""
    run = make_traced("route")
    assert names(run, "both") == [["__start__", "__start__>route"], ["n"]]
    assert numbers(run, "both") == [0, 1]
    assert numbers(run, "tools") == [1]
    outer = make_run([START, ["o"]], below={"o": [run]})
    assert names(outer, "both", 1) == [START, ["o"], ["o/__start__>route"], ["o/n"]]
    assert names(outer, "nodes", 1) == [START, ["o"], ["o/n"]]


def test_names_lead_to_their_spans() -> None:
    """A task has one span per attempt, a tool call its own, a marker none."""
    run = make_run([START, ["a"], INTERRUPT], tools={"a": ["t@1", "t@2"]}, attempts={"a": 2})
    assert [step.span_ids for step in list_level(run, "both", 0).supersteps] == [
        ((),),
        (("a.1", "a.2"), ("t@1", "t@2")),
        ((),),
    ]


def test_a_call_that_an_attempt_made_again_stands_once() -> None:
    """Of a node that was retried or resumed, calls pair up by tool; what only one attempt did is not hidden."""
    tools = ["t@1", "t@1", "gone@1", "t@2", "new@2", "t@3", "t@3", "t@3"]
    run = make_run([START, ["a"]], tools={"a": tools}, attempts={"a": 3})
    assert names(run, "tools") == [["gone", "new", "t", "t", "t"]]
    [superstep] = list_level(run, "tools", 0).supersteps
    assert superstep.span_ids[2:] == (("t@1", "t@2", "t@3"), ("t@1", "t@3"), ("t@3",))
    last = next(call for call in run.tool_calls if call.span_id == "t@3")
    assert isinstance(superstep.names[2], CalledTool)
    assert superstep.names[2].args == last.args


def test_equal_calls_of_one_attempt_are_all_listed() -> None:
    """A tool that one attempt calls twice stands twice, also where nothing tells the attempt."""
    run = make_run([START, ["a"]], tools={"a": ["t", "t"]})
    assert names(run, "tools") == [["t", "t"]]
    lost = [
        replace(call, parent_span_id=parent)
        for call, parent in zip(run.tool_calls, ("x", "a.1"), strict=True)
    ]
    tried = make_run([START, ["a"]], attempts={"a": 2})
    lost = [replace(call, run_id=tried.run_id, task_id=tried.tasks[0].task_id) for call in lost]
    assert names(replace(tried, tool_calls=lost), "tools") == [["t", "t"]]


def test_tasks_of_time_travel_keep_what_ran_in_them() -> None:
    """Two tasks with one id, of two invocations, have their own calls and subgraph runs."""
    run = make_run([START, ["a"], ["a"]])
    one, two = run.tasks
    tasks = [replace(one, run_id="r1", task_id="same"), replace(two, run_id="r2", task_id="same")]
    call = _make_call(tasks[0], "early")
    children = [
        replace(make_run([START, [node]]), parent_run_id=parent, parent_task_id="same")
        for node, parent in (("late", "r2"), ("soon", "r1"))
    ]
    travelled = replace(
        run, tasks=tasks, step_task_ids=[[], ["same"], ["same"]], tool_calls=[call], children=children
    )
    assert names(travelled, "both", 1) == [START, ["a", "a>early"], ["a/soon"], ["a"], ["a/late"]]
    later = replace(call, run_id="a later invocation")
    assert names(replace(travelled, tool_calls=[later]), "both") == [START, ["a"], ["a", "a>early"]]


@pytest.mark.parametrize("args", [None, {"q": 1}])
def test_a_called_tool_is_its_name_and_keeps_its_arguments(args: AttributeValue) -> None:
    """It equals, hashes and prints as its text, and survives copies and pickles."""
    tool = CalledTool("outer/search", tool="search", args=args)
    assert tool == "outer/search"
    assert hash(tool) == hash("outer/search")
    pickled = pickle.loads(pickle.dumps(tool))  # noqa: S301 - its own bytes
    for same in (tool, copy.deepcopy(tool), pickled):
        assert (str(same), same.tool, same.args) == ("outer/search", "search", args)
        assert same.is_recorded is (args is not None)
    with pytest.raises(AttributeError):
        tool.other = 1  # type: ignore[attr-defined]  # it has slots


LEVELS: list[tuple[Level, int | None]] = [("tools", 0), ("both", 0), ("nodes", 1), ("nodes", None)]


@pytest.mark.parametrize(("level", "depth"), LEVELS)
def test_missing_spans_leave_only_the_nodes_known(level: Level, depth: int | None) -> None:
    """With `spans_missing` the run's own nodes stand; tools and depth are not known, and the reason says so."""
    run = make_run([START, ["a"]], problems=["step_gap", "spans_missing"])
    assert is_level_known(run, "nodes", 0) is None
    reason = is_level_known(run, level, depth)
    assert reason is not None
    assert reason.startswith(f"level {level}")
    assert "spans_missing it is" in reason
    assert is_level_known(make_run([START, ["a"]], problems=["step_gap"]), level, depth) is None


def test_an_incomplete_subgraph_matters_as_far_as_the_depth_goes() -> None:
    """A subgraph run that is incomplete makes the depths unknown at which it would be listed."""
    leaf = make_run([START, ["z"]], complete=False, problems=["task_open", "task_open"])
    run = make_run([START, ["x"]], below={"x": [make_run([START, ["y"]], below={"y": [leaf]})]})
    assert [is_level_known(run, "tools", depth) is None for depth in (0, 1, 2, None)] == [
        True,
        True,
        False,
        False,
    ]
    reason = is_level_known(run, "nodes", None)
    assert reason is not None
    assert reason.endswith(f"the run {leaf.run_id!r} of subgraph 'g' is incomplete (task_open)")


def test_what_has_no_place_is_not_known() -> None:
    """A subgraph run or a tool call that names no task which is there could stand anywhere."""
    lost = replace(OUTER, children=[replace(OUTER.children[0], parent_task_id=None)])
    assert "which task called" in str(is_level_known(lost, "nodes", 1))
    assert is_level_known(lost, "tools", 0) is None
    stray = replace(OUTER, tool_calls=[*OUTER.tool_calls, replace(OUTER.tool_calls[0], task_id="gone")])
    assert "'search'" in str(is_level_known(stray, "tools", 0))
    assert is_level_known(stray, "nodes", None) is None
    assert is_level_known(OUTER, "both", None) is None


def test_calls_that_nobody_recorded_are_not_known() -> None:
    """Under a handler that leaves tools out, no tool call proves nothing."""
    run = replace(make_run([START, ["a"]]), omitted=("tools",))
    assert "leave out tool calls" in str(is_level_known(run, "tools", 0))
    assert is_level_known(run, "nodes", None) is None
    assert is_level_known(replace(run, omitted=("models",)), "tools", 0) is None
