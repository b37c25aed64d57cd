"""What was found by attacking the reader: lost, changed and impossible telemetry, told and never believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from otel_traj import read_runs
from otel_traj import semconv as sc
from tests.spans import RecordedRun, change_attributes, make_id, make_uuid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from otel_traj import Run
    from otel_traj.model import AttributeValue, Span


def interrupted_and_resumed(
    *, shares_task: bool = True, thread: str = "t"
) -> tuple[RecordedRun, RecordedRun]:
    """Return the two calls of a run that waits at `ask`, or in front of `b`, and is resumed."""
    first = RecordedRun(f"{thread}1", thread=thread, outcome="interrupted")
    first.task("ask", 1, id=f"{thread}/ask", interrupted=shares_task)
    second = RecordedRun(f"{thread}2", thread=thread, start=5_000, resumed=True, previous=first)
    if shares_task:
        second.task("ask", 1, id=f"{thread}/ask")
    second.task("b", 2)
    return first, second


def set_key(spans: Iterable[Span], key: str, value: AttributeValue) -> list[Span]:
    """Return spans with another value of one key wherever it stands."""
    return [
        msgspec.structs.replace(span, attributes={**span.attributes, key: value})
        if key in span.attributes
        else span
        for span in spans
    ]


def codes_of(run: Run) -> set[str]:
    """Return the codes of a run's problems."""
    return {problem.code for problem in run.problems}


@pytest.mark.parametrize("value", ["[REDACTED]", "****", "", 5, 1.5, [True], {"x": True}, b"\x01"])
def test_a_flag_that_is_none_is_a_key_that_is_missing(value: AttributeValue) -> None:
    """Whether a call resumes is not guessed from a value that is neither true nor false."""
    first, second = interrupted_and_resumed(shares_task=False)
    runs = list(read_runs(set_key(first.spans() + second.spans(), sc.RESUMED, value)))
    assert not any(run.complete for run in runs)
    assert all("key_missing" in codes_of(run) for run in runs)


@pytest.mark.parametrize("yes", [True, "true", "True", 1, "1"])
def test_a_flag_may_come_as_its_text_or_number(yes: AttributeValue) -> None:
    """Stores write a bool as text or as a number."""
    first, second = interrupted_and_resumed(shares_task=False)
    spans = first.spans() + set_key(second.spans(), sc.RESUMED, yes)
    [run] = read_runs(spans)
    assert (len(run.invocations), run.complete) == (2, True)


def test_an_interrupt_whose_flag_was_masked_is_not_left_out() -> None:
    """A value that is there and says nothing is named: the marker can't be set."""
    first, _ = interrupted_and_resumed()
    [run] = read_runs(set_key(first.spans(), sc.INTERRUPTED, "****"))
    assert codes_of(run) == {"key_cut"}


def test_a_graph_name_that_was_cut_is_named() -> None:
    """A reference that applies to the whole name would not meet the run, and nobody would know."""
    run = RecordedRun("r", graph="g" * 100)
    run.task("a", 1)
    spans = [
        *run.below,
        change_attributes(run.root(), graph="g" * 64, workflow_name="g" * 64),
    ]
    [read] = read_runs(spans)
    assert codes_of(read) == {"key_cut"}


@pytest.mark.parametrize("key", [sc.GRAPH, sc.CASE, sc.RUN_ID, sc.TASK_ID, sc.NODE])
def test_a_name_that_was_masked_is_missing(key: str) -> None:
    """A mask is no name: nothing is compared with it, and the run is incomplete."""
    run = RecordedRun("r")
    run.task("a", 1)
    spans = run.spans(case="long")
    for masked in {key, {sc.GRAPH: sc.WORKFLOW_NAME, sc.NODE: sc.NODE_NAME}.get(key, key)}:
        spans = set_key(spans, masked, "****")
    [read] = read_runs(spans)
    assert "key_missing" in codes_of(read)


@pytest.mark.parametrize("lost_in", ["first", "second", "both"])
@pytest.mark.parametrize("shares_task", [True, False])
def test_parts_that_name_one_another_are_joined_without_their_thread(lost_in: str, shares_task: bool) -> None:
    """Task ids and links do not come about by chance, whatever a redaction did to the thread's id."""
    one, two = (part.spans() for part in interrupted_and_resumed(shares_task=shares_task))
    if lost_in in ("first", "both"):
        one = [change_attributes(span, thread_id="", conversation_id="") for span in one]
    if lost_in in ("second", "both"):
        two = [change_attributes(span, thread_id="", conversation_id="") for span in two]
    [run] = read_runs(two + one)
    assert [names for names in run.steps if names != ["__interrupt__"]] == [["__start__"], ["ask"], ["b"]]
    assert run.complete


