"""What a model was offered and what it chose stands on its span, without content."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, Generation
from langchain_core.tools import tool

from otel_traj import semconv as sc
from otel_traj.record.scripted_chat import ScriptedChat
from otel_traj.record.tool_choices import describe_chosen_calls, describe_offered_tools
from tests.record.graphs import build_chain
from tests.record.recording import Recording, read

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable

CALLS: Any = [
    {"name": "search", "args": {"query": "planted"}, "id": "c1"},
    {"name": "clock", "args": {"city": "planted"}, "id": "c2"},
]


@tool
def search(query: str) -> str:
    """Search for something."""
    return query


@tool
def clock(city: str) -> str:
    """Tell the time in a city."""
    return city


def bind(*calls: Any) -> Runnable[Any, AIMessage]:  # noqa: ANN401 - LangChain's own shape
    """Return a model with two tools that chooses these calls."""
    return ScriptedChat(turns=[AIMessage("", tool_calls=list(calls))]).bind_tools([search, clock])


def read_choices(recording: Recording) -> dict[str, Any]:
    """Return what the one model span of a recording says of tools."""
    (span,) = recording.list_operation(sc.CHAT)
    return {key: value for key, value in read(span).items() if key.startswith("otel_traj.model.")}


WHOLE = {
    "otel_traj.model.tool_count": 2,
    "otel_traj.model.tools": ("search", "clock"),
    "otel_traj.model.tool_call_count": 2,
    "otel_traj.model.tool_calls": ("search", "clock"),
    "otel_traj.model.tool_call_ids": ("c1", "c2"),
}


@pytest.mark.parametrize("content", [False, True])
@pytest.mark.parametrize("way", ["invoke", "stream", "ainvoke", "astream"])
def test_a_model_span_says_what_was_offered_and_chosen(way: str, content: bool) -> None:
    """Called, awaited or streamed, with content or without, names and ids stand on the span in their order."""
    recording = Recording(content=content)
    model = bind(*CALLS)

    async def stream() -> None:
        _ = [chunk async for chunk in model.astream("hi", config=recording.config())]

    if way == "invoke":
        model.invoke("hi", config=recording.config())
    elif way == "stream":
        list(model.stream("hi", config=recording.config()))
    elif way == "ainvoke":
        asyncio.run(model.ainvoke("hi", config=recording.config()))
    else:
        asyncio.run(stream())
    assert read_choices(recording) == WHOLE
    assert ("planted" in recording.spans[0].to_json()) is content


def test_what_a_model_did_not_choose_is_said_too(recording: Recording) -> None:
    """An answer without a tool call says that it chose none, and a model without tools that it had none."""
    ScriptedChat(turns=[AIMessage("no")]).invoke("hi", config=recording.config())
    assert read_choices(recording) == {"otel_traj.model.tool_count": 0, "otel_traj.model.tool_call_count": 0}
    again = Recording()
    bind().invoke("hi", config=again.config())
    assert read_choices(again)[sc.MODEL_TOOL_CALL_COUNT] == 0
    assert sc.MODEL_TOOL_CALLS not in read_choices(again)


def test_a_completion_model_chose_none(recording: Recording) -> None:
    """A model of the old kind, which knows no tools, says so."""
    FakeListLLM(responses=["hi"]).invoke("hello", config=recording.config())
    (span,) = recording.list_operation(sc.TEXT_COMPLETION)
    assert (read(span)[sc.MODEL_TOOL_COUNT], read(span)[sc.MODEL_TOOL_CALL_COUNT]) == (0, 0)


def test_an_answer_that_broke_off_says_nothing_of_its_calls(recording: Recording) -> None:
    """A stream that its caller leaves has offered its tools, but nobody knows what it chose."""
    chunks = bind(*CALLS).stream("hi", config=recording.config())
    next(chunks)
    chunks.close()  # type: ignore[attr-defined]  # it is a generator
    assert read_choices(recording) == {
        "otel_traj.model.tool_count": 2,
        "otel_traj.model.tools": ("search", "clock"),
    }


def test_calls_of_all_choices_stand_in_order() -> None:
    """Where a call has several answers, the calls of the first come first; one without an id has an empty one."""
    other: Any = {"name": "third", "args": {}, "id": None}
    generations = [
        ChatGeneration(message=AIMessage("", tool_calls=CALLS)),
        Generation(text="only text"),
        ChatGeneration(message=AIMessage("", tool_calls=[other])),
    ]
    assert describe_chosen_calls(generations) == {
        sc.MODEL_TOOL_CALL_COUNT: 3,
        sc.MODEL_TOOL_CALLS: ["search", "clock", "third"],
        sc.MODEL_TOOL_CALL_IDS: ["c1", "c2", ""],
    }


@pytest.mark.parametrize(
    "offered",
    [
        {"type": "function", "function": {"name": "search", "parameters": {}}},
        {"name": "search", "input_schema": {}},
        {"toolSpec": {"name": "search"}},
        {"function_declarations": [{"name": "search"}]},
        {"type": "search"},
        {"type": "computer", "name": "search"},
        search,
        type("search", (), {}),
    ],
)
def test_tools_are_named_in_the_form_of_any_provider(offered: object) -> None:
    """A tool's name is found where OpenAI, Anthropic, Bedrock and Gemini put it, and on objects."""
    assert describe_offered_tools({"tools": [offered]}) == {
        sc.MODEL_TOOL_COUNT: 1,
        sc.MODEL_TOOLS: ["search"],
    }


