"""Programs that put a secret into everything that is content, run every way a program is run."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, TypeAlias, get_args

from langchain_core.callbacks import dispatch_custom_event
from langchain_core.documents import Document
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel

from otel_traj.record.scripted_chat import ScriptedChat
from tests.record.graphs import State, build_chain, new_chain

if TYPE_CHECKING:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.runnables import RunnableConfig

    from tests.record.recording import Recording

__all__ = [
    "KEYED",
    "PLANTED",
    "WAYS",
    "Library",
    "SecretChat",
    "Way",
    "fail",
    "leak",
    "look_up",
    "record_agent",
    "record_everything",
    "record_secrets",
    "run_way",
]

PLANTED: Final = "pl4nted"
"""A secret that stands anywhere."""
KEYED: Final = "k3yed"
"""A secret that stands only under the keys `api_key` and `Authorization`, in data and in texts."""

Way: TypeAlias = Literal["invoke", "stream", "ainvoke", "astream", "astream_events"]
WAYS: Final[tuple[Way, ...]] = get_args(Way)


class Library(BaseRetriever):
    """A retriever over one secret page."""

    secret_key: str = PLANTED

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - LangChain's
    ) -> list[Document]:
        return [Document(f"{PLANTED} {query}", metadata={"author": PLANTED, "api_key": KEYED})]


@tool(description=f"Look up, {PLANTED}")
def look_up(name: str) -> str:
    """Look somebody up."""
    return f"{PLANTED} {name}"


@tool(description=f"Log in, {PLANTED}")
def log_in(api_key: str, options: dict[str, Any]) -> str:
    """Answer with JSON, as tools do."""
    return json.dumps({"who": PLANTED, "session": {"api_key": api_key, "options": [options]}})


@tool
def stumble(reason: str) -> NoReturn:
    """Fail in a way that becomes an answer."""
    raise ToolException(reason)


stumble.handle_tool_error = True


class SecretChat(ScriptedChat):
    """A chat model whose own repr holds a secret."""

    api_key: str = PLANTED


@dataclass
class Credentials:
    """A dataclass with a key of its own."""

    api_key: str
    note: str


class Account(BaseModel):
    """A model with models in it."""

    api_key: str
    owner: dict[str, Any]


LOG_IN: Final = {
    "name": "log_in",
    "args": {"api_key": KEYED, "options": {"Authorization": KEYED}},
    "id": "call-2",
}
STUMBLE: Final = {"name": "stumble", "args": {"reason": PLANTED}, "id": "call-3"}


def leak(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
    """Call everything there is, with secrets in everything that is content."""
    call = {"name": "look_up", "args": {"name": PLANTED}, "id": "call-1"}
    model = SecretChat(turns=[AIMessage(PLANTED, tool_calls=[call])])
    model.bind_tools([look_up]).invoke([HumanMessage(PLANTED)])
    FakeListLLM(responses=[PLANTED]).invoke(PLANTED)
    look_up.invoke({"name": PLANTED})
    Library().invoke(PLANTED)
    dispatch_custom_event("progress", {"note": PLANTED})
    return {"nodes": [PLANTED], "value": {PLANTED: PLANTED}}


def leak_keys(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
    """The same with secrets under keys, in data of any kind and in texts."""
    call = {"name": "log_in", "args": LOG_IN["args"], "id": "call-2", "type": "tool_call"}
    said = [
        SystemMessage(f'{{"api_key": "{KEYED}", "user": ["{PLANTED}"]}}'),
        HumanMessage([{"type": "text", "text": f"my api_key={KEYED}, mind it"}], name=PLANTED),
        AIMessage([{"type": "thinking", "thinking": PLANTED}, "well"], tool_calls=[call]),
        ToolMessage(json.dumps([{"Authorization": f"Bearer {KEYED}"}]), tool_call_id="call-2"),
    ]
    answer = AIMessage(f"Authorization: Bearer {KEYED}", tool_calls=[call])
    for _ in SecretChat(turns=[answer]).bind_tools([log_in]).stream(said):
        pass
    log_in.invoke(call)
    stumble.invoke({"reason": PLANTED})
    dispatch_custom_event("progress", {"api_key": KEYED, "deep": [{"deeper": ({"api_key": KEYED},)}]})
    return {"value": make_keyed_values(said)}


def make_keyed_values(said: list[Any]) -> dict[str, Any]:
    """Return state with secrets under keys in every kind of container."""
    return {
        "api_key": KEYED,
        "API_KEY": {"nested": KEYED},
        "user": {"list": [{"set": {PLANTED}, "api_key": KEYED}]},
        "objects": [Credentials(KEYED, PLANTED), Account(api_key=KEYED, owner={"Authorization": KEYED})],
        "headers": [("Authorization", KEYED), (b"authorization", KEYED.encode())],
        "bytes": PLANTED.encode(),
        "json": json.dumps({"text": json.dumps({"api_key": KEYED})}),
        "messages": said,
    }


def complain(state: State, text: str) -> NoReturn:
    """Raise an exception with a value of the state."""
    raise KeyError(state["value"], text)


def fail(state: State) -> NoReturn:
    """Raise exceptions whose messages, notes, causes, groups and source lines hold a secret."""
    inner = ValueError({"api_key": KEYED, "text": PLANTED})
    inner.add_note(f"Authorization: Bearer {KEYED} {PLANTED}")
    try:
        try:
            complain(state, "pl4nted")
        except KeyError as error:
            raise ExceptionGroup(PLANTED, [inner]) from error
    except ExceptionGroup as group:
        raise RuntimeError(PLANTED) from group


def record_secrets(recording: Recording) -> None:
    """Run a graph that leaks, asks, is answered, and fails."""
    ask = lambda _: {"value": interrupt(PLANTED)}  # noqa: E731 - a node of one line
    graph = build_chain("leak", "ask", "fail", saved=True, leak=leak, ask=ask, fail=fail)
    graph.invoke({"value": PLANTED}, recording.config("t1", metadata={"note": PLANTED}))
    with contextlib.suppress(RuntimeError):
        graph.invoke(Command(resume=PLANTED, update={"value": PLANTED}), recording.config("t1"))


def record_everything(recording: Recording, way: Way) -> None:
    """Run a graph that leaks in every way there is, asks, is answered, and fails."""
    bodies: dict[str, Any] = {
        "leak": leak,
        "leak_keys": leak_keys,
        "spread": lambda _: Command(goto=Send("worker", {"value": {"api_key": KEYED, "more": PLANTED}})),
        "ask": lambda _: {"value": interrupt({"api_key": KEYED, "question": PLANTED})},
        "fail": fail,
    }
    builder = new_chain(*bodies, **bodies)
    builder.add_node("worker", lambda state: {"nodes": [str(state["value"]["more"])]})
    graph = builder.compile(checkpointer=InMemorySaver(), name="chain")
    config = recording.config(metadata={"note": PLANTED, "deep": {"api_key": KEYED}})
    config["configurable"] = {"thread_id": "t1", "setting": PLANTED}
    run_way(graph, way, {"value": {"api_key": KEYED, "text": PLANTED}}, config)
    with contextlib.suppress(RuntimeError):
        run_way(graph, way, Command(resume={"api_key": KEYED, "answer": PLANTED}), config)


def record_agent(recording: Recording, way: Way) -> None:
    """Run an agent of LangChain whose prompt, question, thoughts, calls, results and answer hold secrets."""
    from langchain.agents import create_agent

    turns = [
        AIMessage(f"{PLANTED}, api_key={KEYED}", tool_calls=[LOG_IN, STUMBLE]),
        AIMessage(f'{{"api_key": "{KEYED}", "text": "{PLANTED}"}}'),
    ]
    agent = create_agent(
        SecretChat(turns=turns), [log_in, stumble], system_prompt=f"{PLANTED} api_key: {KEYED}"
    )
    question = f"{PLANTED} Authorization: Bearer {KEYED}"
    run_way(
        agent, way, {"messages": [("user", question)]}, recording.config("t1", metadata={"note": PLANTED})
    )


def run_way(graph: Any, way: Way, inputs: object, config: RunnableConfig) -> None:  # noqa: ANN401 - any graph
    """Run a graph that way, to its end."""
    if way == "invoke":
        graph.invoke(inputs, config)
    elif way == "stream":
        for _ in graph.stream(inputs, config, stream_mode=["updates", "messages", "custom"]):
            pass
    else:
        asyncio.run(_run_async(graph, way, inputs, config))


async def _run_async(graph: Any, way: Way, inputs: object, config: RunnableConfig) -> None:  # noqa: ANN401 - any graph
    if way == "ainvoke":
        await graph.ainvoke(inputs, config)
    elif way == "astream":
        async for _ in graph.astream(inputs, config, stream_mode=["updates", "messages", "custom"]):
            pass
    else:
        async for _ in graph.astream_events(inputs, config, version="v2"):
            pass
