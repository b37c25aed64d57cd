"""Attributes of model calls, by the GenAI semantic conventions (development, 1.42.0-dev).

What was asked for stands in `model_request`, the tokens in `token_usage`. The `serialized` form of a model is never
read: it holds a repr of the whole model. Where the chunks of a stream repeat a finish reason or a model's name, LangChain
joins the texts (`STOPSTOP`, seen with langchain-core 1.8.3 and langchain-google-genai 4.4.3): they are told once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.record.model_request import describe_parameters, read_provider
from otel_traj.record.token_usage import read_usage
from otel_traj.rendering import clean_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.util.types import AttributeValue

__all__ = [
    "describe_request",
    "describe_response",
    "list_generations",
    "read_finish_reason",
    "read_request_model",
]

_MODEL_KEYS = ("model", "model_name", "model_id", "deployment_name", "azure_deployment")
_RESPONSE_MODEL_KEYS = ("model_name", "model", "model_id")
_FINISH_KEYS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
_OWN_IDS = ("chatcmpl-", "cmpl-", "gen-", "msg_", "resp_")
"""Beginnings of ids that providers give (OpenAI, OpenRouter, Anthropic)."""
_MIN_FOLDED = 8
"""A shorter name of a model may well be one syllable twice."""


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
    provider = read_provider(metadata, parameters)
    if provider is not None:
        attributes[sc.PROVIDER_NAME] = provider
    model = read_request_model(metadata, parameters)
    if model is not None:
        attributes[sc.REQUEST_MODEL] = model
    attributes.update(describe_parameters(metadata, parameters))
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
        attributes[sc.RESPONSE_MODEL] = _fold(model) if len(model) >= _MIN_FOLDED else model
    messages = [getattr(each, "message", None) for each in list_generations(response)]
    response_id = _find_text(sources, ("id", "response_id")) or _find_own_id(messages)
    if response_id is not None:
        attributes[sc.RESPONSE_ID] = response_id
    reasons = [reason for found in (facts or [[]]) if (reason := _find_reason([*found, overall])) is not None]
    if reasons:
        attributes[sc.RESPONSE_FINISH_REASONS] = reasons
    attributes.update(read_usage([getattr(each, "usage_metadata", None) for each in messages], sources))
    return attributes


def _find_own_id(messages: list[object]) -> str | None:
    """Return a message's id where it is its provider's: LangChain gives one to whatever has none."""
    ids = [getattr(message, "id", None) for message in messages]
    return next(
        (clean_text(each) for each in ids if isinstance(each, str) and each.startswith(_OWN_IDS)), None
    )


def read_finish_reason(generation: object) -> str | None:
    """Return why a model stopped, in the provider's word; None where it does not say."""
    return _find_reason(_list_facts(generation))


def _find_reason(facts: list[Mapping[str, object]]) -> str | None:
    reason = _find_text(facts, _FINISH_KEYS)
    if reason is not None:
        return _fold(reason)
    # OpenAI's Responses API: `status`, and where that is `incomplete`, why.
    of_responses = [
        each for each in facts if each.get("object") == "response" or "incomplete_details" in each
    ]
    incomplete = [_as_mapping(each.get("incomplete_details")) for each in of_responses]
    return _find_text(incomplete, ("reason",)) or _find_text(of_responses, ("status",))


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


def _fold(text: str) -> str:
    """Return once what stands there several times in a row."""
    period = (text + text).find(text, 1)
    return text[:period]
