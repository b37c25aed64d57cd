"""What a model call asks for: provider and parameters, by the GenAI semantic conventions (development, 1.42.0-dev).

LangChain describes a call twice: `ls_*` metadata, the same for all providers and with the values of this call, and
the provider's own `invocation_params`, which name one thing in many ways. The first goes first (seen in langchain-core
1.8.3 and the integrations that `token_usage` lists).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.record.token_usage import read_count
from otel_traj.rendering import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.util.types import AttributeValue

__all__ = ["describe_parameters", "read_provider"]

_PROVIDERS = {
    "amazon_bedrock": "aws.bedrock",
    "amazon_bedrock_converse": "aws.bedrock",
    "anthropic-bedrock": "aws.bedrock",
    "anthropic-mantle": "aws.bedrock",
    "anthropic_bedrock": "aws.bedrock",
    "azure": "azure.ai.openai",
    "azure-openai": "azure.ai.openai",
    "azure_ai": "azure.ai.inference",
    "azure_openai": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "bedrock_converse": "aws.bedrock",
    "google-generative-ai": "gcp.gemini",
    "google_anthropic_vertex": "gcp.vertex_ai",
    "google_genai": "gcp.gemini",
    "google_vertexai": "gcp.vertex_ai",
    "ibm": "ibm.watsonx.ai",
    "mistral": "mistral_ai",
    "mistralai": "mistral_ai",
    "openai-codex": "openai",
    "openai-mantle": "aws.bedrock",
    "vertexai": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
"""LangChain's provider names whose well-known value in the conventions is another."""

_TYPE_WORDS = ("chat-", "-chat", "_chat", "chat")
"""What stands before or after the provider in a model's `_type`."""


def _read_float(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


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
        (
            "ls_max_tokens",
            "max_tokens",
            "max_completion_tokens",
            "max_output_tokens",
            "max_tokens_to_sample",
            "max_new_tokens",
            "maxTokens",
            "maxOutputTokens",
            "num_predict",
        ),
        read_count,
    ),
    (sc.REQUEST_STOP_SEQUENCES, ("ls_stop", "stop", "stop_sequences", "stopSequences"), _read_texts),
    (sc.REQUEST_TOP_P, ("top_p", "topP"), _read_float),
    (sc.REQUEST_TOP_K, ("top_k", "topK"), read_count),
    (sc.REQUEST_FREQUENCY_PENALTY, ("frequency_penalty",), _read_float),
    (sc.REQUEST_PRESENCE_PENALTY, ("presence_penalty",), _read_float),
    (sc.REQUEST_SEED, ("seed", "random_seed"), read_count),
    (sc.REQUEST_CHOICE_COUNT, ("n", "candidate_count"), read_count),
    (sc.REQUEST_STREAM, ("stream", "streaming"), _read_flag),
)
_STATED = ("ls_temperature", "ls_max_tokens", "ls_stop")
_NESTED = ("model_kwargs", "generation_config", "inferenceConfig", "inference_config", "options")
"""Where integrations keep parameters that they hand on as they are (Bedrock, Gemini, Ollama)."""


def describe_parameters(
    metadata: Mapping[str, object], parameters: Mapping[str, object]
) -> dict[str, AttributeValue]:
    """Return the parameters of a model call, each as this call has it, else as the model does.

    Args:
        metadata: The callback's metadata.
        parameters: The callback's `invocation_params`.
    """
    stated = {key: metadata[key] for key in _STATED if key in metadata}
    nested = [value for key in _NESTED if isinstance(value := parameters.get(key), dict)]
    attributes: dict[str, AttributeValue] = {}
    for source in (stated, parameters, *nested):
        for attribute, keys, read in _PARAMETERS:
            if attribute not in attributes:
                value = next((found for key in keys if (found := read(source.get(key))) is not None), None)
                if value is not None:
                    attributes[attribute] = value
    if attributes.get(sc.REQUEST_CHOICE_COUNT) == 1:
        del attributes[sc.REQUEST_CHOICE_COUNT]
    return attributes


def read_provider(metadata: Mapping[str, object], parameters: Mapping[str, object]) -> str | None:
    """Return the provider by its name in the conventions where it has one there, None where the call does not say it."""
    named = metadata.get("ls_provider")
    if isinstance(named, str) and named:
        return clean_text(_PROVIDERS.get(named, named))
    kind = parameters.get("_type")
    if not isinstance(kind, str) or not kind:
        return None
    for word in _TYPE_WORDS:
        bare = kind.removeprefix(word).removesuffix(word)
        if bare and bare != kind:
            kind = bare
            break
    return clean_text(_PROVIDERS.get(kind, kind))
