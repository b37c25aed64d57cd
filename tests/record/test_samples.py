"""The sample agents do what their docstrings say, by themselves: no recording here."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from otel_traj.record.samples import build_approval, build_seven_nodes, build_tool_agent
from otel_traj.record.scripted_chat import ScriptedChat

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

THREAD: RunnableConfig = {"configurable": {"thread_id": "t"}}
QUESTION: Any = {"messages": [("user", "What do I wear in Oslo?")]}
LONG_WAY = ["node1", "node3", "node4", "node5", "node6", "node7"]
SHORT_WAY = ["node1", "node2", "node7"]


@pytest.mark.parametrize(("shortcut", "visited"), [(True, SHORT_WAY), (False, LONG_WAY)])
def test_shortcut_decides_the_way(shortcut: bool, visited: list[str]) -> None:
    """The seven nodes go the short way with a shortcut and the long way without, each node once."""
    result = build_seven_nodes().invoke({"shortcut": shortcut, "nodes": []})
    assert result == {"shortcut": shortcut, "nodes": visited}


def test_parallel_nodes_share_a_superstep() -> None:
    """Node 4 and node 5 run in the superstep after node 3, and node 6 waits for both."""
    graph = build_seven_nodes(InMemorySaver())
    graph.invoke({"shortcut": False, "nodes": []}, THREAD)
    planned = [sorted(snapshot.next) for snapshot in graph.get_state_history(THREAD)]
    assert planned[::-1] == [
        ["__start__"],
        ["node1"],
        ["node3"],
        ["node4", "node5"],
        ["node6"],
        ["node7"],
        [],
    ]


def test_a_thread_keeps_its_state() -> None:
    """With a checkpointer a second run on the thread goes on from the nodes of the first."""
    graph = build_seven_nodes(InMemorySaver())
    graph.invoke({"shortcut": True, "nodes": []}, THREAD)
    result = graph.invoke({"shortcut": False, "nodes": []}, THREAD)
    assert result["nodes"] == SHORT_WAY + LONG_WAY


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_agent_calls_two_tools_in_one_turn_and_answers(mode: str) -> None:
    """The assistant calls both tools at once, gets both results and answers, sync and async."""
    graph = build_tool_agent()
    state = graph.invoke(QUESTION) if mode == "sync" else asyncio.run(graph.ainvoke(QUESTION))
    kinds = [message.type for message in state["messages"]]
    assert kinds == ["human", "ai", "tool", "tool", "ai"]
    assert [call["name"] for call in state["messages"][1].tool_calls] == ["get_weather", "get_local_time"]
    assert [message.content for message in state["messages"][2:4]] == [
        "8 degrees and rain in Oslo",
        "07:40 in Oslo",
    ]
    assert all(message.usage_metadata for message in state["messages"] if isinstance(message, AIMessage))


def test_agent_takes_several_turns_on_one_thread() -> None:
    """The second question on a thread gets its own calls and answer, and the first ones stay."""
    graph = build_tool_agent(InMemorySaver())
    graph.invoke(QUESTION, THREAD)
    messages = graph.invoke(QUESTION, THREAD)["messages"]
    assert [message.type for message in messages] == ["human", "ai", "tool", "tool", "ai"] * 2
    assert len({message.id for message in messages}) == 10


def test_agent_takes_another_model() -> None:
    """A model of one's own takes the place of the scripted one and can call the same tools."""
    call = {"name": "get_weather", "args": {"city": "Rome"}, "id": "1", "type": "tool_call"}
    model = ScriptedChat(turns=[AIMessage(content="", tool_calls=[call]), AIMessage(content="Take a hat.")])
    messages = build_tool_agent(model=model).invoke(QUESTION)["messages"]
    assert [each.content for each in messages if isinstance(each, ToolMessage)] == [
        "8 degrees and rain in Rome"
    ]
    assert messages[-1].content == "Take a hat."


@pytest.mark.parametrize(("answer", "outcome"), [(True, "sent"), (False, "dropped")])
def test_approval_waits_for_a_person(answer: bool, outcome: str) -> None:
    """The approval stops at `ask` with the draft in hand, and the answer decides what becomes of it."""
    graph = build_approval(InMemorySaver())
    stopped = graph.invoke({"topic": "the move"}, THREAD)
    assert "outcome" not in stopped
    assert graph.get_state(THREAD).next == ("ask",)
    finished = graph.invoke(Command(resume=answer), THREAD)
    assert finished["mail"] == "Dear all, a word about the move."
    assert finished["outcome"] == outcome


def test_graphs_have_the_names_that_spans_show() -> None:
    """The graphs are named seven, assistant and approval."""
    graphs = (build_seven_nodes(), build_tool_agent(), build_approval(InMemorySaver()))
    assert [graph.name for graph in graphs] == ["seven", "assistant", "approval"]
