"""Model and tool calls from a handler through a file and back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_traj import TrajectoryCallbackHandler, read_runs
from otel_traj import semconv as sc
from otel_traj.model import ChosenTool
from otel_traj.record import JsonLinesSpanExporter, samples
from otel_traj.sources import open_source
from tests.missing_api import needs
from tests.oracles import by_number
from tests.recorded import record_scenario
from tests.sources.reading import refuse
from tests.spans import RecordedRun, change_attributes

if TYPE_CHECKING:
    from pathlib import Path

    from otel_traj import Run
    from otel_traj.model import AttributeValue
    from tests.oracles.driver import Mode

QUESTION: Any = {"messages": [("user", "planted?")]}
OFFERED = ("get_weather", "get_local_time")


def record_agent(path: Path, *, content: bool, way: str = "invoke") -> Run:
    """Run the sample agent under a handler that writes a file; return the run that the file holds."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(JsonLinesSpanExporter(path)))
    config: Any = {"callbacks": [TrajectoryCallbackHandler(tracer_provider=provider, content=content)]}
    graph = samples.build_tool_agent()

    async def stream() -> None:
        _ = [chunk async for chunk in graph.astream(QUESTION, config, stream_mode="messages")]

    if way == "invoke":
        graph.invoke(QUESTION, config)
    elif way == "stream":
        list(graph.stream(QUESTION, config, stream_mode="messages"))
    else:
        asyncio.run(stream())
    provider.shutdown()
    [run] = read_runs(path)
    assert run.verified
    return run


@pytest.mark.parametrize("way", ["invoke", "stream", "astream"])
@pytest.mark.parametrize("content", [False, True])
def test_what_a_model_chose_comes_back(tmp_path: Path, content: bool, way: str) -> None:
    """Offered tools and chosen calls with their ids are there with content off; arguments only with it on."""
    run = record_agent(tmp_path / "traces.jsonl", content=content, way=way)
    args: AttributeValue = {"city": "Oslo"} if content else None
    first, second = run.model_calls
    assert (first.tools, second.tools) == (OFFERED, OFFERED)
    assert first.tool_calls == (
        ChosenTool(name="get_weather", id="call_weather", args=args),
        ChosenTool(name="get_local_time", id="call_time", args=args),
    )
    assert second.tool_calls == ()
    assert {call.name: (call.args, call.model_call) for call in run.tool_calls} == {
        "get_weather": (args, first.span_id),
        "get_local_time": (args, first.span_id),
    }
    tasks = {span_id for task in run.tasks for span_id in task.span_ids}
    assert {call.parent_span_id for call in run.tool_calls} <= tasks


def test_messages_come_back_where_content_was_recorded(tmp_path: Path) -> None:
    """A model call has the messages it was given and its answers, decoded; None without content."""
    first, second = record_agent(tmp_path / "on.jsonl", content=True).model_calls
    assert first.input_messages == [{"role": "user", "parts": [{"type": "text", "content": "planted?"}]}]
    assert isinstance(second.input_messages, list)
    assert len(second.input_messages) == 4
    assert isinstance(second.output_messages, list)
    assert "take a coat" in str(second.output_messages)
    for call in record_agent(tmp_path / "off.jsonl", content=False).model_calls:
        assert (call.input_messages, call.output_messages) == (None, None)
    assert "planted" not in (tmp_path / "off.jsonl").read_text("utf-8")


@pytest.mark.parametrize("content", [False, True])
def test_an_older_recording_does_not_say_none(tmp_path: Path, content: bool) -> None:
    """Spans of an older recorder lack the attributes: what was chosen is not known, but from their messages."""
    path = tmp_path / "traces.jsonl"
    record_agent(path, content=content)
    new = [key for key in sc.__all__ if key.startswith("MODEL_TOOL")]
    spans = [
        change_attributes(span, **dict.fromkeys(new, "")) for span in open_source(path).read_spans(refuse)
    ]
    [run] = read_runs(spans)
    assert [call.tools for call in run.model_calls] == [None, None]
    chosen = [None if call.tool_calls is None else len(call.tool_calls) for call in run.model_calls]
    assert chosen == ([2, 0] if content else [None, None])
    assert all((call.model_call is not None) is content for call in run.tool_calls)


@needs("agent spans")
@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("content", [False, True])
def test_an_agent_of_create_agent_tells_its_choices(tmp_path: Path, mode: Mode, content: bool) -> None:
    """LangChain's own agent, interrupted in a tool and resumed: each tool call leads to the one that chose it."""
    path = tmp_path / "traces.jsonl"
    record_scenario(by_number(40), mode, JsonLinesSpanExporter(path), content=content)
    [run] = read_runs(path)
    first, last = run.model_calls
    assert first.tools == ("read_weather", "book_table")
    assert first.tool_calls is not None
    assert [call.name for call in first.tool_calls] == ["read_weather", "book_table"]
    assert [call.args for call in first.tool_calls] == [{"city": "Oslo"} if content else None] * 2
    assert last.tool_calls == ()
    assert {call.name for call in run.tool_calls} == {"read_weather", "book_table"}
    assert {call.model_call for call in run.tool_calls} == {first.span_id}


def test_a_call_without_an_answer_has_chosen_nothing_that_is_known() -> None:
    """A model call that failed or was left open has no choices, whatever half an answer says."""
    run = RecordedRun("r", outcome="error")
    task = run.task("model", 1)
    half = '[{"role": "assistant", "parts": []}]'
    run.call(sc.CHAT, "m", task, output_messages=half, outcome="cancelled")
    run.call(sc.CHAT, "m", task, output_messages=half)
    run.below[-1] = msgspec.structs.replace(run.below[-1], status="error")
    [rebuilt] = read_runs(run.spans())
    assert [call.tool_calls for call in rebuilt.model_calls] == [None, None]


def test_messages_that_were_cut_are_named() -> None:
    """Messages or arguments that are not whole are None, and the run says whose they were."""
    run = RecordedRun("r")
    task = run.task("a", 1)
    run.call(sc.CHAT, "m", task, input_messages='[{"role": "us', output_messages="[]")
    run.call(sc.EXECUTE_TOOL, "t", task, tool_call_arguments='{"q": ')
    run.call(sc.EXECUTE_TOOL, "t", task, tool_call_arguments='{"q": 1}')
    [rebuilt] = read_runs(run.spans())
    assert [(call.input_messages, call.output_messages) for call in rebuilt.model_calls] == [(None, [])]
    assert [call.args for call in rebuilt.tool_calls] == [None, {"q": 1}]
    [problem] = rebuilt.problems
    assert problem.code == "content_cut"
    assert problem.span_ids == tuple(sorted(span.span_id for span in run.below[1:3]))
    assert rebuilt.complete


def test_a_run_says_which_calls_its_recorder_left_out() -> None:
    """What a handler was told to leave out stands on the run, of all its invocations; usually nothing."""
    run = RecordedRun("r")
    run.task("a", 1)
    [rebuilt] = read_runs(run.spans(omitted=["tools"]))
    assert rebuilt.omitted == ("tools",)
    [rebuilt] = read_runs(run.spans())
    assert rebuilt.omitted == ()