@pytest.mark.parametrize("mask", ["****", "user-****", "[REDACTED]", "<redacted>", "REDACTED", "[Filtered]"])
def test_threads_that_were_masked_alike_are_not_one_thread(mask: str) -> None:
    """Redaction makes every thread the same; runs of two of them are not joined for it."""
    first, second = interrupted_and_resumed(shares_task=False)
    other = RecordedRun("other", thread="u", start=3_000, outcome="interrupted")
    other.task("c", 1)
    spans = first.spans() + other.spans() + second.spans()
    for key in (sc.THREAD_ID, sc.CONVERSATION_ID):
        spans = set_key(spans, key, mask)
    run, bystander = read_runs(spans)
    assert run.steps == [["__start__"], ["ask"], ["b"]]
    assert bystander.steps == [["__start__"], ["c"]]
    assert run.thread_id is None


def test_a_resumed_call_without_thread_or_link_casts_doubt_on_runs_without_a_thread() -> None:
    """A redaction took the threads and another process resumed: which run it went on with, nobody knows."""
    first, second = interrupted_and_resumed(shares_task=False)
    second.previous = None
    other, known = RecordedRun("other", start=2_000), RecordedRun("known", thread="u", start=3_000)
    stranger = RecordedRun("stranger", graph="h", start=4_000)
    for run in (other, known, stranger):
        run.task("c", 1)
    spans = [
        *(
            change_attributes(span, thread_id="", conversation_id="")
            for span in first.spans() + second.spans()
        ),
        *other.spans(),
        *known.spans(),
        *stranger.spans(),
    ]
    complete = {run.run_id for run in read_runs(spans) if run.complete}
    assert complete == {known.run_id, stranger.run_id}


def test_of_two_waiting_runs_the_linked_one_is_resumed() -> None:
    """Runs at once on one thread: the recorder's link decides before the clock."""
    first, second = interrupted_and_resumed(shares_task=False)
    other = RecordedRun("other", thread="t", start=3_000, outcome="interrupted")
    other.task("c", 1)
    run, bystander = read_runs(first.spans() + other.spans() + second.spans())
    assert run.steps == [["__start__"], ["ask"], ["b"]]
    assert bystander.steps == [["__start__"], ["c"]]


def test_equal_span_ids_in_other_traces_are_other_spans() -> None:
    """A program that counts its span ids repeats them in each trace; what a link names is one of them only."""
    runs = []
    for thread in "tu":
        parts = interrupted_and_resumed(shares_task=False, thread=thread)
        for part in parts:
            part.span_id = "f" * 16
            part.below = [msgspec.structs.replace(span, span_id="1" * 16) for span in part.below]
            runs += part.spans()
    rebuilt = list(read_runs(runs))
    assert [run.steps for run in rebuilt] == [[["__start__"], ["ask"], ["b"]]] * 2
    assert all(run.complete for run in rebuilt)


def test_nothing_to_resume_is_a_run_of_its_own() -> None:
    """An input of None on an empty thread fails before any node; no earlier run failed with it."""
    first = RecordedRun("one", thread="t")
    first.task("a", 1)
    empty = RecordedRun("two", thread="t", start=5_000, resumed=True, outcome="error")
    run, failed = read_runs(first.spans() + empty.spans(error_type="EmptyInputError"))
    assert (run.status, failed.status, failed.steps) == ("ok", "error", [])


@pytest.mark.parametrize("lost", ["graph", "service"])
def test_a_resumed_call_that_does_not_say_its_graph_or_service_casts_doubt(lost: str) -> None:
    """It may have gone on with any run of its thread, one that came to its end too (`Command(goto=...)`)."""
    first = RecordedRun("one", thread="t")
    first.task("a", 1)
    second = RecordedRun("two", thread="t", start=5_000, resumed=True)
    second.task("b", 4)
    if lost == "service":
        second.resource = {}
    spans = second.spans()
    if lost == "graph":
        spans[-1] = change_attributes(spans[-1], graph="", workflow_name="")
    assert not any(run.complete for run in read_runs(first.spans() + spans))


def test_a_lost_root_does_not_give_its_tasks_to_another_thread_of_its_trace() -> None:
    """Two requests under one span: the run that lost model spans is not what the tasks of another thread ran in."""
    first, second = interrupted_and_resumed(shares_task=False)
    other = RecordedRun("other", thread="u", start=3_000)
    other.call(sc.CHAT, "m", other.task("c", 1))
    spans = [*first.spans(), *second.spans()[:-1], other.below[0], other.root()]
    spans = [msgspec.structs.replace(span, trace_id="a" * 32, links=()) for span in spans]
    runs = {run.run_id: run for run in read_runs(spans)}
    assert not runs[first.run_id].complete
    assert codes_of(runs[second.run_id]) == {"root_missing"}
    assert codes_of(runs[other.run_id]) == {"spans_missing"}


def graph_span(name: str, *, parent: str) -> Span:
    """Return a subgraph's graph-run span without tasks, below a span and run of a name."""
    run = RecordedRun(name, trace="loop")
    span = change_attributes(run.root(), parent_run_id=make_uuid(parent), span_count="")
    return msgspec.structs.replace(span, parent_span_id=make_id(parent + "/root"))


