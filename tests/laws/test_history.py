"""Law: spans and history tell the same trajectories of any graph, however the spans arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import assume, given

from otel_traj import read_runs
from otel_traj.model import NAMED_ONLY
from tests.laws.recordings import arrive, record
from tests.laws.settings import law
from tests.laws.strategies import cases
from tests.missing_api import list_missing
from tests.oracles import sort_names
from tests.oracles.scenario import START_STEP

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

    from otel_traj import Run
    from tests.laws.recordings import Recording
    from tests.laws.spec import Case
    from tests.oracles.scenario import Trajectories


def steps_of(recording: Recording, runs: list[Run], thread: str) -> Trajectories:
    """Return the trajectories of a thread's runs that ran anything."""
    return [recording.driven.read_steps(run) for run in runs if run.thread_id == thread and run.steps]


def collect_subgraphs(
    recording: Recording, runs: Iterable[Run], told: dict[str, Trajectories]
) -> dict[str, Trajectories]:
    """Collect the trajectories of subgraph runs by the namespace that their checkpoints stand in.

    A graph that is none of the calling one has its own threads, and no namespace on this one.
    """
    for run in runs:
        namespace = next((task.checkpoint_ns.rpartition("|")[0] for task in run.tasks), "")
        if recording.driven.keeps_history(namespace):
            told.setdefault(namespace, []).append(recording.driven.read_steps(run))
            collect_subgraphs(recording, run.children, told)
    return told


def drop_unseen(history: Trajectories) -> Trajectories:
    """Drop runs of a subgraph that paused or failed before their first node: no callback tells that it is a graph."""
    return [steps for steps in history if steps not in ([], [START_STEP])]


@law(300)
@given(case=cases())
def test_spans_and_history_tell_the_same(case: Case, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every run has the supersteps that the checkpointer's history has, and is complete and verified.

    But for a run that left work behind: it says that, and nothing else is wrong with it.
    """
    if list_missing("histories of time travel that was broken off"):
        assume(not any(call.back for call in case.calls))
    recording = record(case)
    path = tmp_path_factory.getbasetemp() / "law.jsonl"
    path.write_text(arrive(recording.lines, case.arrival), "utf-8")
    runs = list(read_runs(path))
    for run in runs:
        wrong = {problem.code for problem in run.problems} - NAMED_ONLY
        assert wrong == ({"late_span"} if recording.driven.left_work_behind(run) else set()), run.problems
        assert (run.complete, run.verified) == ((False, False) if wrong else (True, True)), run.problems
    declared = list(read_runs(path, node_order=list(recording.driven.graph.nodes)))
    for thread in recording.driven.threads:
        history = recording.driven.read_history(thread)
        assert sort_names(steps_of(recording, runs, thread)) == sort_names(history)
        assert steps_of(recording, declared, thread) == history
        below = [child for run in runs if run.thread_id == thread for child in run.children]
        for namespace, told in collect_subgraphs(recording, below, {}).items():
            history = recording.driven.read_history(thread, namespace)
            assert sort_names(drop_unseen(told)) == sort_names(drop_unseen(history)), namespace
