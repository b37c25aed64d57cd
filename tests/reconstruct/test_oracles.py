"""What LangGraph executed, from a file: every oracle under our handler, written, read, equal."""

from __future__ import annotations

import json
import random
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_traj import ContentPolicy, read_runs
from otel_traj.model import NAMED_ONLY
from tests.oracles import ALL, by_number, sort_names
from tests.recorded import record_scenario, record_to_file

if TYPE_CHECKING:
    from pathlib import Path

    from otel_traj import Run
    from tests.oracles.driver import Mode
    from tests.oracles.scenario import Scenario, Trajectories

BASIC = [*range(1, 14), 17, 21, 24, 26, 38]
"""Oracles whose recordings are also shuffled, doubled and robbed of each span."""

every_oracle = pytest.mark.parametrize(
    ("scenario", "mode"),
    [pytest.param(each, mode, id=f"{each.number}-{mode}") for each in ALL for mode in each.modes],
)
basic_oracles = pytest.mark.parametrize(
    ("scenario", "mode"),
    [
        pytest.param(each, mode, id=f"{each.number}-{mode}")
        for each in map(by_number, BASIC)
        for mode in each.modes
    ],
)


def skip_what_is_missing(scenario: Scenario) -> None:
    """Skip a scenario whose API the installed LangGraph lacks."""
    if scenario.missing:
        pytest.skip(f"the installed langgraph lacks {', '.join(scenario.missing)}")


def record(scenario: Scenario, mode: Mode, path: Path) -> list[str]:
    """Record a scenario into a file and return its lines, or skip where the installed LangGraph lacks it."""
    skip_what_is_missing(scenario)
    record_to_file(scenario, mode, path)
    return path.read_text("utf-8").splitlines()


def read_steps(path: Path) -> Trajectories:
    """Return the trajectories of all runs of a file that ran anything, names sorted inside supersteps."""
    runs = list(read_runs(path))
    assert all(run.complete and run.verified for run in runs), [run.problems for run in runs]
    return sort_names([run.steps for run in runs if run.steps])


@every_oracle
def test_a_file_gives_what_langgraph_executed(scenario: Scenario, mode: Mode, tmp_path: Path) -> None:
    """Runs read from OTLP JSON lines are complete, verified and equal to the oracle."""
    record(scenario, mode, tmp_path / "traces.jsonl")
    assert read_steps(tmp_path / "traces.jsonl") == sort_names(scenario.steps_from_spans)


@every_oracle
def test_memory_gives_what_langgraph_executed(scenario: Scenario, mode: Mode) -> None:
    """Runs read from an in-memory exporter, and from its spans as an iterable, equal the oracle."""
    skip_what_is_missing(scenario)
    exporter = InMemorySpanExporter()
    record_scenario(scenario, mode, exporter)
    for source in (exporter, list(exporter.get_finished_spans())):
        runs = list(read_runs(source))
        assert all(run.complete and run.verified for run in runs), [run.problems for run in runs]
        steps = sort_names([run.steps for run in runs if run.steps])
        assert steps == sort_names(scenario.steps_from_spans)


@every_oracle
@pytest.mark.parametrize(
    "policy",
    [
        ContentPolicy(mask_keys=["*"], mask_patterns=[".+"], max_bytes=64),
        ContentPolicy(redact=lambda _, __: "x" * 1_000, max_bytes=64),
    ],
    ids=["masked", "cut"],
)
def test_content_that_is_masked_or_cut_changes_no_trajectory(
    scenario: Scenario, mode: Mode, policy: ContentPolicy
) -> None:
    """Where every recorded value is masked whole, or cut, runs are complete, verified and equal to the oracle."""
    skip_what_is_missing(scenario)
    exporter = InMemorySpanExporter()
    record_scenario(scenario, mode, exporter, content=policy)
    runs = list(read_runs(exporter))
    assert all(run.complete and run.verified for run in runs), [run.problems for run in runs]
    assert sort_names([run.steps for run in runs if run.steps]) == sort_names(scenario.steps_from_spans)
    if policy.redact is not None:
        assert all("content_cut" in [problem.code for problem in run.problems] for run in runs)


@every_oracle
def test_names_stand_in_the_order_that_the_graph_declares(
    scenario: Scenario, mode: Mode, tmp_path: Path
) -> None:
    """With node_order, names stand as history lists them: fan-out tasks by index, then by declaration."""
    record(scenario, mode, tmp_path / "traces.jsonl")
    place = {name: number for number, name in enumerate(scenario.declared_nodes)}
    for run in read_runs(tmp_path / "traces.jsonl", node_order=scenario.declared_nodes):
        tasks = iter(run.tasks)
        for task_ids, names in zip(run.step_task_ids, run.steps, strict=True):
            group = list(islice(tasks, len(task_ids)))
            assert [task.task_id for task in group] == task_ids
            indices = [task.push_index for task in group]
            pulled = [name for name, index in zip(names, indices, strict=False) if index is None]
            assert pulled == sorted(pulled, key=lambda name: place.get(name, len(place)))
            pushed = [index for index in indices if index is not None]
            assert indices == sorted(pushed) + [None] * len(pulled)


def split_spans(line: str) -> list[dict[str, Any]]:
    """Return one document per span of a line, each with its resource and scope."""
    documents = []
    for resource in json.loads(line)["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            documents += [
                {"resourceSpans": [{**resource, "scopeSpans": [{**scope, "spans": [span]}]}]}
                for span in scope["spans"]
            ]
    return documents


def merge(documents: list[dict[str, Any]]) -> str:
    """Return one line that holds the spans of several documents in batches of their own."""
    return json.dumps({"resourceSpans": [part for each in documents for part in each["resourceSpans"]]})


@basic_oracles
def test_order_batches_and_copies_do_not_matter(scenario: Scenario, mode: Mode, tmp_path: Path) -> None:
    """The same spans shuffled, in other batches and with every line doubled give the same runs."""
    path = tmp_path / "traces.jsonl"
    documents = [each for line in record(scenario, mode, path) for each in split_spans(line)]
    expected = sort_names(scenario.steps_from_spans)
    shuffle = random.Random(scenario.number)
    for size in (1, 2, 7, len(documents)):
        shuffle.shuffle(documents)
        lines = [merge(documents[start : start + size]) for start in range(0, len(documents), size)]
        path.write_text("\n".join(lines * 2) + "\n", "utf-8")
        assert read_steps(path) == expected


@basic_oracles
def test_one_lost_span_is_never_hidden(scenario: Scenario, mode: Mode, tmp_path: Path) -> None:
    """With any one span lost, each run is incomplete with a code, or has the steps it truly has."""
    path = tmp_path / "traces.jsonl"
    documents = [each for line in record(scenario, mode, path) for each in split_spans(line)]
    truth = {run.run_id: run.steps for run in read_runs(path)}
    for lost in range(len(documents)):
        path.write_text("\n".join(map(json.dumps, documents[:lost] + documents[lost + 1 :])) + "\n", "utf-8")
        runs = list(read_runs(path, on_problem=lambda _: None))
        assert runs or len(documents) == 1
        for run in runs:
            assert is_honest(run, truth), (documents[lost], run.steps, run.problems)


def is_honest(run: Run, truth: dict[str, list[list[str]]]) -> bool:
    """Whether a run has its true steps, or says with a code that it may not have them."""
    if run.complete:
        return run.steps == truth[run.run_id]
    return bool({problem.code for problem in run.problems} - NAMED_ONLY)
