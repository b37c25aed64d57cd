"""A deep agent with two subagents side by side, from a handler through memory and file and back.

Its supersteps are written down by hand (seen with deepagents 0.7.32): middleware with a hook before or after
something is a node of its own, each tool call is a fan-out task of the node `tools`, and a subagent is a graph
run inside the tool `task`.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, StructuredTool
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import extract_trajectory, extract_trajectory_async, read_runs
from otel_traj import semconv as sc
from otel_traj.record import JsonLinesSpanExporter
from otel_traj.record.scripted_chat import ScriptedChat
from tests.laws.losses import find_lie, read_quietly
from tests.laws.recordings import arrive, read_spans
from tests.laws.spec import Arrival
from tests.missing_api import needs
from tests.oracles.driver import WAIT_SECONDS, Driver
from tests.oracles.scenario import START_STEP, Scenario
from tests.recorded import record_scenario, record_to_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from otel_traj import Run
    from otel_traj.model import AttributeValue, Span
    from tests.oracles.driver import Graph, Mode

pytestmark = pytest.mark.parametrize("mode", ["sync", "async"])
NOTE = "/notes.md"

PATCH = ["PatchToolCallsMiddleware.before_agent"]
MODEL = ["model"]
TODO = ["TodoListMiddleware.after_model"]
NOTIFY = ["_ParentNotifierMiddleware.after_agent"]
DEEP = [START_STEP, PATCH, MODEL, TODO, ["tools"] * 2, MODEL, TODO, ["tools"] * 2, MODEL, TODO, NOTIFY]
STEPS = {
    "deep": DEEP,
    "sea": [START_STEP, PATCH, MODEL, ["tools"], MODEL],
    "land": [START_STEP, PATCH, MODEL, ["tools"], MODEL, ["tools"], MODEL],
}
"""By graph: the agent, and its subagents in the order of their calls."""
DELEGATION = 7
"""The superstep in which both subagents run."""


class Call(NamedTuple):
    """A tool call that a script holds."""

    graph: str
    superstep: int
    """In which it runs; its model call is `chosen`."""
    chosen: int
    name: str
    id: str
    args: dict[str, AttributeValue]


CALLS = [
    Call("deep", 4, 2, "write_todos", "plan", {"todos": [{"content": "ask both", "status": "pending"}]}),
    Call("deep", 4, 2, "write_file", "note", {"file_path": NOTE, "content": "tide"}),
    Call("deep", 7, 5, "task", "ask sea", {"description": "How high?", "subagent_type": "sea"}),
    Call("deep", 7, 5, "task", "ask land", {"description": "How dry?", "subagent_type": "land"}),
    # One id for both: what ran at the same time elsewhere is not to be taken for its model call.
    Call("sea", 3, 2, "meet", "same", {}),
    Call("land", 3, 2, "meet", "same", {}),
    Call("land", 5, 4, "read_file", "read", {"file_path": NOTE}),
]


def build_model(graph: str) -> ScriptedChat:
    """Return a model that chooses the calls of a graph and then answers."""
    turns: dict[int, list[dict[str, Any]]] = {}
    for call in CALLS:
        if call.graph == graph:
            chosen = {"name": call.name, "args": call.args, "id": call.id, "type": "tool_call"}
            turns.setdefault(call.chosen, []).append(chosen)
    return ScriptedChat(
        turns=[
            *(AIMessage(content="", tool_calls=calls) for calls in turns.values()),
            AIMessage(content="Done."),
        ]
    )


def build_meeting() -> BaseTool:
    """Return a tool that answers when two have called it, which takes that they run side by side."""
    threads, loop = threading.Barrier(2), asyncio.Barrier(2)

    def meet() -> str:
        threads.wait(WAIT_SECONDS)
        return "met"

    async def meet_async() -> str:
        await asyncio.wait_for(loop.wait(), WAIT_SECONDS)
        return "met"

    return StructuredTool.from_function(meet, meet_async, name="meet", description="Wait for the other.")


async def delegate(driver: Driver) -> Graph:
    """Build the agent and let it plan, take a note and ask both subagents in one turn."""
    from deepagents import SubAgent, create_deep_agent
    from langchain.agents.middleware import TodoListMiddleware

    tools = [build_meeting()]
    subagents = [
        SubAgent(name=name, description=name, system_prompt="", model=build_model(name), tools=tools)
        for name in ("sea", "land")
    ]
    graph = create_deep_agent(
        build_model("deep"),
        middleware=[TodoListMiddleware()],
        subagents=subagents,
        checkpointer=driver.checkpointer,
        name="deep",
    )
    await driver.invoke(graph, {"messages": [("user", "How are sea and land?")]})
    return graph


# No row of the oracles' table, which needs nothing beyond LangChain.
AGENT = Scenario(
    number=0,
    title="deep agent with two subagents side by side",
    drive=delegate,
    declared_nodes=("model", "tools", NOTIFY[0], PATCH[0], TODO[0]),
    steps_from_spans=[DEEP],
)


def flatten(runs: Iterable[Run]) -> Iterator[Run]:
    """Yield runs and those below them."""
    for run in runs:
        yield run
        yield from flatten(run.children)


def record_in_memory(mode: Mode, *, content: bool = False) -> Run:
    """Let the agent run; return the one run that its spans in memory make."""
    exporter = InMemorySpanExporter()
    record_scenario(AGENT, mode, exporter, content=content)
    [run] = read_runs(exporter)
    return run


def record_lines(mode: Mode, path: Path) -> list[str]:
    """Let the agent run; return the lines of its file, one span each."""
    record_to_file(AGENT, mode, path)
    return path.read_text("utf-8").splitlines()


def check_whole(run: Run) -> None:
    """Hold a run and its subagents' against what was written down."""
    runs = list(flatten([run]))
    assert {each.graph: each.steps for each in runs} == STEPS
    assert [(each.complete, each.verified, each.status, each.problems) for each in runs] == [
        (True, True, "ok", [])
    ] * len(STEPS)


