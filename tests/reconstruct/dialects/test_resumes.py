"""Which calls went on with an earlier one: no other emitter says so, the input, the tasks and the numbers do."""

from __future__ import annotations

import pytest

from tests.reconstruct.dialects.corpora import read_quietly
from tests.reconstruct.dialects.written import WrittenRun

COMMAND = '{"graph": null, "update": null, "resume": "yes", "goto": []}'
GOTO = '{"graph": null, "update": null, "resume": null, "goto": "b"}'
LONG = [["__start__"], ["a"], ["b"], ["c"]]


def begin(inputs: str | None = "{}") -> WrittenRun:
    """Return a call of one node that came to its end, or waits at a static interrupt."""
    run = WrittenRun("first", inputs=inputs)
    run.task("a", 1)
    return run


def go_on(inputs: str | None, first: int = 2) -> WrittenRun:
    """Return a later call on the same thread, of two nodes."""
    run = WrittenRun("second", start=9_000, inputs=inputs)
    run.task("b", first)
    run.task("c", first + 1)
    return run


@pytest.mark.parametrize("inputs", ["null", GOTO])
def test_a_call_without_new_input_goes_on(inputs: str) -> None:
    """Nothing as the input, or a command without an answer, goes on with the run before it."""
    [run] = read_quietly([*begin().spans(), *go_on(inputs).spans()])
    assert (run.steps, run.complete) == (LONG, True)
    assert [call.resumed for call in run.invocations] == [False, True]


def test_an_input_that_is_not_there_is_none() -> None:
    """Where the inputs of tasks are recorded and that of their graph's run is not, there was none."""
    spans = [*begin().spans(), *go_on("null").spans()]
    root = spans[-1]
    for key in ("input.value", "input.mime_type"):
        root.attributes.pop(key)
    [run] = read_quietly(spans)
    assert run.steps == LONG


def test_hidden_inputs_leave_the_numbers() -> None:
    """A call that begins at the next superstep goes on; new input would have taken two numbers more."""
    [run] = read_quietly([*begin(None).spans(), *go_on(None).spans()])
    assert (run.steps, run.complete) == (LONG, True)
    runs = read_quietly([*begin(None).spans(), *go_on(None, 4).spans()])
    assert [run.steps for run in runs] == [[["__start__"], ["a"]], [["__start__"], ["b"], ["c"]]]
    assert all(run.complete for run in runs)


def test_a_hidden_fork_is_not_guessed() -> None:
    """A call that begins behind where its thread had come to may have had new input or none: it is not complete."""
    first = WrittenRun("first", inputs=None)
    for superstep, node in enumerate("abc", 1):
        first.task(node, superstep)
    runs = read_quietly([*first.spans(), *go_on(None).spans()])
    assert [run.complete for run in runs] == [False, False]


def test_runs_without_a_checkpointer_do_not_go_on() -> None:
    """Each of them begins at 1, whatever thread was named."""
    again = WrittenRun("second", start=9_000, inputs=None)
    again.task("a", 1)
    runs = read_quietly([*begin(None).spans(), *again.spans()])
    assert [(run.steps, run.complete) for run in runs] == [([["__start__"], ["a"]], True)] * 2


def test_an_answer_needs_a_question() -> None:
    """A call that answers, after one in which nothing asked, shows that the task that asked was lost."""
    [run] = read_quietly([*begin().spans(), *go_on(COMMAND).spans()])
    assert not run.complete
    assert {problem.code for problem in run.problems} == {"task_missing"}


def test_an_answer_without_its_question_lacks_its_beginning() -> None:
    """A call that answers is no run of its own."""
    [run] = read_quietly(go_on(COMMAND).spans())
    assert {problem.code for problem in run.problems} == {"beginning_missing"}


def test_a_cancelled_task_makes_a_cancelled_run() -> None:
    """A run is not ok whose task was cancelled, though langsmith writes it so."""
    run = WrittenRun("first")
    run.task("a", 1)
    run.task("b", 2, error="CancelledError")
    [read] = read_quietly(run.spans())
    assert (read.status, read.complete) == ("cancelled", True)


def test_interrupted_outlives_a_closed_stream() -> None:
    """A caller that stops reading when a node has asked leaves an interrupted run."""
    run = WrittenRun("first")
    run.task("a", 1, error="GraphInterrupt")
    [read] = read_quietly(run.spans(error="GeneratorExit"))
    assert (read.status, read.steps[-1]) == ("interrupted", ["__interrupt__"])
