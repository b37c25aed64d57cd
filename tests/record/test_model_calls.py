from __future__ import annotations

import asyncio
import json
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.language_models import BaseChatModel, FakeListLLM
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult, LLMResult
from opentelemetry.trace import SpanKind, StatusCode

from otel_traj import semconv as sc
from otel_traj.record.messages import list_answers, list_messages
from otel_traj.record.model_spans import describe_request, describe_response
from otel_traj.rendering import render, render_json
from tests.missing_api import needs
from tests.record.graphs import State, build_chain
from tests.record.hostile import Message
from tests.record.recording import Recording, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_core.callbacks import CallbackManagerForLLMRun
    from langchain_core.messages import BaseMessage

USAGE: Any = {
    "input_tokens": 100,
    "output_tokens": 20,
    "total_tokens": 120,
    "input_token_details": {"cache_read": 60, "cache_creation": 10},
    "output_token_details": {"reasoning": 5},
}
ANSWER = AIMessage(
    "sunny",
    usage_metadata=USAGE,
    response_metadata={"model_name": "m-1-2026", "finish_reason": "stop", "id": "resp-1"},
)


class Model(BaseChatModel):
    """A chat model that answers, streams or fails as told."""

    model_name: str = "m-1"
    temperature: float = 0.5
    max_tokens: int = 64
    error: BaseException | None = None

    @property
    def _llm_type(self) -> str:
        return "told"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self.model_name, "temperature": 0.5, "top_p": 0.9, "seed": 7, "n": 2}

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - LangChain's
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - as above
        **kwargs: object,  # noqa: ARG002 - as above
    ) -> ChatResult:
        assert messages
        if self.error is not None:
            raise self.error
        return ChatResult(generations=[ChatGeneration(message=ANSWER), ChatGeneration(message=ANSWER)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - LangChain's
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: object,  # noqa: ARG002 - as above
    ) -> Iterator[ChatGenerationChunk]:
        assert messages
        for word in ("sun", "ny"):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=word))
            if run_manager is not None:
                run_manager.on_llm_new_token(word, chunk=chunk)
            yield chunk
        yield ChatGenerationChunk(
            message=AIMessageChunk(
                content="", usage_metadata=USAGE, response_metadata={"finish_reason": "stop"}
            )
        )


def test_model_span_follows_the_genai_conventions(recording: Recording) -> None:
    """A chat span says provider, model, parameters, answer, tokens, and where it ran; it is of kind CLIENT."""
    model = Model()

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        model.invoke("hi", stop=["END"])
        return {"nodes": ["call"]}

    build_chain("call", call=call).invoke({}, recording.config("t1"))
    span = recording.get("chat m-1")
    task = read(recording.get("invoke_node call"))
    assert span.kind is SpanKind.CLIENT
    assert recording.name_parent("chat m-1") == "invoke_node call"
    place = (sc.STEP, sc.NODE, sc.TASK_ID, sc.RUN_ID, sc.THREAD_ID)
    shown = read(span)
    assert {key: shown.pop(key) for key in place} == {key: task[key] for key in place}
    assert shown == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "model",
        "gen_ai.conversation.id": "t1",
        "gen_ai.request.model": "m-1",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.max_tokens": 64,
        "gen_ai.request.top_p": 0.9,
        "gen_ai.request.seed": 7,
        "gen_ai.request.choice.count": 2,
        "gen_ai.request.stop_sequences": ("END",),
        "gen_ai.response.model": "m-1-2026",
        "gen_ai.response.id": "resp-1",
        "gen_ai.response.finish_reasons": ("stop", "stop"),
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 60,
        "gen_ai.usage.cache_write.input_tokens": 10,
        "gen_ai.usage.reasoning.output_tokens": 5,
        "otel_traj.model.tool_count": 0,
        "otel_traj.model.tool_call_count": 0,
    }


