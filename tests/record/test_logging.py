"""Records of `logging` written inside a run carry the ids of the node, tool or model call they were written in."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs import export as log_exports

from otel_traj import semconv as sc
from otel_traj.record.scripted_chat import ScriptedChat
from tests.deploying import SECONDS, make_environment, write_program
from tests.missing_api import needs
from tests.record.recording import Recording, get_id, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import ChatResult
    from langchain_core.runnables import Runnable

    Ids = list[tuple[str, int, int]]

logger = logging.getLogger("the user's own")

CITIES = ("Rome", "Oslo")


class LoggingChat(ScriptedChat):
    """A model that logs, as a provider's client does."""

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:  # noqa: ANN401 - LangChain's
        logger.warning("chat scripted-1")
        return super()._generate(*args, **kwargs)


CALLS = [{"name": "visit", "args": {"city": city}, "id": city} for city in CITIES]
MODEL = LoggingChat(turns=[AIMessage("on the way", tool_calls=CALLS)])


def ask(state: MessagesState) -> dict[str, list[BaseMessage]]:
    """Log and ask the model."""
    logger.warning("invoke_node ask")
    answer = MODEL.invoke(state["messages"])
    logger.warning("invoke_node ask")
    return {"messages": [answer]}


async def aask(state: MessagesState) -> dict[str, list[BaseMessage]]:
    """Do so as a coroutine."""
    await asyncio.sleep(0)
    logger.warning("invoke_node ask")
    answer = await MODEL.ainvoke(state["messages"])
    logger.warning("invoke_node ask")
    return {"messages": [answer]}


@tool
def visit(city: str) -> str:
    """Visit a city."""
    logger.warning("execute_tool visit %s", city)
    return city


def build(node: Callable[..., Any]) -> Runnable[Any, Any]:
    """Return a graph of a node and two tools at once."""
    builder = StateGraph(MessagesState)
    builder.add_node("ask", node)
    builder.add_node("tools", ToolNode([visit]))
    builder.add_edge(START, "ask")
    builder.add_edge("ask", "tools")
    return builder.compile(name="trip")


def run(mode: str, recording: Recording) -> None:
    """Run the graph, and log before and after it in a span of the user's own."""
    inputs = {"messages": [("user", "hi")]}
    with recording.tracer.start_as_current_span("request"):
        logger.warning("request")
        if mode == "sync":
            build(ask).invoke(inputs, recording.config())
        else:
            node = aask if mode == "async" else ask
            asyncio.run(build(node).ainvoke(inputs, recording.config()))
        logger.warning("request")


def check(recording: Recording, found: Ids) -> None:
    """Hold each record to the span that its text names; a tool's also to its call."""
    assert sorted(text for text, _, _ in found) == sorted(
        [
            *["request"] * 2,
            *["invoke_node ask"] * 2,
            "chat scripted-1",
            *(f"execute_tool visit {city}" for city in CITIES),
        ]
    )
    spans = {get_id(span): span for span in recording.spans}
    for text, trace_id, span_id in found:
        span = spans[span_id]
        assert f"{span.name} {read(span).get(sc.TOOL_CALL_ID, '')}".strip() == text
        assert span.context.trace_id == trace_id


MODES = pytest.mark.parametrize("mode", ["sync", "async", "sync nodes in an async graph"])


@pytest.fixture
def exporter() -> Iterator[Any]:
    """What the SDK's own logging handler sends, in memory."""
    found: Any = next(
        getattr(log_exports, name)
        for name in ("InMemoryLogRecordExporter", "InMemoryLogExporter")
        if hasattr(log_exports, name)
    )()
    provider = LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(log_exports.SimpleLogRecordProcessor(found))
    with warnings.catch_warnings():
        # Newer SDKs want the handler of the logging instrumentation instead, and keep this one for a while.
        warnings.simplefilter("ignore", DeprecationWarning)
        handler = LoggingHandler(logger_provider=provider)
    logger.addHandler(handler)
    yield found
    logger.removeHandler(handler)


@MODES
def test_the_sdks_handler_sends_the_ids(recording: Recording, exporter: Any, mode: str) -> None:  # noqa: ANN401 - either of two classes
    """Log records sent by OTLP name the innermost span that is open where they are written."""
    run(mode, recording)
    records = [data.log_record for data in exporter.get_finished_logs()]
    check(recording, [(str(each.body), each.trace_id, each.span_id) for each in records])


@pytest.fixture
def instrumented(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What was logged, under the logging instrumentation."""
    from opentelemetry.instrumentation.logging import LoggingInstrumentor

    instrumentor = LoggingInstrumentor()
    instrumentor.instrument(inject_trace_context=True, enable_log_auto_instrumentation=False)
    yield caplog
    instrumentor.uninstrument()


@needs("instrumented servers and clients")
@MODES
def test_the_logging_instrumentation_writes_the_ids(
    recording: Recording, instrumented: pytest.LogCaptureFixture, mode: str
) -> None:
    """Under the logging instrumentation each record has the ids of that span as attributes."""
    run(mode, recording)
    records: list[Any] = [each for each in instrumented.records if each.name == logger.name]
    assert all(each.otelTraceSampled for each in records)
    check(
        recording,
        [(each.getMessage(), int(each.otelTraceID, 16), int(each.otelSpanID, 16)) for each in records],
    )


@needs("instrumented servers and clients")
def test_the_recipe_prints_the_ids(tmp_path: Path) -> None:
    """The program of the page prints a line that begins with the node's ids."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(write_program(tmp_path, "logs.py"))],
        cwd=tmp_path,
        env=make_environment(tmp_path),
        check=True,
        timeout=SECONDS,
        capture_output=True,
        text=True,
    )
    spans = [
        json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
        for line in (tmp_path / "shop.jsonl").read_text("utf-8").splitlines()
    ]
    (node,) = (span for span in spans if span["name"] == "invoke_node answer")
    assert done.stderr == f"{node['traceId']} {node['spanId']} asked\n"
