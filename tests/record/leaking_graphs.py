"""More programs with a secret in everything that is content: each of one kind of graph, or of one way to end.

`leaks` has the one that does nearly everything in a node. Here the secrets go the other ways: through subgraphs, the
functional API, prebuilt nodes, pauses, failures of every form, what the config carries, and runs that are left.
"""

from __future__ import annotations

import asyncio
import contextlib
import operator
import os
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, TypeAlias, TypedDict

from langchain_core.documents import Document
from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.output_parsers import JsonOutputParser
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.errors import InvalidUpdateError
from langgraph.func import entrypoint, task
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode
from langgraph.types import Command, RetryPolicy, Send, interrupt
from pydantic import BaseModel, ValidationError

from tests.record.graphs import State, build_chain, new_chain
from tests.record.leaks import KEYED, PLANTED, SecretChat, Way, run_way

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from langchain_core.callbacks import CallbackManagerForRetrieverRun

    from tests.record.recording import Recording

__all__ = ["LEAKING", "Leaking"]

Leaking: TypeAlias = "Callable[[Recording, Way], None]"

SECRET: Final[dict[str, Any]] = {"api_key": KEYED, "note": PLANTED, PLANTED: [f"api_key={KEYED}", PLANTED]}


class StumbleError(Exception):
    """What the programs fail with."""


def fail_with_secrets() -> NoReturn:
    """Raise an exception with secrets in its values, notes, cause, context and members."""
    try:
        try:
            os.environ[PLANTED]
        except KeyError as error:
            error.add_note(f"{PLANTED} api_key={KEYED}")
            raise ExceptionGroup(PLANTED, [ValueError(SECRET), OSError(2, PLANTED, PLANTED)]) from error
    except ExceptionGroup:
        raise StumbleError(PLANTED, f"api_key: {KEYED}")  # noqa: B904 - the context is the point
    raise AssertionError


def leave_in_subgraphs(recording: Recording, way: Way) -> None:
    """A subgraph as a node, one that a node calls, one that leaves for its parent, and one that fails deep down."""

    def leave(state: State) -> Command[Any]:  # noqa: ARG001 - LangGraph passes it
        return Command(graph=Command.PARENT, goto="fail", update={"value": SECRET})

    deepest = build_chain("fail", fail=lambda _: fail_with_secrets(), graph_name="deepest")
    inner = build_chain("say", say=lambda _: {"value": SECRET}, graph_name="inner")
    called = build_chain("say", say=lambda _: {"nodes": [PLANTED]}, graph_name="called")
    leaving = build_chain("leave", leave=leave, graph_name="leaving")
    bodies: dict[str, Any] = {
        "inner": inner,
        "call": lambda state: {"value": called.invoke({"value": state.get("value"), "nodes": [PLANTED]})},
        "leaving": leaving,
    }
    builder = new_chain(*bodies, **bodies)
    builder.add_node("fail", deepest)
    graph = builder.compile(name="outer")
    with contextlib.suppress(StumbleError):
        run_way(graph, way, {"value": SECRET}, recording.config("t1"))


def pass_through_functions(recording: Recording, way: Way) -> None:
    """The functional API: tasks with arguments, a question, an answer, a failure that is caught."""

    @task
    def work(text: str, *, more: dict[str, Any]) -> dict[str, Any]:
        return {"text": text, "more": more}

    @task
    def stumble() -> None:
        fail_with_secrets()

    @entrypoint(checkpointer=InMemorySaver())
    def flow(given: dict[str, Any]) -> dict[str, Any]:
        done = work(PLANTED, more=given).result()
        with contextlib.suppress(StumbleError):
            stumble().result()
        return {"done": done, "answer": interrupt(SECRET)}

    run_way(flow, way, SECRET, recording.config("t1"))
    run_way(flow, way, Command(resume=SECRET), recording.config("t1"))


@tool
def divide(number: int, secret: str) -> str:
    """Take arguments that must fit."""
    return f"{number} {secret}"


@tool
def collapse(api_key: str) -> NoReturn:  # noqa: ARG001 - what the model gave
    """Raise."""
    fail_with_secrets()


@tool
def read_state(state: Annotated[dict[str, Any], InjectedState]) -> str:
    """Take what LangGraph injects."""
    return str(state["messages"][-1])


@tool(response_format="content_and_artifact")
def attach(note: str) -> tuple[str, dict[str, Any]]:
    """Answer with an artifact."""
    return note, SECRET


