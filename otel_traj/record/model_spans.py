"""Attributes of model calls, by the GenAI semantic conventions (development, 1.42.0-dev).

LangChain describes a call twice: `ls_*` metadata, the same for all providers and with the values of this call,
and the provider's own `invocation_params`. The first goes first. Its `serialized` form is never read: it holds
a repr of the whole model (langchain-core 1.8.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.rendering import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.util.types import AttributeValue

__all__ = [
    "describe_request",
    "describe_response",
    "list_generations",
    "read_finish_reason",
    "read_request_model",
]

_PROVIDERS = {
    "amazon_bedrock": "aws.bedrock",
    "anthropic_bedrock": "aws.bedrock",
    "azure": "azure.ai.openai",
    "azure_ai": "azure.ai.inference",
    "bedrock": "aws.bedrock",
    "bedrock_converse": "aws.bedrock",
    "google_anthropic_vertex": "gcp.vertex_ai",
    "google_genai": "gcp.gemini",
    "google_vertexai": "gcp.vertex_ai",
    "ibm": "ibm.watsonx.ai",
    "mistral": "mistral_ai",
    "mistralai": "mistral_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
"""LangChain's provider names whose well-known value in the conventions is another."""

_MODEL_KEYS = ("model", "model_name", "model_id", "deployment_name", "azure_deployment")
_RESPONSE_MODEL_KEYS = ("model_name", "model", "model_id")
_FINISH_KEYS = ("finish_reason", "stop_reason", "stopReason", "done_reason")