@needs("deep agents")
@pytest.mark.parametrize("content", [False, True])
def test_a_deep_agent_comes_back_from_memory(mode: Mode, content: bool) -> None:
    """The agent's run and one child run for each subagent, complete and verified, each named as an agent."""
    run = record_in_memory(mode, content=content)
    check_whole(run)
    assert [child.children for child in run.children] == [[], []]
    for each in flatten([run]):
        operation, name = each.attributes[sc.OPERATION_NAME], each.attributes[sc.AGENT_NAME]
        assert (operation, name) == (sc.INVOKE_AGENT, each.graph)


@needs("deep agents")
@pytest.mark.parametrize("content", [False, True])
def test_a_deep_agent_comes_back_from_a_file(mode: Mode, content: bool, tmp_path: Path) -> None:
    """OTLP JSON lines tell the same as memory does."""
    path = tmp_path / "traces.jsonl"
    record_scenario(AGENT, mode, JsonLinesSpanExporter(path), content=content)
    [run] = read_runs(path)
    check_whole(run)


@needs("deep agents")
def test_a_deep_agents_history_tells_the_same(mode: Mode, tmp_path: Path) -> None:
    """The checkpointer's history gives the supersteps that the spans give, in the graph's own order of names.

    A subagent is called by a tool, so that LangGraph finds no way from the agent to its history.
    """
    path = tmp_path / "traces.jsonl"
    driven = record_to_file(AGENT, mode, path)
    if mode == "async":
        [told] = asyncio.run(extract_trajectory_async(driven.graph, driven.config))
    else:
        [told] = extract_trajectory(driven.graph, driven.config)
    assert told["steps"] == DEEP
    [run] = read_runs(path, node_order=AGENT.declared_nodes)
    assert run.steps == told["steps"]