@tool
def move(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Answer by a command."""
    return Command(update={"messages": [ToolMessage(PLANTED, tool_call_id=tool_call_id)]})


@tool
def confirm(note: str) -> str:
    """Ask before it answers."""
    return str(interrupt({"api_key": KEYED, "note": note}))


TOOLS: Final = (divide, collapse, read_state, attach, move, confirm)


def use_tool_node(recording: Recording, way: Way) -> None:
    """A ToolNode whose tools get wrong arguments, fail, answer in every form and ask; and a tool that is not there."""
    arguments: dict[str, dict[str, Any]] = {
        "divide": {"number": PLANTED, "secret": PLANTED},
        "collapse": {"api_key": KEYED},
        "read_state": {},
        "attach": {"note": PLANTED},
        "move": {},
        "missing": {"note": PLANTED},
        "confirm": {"note": PLANTED},
    }
    calls = [{"name": name, "args": given, "id": f"call-{name}"} for name, given in arguments.items()]
    said = [HumanMessage(PLANTED), AIMessage(PLANTED, tool_calls=calls)]
    for handled in (True, False):
        builder = StateGraph(MessagesState)
        builder.add_node("tools", ToolNode(TOOLS, handle_tool_errors=handled))
        builder.add_edge(START, "tools")
        graph = builder.compile(checkpointer=InMemorySaver(), name="tools")
        # Without handling, the class of the exception is of the release's choice.
        with contextlib.suppress(Exception):
            run_way(graph, way, {"messages": said}, recording.config(f"t{handled}"))
            run_way(graph, way, Command(resume=SECRET), recording.config(f"t{handled}"))


class BrokenLibrary(BaseRetriever):
    """A retriever that fails, or finds."""

    broken: bool = True
    secret_key: str = PLANTED

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - LangChain's
    ) -> list[Document]:
        if self.broken:
            raise StumbleError(PLANTED, query, f"api_key={KEYED}")
        return [Document(PLANTED, id=PLANTED, metadata=SECRET)]


class BrokenChat(SecretChat):
    """A model that fails, with what it was asked in the exception."""

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> NoReturn:  # noqa: ANN401, ARG002 - LangChain's
        raise StumbleError(PLANTED, messages, SECRET)


def use_broken_parts(recording: Recording, way: Way) -> None:
    """Models, parsers, retrievers and runnables that fail or are left in the middle of an answer."""

    def call(state: State) -> State:
        asked = [HumanMessage(PLANTED)]
        for library in (BrokenLibrary(), BrokenLibrary(broken=False)):
            with contextlib.suppress(StumbleError):
                library.invoke(PLANTED)
        with contextlib.suppress(StumbleError):
            BrokenChat(turns=[AIMessage("")]).invoke(asked, stop=None)
        chunks = SecretChat(turns=[AIMessage(f"{PLANTED} api_key={KEYED} {PLANTED}")]).stream(asked)
        next(chunks)
        chunks.close()  # type: ignore[attr-defined]  # it is a generator
        with contextlib.suppress(OutputParserException):
            (SecretChat(turns=[AIMessage(f"no JSON, {PLANTED}")]) | JsonOutputParser()).invoke(asked)
        with contextlib.suppress(StumbleError):
            RunnableLambda(_fail_on).invoke(SECRET)
        return {"value": state}

    graph = build_chain("call", call=call)
    run_way(graph, way, {"value": SECRET}, recording.config("t1", run_name="parts"))


def _fail_on(given: dict[str, Any]) -> NoReturn:
    assert given
    fail_with_secrets()


class Form(BaseModel):
    """A state that is checked."""

    amount: int = 0
    note: str = ""


def fail_in_every_form(recording: Recording, way: Way) -> None:
    """Exceptions of LangGraph, pydantic and the user, with what they quote in them; retried ones too."""

    def refuse(state: State) -> None:
        # No key here: pydantic itself cuts what it quotes, a key's name too.
        Form.model_validate({"amount": PLANTED, "note": [PLANTED, state.get("nodes")]})

    def misname(state: State) -> NoReturn:
        raise type(f"No user {PLANTED} here", (LookupError,), {})(state, SECRET)

    bodies: dict[str, Any] = {
        "group": lambda _: fail_with_secrets(),
        "refuse": refuse,
        "misname": misname,
        "update": lambda _: [PLANTED, SECRET],
        "goto": lambda _: Command(goto=Send("nowhere", SECRET)),
        "assert": _assert_nothing,
    }
    for name, body in bodies.items():
        builder = new_chain()
        builder.add_node(
            name, body, retry_policy=RetryPolicy(max_attempts=2, initial_interval=0.001, jitter=False)
        )
        builder.add_edge(START, name)
        with contextlib.suppress(
            StumbleError, ValidationError, LookupError, AssertionError, InvalidUpdateError, ValueError
        ):
            run_way(builder.compile(name=name), way, {"value": SECRET}, recording.config(name))
    checked = StateGraph(Form)
    checked.add_node("a", lambda _: {"note": PLANTED})
    checked.add_edge(START, "a")
    with contextlib.suppress(ValidationError):
        run_way(checked.compile(name="checked"), way, {"amount": PLANTED}, recording.config("checked"))


def _assert_nothing(state: State) -> None:
    assert not state, f"{PLANTED} {state} api_key={KEYED}"


class Sum(TypedDict, total=False):
    """A state that parallel tasks write to."""

    values: Annotated[list[Any], operator.add]


def ask_in_every_form(recording: Recording, way: Way) -> None:
    """Questions of several tasks at once, two in one, answers by their ids, and states that a person changed."""

    def ask(state: Sum) -> Sum:  # noqa: ARG001 - LangGraph passes it
        return {"values": [interrupt(SECRET), interrupt(f"api_key={KEYED} {PLANTED}")]}

    builder = StateGraph(Sum)
    for name in ("left", "right"):
        builder.add_node(name, ask)
        builder.add_edge(START, name)
    graph = builder.compile(checkpointer=InMemorySaver(), name="asking")
    config = recording.config("t1")
    run_way(graph, way, {"values": [SECRET]}, config)
    for _ in range(2):
        pending = graph.get_state({"configurable": {"thread_id": "t1"}}).interrupts
        run_way(graph, way, Command(resume={each.id: SECRET for each in pending}), config)
    graph.update_state({"configurable": {"thread_id": "t1"}}, {"values": [SECRET]}, as_node="left")
    run_way(graph, way, Command(goto=Send("left", SECRET), update={"values": [PLANTED]}), config)


def carry_in_the_config(recording: Recording, way: Way) -> None:
    """Secrets in the config's metadata and values, in the run's context and in what is written to the stream."""

    def speak(state: State) -> State:
        get_stream_writer()(SECRET)
        return {"value": SecretChat(turns=[AIMessage(PLANTED)]).invoke([("user", str(state))])}

    graph = build_chain("speak", speak=speak)
    config = recording.config(metadata={"note": PLANTED, PLANTED: 1, "deep": SECRET, "user": PLANTED})
    config["configurable"] = {"thread_id": "t1", "api_key": KEYED, "setting": PLANTED, "more": SECRET}
    run_way(graph.with_config(metadata={"bound": PLANTED}), way, {"value": SECRET}, config)


def leave_in_the_middle(recording: Recording, way: Way) -> None:
    """Runs that are cancelled, timed out or left, with secrets in what was under way and in the words of the end."""

    async def wait(state: State) -> State:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError as error:
            raise asyncio.CancelledError(PLANTED, state) from error
        return {}

    def cancel(state: State) -> NoReturn:
        raise CancelledError(PLANTED, state)

    async def run_out() -> None:
        slow = build_chain("wait", wait=wait)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(slow.ainvoke({"value": SECRET}, recording.config("slow")), 0.05)

    asyncio.run(run_out())
    # Newer releases tell a node's own cancellation as an exception of theirs.
    with contextlib.suppress(Exception, asyncio.CancelledError):
        run_way(build_chain("cancel", cancel=cancel), way, {"value": SECRET}, recording.config("t1"))
    chunks = build_chain("say", "more", say=lambda _: {"value": SECRET}).stream(
        {"value": SECRET}, recording.config("left")
    )
    next(iter(chunks))
    chunks.close()  # type: ignore[attr-defined]  # it is a generator


def structure_an_answer(recording: Recording, way: Way) -> None:
    """An agent of LangChain with an answer in a form, and middleware that is given all of it."""
    from langchain.agents import create_agent
    from langchain.agents.middleware import AgentMiddleware

    class Watch(AgentMiddleware):
        def before_model(self, state: Any, runtime: Any) -> dict[str, Any]:  # noqa: ANN401, ARG002 - LangChain's
            return {"messages": [SystemMessage(f"{PLANTED} api_key={KEYED}")]}

    answer = {"name": "Form", "args": {"amount": 1, "note": f"{PLANTED} api_key={KEYED}"}, "id": "call-1"}
    wrong = {"name": "Form", "args": {"amount": PLANTED, "note": PLANTED}, "id": "call-0"}
    model = SecretChat(
        turns=[AIMessage(PLANTED, tool_calls=[wrong]), AIMessage(PLANTED, tool_calls=[answer])]
    )
    agent = create_agent(model, [divide], system_prompt=PLANTED, response_format=Form, middleware=[Watch()])
    run_way(agent, way, {"messages": [("user", PLANTED)]}, recording.config("t1") | {"recursion_limit": 12})


LEAKING: Final[Mapping[str, Leaking]] = {
    "subgraphs": leave_in_subgraphs,
    "functions": pass_through_functions,
    "tool node": use_tool_node,
    "broken parts": use_broken_parts,
    "failures": fail_in_every_form,
    "questions": ask_in_every_form,
    "config": carry_in_the_config,
    "left": leave_in_the_middle,
    "structured answer": structure_an_answer,
}
"""Programs by what they leak through; the last needs LangChain's agents."""