def _read_float(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _read_int(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_int = isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
    return int(value) if is_int else None  # type: ignore[call-overload]  # mypy can't follow is_int


def _read_texts(value: object) -> list[str] | None:
    if isinstance(value, str):
        return [clean_text(value)]
    if isinstance(value, (list, tuple)) and value and all(isinstance(text, str) for text in value):
        return [clean_text(text) for text in value]
    return None


def _read_flag(value: object) -> bool | None:
    return True if value is True else None


_PARAMETERS: tuple[tuple[str, tuple[str, ...], Callable[[object], AttributeValue | None]], ...] = (
    (sc.REQUEST_TEMPERATURE, ("ls_temperature", "temperature"), _read_float),
    (
        sc.REQUEST_MAX_TOKENS,
        ("ls_max_tokens", "max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict"),
        _read_int,
    ),
    (sc.REQUEST_STOP_SEQUENCES, ("ls_stop", "stop", "stop_sequences"), _read_texts),
    (sc.REQUEST_TOP_P, ("top_p",), _read_float),
    (sc.REQUEST_TOP_K, ("top_k",), _read_int),
    (sc.REQUEST_FREQUENCY_PENALTY, ("frequency_penalty",), _read_float),
    (sc.REQUEST_PRESENCE_PENALTY, ("presence_penalty",), _read_float),
    (sc.REQUEST_SEED, ("seed",), _read_int),
    (sc.REQUEST_STREAM, ("stream", "streaming"), _read_flag),
)


def read_request_model(metadata: Mapping[str, object], parameters: Mapping[str, object]) -> str | None:
    """Return the model that a call asks for, None where the call does not say it."""
    named = metadata.get("ls_model_name")
    candidates = [named, *(parameters.get(key) for key in _MODEL_KEYS)]
    return next((clean_text(name) for name in candidates if isinstance(name, str) and name), None)


def describe_request(
    operation: str, metadata: Mapping[str, object], parameters: Mapping[str, object]
) -> dict[str, AttributeValue]:
    """Return what a model span starts with.

    Args:
        operation: `chat` or `text_completion`.
        metadata: The callback's metadata.
        parameters: The callback's `invocation_params`.

    Returns:
        Attributes, without content.
    """
    attributes: dict[str, AttributeValue] = {sc.OPERATION_NAME: operation}
    provider = metadata.get("ls_provider") or parameters.get("_type")
    if isinstance(provider, str) and provider:
        attributes[sc.PROVIDER_NAME] = clean_text(_PROVIDERS.get(provider, provider))
    model = read_request_model(metadata, parameters)
    if model is not None:
        attributes[sc.REQUEST_MODEL] = model
    for attribute, keys, read in _PARAMETERS:
        for key in keys:
            value = read(metadata.get(key) if key.startswith("ls_") else parameters.get(key))
            if value is not None:
                attributes[attribute] = value
                break
    choices = _read_int(parameters.get("n"))
    if choices is not None and choices != 1:
        attributes[sc.REQUEST_CHOICE_COUNT] = choices
    return attributes


def describe_response(response: object) -> dict[str, AttributeValue]:
    """Return what a model's answer says, without content.

    Args:
        response: LangChain's LLMResult.

    Returns:
        Model, id, finish reasons and tokens, as far as they are there.
    """
    attributes: dict[str, AttributeValue] = {}
    facts = [_list_facts(generation) for generation in list_generations(response)]
    overall = _as_mapping(getattr(response, "llm_output", None))
    sources = [source for found in facts for source in found] + [overall]
    model = _find_text(sources, _RESPONSE_MODEL_KEYS)
    if model is not None:
        attributes[sc.RESPONSE_MODEL] = model
    response_id = _find_text(sources, ("id", "response_id"))
    if response_id is not None:
        attributes[sc.RESPONSE_ID] = response_id
    reasons = [reason for found in facts if (reason := _find_text(found, _FINISH_KEYS)) is not None]
    if reasons:
        attributes[sc.RESPONSE_FINISH_REASONS] = reasons
    attributes.update(_read_usage(response, overall))
    return attributes


def read_finish_reason(generation: object) -> str | None:
    """Return why a model stopped, in the provider's word; None where it does not say."""
    return _find_text(_list_facts(generation), _FINISH_KEYS)


def list_generations(response: object) -> list[object]:
    """Return the answers in LangChain's LLMResult, all prompts' in one list; empty for anything else."""
    prompts = getattr(response, "generations", None)
    if not isinstance(prompts, (list, tuple)):
        return []
    return [each for prompt in prompts if isinstance(prompt, (list, tuple)) for each in prompt]


def _list_facts(generation: object) -> list[Mapping[str, object]]:
    message = getattr(generation, "message", None)
    return [
        _as_mapping(getattr(message, "response_metadata", None)),
        _as_mapping(getattr(generation, "generation_info", None)),
    ]


def _as_mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _find_text(sources: list[Mapping[str, object]], keys: tuple[str, ...]) -> str | None:
    for source in sources:
        for key in keys:
            value = source.get(key)
            if isinstance(value, str) and value:
                return clean_text(value)
    return None


def _read_usage(response: object, overall: Mapping[str, object]) -> dict[str, AttributeValue]:
    """Read the tokens of one call; where a call has several answers, providers repeat its total on each."""
    for generation in list_generations(response):
        usage = getattr(getattr(generation, "message", None), "usage_metadata", None)
        if isinstance(usage, dict) and usage:
            inputs = _as_mapping(usage.get("input_token_details"))
            outputs = _as_mapping(usage.get("output_token_details"))
            return _drop_unknown(
                {
                    sc.USAGE_INPUT_TOKENS: usage.get("input_tokens"),
                    sc.USAGE_OUTPUT_TOKENS: usage.get("output_tokens"),
                    sc.USAGE_CACHE_READ_INPUT_TOKENS: inputs.get("cache_read"),
                    sc.USAGE_CACHE_WRITE_INPUT_TOKENS: inputs.get("cache_creation"),
                    sc.USAGE_REASONING_OUTPUT_TOKENS: outputs.get("reasoning"),
                }
            )
    tokens = _as_mapping(overall.get("token_usage") or overall.get("usage"))
    return _drop_unknown(
        {
            sc.USAGE_INPUT_TOKENS: tokens.get("prompt_tokens", tokens.get("input_tokens")),
            sc.USAGE_OUTPUT_TOKENS: tokens.get("completion_tokens", tokens.get("output_tokens")),
        }
    )


def _drop_unknown(usage: Mapping[str, object]) -> dict[str, AttributeValue]:
    return {key: count for key, value in usage.items() if (count := _read_int(value)) is not None}
