"""What every code says: the span, the run, and what to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

import msgspec
import pytest

from otel_traj import read_runs
from otel_traj import semconv as sc
from otel_traj.model import ProblemCode
from tests.reconstruct.dialects.corpora import load_spans
from tests.spans import RecordedRun, change_attributes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from otel_traj import Run
    from otel_traj.model import Problem, Span

Case: TypeAlias = "tuple[str, Callable[[], list[Span]]]"

LATER: Final = {"partial_response"}
"""Given by no source in memory."""
INSTRUCTION = re.compile(r"(Read|Look|Keep|Raise|Wait|Use) [^.]*(\.[^ ][^.]*)*\.\Z")


def record(*, resumed: bool = False) -> RecordedRun:
    """Return a run of two nodes on a thread, the first of which calls a model."""
    run = RecordedRun("r", thread="t", resumed=resumed)
    run.call(sc.CHAT, "m", run.task("a", 1))
    run.task("b", 2)
    return run


def harm(number: int, **changes: object) -> list[Span]:
    """Return the run's spans with one of them changed: 0 a task, 1 its model call, 2 a task, 3 the root."""
    spans = record().spans()
    spans[number] = msgspec.structs.replace(spans[number], **changes)
    return spans


def change(number: int, **attributes: str | int | bool) -> list[Span]:
    """Return the run's spans with other attributes on one of them."""
    spans = record().spans()
    spans[number] = change_attributes(spans[number], **attributes)
    return spans


def lose(*numbers: int) -> list[Span]:
    """Return the run's spans without some of them."""
    return [span for number, span in enumerate(record().spans()) if number not in numbers]


def call_subgraph(lost: str) -> list[Span]:
    """Return a run that calls a subgraph, without the root of the one or the other."""
    outer = RecordedRun("outer")
    inner = RecordedRun("inner", parent=outer, parent_task=outer.task("a", 1))
    inner.task("x", 1)
    spans = outer.spans(below=[inner])
    if lost == "inner":
        return [span for span in spans if span.span_id != inner.span_id]
    return [span for span in spans if span.span_id != outer.span_id]


def lose_call(*, all_but: str) -> list[Span]:
    """Return a run that waits and what is left of a call that went on with it: a task, a model call, or the next run."""
    first = RecordedRun("one", thread="t", outcome="interrupted")
    first.task("ask", 1, interrupted=True)
    lost = RecordedRun("two", thread="t", start=5_000, resumed=True, previous=first)
    lost.call(sc.CHAT, "m", lost.task("b", 2))
    third = RecordedRun("three", thread="t", start=9_000, resumed=True, previous=lost)
    third.task("c", 3)
    left = {"task": lost.below[:1], "model call": lost.below[1:], "next call": third.spans()}
    return first.spans() + left[all_but]


def end_late() -> list[Span]:
    """Return a run with a task that began after its end."""
    run = record()
    root = run.root()
    run.task("c", 3, late=True)
    return [*run.below, root]


def leave_gap() -> list[Span]:
    """Return a run without supersteps 3 and 4."""
    run = record()
    run.task("e", 5)
    return run.spans()


CASES: Final[list[Case]] = [
    ("root_missing", lambda: lose(3)),
    ("root_missing", lambda: lose(0, 2, 3)),
    ("root_missing", lambda: call_subgraph("outer")),
    ("root_missing", lambda: lose_call(all_but="task")),
    ("root_missing", lambda: lose_call(all_but="model call")),
    ("root_missing", lambda: lose_call(all_but="next call")),
    ("root_open", lambda: harm(3, end_ns=0)),
    ("task_open", lambda: harm(0, end_ns=0)),
    ("orphan", lambda: call_subgraph("inner")),
    ("manifest_mismatch", lambda: lose(0)),
    ("manifest_mismatch", lambda: change(2, node="other")),
    ("late_span", end_late),
    ("key_missing", lambda: change(0, step="")),
    ("key_missing", lambda: change(3, steps_sha256="")),
    ("key_missing", lambda: harm(3, attributes={}, dropped_attributes=20)),
    ("key_cut", lambda: change(0, task_id="01234567-89")),
    ("key_cut", lambda: change(3, outcome="cance")),
    ("beginning_missing", lambda: record(resumed=True).spans()),
    ("conflicting_copy", lambda: [*change(0, step=2), *record().spans()]),
    ("unreadable", lambda: harm(1, unreadable=("some.key",))),
    ("no_node_tasks", lambda: [*load_spans("otel-genai-1.3b0", "s02_send")]),
    ("task_missing", lambda: lose_named("node3")),
    ("task_missing", lambda: lose_named("boom", "s05_error_retry")),
    ("orphan", lambda: split_off("node3")),
    ("step_gap", leave_gap),
    ("content_cut", lambda: change(3, inputs='{"a": "b')),
    ("content_cut", lambda: change(0, task_outputs="[1, ")),
    ("spans_missing", lambda: lose(1)),
    ("pause_unknown", lambda: record().spans(pause_unknown=True)),
]


def lose_named(name: str, scenario: str = "s01_branch_parallel") -> list[Span]:
    """Return spans of another emitter without those of a name."""
    return [span for span in load_spans("openinference-0.1.80", scenario) if span.name != name]


def split_off(name: str) -> list[Span]:
    """Return spans of another emitter, those of a name in a trace of their own."""
    return [
        msgspec.structs.replace(span, trace_id="f" * 32, parent_span_id="") if span.name == name else span
        for span in load_spans("openinference-0.1.80", "s01_branch_parallel")
    ]


def flatten(runs: Iterable[Run]) -> Iterator[Run]:
    """Yield runs and those below them."""
    for run in runs:
        yield run
        yield from flatten(run.children)


def list_problems(spans: list[Span]) -> list[tuple[Run, Problem]]:
    """Return every problem of the runs that spans make, each with its run."""
    return [(run, problem) for run in flatten(read_runs(spans)) for problem in run.problems]


@pytest.mark.parametrize(
    ("code", "make"), [pytest.param(*case, id=f"{case[0]}-{n}") for n, case in enumerate(CASES)]
)
def test_every_problem_says_span_run_and_what_to_do(code: str, make: Callable[[], list[Span]]) -> None:
    """Each message names run, trace and spans, or the first of them, and its last sentence is an instruction."""
    spans = make()
    known = {span.span_id: span for span in spans}
    problems = list_problems(spans)
    assert code in [problem.code for _, problem in problems]
    for run, problem in problems:
        assert repr(run.run_id) in problem.message
        assert set(run.trace_ids) & set(re.findall(r"\b[0-9a-f]{32}\b", problem.message))
        named = [each for each in problem.span_ids if f"{known[each].name!r} ({each})" in problem.message]
        assert named == list(problem.span_ids) or (named and re.search(r"\) and \d+ more", problem.message))
        assert INSTRUCTION.search(problem.message), problem.message


def test_every_code_is_tried() -> None:
    """No code is left out of what is tried above, but for those that nothing gives yet."""
    assert {code for code, _ in CASES} == set(get_args(ProblemCode)) - LATER


def test_of_many_spans_the_first_few_are_named() -> None:
    """A thousand open tasks make one short message; their ids are all in the problem."""
    run = RecordedRun("r")
    for push in range(1_000):
        run.task("work", 1, push=push)
    spans = [msgspec.structs.replace(span, end_ns=0) for span in run.spans()[:-1]]
    [(_, problem)] = [each for each in list_problems([*spans, run.root()]) if each[1].code == "task_open"]
    assert len(problem.span_ids) == 1_000
    assert problem.message.count("'invoke_node work'") == 8
    assert "and 992 more" in problem.message
