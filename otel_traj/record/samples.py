"""Three small agents to record: a branching graph, an agent with tools, a graph that asks a person.

They run offline, in milliseconds, with nothing but langgraph and langchain-core: the model is scripted. The
command `otel-traj demo`, the examples and the README use them; copy one to try your own ideas on it. Together
they show what a trajectory has to tell apart: a branch, nodes that run in one superstep, a loop between model
and tools, and a run that stops in the middle and is resumed. Written against langgraph 0.6 to 1.2.

The module has no `from __future__ import annotations`: LangGraph reads the annotations of a state's fields.
"""

import operator
from typing import Annotated, Any, Protocol, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import interrupt

from otel_traj.record.scripted_chat import ScriptedChat

__all__ = [
    "ApprovalState",
    "SevenNodesState",
    "build_approval",
    "build_seven_nodes",
    "build_tool_agent",
]

Checkpointer = BaseCheckpointSaver[Any] | None


class SevenNodesState(TypedDict):
    """State of the seven nodes: which way to go, and which nodes have been visited."""

    shortcut: bool
    nodes: Annotated[list[str], operator.add]


class ApprovalState(TypedDict, total=False):
    """State of the approval: what the mail is about, its text, what the person said, what came of it."""

    topic: str
    mail: str
    approved: bool
    outcome: str


def build_seven_nodes(
    checkpointer: Checkpointer = None,
) -> CompiledStateGraph[SevenNodesState, None, SevenNodesState, SevenNodesState]:
    """Build the graph "seven": a branch, and two nodes that run in one superstep.

    Every node adds its own name to `nodes`. With `shortcut` true the way is node1, node2, node7; with false it
    is node1, node3, then node4 and node5 side by side, node6 (which waits for both), node7.

    Args:
        checkpointer: Keeps the state of each thread between runs; None keeps nothing.

    Returns:
        The compiled graph; its input is `{"shortcut": bool, "nodes": []}`.
    """
    builder = StateGraph(SevenNodesState)
    for number in range(1, 8):
        name = f"node{number}"
        builder.add_node(name, _visit(name))
    builder.add_edge(START, "node1")
    builder.add_conditional_edges("node1", _choose_branch, ["node2", "node3"])
    builder.add_edge("node2", "node7")
    builder.add_edge("node3", "node4")
    builder.add_edge("node3", "node5")
    builder.add_edge(["node4", "node5"], "node6")
    builder.add_edge("node6", "node7")
    return builder.compile(checkpointer=checkpointer, name="seven")


class _Visit(Protocol):
    def __call__(self, state: SevenNodesState) -> dict[str, list[str]]: ...


def _visit(name: str) -> _Visit:
    """Return the function of a node that adds its name to `nodes`."""

    def visit(state: SevenNodesState) -> dict[str, list[str]]:  # noqa: ARG001 - LangGraph passes the state
        return {"nodes": [name]}

    return visit


def _choose_branch(state: SevenNodesState) -> str:
    return "node2" if state["shortcut"] else "node3"


@tool
def get_weather(city: str) -> str:
    """Return the weather in a city."""
    return f"8 degrees and rain in {city}"


@tool
def get_local_time(city: str) -> str:
    """Return the local time in a city."""
    return f"07:40 in {city}"


def build_tool_agent(
    checkpointer: Checkpointer = None, *, model: BaseChatModel | None = None
) -> CompiledStateGraph[MessagesState, None, MessagesState, MessagesState]:
    """Build the graph "assistant": a model and its tools in a loop, as in ReAct.

    The node `model` asks the model; while it calls tools, the node `tools` runs them all at once and hands
    their results back; otherwise the run ends. The scripted model calls `get_weather` and `get_local_time`
    in one turn and answers in the next: superstep by superstep model, tools, model.

    Args:
        checkpointer: Keeps the messages of each thread between runs; None keeps nothing.
        model: Takes the place of the scripted model; it must support tools.

    Returns:
        The compiled graph; its input is `{"messages": [("user", "...")]}`.
    """
    tools = [get_weather, get_local_time]
    bound = (model or ScriptedChat(turns=_morning_turns())).bind_tools(tools)

    def ask_model(state: MessagesState) -> dict[str, list[BaseMessage]]:
        return {"messages": [bound.invoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("model", ask_model)
    builder.add_node("tools", ToolNode(tools))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", _calls_tools, {True: "tools", False: END})
    builder.add_edge("tools", "model")
    return builder.compile(checkpointer=checkpointer, name="assistant")


def _calls_tools(state: MessagesState) -> bool:
    last = state["messages"][-1]
    return isinstance(last, AIMessage) and bool(last.tool_calls)


def _morning_turns() -> list[AIMessage]:
    return [
        AIMessage(
            content="",
            tool_calls=[
                {"name": "get_weather", "args": {"city": "Oslo"}, "id": "call_weather", "type": "tool_call"},
                {"name": "get_local_time", "args": {"city": "Oslo"}, "id": "call_time", "type": "tool_call"},
            ],
            usage_metadata={"input_tokens": 82, "output_tokens": 34, "total_tokens": 116},
        ),
        AIMessage(
            content="It is 07:40 in Oslo, 8 degrees, and it rains: take a coat.",
            usage_metadata={"input_tokens": 141, "output_tokens": 19, "total_tokens": 160},
        ),
    ]


def build_approval(
    checkpointer: BaseCheckpointSaver[Any],
) -> CompiledStateGraph[ApprovalState, None, ApprovalState, ApprovalState]:
    """Build the graph "approval": draft a mail, ask a person, send it or drop it.

    The node `ask` interrupts the run. Resume it on the same thread with `Command(resume=True)`: the node
    `ask` runs again, gets the person's answer, and `send` follows.

    Args:
        checkpointer: Keeps the interrupted run until it is resumed; without one there is no interrupt.

    Returns:
        The compiled graph; its input is `{"topic": "..."}`.
    """
    builder = StateGraph(ApprovalState)
    builder.add_node("draft", _draft_mail)
    builder.add_node("ask", _ask_person)
    builder.add_node("send", _send_mail)
    builder.add_edge(START, "draft")
    builder.add_edge("draft", "ask")
    builder.add_edge("ask", "send")
    builder.add_edge("send", END)
    return builder.compile(checkpointer=checkpointer, name="approval")


def _draft_mail(state: ApprovalState) -> ApprovalState:
    return {"mail": f"Dear all, a word about {state['topic']}."}


def _ask_person(state: ApprovalState) -> ApprovalState:
    return {"approved": bool(interrupt({"question": "Send this mail?", "mail": state["mail"]}))}


def _send_mail(state: ApprovalState) -> ApprovalState:
    return {"outcome": "sent" if state["approved"] else "dropped"}