def test_model_call_names_its_conversation(recording: Recording) -> None:
    """A model call says its thread by the conventions' name, in a subgraph too, and nothing where there is none."""

    def call(state: State) -> State:  # noqa: ARG001 - LangGraph passes it
        Model().invoke("hi")
        return {"nodes": ["call"]}

    inner = build_chain("call", call=call)
    build_chain("sub", sub=inner).invoke({}, recording.config("t1"))
    inner.invoke({}, recording.config())
    threads = [read(span).get(sc.CONVERSATION_ID) for span in recording.list_named("chat m-1")]
    assert threads == ["t1", None]


def test_model_outside_a_graph_has_no_place(recording: Recording) -> None:
    """A model that is called without a graph has a span of its own, without the five keys."""
    Model().invoke("hi", config=recording.config())
    shown = read(recording.get("chat m-1"))
    assert not [key for key in shown if key.startswith("langgraph.")]
    assert recording.is_empty()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_t52_streamed_call_has_its_tokens_and_its_first_chunk(recording: Recording, mode: str) -> None:
    """A streamed call carries the usage of its last chunk, once, and the time to its first."""

    async def run() -> None:
        _ = [chunk async for chunk in Model().astream("hi", config=recording.config())]

    if mode == "sync":
        list(Model().stream("hi", config=recording.config()))
    else:
        asyncio.run(run())
    shown = read(recording.get("chat m-1"))
    assert shown[sc.USAGE_INPUT_TOKENS] == 100
    assert shown[sc.USAGE_CACHE_READ_INPUT_TOKENS] == 60
    assert shown[sc.REQUEST_STREAM] is True
    assert 0 <= shown[sc.RESPONSE_TIME_TO_FIRST_CHUNK] < 30
    assert shown[sc.RESPONSE_FINISH_REASONS] == ("stop",)


class EventModel(Model):
    """A model that streams as it should, and leaves the callbacks to LangChain."""

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - LangChain's
        **kwargs: object,
    ) -> Iterator[ChatGenerationChunk]:
        return super()._stream(messages, stop, None, **kwargs)


@pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainBetaWarning")
@needs("answers streamed as events")
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_call_streamed_as_events_is_a_streamed_call(recording: Recording, mode: str) -> None:
    """A call whose answer comes as events carries the time to its first piece, and its usage once, as any stream does."""
    model: Any = EventModel()

    async def run() -> None:
        stream = await model.astream_events("hi", version="v3", config=recording.config())
        await stream.output

    if mode == "sync":
        assert model.stream_events("hi", version="v3", config=recording.config()).output
    else:
        asyncio.run(run())
    shown = read(recording.get("chat m-1"))
    assert shown[sc.REQUEST_STREAM] is True
    assert 0 <= shown[sc.RESPONSE_TIME_TO_FIRST_CHUNK] < 30
    assert shown[sc.USAGE_INPUT_TOKENS] == 100
    assert recording.is_empty()


def test_events_that_are_no_piece_of_an_answer_do_not_count(recording: Recording) -> None:
    """That an answer begins or ends, and what is no event at all, is no first piece."""
    handler, run_id = recording.handler, uuid.uuid4()
    handler.on_chat_model_start({}, [[]], run_id=run_id)
    for event in (
        {"event": "message-start"},
        {"event": "message-finish"},
        {"event": 1},
        {},
        None,
        "content-block",
    ):
        handler.on_stream_event(event, run_id=run_id)
    handler.on_llm_end(None, run_id=run_id)
    assert sc.RESPONSE_TIME_TO_FIRST_CHUNK not in read(recording.get("chat"))
    assert handler.counters["callback_errors"] == 0


def test_failed_call_is_an_error_with_its_type(recording: Recording) -> None:
    """A model that raises is ERROR with `error.type` and no text of the exception."""
    with pytest.raises(TimeoutError):
        Model(error=TimeoutError("planted")).invoke("hi", config=recording.config())
    span = recording.get("chat m-1")
    assert span.status.status_code is StatusCode.ERROR
    assert read(span)[sc.ERROR_TYPE] == "TimeoutError"
    assert "planted" not in span.to_json()


def test_closed_stream_is_a_cancelled_call(recording: Recording) -> None:
    """A caller that leaves a model's stream leaves a cancelled span, no error."""
    chunks = Model().stream("hi", config=recording.config())
    next(chunks)
    chunks.close()  # type: ignore[attr-defined]  # it is a generator
    span = recording.get("chat m-1")
    assert span.status.status_code is StatusCode.UNSET
    assert read(span)[sc.OUTCOME] == "cancelled"


