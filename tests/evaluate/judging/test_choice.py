"""The choice of a reference: one, or none with the candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from otel_traj import read_runs
from otel_traj import semconv as sc
from otel_traj.evaluate import AppliesTo, Reference
from otel_traj.evaluate.judging.choice import choose_reference
from tests.spans import RecordedRun, change_attributes

if TYPE_CHECKING:
    from otel_traj import Run
    from otel_traj.model import AttributeValue


def _make_run(**attributes: AttributeValue) -> Run:
    recorded = RecordedRun("r", graph="seven", thread="t-1")
    recorded.task("node1", 1)
    *below, root = recorded.spans()
    [run] = read_runs([*below, change_attributes(root, **attributes)])
    return run


def _lose_root() -> Run:
    recorded = RecordedRun("r", graph="seven", thread="t-1")
    recorded.task("node1", 1)
    [run] = read_runs(recorded.below)
    return run


def _make_reference(name: str, **applies_to: object) -> Reference:
    return Reference(name=name, steps=[["node1"]], applies_to=AppliesTo(**applies_to))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("applies_to", "applies"),
    [
        ({}, True),
        ({"graph": "seven"}, True),
        ({"graph": "Seven"}, False),
        ({"case": "long"}, True),
        ({"case": "short"}, False),
        ({"thread": "t-1"}, True),
        ({"graph": "seven", "case": "long", "thread": "t-1"}, True),
        ({"graph": "seven", "case": "long", "thread": "t-2"}, False),
        ({"tags": ("nightly",)}, True),
        ({"tags": ("nightly", "us")}, False),
        ({"attributes": {"service.name": "svc"}}, True),
        ({"attributes": {"service.name": "svc", "none.there": "x"}}, False),
        ({"attributes": {sc.TASK_COUNT: 1}}, True),
        ({"attributes": {sc.TASK_COUNT: 1.0}}, True),
        ({"attributes": {sc.TASK_COUNT: True}}, False),
        ({"attributes": {sc.TASK_COUNT: "1"}}, False),
        ({"attributes": {sc.TAGS: ["nightly", "eu"]}}, True),
        ({"attributes": {sc.TAGS: ["nightly"]}}, False),
        ({"inputs": {"user": {"id": 7}}}, True),
        ({"inputs": {"user": {"id": 8}}}, False),
        ({"inputs": {"user": {"id": 7}, "more": 1}}, False),
        ({"inputs": {"items": [1, 2]}}, True),
        ({"inputs": {"items": [1]}}, False),
        ({"inputs": "hello"}, False),
    ],
)
def test_all_given_keys_must_hold(applies_to: dict[str, object], applies: bool) -> None:
    """A reference applies exactly where every key that it gives holds."""
    run = _make_run(
        case="long", tags=["nightly", "eu"], inputs='{"user": {"id": 7, "name": "ann"}, "items": [1, 2]}'
    )
    choice = choose_reference([run], [_make_reference("only", **applies_to)])
    assert (choice.reference is not None) is applies
    assert choice.applying == (("only",) if applies else ())
    assert choice.possible == ()


def test_two_that_apply_are_candidates() -> None:
    """Where more than one applies none is chosen, and all that do are named in order."""
    references = [_make_reference("a"), _make_reference("no", graph="x"), _make_reference("b", graph="seven")]
    choice = choose_reference([_make_run()], references)
    assert (choice.reference, choice.applying, choice.possible) == (None, ("a", "b"), ())


@pytest.mark.parametrize(
    "applies_to",
    [{"graph": "seven"}, {"case": "long"}, {"tags": ("a",)}, {"attributes": {"service.name": "svc"}}],
)
def test_a_lost_root_leaves_it_open(applies_to: dict[str, object]) -> None:
    """Without its graph-run span nobody knows what a run is part of, so a reference only might apply."""
    choice = choose_reference([_lose_root()], [_make_reference("only", **applies_to)])
    assert (choice.reference, choice.applying, choice.possible) == (None, (), ("only",))


def test_a_lost_root_does_not_hide_what_the_tasks_say() -> None:
    """The thread stands on every task: it decides without the root, either way."""
    references = [
        _make_reference("mine", thread="t-1"),
        _make_reference("other", thread="t-2", graph="seven"),
    ]
    choice = choose_reference([_lose_root()], references)
    assert choice.reference is references[0]
    assert choice.possible == ()


def test_one_that_might_apply_beside_one_that_does_is_no_choice() -> None:
    """An open answer beside a certain one leaves the choice open: it may be ambiguous."""
    choice = choose_reference(
        [_lose_root()], [_make_reference("all"), _make_reference("seven", graph="seven")]
    )
    assert (choice.reference, choice.applying, choice.possible) == (None, ("all",), ("seven",))


def test_a_subgraph_run_without_its_caller_is_of_an_unknown_graph() -> None:
    """The graph of an orphaned subgraph run is not the graph of the run that was lost."""
    outer = RecordedRun("outer", graph="outer")
    key = outer.task("sub", 1)
    inner = RecordedRun("inner", graph="inner", parent=outer, parent_task=key)
    inner.task("leaf", 1)
    [run] = read_runs(inner.spans())
    choice = choose_reference(
        [run], [_make_reference("outer", graph="outer"), _make_reference("inner", graph="inner")]
    )
    assert (choice.reference, choice.possible) == (None, ("outer", "inner"))


def test_inputs_that_were_not_recorded_leave_it_open() -> None:
    """Without recorded content a condition on the input can't be answered."""
    choice = choose_reference([_make_run()], [_make_reference("only", inputs={"a": 1})])
    assert (choice.reference, choice.possible) == (None, ("only",))


def test_a_case_that_was_never_given_is_known() -> None:
    """A run with its root and without a case has no case: that is an answer, also where a task is lost."""
    run = replace(_make_run(), complete=False)
    choice = choose_reference([run], [_make_reference("only", case="long")])
    assert (choice.reference, choice.possible) == (None, ())


def test_a_thread_is_met_by_what_each_of_its_runs_meets() -> None:
    """One run that a reference does not apply to takes the whole thread from it; one that leaves it open, leaves it."""
    runs = [_make_run(case="long"), _make_run(case="short")]
    references = [_make_reference("all", graph="seven"), _make_reference("long", case="long")]
    assert choose_reference(runs, references).reference is references[0]
    choice = choose_reference([runs[0], _lose_root()], references)
    assert (choice.reference, choice.applying, choice.possible) == (None, (), ("all", "long"))
    assert choose_reference([runs[1], _lose_root()], references).possible == ("all",)