@needs("deep agents")
def test_subagents_hang_on_the_tasks_that_called_them(mode: Mode) -> None:
    """Both ran in one superstep at the same time, each below the fan-out task of its own call."""
    run = record_in_memory(mode)
    children = {child.parent_task_id: child for child in run.children}
    callers = run.step_task_ids[DELEGATION]
    assert [children[task_id].graph for task_id in callers] == ["sea", "land"]
    assert {child.parent_run_id for child in run.children} == {run.run_id}
    assert [task.push_index for task in run.tasks if task.task_id in callers] == [0, 1]
    assert max(child.started_ns for child in run.children) < min(child.ended_ns for child in run.children)


@needs("deep agents")
@pytest.mark.parametrize("content", [False, True])
def test_each_tool_call_leads_to_the_model_call_that_chose_it(mode: Mode, content: bool) -> None:
    """Todo, file and delegation by the agent's model, the rest by the subagent's own, though ids repeat."""
    run = record_in_memory(mode, content=content)
    graphs = {each.run_id: each.graph for each in flatten([run])}
    models = {call.span_id: call for call in run.model_calls}
    told = []
    for call in run.tool_calls:
        model = models[call.model_call or ""]
        assert (call.node, call.status, model.node, model.run_id) == ("tools", "ok", "model", call.run_id)
        assert call.id in [chosen.id for chosen in model.tool_calls or ()]
        place = (graphs[call.run_id or ""], call.superstep, model.superstep)
        told.append((*place, call.name, call.id, call.args))
    expected = [tuple(call._replace(args=call.args) if content else (*call[:-1], None)) for call in CALLS]
    assert sorted(told, key=str) == sorted(expected, key=str)
    for child in run.children:
        assert {call.run_id for call in child.tool_calls} == {child.run_id}
        assert {call.run_id for call in child.model_calls} == {child.run_id}


@needs("deep agents")
def test_order_batches_and_copies_of_its_spans_do_not_matter(mode: Mode, tmp_path: Path) -> None:
    """Shuffled, in other batches and every span twice, the same spans make the same run to its last field."""
    lines = record_lines(mode, tmp_path / "traces.jsonl")
    [run] = read_runs(read_spans("".join(f"{line}\n" for line in lines)))
    check_whole(run)
    for seed, batch in enumerate((1, 2, 7, 2 * len(lines))):
        for copies in (0, 50, 100):
            arrival = Arrival(seed=seed, batch=batch, copies=copies)
            assert list(read_runs(read_spans(arrive(lines, arrival)))) == [run], arrival


@needs("deep agents")
def test_one_lost_span_of_a_deep_agent_is_never_hidden(mode: Mode, tmp_path: Path) -> None:
    """With any one span lost, each run has its true supersteps or is incomplete, and the agent's run says so.

    The run whose span was lost is incomplete where it was the run's own or a node task; a model or tool call
    changes no superstep.
    """
    spans = read_spans("".join(f"{line}\n" for line in record_lines(mode, tmp_path / "traces.jsonl")))
    whole = read_quietly(spans)
    truth = {run.run_id: run.steps for run in flatten(whole)}
    assert len(truth) == len(STEPS)
    for lost in spans:
        runs = read_quietly(span for span in spans if span is not lost)
        assert find_lie(runs, truth) == "", lost
        for run in flatten(runs):
            assert not run.complete or run.steps == truth[run.run_id], lost
            assert run.complete or not run.verified, lost
        assert runs[0].problems, lost
        assert_incomplete_where_it_must_be(lost, runs)


def assert_incomplete_where_it_must_be(lost: Span, runs: Iterable[Run]) -> None:
    """Check the completeness of the run that a lost span belonged to."""
    operation = lost.attributes[sc.OPERATION_NAME]
    complete = {run.run_id: run.complete for run in flatten(runs)}
    is_call = operation in (sc.CHAT, sc.EXECUTE_TOOL)
    assert complete.get(str(lost.attributes[sc.RUN_ID]), False) is is_call, lost
