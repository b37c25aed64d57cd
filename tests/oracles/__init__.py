"""The oracles: 43 scenarios that say what LangGraph does, and which trajectories must come of it."""

from __future__ import annotations

from tests.oracles import agents, commands, errors, functional, interrupts, plain, subgraphs
from tests.oracles.scenario import Driven, Scenario, Trajectories, sort_names

__all__ = ["ALL", "Driven", "Scenario", "Trajectories", "by_number", "sort_names"]

ALL: tuple[Scenario, ...] = tuple(
    sorted(
        (
            scenario
            for module in (plain, subgraphs, interrupts, errors, commands, functional, agents)
            for scenario in module.SCENARIOS
        ),
        key=lambda scenario: scenario.number,
    )
)
"""Every scenario, by number."""

_BY_NUMBER: dict[int, Scenario] = {scenario.number: scenario for scenario in ALL}


def by_number(number: int) -> Scenario:
    """Return the scenario of a row of the table; KeyError where there is none."""
    return _BY_NUMBER[number]
