"""The oracles are proved against LangGraph itself, by its callbacks and by its checkpointer's history."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.oracles import ALL, by_number, sort_names
from tests.oracles.callback_counter import CallbackCounter
from tests.oracles.history_walk import walk_history

if TYPE_CHECKING:
    from tests.oracles.scenario import Driven, Scenario

SYNC = [pytest.param(each, id=f"{each.number}") for each in ALL if "sync" in each.modes]
ASYNC = [pytest.param(each, id=f"{each.number}") for each in ALL if "async" in each.modes]


def check_against_langgraph(scenario: Scenario, driven: Driven, counter: CallbackCounter) -> None:
    """Compare both witnesses with what the scenario expects."""
    snapshots = list(driven.graph.get_state_history(driven.config))
    history = walk_history(snapshots)
    assert counter.read_trajectories() == scenario.steps_from_spans
    assert sort_names(history) == sort_names(scenario.history)
    if scenario.agrees:
        assert counter.read_trajectories(scenario.declared_nodes) == history
    if scenario.agrees or scenario.pending_only:
        ran = walk_history(snapshots, keep_pending=False)
        assert sort_names(ran) == sort_names(scenario.steps_from_spans)
    assert [name for name in driven.graph.nodes if not name.startswith("__")] == list(scenario.declared_nodes)


@pytest.mark.parametrize("scenario", SYNC)
def test_sync_drive_meets_the_oracle(scenario: Scenario) -> None:
    """Driven by the sync API, LangGraph's callbacks and history say what the oracle says."""
    if scenario.missing:
        pytest.skip(f"the installed versions lack {', '.join(scenario.missing)}")
    counter = CallbackCounter()
    check_against_langgraph(scenario, scenario.run([counter]), counter)


@pytest.mark.parametrize("scenario", ASYNC)
def test_async_drive_meets_the_oracle(scenario: Scenario) -> None:
    """Driven by the async API, LangGraph's callbacks and history say what the oracle says."""
    if scenario.missing:
        pytest.skip(f"the installed versions lack {', '.join(scenario.missing)}")
    counter = CallbackCounter()
    check_against_langgraph(scenario, asyncio.run(scenario.arun([counter])), counter)


def test_every_row_has_its_scenario() -> None:
    """The registry holds the rows 1 to 43, each once, in order."""
    assert [scenario.number for scenario in ALL] == list(range(1, 44))
    assert all(by_number(number).number == number for number in range(1, 44))