def test_batch_of_prompts_is_one_span_each(recording: Recording) -> None:
    """`generate` with two prompts is two calls."""
    Model().generate([[HumanMessage("a")], [HumanMessage("b")]], callbacks=[recording.handler])
    assert len(recording.list_named("chat m-1")) == 2
    assert recording.is_empty()


def test_text_completion_model(recording: Recording) -> None:
    """A model of the old kind is a `text_completion`."""
    FakeListLLM(responses=["hi"]).invoke("hello", config=recording.config())
    (span,) = recording.spans
    assert read(span)[sc.OPERATION_NAME] == "text_completion"
    assert span.kind is SpanKind.CLIENT


def test_old_token_usage_is_read_from_the_whole_answer() -> None:
    """Where messages carry no usage, the provider's own sum is read."""
    response = LLMResult(
        generations=[[]],
        llm_output={"token_usage": {"prompt_tokens": 3, "completion_tokens": 4}, "model_name": "m"},
    )
    assert describe_response(response) == {
        sc.RESPONSE_MODEL: "m",
        sc.USAGE_INPUT_TOKENS: 3,
        sc.USAGE_OUTPUT_TOKENS: 4,
    }


@pytest.mark.parametrize("response", [None, {}, 7, LLMResult(generations=[])])
def test_answer_that_says_nothing_has_no_attributes(response: object) -> None:
    """Nothing is made up for an answer without facts."""
    assert describe_response(response) == {}


def test_values_of_this_call_go_before_the_models_own() -> None:
    """A temperature that was given with the call wins over the model's default."""
    shown = describe_request("chat", {"ls_temperature": 0.9, "ls_max_tokens": None}, {"temperature": 0.1})
    assert shown[sc.REQUEST_TEMPERATURE] == 0.9


def test_messages_have_the_form_of_the_conventions() -> None:
    """Roles, text, tool calls, answers of tools, reasoning and images each have their part."""
    call = {"name": "find", "args": {"q": 1}, "id": "c1"}
    messages = [
        SystemMessage("be kind"),
        HumanMessage(
            [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "http://x"}}]
        ),
        AIMessage([{"type": "thinking", "thinking": "hm"}, "well"], tool_calls=[call]),
        ToolMessage("42", tool_call_id="c1", name="find"),
    ]
    assert list_messages([messages], render) == [
        {"role": "system", "parts": [{"type": "text", "content": "be kind"}]},
        {
            "role": "user",
            "parts": [
                {"type": "text", "content": "look"},
                {"type": "uri", "modality": "image", "uri": "http://x"},
            ],
        },
        {
            "role": "assistant",
            "parts": [
                {"type": "reasoning", "content": "hm"},
                {"type": "text", "content": "well"},
                {"type": "tool_call", "id": "c1", "name": "find", "arguments": {"q": 1}},
            ],
        },
        {
            "role": "tool",
            "parts": [{"type": "tool_call_response", "id": "c1", "response": "42"}],
            "name": "find",
        },
    ]


def test_answers_carry_their_finish_reason() -> None:
    """An output message names why the model stopped."""
    (message,) = list_answers([ChatGeneration(message=ANSWER)], render)
    assert isinstance(message, dict)
    assert message["finish_reason"] == "stop"
    assert message["parts"] == [{"type": "text", "content": "sunny"}]


@pytest.mark.parametrize("given", [None, "text", [None], [[None, 7, {"a": 1}]], object()])
def test_anything_can_stand_where_messages_stand(given: object) -> None:
    """What is no message is rendered, never raised."""
    assert isinstance(json.loads(render_json(list_messages(given, render))), list)


def test_message_that_can_not_be_read_leaves_the_others() -> None:
    """A message that raises is shown by its type, and what stands beside it as it is."""
    shown = list_messages([[HumanMessage("hi"), Message()]], render)
    assert shown[0] == {"role": "user", "parts": [{"type": "text", "content": "hi"}]}
    assert "Message>" in json.dumps(shown[1])
