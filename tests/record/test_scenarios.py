"""Laws that hold for every run, over all oracles: sync and async, whatever way the run goes."""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import TYPE_CHECKING

import pytest
from opentelemetry.trace import StatusCode

from otel_traj import semconv as sc
from otel_traj.manifest import digest_steps, encode_steps, sibling_sort_key
from tests.oracles import ALL
from tests.record.recording import Recording, get_id, get_parent_id, read, read_steps

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

    from tests.oracles import Scenario
    from tests.oracles.driver import Mode

CASES = [pytest.param(each, mode, id=f"{each.number}-{mode}") for each in ALL for mode in each.modes]
_ERROR_SCENARIOS = {21, 22, 23, 24, 25, 36, 41, 42, 43}


def record(scenario: Scenario, mode: Mode, *, inner: bool = False) -> Recording:
    """Drive a scenario under a handler."""
    if scenario.missing:
        pytest.skip(f"the installed versions lack {', '.join(scenario.missing)}")
    recording = Recording(inner=inner)
    if mode == "sync":
        scenario.run([recording.handler])
    else:
        asyncio.run(scenario.arun([recording.handler]))
    return recording


def rebuild_steps(tasks: list[ReadableSpan]) -> list[list[str]]:
    """Return the supersteps that task spans of one graph run show, `__start__` left out."""
    seen = {}
    for span in tasks:
        shown = read(span)
        if shown[sc.NODE] != sc.START_NODE:
            index = shown[sc.PATH].removeprefix("push:")
            key = sibling_sort_key(shown[sc.NODE], int(index) if index.isdecimal() else None)
            seen[shown[sc.TASK_ID]] = (shown[sc.STEP], key, shown[sc.NODE])
    groups = groupby(sorted(seen.values()), key=lambda task: task[0])
    return [[node for _, _, node in group] for _, group in groups]


def list_supersteps(recording: Recording, root: ReadableSpan) -> list[dict[str, str]]:
    """Return the nodes of an invocation by task id, one dict per superstep, ascending."""
    steps: dict[int, dict[str, str]] = {}
    for span in recording.tasks:
        shown = read(span)
        if shown[sc.RUN_ID] == read(root)[sc.RUN_ID] and shown[sc.NODE] != sc.START_NODE:
            steps.setdefault(shown[sc.STEP], {})[shown[sc.TASK_ID]] = shown[sc.NODE]
    return [steps[number] for number in sorted(steps)]


@pytest.mark.parametrize(("scenario", "mode"), CASES)
def test_manifest_is_met_by_the_spans(scenario: Scenario, mode: Mode) -> None:
    """Counts, digest and trajectory of every graph run are those of the spans that were recorded."""
    recording = record(scenario, mode)
    for run in recording.graph_runs:
        shown = read(run)
        tasks = [span for span in recording.tasks if read(span)[sc.RUN_ID] == shown[sc.RUN_ID]]
        steps = rebuild_steps(tasks)
        assert read_steps(run) == steps
        assert shown[sc.STEPS_SHA256] == digest_steps(encode_steps(steps))
        assert shown[sc.TASK_SPAN_COUNT] == len(tasks)
        assert shown[sc.TASK_COUNT] == len({read(span)[sc.TASK_ID] for span in tasks})
        assert shown[sc.SCHEMA] == 1
        assert shown[sc.OUTCOME] in ("ok", "error", "interrupted", "cancelled")
        if sc.PARENT_RUN_ID in shown:
            assert sc.SPAN_COUNT not in shown
        else:
            late = [span for span in recording.list_below(run) if read(span).get(sc.LATE)]
            assert shown[sc.SPAN_COUNT] == len(recording.list_below(run)) - len(late)


@pytest.mark.parametrize(("scenario", "mode"), CASES)
def test_invocations_show_the_oracles_supersteps(scenario: Scenario, mode: Mode) -> None:
    """The manifests of a scenario's invocations, joined where they resume, are the oracle's trajectories."""
    recording = record(scenario, mode)
    runs: list[list[dict[str, str]]] = []
    for root in recording.roots:
        steps = list_supersteps(recording, root)
        if not steps:
            continue
        if not read(root)[sc.RESUMED] or not runs:
            runs.append(steps)
        elif runs[-1][-1].keys() & steps[0].keys():
            runs[-1][-1] |= steps[0]
            runs[-1] += steps[1:]
        else:
            runs[-1] += steps
    markers = ([sc.START_NODE], [sc.INTERRUPT_NODE])
    expected = [[sorted(step) for step in run if step not in markers] for run in scenario.steps_from_spans]
    assert [[sorted(step.values()) for step in run] for run in runs] == expected


@pytest.mark.parametrize(("scenario", "mode"), CASES)
def test_every_span_is_ended_under_its_root_and_nothing_is_kept(scenario: Scenario, mode: Mode) -> None:
    """All spans have an end, one trace holds a run, and the handler's tables are empty."""
    recording = record(scenario, mode)
    assert recording.is_empty()
    assert recording.handler.counters == dict.fromkeys(recording.handler.counters, 0)
    below: set[int] = set()
    for root in recording.roots:
        assert get_parent_id(root) is None
        members = recording.list_below(root)
        below |= {get_id(root), *(get_id(span) for span in members)}
        assert {span.context.trace_id for span in members} <= {root.context.trace_id}
    assert below == {get_id(span) for span in recording.spans}


@pytest.mark.parametrize(("scenario", "mode"), CASES)
def test_control_flow_is_no_error(scenario: Scenario, mode: Mode) -> None:
    """Only what an exception ended that is no control flow has the status ERROR, with its type."""
    recording = record(scenario, mode)
    for span in recording.spans:
        failed = span.status.status_code is StatusCode.ERROR
        assert failed == (sc.ERROR_TYPE in read(span))
        if scenario.number not in _ERROR_SCENARIOS:
            assert not failed
            assert not span.events


@pytest.mark.parametrize(("scenario", "mode"), CASES)
def test_inner_spans_change_no_trajectory(scenario: Scenario, mode: Mode) -> None:
    """With `inner=True` more spans appear, all counted, and the manifests tell the same trajectories."""
    plain = record(scenario, mode)
    recording = record(scenario, mode, inner=True)
    assert [read_steps(run) for run in recording.roots] == [read_steps(run) for run in plain.roots]
    assert [read(run)[sc.TASK_COUNT] for run in recording.roots] == [
        read(run)[sc.TASK_COUNT] for run in plain.roots
    ]
    assert recording.is_empty()
    for run in recording.roots:
        assert read(run)[sc.SPAN_COUNT] == len(recording.list_below(run))
    for span in recording.spans:
        assert (sc.KIND in read(span)) != (sc.OPERATION_NAME in read(span))