@pytest.mark.parametrize("names", [["a"], ["a", "b"], ["a", "b", "c"]])
def test_runs_that_call_one_another_in_a_ring_are_shown_and_incomplete(names: list[str]) -> None:
    """Impossible parents: no run hides in the ring, and none is called complete."""
    ring = [
        graph_span(name, parent=parent) for name, parent in zip(names, names[1:] + names[:1], strict=True)
    ]
    below = RecordedRun("below", trace="loop")
    key = below.task("x", 1)
    task = msgspec.structs.replace(below.below[0], parent_span_id=ring[0].span_id)
    task = change_attributes(task, run_id=make_uuid("a"))
    runs = list(read_runs([*ring, task]))
    shown = {invocation.span_id for run in walk(runs) for invocation in run.invocations}
    assert shown >= {span.span_id for span in ring}
    assert not any(run.complete for run in runs)
    assert key


def walk(runs: Iterable[Run]) -> list[Run]:
    """Return runs and all below them."""
    found: list[Run] = []
    waiting = list(runs)
    while waiting:
        run = waiting.pop()
        found.append(run)
        waiting += run.children
    return found


def make_levels(depth: int) -> list[Span]:
    """Return a run with subgraph runs below one another, so many levels."""
    levels = [RecordedRun("level0", trace="deep")]
    for number in range(1, depth + 1):
        caller = levels[-1].task("call", 1)
        levels.append(RecordedRun(f"level{number}", parent=levels[-1], parent_task=caller))
    levels[-1].task("leaf", 1)
    below = [span for level in levels for span in level.below]
    below += [level.root() for level in levels[1:]]
    return [*below, levels[0].root(span_count=len(below))]


def test_fifty_levels_of_subgraphs_are_rebuilt() -> None:
    """As deep as anybody nests, and deeper."""
    [run] = read_runs(make_levels(50))
    assert run.verified
    assert len(walk([run])) == 51


@pytest.mark.parametrize("depth", [300, 2_000])
def test_levels_beyond_reason_are_no_crash(depth: int) -> None:
    """What is deeper than a program can be is named, and its top is incomplete."""
    [run] = read_runs(make_levels(depth))
    assert not run.complete
    assert run.steps == [["__start__"], ["call"]]
    assert len(walk([run])) < 300


def lose_roots(count: int, *, trace: str | None) -> list[Span]:
    """Return runs of one node, of which every second one lost its root."""
    spans: list[Span] = []
    for number in range(count):
        run = RecordedRun(f"r{number}", start=number * 1_000, trace=trace)
        run.task("a", 1)
        spans += run.spans()[: None if number % 2 else 1]
    return spans


@pytest.mark.parametrize("trace", [None, "one"])
def test_many_lost_roots_take_linear_time(trace: str | None) -> None:
    """Ten thousand runs, half of them without their root, in seconds also where they share a trace."""
    runs = list(read_runs(lose_roots(10_000, trace=trace)))
    assert len(runs) == 10_000
    assert sum(run.complete for run in runs) == 5_000


def resume_again_and_again(count: int) -> list[Span]:
    """Return a run whose one node asks so many times: each call runs its task again."""
    spans: list[Span] = []
    for number in range(count):
        waits = number < count - 1
        call = RecordedRun(
            f"call{number}",
            thread="t",
            start=number * 1_000,
            resumed=number > 0,
            outcome="interrupted" if waits else "ok",
        )
        call.task("ask", 1, id="ask", interrupted=waits)
        spans += call.spans()
    return spans


def resume_in_vain(count: int) -> list[Span]:
    """Return a run and so many calls that went on with it and found nothing to do."""
    first = RecordedRun("first", thread="t", outcome="interrupted")
    first.task("a", 1)
    spans = first.spans()
    for number in range(count):
        spans += RecordedRun(f"call{number}", thread="t", start=5_000 + number, resumed=True).spans()
    return spans


def fail_and_resume(count: int) -> list[Span]:
    """Return so many failed calls and so many that resume, all of the same superstep, as without a checkpointer."""
    spans: list[Span] = []
    for number in range(2 * count):
        is_later = number >= count
        call = RecordedRun(
            f"call{number}",
            thread="t",
            start=number * 1_000,
            resumed=is_later,
            outcome="ok" if is_later else "error",
        )
        call.task("a", 1)
        spans += call.spans()
    return spans


def reuse_a_run_id(count: int) -> list[Span]:
    """Return so many runs of one run id, one after another in one trace."""
    spans: list[Span] = []
    for number in range(count):
        call = RecordedRun(f"call{number}", trace="one", start=number * 1_000)
        call.task("a", 1)
        spans += [change_attributes(span, run_id=make_uuid("same")) for span in call.spans()]
    return spans


@pytest.mark.parametrize(
    ("make", "runs"),
    [(resume_again_and_again, 1), (resume_in_vain, 1), (fail_and_resume, 4_000), (reuse_a_run_id, 4_000)],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_many_calls_that_name_one_another_take_linear_time(
    make: Callable[[int], list[Span]], runs: int
) -> None:
    """Thousands of calls that share a task, a superstep number or a run id, in seconds."""
    assert len(list(read_runs(make(4_000)))) == runs
