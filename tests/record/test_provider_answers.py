"""Answers as the integrations of the common providers make them, and what a model span says of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, Generation, LLMResult

from otel_traj import semconv as sc
from otel_traj.record.model_spans import describe_response
from otel_traj.record.token_usage import is_running_total

if TYPE_CHECKING:
    from collections.abc import Mapping

OPENAI_USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": 64},
    "completion_tokens_details": {"audio_tokens": 0, "reasoning_tokens": 12},
}
STANDARD: Any = {
    "input_tokens": 100,
    "output_tokens": 20,
    "total_tokens": 120,
    "input_token_details": {"audio": 0, "cache_read": 64},
    "output_token_details": {"audio": 0, "reasoning": 12},
}
FOUND = {
    sc.USAGE_INPUT_TOKENS: 100,
    sc.USAGE_OUTPUT_TOKENS: 20,
    sc.USAGE_CACHE_READ_INPUT_TOKENS: 64,
    sc.USAGE_REASONING_OUTPUT_TOKENS: 12,
}


def answer(
    response_metadata: dict[str, Any],
    usage: Any = None,  # noqa: ANN401 - LangChain's
    *,
    llm_output: dict[str, Any] | None = None,
    generation_info: dict[str, Any] | None = None,
    message_id: str | None = None,
    count: int = 1,
) -> LLMResult:
    """Return the result of a call with so many choices, each with the same facts."""
    message = AIMessage(
        "hi", response_metadata=response_metadata, usage_metadata=usage, id=message_id or "lc_run--0199"
    )
    generation = ChatGeneration(message=message, generation_info=generation_info)
    return LLMResult(generations=[[generation] * count], llm_output=llm_output)


ANSWERS: dict[str, tuple[LLMResult, Mapping[str, object]]] = {
    "openai: usage in three places": (
        answer(
            {
                "token_usage": OPENAI_USAGE,
                "model_name": "gpt-5-2026",
                "finish_reason": "stop",
                "id": "chatcmpl-1",
            },
            STANDARD,
            llm_output={"token_usage": OPENAI_USAGE, "model_name": "gpt-5-2026", "id": "chatcmpl-1"},
            generation_info={"finish_reason": "stop", "logprobs": None},
        ),
        FOUND
        | {
            sc.RESPONSE_MODEL: "gpt-5-2026",
            sc.RESPONSE_ID: "chatcmpl-1",
            sc.RESPONSE_FINISH_REASONS: ["stop"],
        },
    ),
    "openai: three choices, one bill": (
        answer({"model_name": "gpt-5", "finish_reason": "length"}, STANDARD, count=3),
        FOUND | {sc.RESPONSE_MODEL: "gpt-5", sc.RESPONSE_FINISH_REASONS: ["length"] * 3},
    ),
    "openai: service tier": (
        answer(
            {"model_name": "gpt-5", "finish_reason": "tool_calls"},
            STANDARD
            | {
                "input_token_details": {"priority_cache_read": 64, "priority": 36},
                "output_token_details": {"priority_reasoning": 12, "priority": 8},
            },
        ),
        FOUND | {sc.RESPONSE_MODEL: "gpt-5", sc.RESPONSE_FINISH_REASONS: ["tool_calls"]},
    ),
    "openai responses: complete": (
        answer(
            {
                "id": "resp_1",
                "object": "response",
                "status": "completed",
                "model": "gpt-5",
                "model_name": "gpt-5",
            },
            STANDARD,
        ),
        FOUND
        | {
            sc.RESPONSE_MODEL: "gpt-5",
            sc.RESPONSE_ID: "resp_1",
            sc.RESPONSE_FINISH_REASONS: ["completed"],
        },
    ),
    "openai responses: cut": (
        answer(
            {
                "id": "resp_1",
                "object": "response",
                "status": "incomplete",
                "incomplete_details": {"reason": "max_output_tokens"},
                "model_name": "gpt-5",
            },
            STANDARD,
        ),
        FOUND
        | {
            sc.RESPONSE_MODEL: "gpt-5",
            sc.RESPONSE_ID: "resp_1",
            sc.RESPONSE_FINISH_REASONS: ["max_output_tokens"],
        },
    ),
    "older integrations of openai's form": (
        answer(
            {"token_usage": OPENAI_USAGE, "model_name": "m", "finish_reason": "stop"},
            llm_output={"token_usage": OPENAI_USAGE, "model_name": "m"},
        ),
        FOUND | {sc.RESPONSE_MODEL: "m", sc.RESPONSE_FINISH_REASONS: ["stop"]},
    ),
    "usage in the whole result alone": (
        answer({}, llm_output={"token_usage": OPENAI_USAGE, "model_name": "m"}),
        FOUND | {sc.RESPONSE_MODEL: "m"},
    ),
    "anthropic: a cache of two lifetimes": (
        answer(
            {
                "id": "msg_1",
                "model": "claude-5",
                "model_name": "claude-5",
                "stop_reason": "tool_use",
                "stop_sequence": None,
                "usage": {"input_tokens": 6, "output_tokens": 20, "cache_read_input_tokens": 64},
            },
            {
                "input_tokens": 100,
                "output_tokens": 20,
                "total_tokens": 120,
                "input_token_details": {
                    "cache_read": 64,
                    "cache_creation": 0,
                    "ephemeral_5m_input_tokens": 20,
                    "ephemeral_1h_input_tokens": 10,
                },
            },
        ),
        {
            sc.RESPONSE_MODEL: "claude-5",
            sc.RESPONSE_ID: "msg_1",
            sc.RESPONSE_FINISH_REASONS: ["tool_use"],
            sc.USAGE_INPUT_TOKENS: 100,
            sc.USAGE_OUTPUT_TOKENS: 20,
            sc.USAGE_CACHE_READ_INPUT_TOKENS: 64,
            sc.USAGE_CACHE_WRITE_INPUT_TOKENS: 30,
        },
    ),
    "anthropic: its own figures leave the cached out": (
        answer(
            {
                "model_name": "claude-5",
                "stop_reason": "end_turn",
                "usage": {
                    "input_tokens": 6,
                    "output_tokens": 20,
                    "cache_read_input_tokens": 64,
                    "cache_creation_input_tokens": 30,
                    "output_tokens_details": {"thinking_tokens": 12},
                },
            }
        ),
        FOUND
        | {
            sc.RESPONSE_MODEL: "claude-5",
            sc.RESPONSE_FINISH_REASONS: ["end_turn"],
            sc.USAGE_CACHE_WRITE_INPUT_TOKENS: 30,
        },
    ),
    "gemini": (
        answer(
            {
                "prompt_feedback": {},
                "finish_reason": "MAX_TOKENS",
                "model_name": "gemini-3",
                "safety_ratings": [],
            },
            STANDARD,
        ),
        FOUND | {sc.RESPONSE_MODEL: "gemini-3", sc.RESPONSE_FINISH_REASONS: ["MAX_TOKENS"]},
    ),
    "gemini: its own figures leave the reasoning out": (
        answer(
            {},
            generation_info={
                "finish_reason": "STOP",
                "usage_metadata": {
                    "prompt_token_count": 100,
                    "candidates_token_count": 8,
                    "thoughts_token_count": 12,
                    "cached_content_token_count": 64,
                    "total_token_count": 120,
                },
            },
        ),
        FOUND | {sc.RESPONSE_FINISH_REASONS: ["STOP"]},
    ),
    "bedrock converse": (
        answer(
            {
                "ResponseMetadata": {"RequestId": "r-1", "HTTPStatusCode": 200},
                "stopReason": "end_turn",
                "metrics": {"latencyMs": [609]},
                "model_name": "anthropic.claude",
            },
            STANDARD,
        ),
        FOUND | {sc.RESPONSE_MODEL: "anthropic.claude", sc.RESPONSE_FINISH_REASONS: ["end_turn"]},
    ),
    "bedrock: its own figures": (
        answer(
            {
                "stopReason": "max_tokens",
                "usage": {
                    "inputTokens": 36,
                    "outputTokens": 20,
                    "totalTokens": 120,
                    "cacheReadInputTokens": 64,
                    "cacheWriteInputTokens": 0,
                },
            }
        ),
        {
            sc.RESPONSE_FINISH_REASONS: ["max_tokens"],
            sc.USAGE_INPUT_TOKENS: 100,
            sc.USAGE_OUTPUT_TOKENS: 20,
            sc.USAGE_CACHE_READ_INPUT_TOKENS: 64,
            sc.USAGE_CACHE_WRITE_INPUT_TOKENS: 0,
        },
    ),
    "bedrock: invocation metrics": (
        answer({"amazon-bedrock-invocationMetrics": {"inputTokenCount": 100, "outputTokenCount": 20}}),
        {sc.USAGE_INPUT_TOKENS: 100, sc.USAGE_OUTPUT_TOKENS: 20},
    ),
    "ollama": (
        answer(
            {
                "model": "llama3",
                "done": True,
                "done_reason": "stop",
                "total_duration": 3_576_619_666,
                "prompt_eval_count": 100,
                "eval_count": 20,
            }
        ),
        {
            sc.RESPONSE_MODEL: "llama3",
            sc.RESPONSE_FINISH_REASONS: ["stop"],
            sc.USAGE_INPUT_TOKENS: 100,
            sc.USAGE_OUTPUT_TOKENS: 20,
        },
    ),
    "cohere": (
        answer(
            {
                "id": "c-1",
                "finish_reason": "COMPLETE",
                "token_count": {"input_tokens": 100.0, "output_tokens": 20.0},
            }
        ),
        {
            sc.RESPONSE_ID: "c-1",
            sc.RESPONSE_FINISH_REASONS: ["COMPLETE"],
            sc.USAGE_INPUT_TOKENS: 100,
            sc.USAGE_OUTPUT_TOKENS: 20,
        },
    ),
    "deepseek: hits of its cache": (
        answer(
            {
                "finish_reason": "stop",
                "token_usage": {"prompt_tokens": 100, "completion_tokens": 20, "prompt_cache_hit_tokens": 64},
            }
        ),
        {
            sc.RESPONSE_FINISH_REASONS: ["stop"],
            sc.USAGE_INPUT_TOKENS: 100,
            sc.USAGE_OUTPUT_TOKENS: 20,
            sc.USAGE_CACHE_READ_INPUT_TOKENS: 64,
        },
    ),
    "zeros where nothing is known": (
        answer(
            {"token_usage": OPENAI_USAGE},
            {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0},
        ),
        FOUND,
    ),
    "nothing known at all": (
        answer({"token_usage": {}, "usage": None}, llm_output={"token_usage": {"prompt_tokens": 0}}),
        {},
    ),
    "text completion": (
        LLMResult(
            generations=[
                [Generation(text="hi", generation_info={"finish_reason": "stop", "logprobs": None})]
            ],
            llm_output={"token_usage": OPENAI_USAGE, "model_name": "davinci"},
        ),
        FOUND | {sc.RESPONSE_MODEL: "davinci", sc.RESPONSE_FINISH_REASONS: ["stop"]},
    ),
    "stop reason in the whole result alone": (
        answer({}, llm_output={"stop_reason": "end_turn", "model_id": "anthropic.claude"}),
        {sc.RESPONSE_MODEL: "anthropic.claude", sc.RESPONSE_FINISH_REASONS: ["end_turn"]},
    ),
    "id on the message alone": (
        answer({}, message_id="chatcmpl-2"),
        {sc.RESPONSE_ID: "chatcmpl-2"},
    ),
}


@pytest.mark.parametrize("provider", ANSWERS)
def test_answer_of_a_provider(provider: str) -> None:
    """Model, id, finish reasons and tokens are found, each once; input holds the cached and output the reasoning."""
    response, found = ANSWERS[provider]
    assert describe_response(response) == found


def test_what_chunks_repeat_is_told_once() -> None:
    """LangChain joins the texts that every chunk carries: finish reasons and the model's name stand there once."""
    chunks = [
        ChatGenerationChunk(
            message=AIMessageChunk(
                content=word, response_metadata={"finish_reason": "STOP", "model_name": "gemini-3-pro"}
            )
        )
        for word in ("a", "b", "c")
    ]
    merged = chunks[0] + chunks[1] + chunks[2]
    assert merged.message.response_metadata["finish_reason"] == "STOPSTOPSTOP"
    shown = describe_response(LLMResult(generations=[[merged]]))
    assert shown[sc.RESPONSE_FINISH_REASONS] == ["STOP"]
    assert shown[sc.RESPONSE_MODEL] == "gemini-3-pro"


