"""A judge of the conventions that others wrote looks at our spans: pytest-genai-semconv 0.1.0.

It knows the attributes' types, the well-known values and what each operation requires. Node spans are the exception:
`invoke_node` is proposed and not yet one of its operations (semantic-conventions-genai #187).
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from opentelemetry.trace import SpanKind
from pytest_genai_semconv import (
    GenAISpanComplianceError,
    assert_chat_span,
    assert_execute_tool_span,
    assert_genai_span_compliant,
    assert_invoke_agent_span,
)

from otel_traj import semconv as sc
from otel_traj.record.model_request import read_provider
from otel_traj.record.scripted_chat import ScriptedChat
from tests.missing_api import needs
from tests.record.graphs import State, build_chain
from tests.record.leaks import Library
from tests.record.recording import Recording, read

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

USAGE: Any = {
    "input_tokens": 100,
    "output_tokens": 20,
    "total_tokens": 120,
    "input_token_details": {"cache_read": 60, "cache_creation": 10},
    "output_token_details": {"reasoning": 5},
}


class ChatOpenAI(ScriptedChat):
    """LangChain takes the provider from the name of the class."""


class OpenAI(FakeListLLM):
    """The same of a completion."""


@tool
def divide(number: int) -> float:
    """Divide one by a number."""
    return 1 / number


def make_chat(*numbers: int) -> ChatOpenAI:
    """Return a chat model that has numbers divided one after another, and then answers."""
    calls = [{"name": "divide", "args": {"number": each}, "id": f"call-{each}"} for each in numbers]
    said = {"model_name": "m-1-2026", "finish_reason": "stop", "id": "resp-1"}
    turns = [AIMessage("", tool_calls=[call], usage_metadata=USAGE) for call in calls]
    return ChatOpenAI(turns=[*turns, AIMessage("done", usage_metadata=USAGE, response_metadata=said)])


def call_everything(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
    """Call models, tools and a retriever, with parameters, streamed and failing."""
    options: Any = {"temperature": 0, "top_p": 1, "top_k": 3.0, "max_tokens": 64, "seed": 7, "stop": "."}
    chat = make_chat(1).bind_tools([divide])
    chat.invoke([HumanMessage("divide")], **options)
    for _ in chat.stream([HumanMessage("divide")], stop=["a", "b"], frequency_penalty=1, presence_penalty=0):
        pass
    OpenAI(responses=["done"]).invoke("divide")
    Library().invoke("numbers")
    divide.invoke({"type": "tool_call", "name": "divide", "args": {"number": 1}, "id": "call-1"})
    divide.invoke({"number": 0})
    return {}


def judge(spans: list[ReadableSpan]) -> list[str]:
    """Return what the judge has to say of spans, but for those of nodes."""
    complaints = []
    for span in spans:
        if read(span).get(sc.OPERATION_NAME) == sc.INVOKE_NODE:
            continue
        try:
            assert_genai_span_compliant(span)
        except GenAISpanComplianceError as error:
            complaints += [f"{span.name}: {violation}" for violation in error.violations]
    return complaints


@pytest.mark.parametrize("content", [False, True])
def test_workflows_and_their_calls_are_compliant(*, content: bool) -> None:
    """Graph runs, model calls, tool calls and retrievals are, ended well or by an error, sync and async."""
    recording = Recording(content=content)
    graph = build_chain("call", call=call_everything)
    with contextlib.suppress(ZeroDivisionError):
        graph.invoke({}, recording.config("t1"))
    with contextlib.suppress(ZeroDivisionError):
        asyncio.run(graph.ainvoke({}, recording.config("t1")))
    seen = {(read(span)[sc.OPERATION_NAME], span.kind) for span in recording.spans}
    assert seen == {
        ("invoke_workflow", SpanKind.INTERNAL),
        ("invoke_node", SpanKind.INTERNAL),
        ("chat", SpanKind.CLIENT),
        ("text_completion", SpanKind.CLIENT),
        ("execute_tool", SpanKind.INTERNAL),
        ("retrieval", SpanKind.CLIENT),
    }
    assert {read(span).get(sc.ERROR_TYPE) for span in recording.list_operation("execute_tool")} == {
        None,
        "ZeroDivisionError",
    }
    assert judge(recording.spans) == []
    for span in recording.list_operation("chat"):
        assert_chat_span(span, request_model="scripted-1")
    for span in recording.list_operation("execute_tool"):
        assert_execute_tool_span(span, tool_name="divide")


@needs("agent spans")
@pytest.mark.parametrize("content", [False, True])
def test_agents_and_their_calls_are_compliant(*, content: bool) -> None:
    """An agent of LangChain, its model calls and its tool calls are."""
    from langchain.agents import create_agent

    recording = Recording(content=content)
    agent = create_agent(make_chat(1, 2), [divide], name="divider")
    agent.invoke({"messages": [HumanMessage("divide")]}, recording.config("t1"))
    assert judge(recording.spans) == []
    (root,) = recording.roots
    assert_invoke_agent_span(root, agent_name="divider")
    assert len(recording.list_operation("chat")) == 3
    assert len(recording.list_operation("execute_tool")) == 2


@pytest.mark.parametrize(
    "named",
    [
        "amazon_bedrock",
        "anthropic",
        "azure",
        "azure_ai",
        "bedrock_converse",
        "google_genai",
        "google_vertexai",
        "groq",
        "ibm",
        "mistralai",
        "openai",
        "xai",
    ],
)
def test_providers_are_well_known(recording: Recording, named: str) -> None:
    """LangChain's names of providers become values that the judge knows."""
    provider = read_provider({"ls_provider": named}, {})
    assert provider is not None
    attributes = {sc.OPERATION_NAME: sc.CHAT, sc.PROVIDER_NAME: provider}
    recording.tracer.start_span("chat", kind=SpanKind.CLIENT, attributes=attributes).end()
    assert judge(recording.spans) == []


def test_the_judge_does_not_know_nodes_yet(recording: Recording) -> None:
    """Node spans are left out for their operation alone, which nobody has accepted yet."""
    build_chain("a").invoke({}, recording.config())
    with pytest.raises(GenAISpanComplianceError) as refusal:
        assert_genai_span_compliant(recording.get("invoke_node a"))
    (violation,) = refusal.value.violations
    assert violation.startswith("gen_ai.operation.name has invalid value 'invoke_node'")
