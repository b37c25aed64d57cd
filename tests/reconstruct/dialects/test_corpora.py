"""What other emitters recorded is read as the truths beside it say."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from otel_traj import Run, read_runs
from tests.reconstruct.dialects.corpora import (
    EMITTERS,
    SCENARIOS,
    list_recorded_steps,
    load_truth,
    name_corpus,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

OFFERED = ("get_weather", "get_time")


def read(emitter: str, scenario: str) -> list[Run]:
    """Return the runs of a corpus, read from its file; it has no problem of its own."""
    return list(read_runs(name_corpus(emitter, scenario)))


def name_codes(runs: Iterable[Run]) -> list[str]:
    """Return the codes of all problems."""
    return [problem.code for run in runs for problem in run.problems]


@pytest.mark.parametrize(("emitter", "scenario"), [*product(EMITTERS, SCENARIOS)])
def test_every_corpus_gives_its_truth(emitter: str, scenario: str) -> None:
    """The supersteps are those that ran; the run is complete, names its emitter, and is never verified."""
    runs = read(emitter, scenario)
    assert list_recorded_steps(runs) == load_truth(emitter, scenario)
    assert [run.emitter for run in runs] == [emitter.partition("-")[0]] * len(runs)
    assert [(run.complete, run.verified) for run in runs] == [(True, False)] * len(runs)
    assert name_codes(runs) == []
    assert {run.status for run in runs} == {"error" if scenario == "s05_error_retry" else "ok"}


@pytest.mark.parametrize("emitter", EMITTERS)
def test_an_interrupt_and_its_resume_are_one_run(emitter: str) -> None:
    """The run stopped to ask, went on in another trace with the same task, and is no error."""
    [run] = read(emitter, "s04_interrupt")
    assert run.steps == [["__start__"], ["draft"], ["ask"], ["__interrupt__"], ["send"]]
    assert run.thread_id == "thread-42"
    assert [(call.status, call.resumed) for call in run.invocations] == [("interrupted", False), ("ok", True)]
    ask = run.tasks[1]
    assert (ask.status, ask.interrupted, ask.attempts, ask.error_type) == ("ok", True, 2, None)


@pytest.mark.parametrize("emitter", EMITTERS)
def test_attempts_are_one_task_and_errors_are_told(emitter: str) -> None:
    """A node that was retried twice is one task that ended well; the node that failed says its error, if known."""
    [run] = read(emitter, "s05_error_retry")
    assert [(task.node, task.attempts, task.status) for task in run.tasks] == [
        ("ok", 1, "ok"),
        ("flaky", 3, "ok"),
        ("boom", 1, "error"),
    ]
    known = None if emitter.startswith("langfuse") else "ValueError"
    assert (run.error_type, run.tasks[2].error_type) == (known, known)


@pytest.mark.parametrize("emitter", EMITTERS)
def test_subgraphs_are_children(emitter: str) -> None:
    """A subgraph's run hangs below the task that called it, with supersteps of its own."""
    [run] = read(emitter, "s03_subgraph")
    [child] = run.children
    assert child.steps == [["__start__"], ["in_a"], ["in_b"]]
    assert (run.graph, child.graph) == ("OuterGraph", "InnerGraph")
    assert child.parent_task_id == run.tasks[1].task_id
    assert child.complete


@pytest.mark.parametrize("emitter", EMITTERS)
def test_fan_out_tasks_stand_by_their_index(emitter: str) -> None:
    """Tasks of one node in one superstep are told apart, and keep the order in which they were sent."""
    [run] = read(emitter, "s02_send")
    workers = [task for task in run.tasks if task.node == "worker"]
    assert [task.push_index for task in workers] == [0, 1, 2, 3]


@pytest.mark.parametrize("emitter", EMITTERS)
def test_an_entrypoint_is_one_node(emitter: str) -> None:
    """The functional API's tasks are no nodes, and its entrypoint follows no `__start__`."""
    [run] = read(emitter, "s08_functional")
    assert run.steps == [["flow"]]
    assert run.thread_id == "func-1"


@pytest.mark.parametrize(
    ("emitter", "scenario"), [*product(EMITTERS, ("s06_agent", "s06b_agent_astream_tokens"))]
)
def test_models_tools_and_tokens(emitter: str, scenario: str) -> None:
    """Each call is there once, with its task, its tokens, what was offered and what was chosen."""
    [run] = read(emitter, scenario)
    assert [(call.superstep, call.node, call.model, call.tools) for call in run.model_calls] == [
        (1, "model", "fake-model-1", OFFERED),
        (3, "model", "fake-model-1", OFFERED),
    ]
    chosen = [[(each.name, each.id, each.args) for each in call.tool_calls or ()] for call in run.model_calls]
    oslo = {"city": "Oslo"}
    assert chosen == [[("get_weather", "call_1", oslo), ("get_time", "call_2", oslo)], []]
    assert (run.usage["input_tokens"], run.usage["output_tokens"]) == (60, 20)
    # openinference writes the value of a single argument without its name.
    known = None if emitter.startswith("openinference") else oslo
    assert [(call.name, call.id, call.args, call.superstep, call.node) for call in run.tool_calls] == [
        ("get_weather", "call_1", known, 2, "tools"),
        ("get_time", "call_2", known, 2, "tools"),
    ]
    assert {call.model_call for call in run.tool_calls} == {run.model_calls[0].span_id}
    called = {call.task_id for call in run.model_calls} | {call.task_id for call in run.tool_calls}
    assert called == {task.task_id for task in run.tasks}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_an_emitter_without_nodes_is_named(scenario: str) -> None:
    """otel-genai records no node task: its runs are there, say so, and are never complete."""
    runs = read("otel-genai-1.3b0", scenario)
    assert len(runs) == len(load_truth("otel-genai-1.3b0", scenario))
    assert name_codes(runs) == ["no_node_tasks"] * len(runs)
    assert not any(run.complete or run.verified or run.steps for run in runs)
    assert all("otel-genai" in problem.message for run in runs for problem in run.problems)