def test_short_name_of_a_model_may_repeat_itself() -> None:
    """A model that is called `yiyi` is."""
    assert describe_response(answer({"model_name": "yiyi"})) == {sc.RESPONSE_MODEL: "yiyi"}


@pytest.mark.parametrize("detail", [None, "no", {"cached_tokens": "many"}, [1]])
def test_figures_of_another_shape_are_left_out(detail: object) -> None:
    """What is no number is no figure, and what is beside it counts."""
    usage = {"prompt_tokens": 100, "completion_tokens": None, "prompt_tokens_details": detail}
    assert describe_response(answer({"token_usage": usage})) == {sc.USAGE_INPUT_TOKENS: 100}


@pytest.mark.parametrize(
    ("before", "after", "is_total"),
    [
        ({"input_tokens": 100, "output_tokens": 1}, {"input_tokens": 100, "output_tokens": 2}, True),
        ({"input_tokens": 100, "output_tokens": 0}, {"input_tokens": 0, "output_tokens": 20}, False),
        ({"input_tokens": 100, "output_tokens": 5}, {"input_tokens": 100, "output_tokens": 4}, False),
        ({"input_tokens": 0, "output_tokens": 1}, {"input_tokens": 0, "output_tokens": 1}, False),
        (None, {"input_tokens": 1, "output_tokens": 1}, False),
        ({"input_tokens": 1, "output_tokens": 1}, {"input_tokens": None}, False),
    ],
)
def test_running_totals_are_told_from_what_came_new(before: object, after: object, is_total: bool) -> None:
    """The tokens of a prompt are sent once: where they come again, a chunk says the total so far."""
    assert is_running_total(before, after) is is_total