def test_functions_are_tools_of_an_older_form() -> None:
    """OpenAI's `functions` are offered tools."""
    assert describe_offered_tools({"functions": [{"name": "f"}]})[sc.MODEL_TOOLS] == ["f"]


def test_what_is_bounded_says_how_much_there_was() -> None:
    """At most 128 names and 8,000 characters are written, each whole; the count is the true one."""
    many = [{"name": f"t{number}", "id": "x"} for number in range(1_000)]
    shown = describe_offered_tools({"tools": many})
    assert (shown[sc.MODEL_TOOL_COUNT], shown[sc.MODEL_TOOLS]) == (1_000, [f"t{n}" for n in range(128)])
    message = AIMessage("", tool_calls=[{"name": "n" * 5_000, "args": {}, "id": "x"}] * 2)
    chosen = describe_chosen_calls([ChatGeneration(message=message)] * 200)
    assert (chosen[sc.MODEL_TOOL_CALL_COUNT], chosen[sc.MODEL_TOOL_CALLS]) == (400, ["n" * 5_000])
    assert chosen[sc.MODEL_TOOL_CALL_IDS] == ["x"] * 128


class Hostile:
    """Raises whatever is asked of it."""

    def __getattr__(self, name: str) -> object:
        raise AttributeError(name) if name.startswith("__") else RuntimeError(name)


@pytest.mark.parametrize("value", [None, 7, "text", [None], [7, {}], [Hostile()], {"a": 1}, Hostile()])
def test_anything_can_stand_where_tools_stand(value: object) -> None:
    """What is no tool or call has an empty name or counts as none; nothing is raised."""
    offered = describe_offered_tools({"tools": value})
    assert set(offered.get(sc.MODEL_TOOLS, [])) <= {""}  # type: ignore[arg-type]  # a list of texts

    class Message:
        tool_calls = value

    class Answer:
        message = Message()

    for generation in (value, Answer()):
        chosen = describe_chosen_calls([generation])
        assert set(chosen.get(sc.MODEL_TOOL_CALLS, [])) <= {""}  # type: ignore[arg-type]  # as above


def test_text_without_a_utf8_form_is_cleaned() -> None:
    """A lone surrogate in a name would make an exporter lose the batch."""
    call: Any = {"name": "a\ud800", "args": {}, "id": "b\ud800"}
    shown = describe_chosen_calls([SimpleNamespace(message=SimpleNamespace(tool_calls=[call]))])
    assert shown[sc.MODEL_TOOL_CALLS] == ["a\\ud800"]
    assert shown[sc.MODEL_TOOL_CALL_IDS] == ["b\\ud800"]


@pytest.mark.parametrize(
    ("models", "tools", "omitted"),
    [(True, True, None), (True, False, ("tools",)), (False, False, ("models", "tools"))],
)
def test_a_graph_run_says_what_its_handler_leaves_out(
    models: bool, tools: bool, omitted: tuple[str, ...] | None
) -> None:
    """Without tool or model spans nobody could tell "none" from "not recorded": the graph run says it."""
    recording = Recording(models=models, tools=tools)
    build_chain("a", "sub", sub=build_chain("b")).invoke({}, recording.config())
    assert [read(span).get(sc.OMITTED) for span in recording.graph_runs] == [omitted, omitted]
