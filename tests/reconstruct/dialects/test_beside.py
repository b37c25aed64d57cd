"""Live: every oracle in one process under our handler, openinference and openllmetry, read back from each.

Ours is what theirs are held against: it is verified, and the oracles are proved without any spans.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from otel_traj import semconv as sc
from otel_traj.sources import open_source
from tests.oracles import ALL, by_number, sort_names
from tests.reconstruct.dialects.corpora import read_quietly, refuse
from tests.reconstruct.dialects.peers import find_peers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj import Run
    from otel_traj.model import Span

CHECKOUT = Path(__file__).parents[3]
SCOPES = {
    "openinference": "openinference.instrumentation.langchain",
    "openllmetry": "opentelemetry.instrumentation.langchain",
}
STATIC_INTERRUPT, CACHED, UPDATED = 18, 27, 31
"""Oracles of which no span of another emitter tells all: see docs/emitters.md."""

CHANGED = 39
"""openllmetry 0.62.4 wraps each hook of a middleware, and `create_agent` then makes a node of every one."""

CASES = [f"{scenario.number}-{mode}" for scenario in ALL for mode in scenario.modes if not scenario.missing]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the spans of all oracles, recorded once."""
    python = find_peers()
    if python is None:
        pytest.skip(
            "no environment with other instrumentations: run `python -m tests.reconstruct.dialects.peers`"
        )
    folder = tmp_path_factory.mktemp("beside")
    program = [str(python), "-m", "tests.reconstruct.dialects.record_beside", str(folder)]
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(
        program, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stderr
    return folder


def load(recorded: Path, case: str) -> tuple[list[Span], list[Span]]:
    """Return all spans of an oracle's graph, and ours; a call without our handler is left out."""
    spans = list(open_source(recorded / f"{case}.jsonl").read_spans(refuse))
    ours = [span for span in spans if span.scope_name == sc.SCOPE_NAME]
    traces = {span.trace_id for span in ours}
    return [span for span in spans if span.trace_id in traces], ours


def describe(runs: Sequence[Run]) -> list[Any]:
    """Return what every emitter must tell alike."""
    return [
        (
            *(run.steps, run.status, run.thread_id, run.error_type),
            *(describe(run.children), [call.usage for call in run.model_calls]),
            [(call.name, call.superstep, call.status) for call in run.tool_calls],
            [(task.node, task.task_id, task.attempts, task.status, task.interrupted) for task in run.tasks],
        )
        for run in runs
    ]


@pytest.mark.parametrize("case", CASES)
def test_beside_others_each_node_counts_once(recorded: Path, case: str) -> None:
    """The spans of three instrumentations together give the runs of ours alone, verified, which are the oracle's."""
    spans, ours = load(recorded, case)
    runs = read_quietly(spans)
    assert runs == read_quietly(ours)
    assert all(run.verified for run in runs)
    scenario = by_number(int(case.partition("-")[0]))
    truth = scenario.steps_from_spans
    if scenario.number != CHANGED:
        assert sort_names([run.steps for run in runs if run.steps]) == sort_names(truth)


@pytest.mark.parametrize("emitter", SCOPES)
@pytest.mark.parametrize("case", CASES)
def test_each_of_the_others_tells_the_same(recorded: Path, case: str, emitter: str) -> None:
    """Read from another emitter's spans alone, runs have the same supersteps, tasks, calls, threads and endings."""
    spans, ours = load(recorded, case)
    runs = read_quietly(span for span in spans if span.scope_name == SCOPES[emitter])
    number = int(case.partition("-")[0])
    if number == STATIC_INTERRUPT:
        assert [run.status for run in runs] == ["ok"]
        assert [run.steps for run in runs] == [run.steps for run in read_quietly(ours)]
        return
    assert describe(runs) == describe(read_quietly(ours))
    assert {run.emitter for run in runs} == {emitter} if runs else not ours
    assert all(run.complete for run in runs) == (number not in (CACHED, UPDATED))
    assert not any(run.verified for run in runs)


@pytest.mark.parametrize("case", CASES)
def test_without_ours_one_of_them_is_read(recorded: Path, case: str) -> None:
    """Two others at once give what one of them gives, and never both."""
    spans, ours = load(recorded, case)
    theirs = [span for span in spans if span.scope_name != sc.SCOPE_NAME]
    runs = read_quietly(theirs)
    assert [run.steps for run in runs] == [run.steps for run in read_quietly(ours)]
    assert len({run.emitter for run in runs}) <= 1
