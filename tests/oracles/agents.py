"""Oracles 38 to 40: prebuilt agents with two tool calls in one turn, with middleware, with an interrupt."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.types import Command, interrupt

from otel_traj.record.scripted_chat import ScriptedChat
from tests.oracles.scenario import INTERRUPT, START_STEP, Scenario

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from tests.oracles.driver import Driver, Graph

__all__ = ["SCENARIOS"]

QUESTION = {"messages": [("user", "Book a table in Oslo if it rains.")]}


@tool
def read_weather(city: str) -> str:
    """Return the weather in a city."""
    return f"rain in {city}"


@tool
def read_clock(city: str) -> str:
    """Return the local time in a city."""
    return f"07:40 in {city}"


@tool
def book_table(city: str) -> str:
    """Book a table, after a person has agreed."""
    return f"booked in {city}: {interrupt('book it?')}"


def _build_model(*tools: str) -> ScriptedChat:
    """Return a model that calls the tools in one turn and answers in the next."""
    calls = [
        {"name": name, "args": {"city": "Oslo"}, "id": f"call_{name}", "type": "tool_call"} for name in tools
    ]
    return ScriptedChat(turns=[AIMessage(content="", tool_calls=calls), AIMessage(content="Done.")])


async def _react(driver: Driver) -> Graph:
    from langgraph.prebuilt import create_react_agent

    with warnings.catch_warnings():
        # It has moved to langchain's create_agent, but is what langgraph 0.6 has (deprecated since 1.0).
        warnings.simplefilter("ignore", DeprecationWarning)
        graph = create_react_agent(
            _build_model("read_weather", "read_clock"),
            [read_weather, read_clock],
            checkpointer=driver.checkpointer,
            name="oracle",
        )
    await driver.invoke(graph, QUESTION)
    return graph


async def _use_middleware(driver: Driver) -> Graph:
    from langchain.agents import create_agent
    from langchain.agents.middleware import AgentState, after_model, before_model

    @before_model
    def bm(state: AgentState[None], runtime: Runtime[None]) -> None: ...

    @after_model
    def am(state: AgentState[None], runtime: Runtime[None]) -> None: ...

    graph = create_agent(
        _build_model("read_weather", "read_clock"),
        [read_weather, read_clock],
        middleware=[bm, am],
        checkpointer=driver.checkpointer,
        name="oracle",
    )
    await driver.invoke(graph, QUESTION)
    return graph


async def _interrupt_in_tool(driver: Driver) -> Graph:
    from langchain.agents import create_agent

    graph = create_agent(
        _build_model("read_weather", "book_table"),
        [read_weather, book_table],
        checkpointer=driver.checkpointer,
        name="oracle",
    )
    await driver.invoke(graph, QUESTION)
    await driver.invoke(graph, Command(resume="yes"))
    return graph


SCENARIOS = [
    Scenario(
        number=38,
        title="create_react_agent, two parallel tools",
        drive=_react,
        declared_nodes=("agent", "tools"),
        steps_from_spans=[[START_STEP, ["agent"], ["tools", "tools"], ["agent"]]],
    ),
    Scenario(
        number=39,
        title="create_agent with middleware",
        drive=_use_middleware,
        declared_nodes=("model", "tools", "bm.before_model", "am.after_model"),
        steps_from_spans=[
            [
                START_STEP,
                ["bm.before_model"],
                ["model"],
                ["am.after_model"],
                ["tools", "tools"],
                ["bm.before_model"],
                ["model"],
                ["am.after_model"],
            ]
        ],
    ),
    Scenario(
        number=40,
        title="create_agent, interrupt in one of two tools, resumed",
        drive=_interrupt_in_tool,
        declared_nodes=("model", "tools"),
        steps_from_spans=[[START_STEP, ["model"], ["tools", "tools"], INTERRUPT, ["model"]]],
    ),
]
"""By number."""
