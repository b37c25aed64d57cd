"""What the integrations of the common providers show of a call, and what a model span starts with."""

from __future__ import annotations

import pytest

from otel_traj import semconv as sc
from otel_traj.record.model_spans import describe_request

TEMPERATURE, MAX_TOKENS, STOP = {"ls_temperature": 0.3}, {"ls_max_tokens": 64}, {"ls_stop": ["E"]}
STATED = {sc.REQUEST_TEMPERATURE: 0.3, sc.REQUEST_MAX_TOKENS: 64, sc.REQUEST_STOP_SEQUENCES: ["E"]}

CALLS: dict[str, tuple[dict[str, object], dict[str, object], dict[str, object]]] = {
    "openai": (
        {"ls_provider": "openai", "ls_model_name": "gpt-5", **TEMPERATURE, **MAX_TOKENS, **STOP},
        {
            "model": "gpt-5",
            "model_name": "gpt-5",
            "stream": True,
            "temperature": 1.0,
            "top_p": 0.9,
            "seed": 7,
            "n": 2,
            "frequency_penalty": 0.1,
            "presence_penalty": -0.2,
            "max_completion_tokens": 32,
            "stop": ["X"],
            "_type": "openai-chat",
        },
        {
            sc.PROVIDER_NAME: "openai",
            sc.REQUEST_MODEL: "gpt-5",
            sc.REQUEST_STREAM: True,
            sc.REQUEST_TOP_P: 0.9,
            sc.REQUEST_SEED: 7,
            sc.REQUEST_CHOICE_COUNT: 2,
            sc.REQUEST_FREQUENCY_PENALTY: 0.1,
            sc.REQUEST_PRESENCE_PENALTY: -0.2,
            **STATED,
        },
    ),
    "azure": (
        {"ls_provider": "azure"},
        {"azure_deployment": "mine", "max_completion_tokens": 32, "n": 1, "_type": "azure-openai-chat"},
        {sc.PROVIDER_NAME: "azure.ai.openai", sc.REQUEST_MODEL: "mine", sc.REQUEST_MAX_TOKENS: 32},
    ),
    "anthropic": (
        {"ls_provider": "anthropic", "ls_model_name": "claude-5", **TEMPERATURE, **MAX_TOKENS, **STOP},
        {
            "model": "claude-5",
            "max_tokens": 64,
            "temperature": 0.3,
            "top_k": 5,
            "top_p": 0.9,
            "model_kwargs": {},
            "streaming": False,
            "thinking": None,
            "_type": "anthropic-chat",
            "stop": ["E"],
        },
        {
            sc.PROVIDER_NAME: "anthropic",
            sc.REQUEST_MODEL: "claude-5",
            sc.REQUEST_TOP_K: 5,
            sc.REQUEST_TOP_P: 0.9,
            **STATED,
        },
    ),
    "gemini": (
        {"ls_provider": "google_genai", "ls_model_name": "gemini-3", **TEMPERATURE},
        {
            "model": "gemini-3",
            "temperature": 0.3,
            "top_p": None,
            "top_k": 5,
            "max_output_tokens": 64,
            "n": 1,
            "generation_config": {"seed": 7, "candidate_count": 3, "top_k": 9},
            "_type": "chat-google-generative-ai",
        },
        {
            sc.PROVIDER_NAME: "gcp.gemini",
            sc.REQUEST_MODEL: "gemini-3",
            sc.REQUEST_TEMPERATURE: 0.3,
            sc.REQUEST_MAX_TOKENS: 64,
            sc.REQUEST_TOP_K: 5,
            sc.REQUEST_SEED: 7,
        },
    ),
    "bedrock converse": (
        {"ls_provider": "amazon_bedrock", "ls_model_name": "anthropic.claude", **MAX_TOKENS},
        {
            "model": "anthropic.claude",
            "inferenceConfig": {"temperature": 0.3, "topP": 0.9, "maxTokens": 9, "stopSequences": ["E"]},
        },
        {
            sc.PROVIDER_NAME: "aws.bedrock",
            sc.REQUEST_MODEL: "anthropic.claude",
            sc.REQUEST_TOP_P: 0.9,
            **STATED,
        },
    ),
    "bedrock": (
        {"ls_provider": "amazon_bedrock"},
        {"model_id": "amazon.titan", "provider": "amazon", "model_kwargs": {"temperature": 0.3, "top_k": 5}},
        {
            sc.PROVIDER_NAME: "aws.bedrock",
            sc.REQUEST_MODEL: "amazon.titan",
            sc.REQUEST_TEMPERATURE: 0.3,
            sc.REQUEST_TOP_K: 5,
        },
    ),
    "ollama": (
        {"ls_provider": "ollama", "ls_model_name": "llama3", **TEMPERATURE},
        {"num_predict": 64, "options": {"top_k": 5}, "_type": "chat-ollama", "stop": "E"},
        {
            sc.PROVIDER_NAME: "ollama",
            sc.REQUEST_MODEL: "llama3",
            sc.REQUEST_TOP_K: 5,
            **STATED,
        },
    ),
    "mistral": (
        {"ls_provider": "mistral", "ls_model_name": "mistral-large"},
        {"random_seed": 7, "max_tokens": 64},
        {
            sc.PROVIDER_NAME: "mistral_ai",
            sc.REQUEST_MODEL: "mistral-large",
            sc.REQUEST_SEED: 7,
            sc.REQUEST_MAX_TOKENS: 64,
        },
    ),
    "metadata of the user": (
        {"temperature": 0.1, "top_p": 0.2, "model": "mine", "stop": ["no"]},
        {"temperature": True, "seed": "7", "stop": [1], "top_k": 5.5, "n": None, "stream": "yes"},
        {},
    ),
}


@pytest.mark.parametrize("provider", CALLS)
def test_call_of_a_provider(provider: str) -> None:
    """Provider, model and parameters of this call are told, wherever the integration keeps them, and nothing else."""
    metadata, parameters, found = CALLS[provider]
    assert describe_request("chat", metadata, parameters) == {sc.OPERATION_NAME: "chat", **found}


@pytest.mark.parametrize(
    ("langchain", "conventions"),
    [
        ("openai", "openai"),
        ("openai-codex", "openai"),
        ("azure", "azure.ai.openai"),
        ("azure_ai", "azure.ai.inference"),
        ("anthropic", "anthropic"),
        ("amazon_bedrock", "aws.bedrock"),
        ("bedrock_converse", "aws.bedrock"),
        ("anthropic-bedrock", "aws.bedrock"),
        ("google_genai", "gcp.gemini"),
        ("google_vertexai", "gcp.vertex_ai"),
        ("google_anthropic_vertex", "gcp.vertex_ai"),
        ("mistral", "mistral_ai"),
        ("mistralai", "mistral_ai"),
        ("groq", "groq"),
        ("cohere", "cohere"),
        ("deepseek", "deepseek"),
        ("perplexity", "perplexity"),
        ("xai", "x_ai"),
        ("ibm", "ibm.watsonx.ai"),
        ("ollama", "ollama"),
        ("fireworks", "fireworks"),
        ("huggingface", "huggingface"),
        ("my own", "my own"),
    ],
)
def test_providers_have_their_names_of_the_conventions(langchain: str, conventions: str) -> None:
    """LangChain's name becomes the well-known value where there is one, and stays where there is none."""
    assert describe_request("chat", {"ls_provider": langchain}, {})[sc.PROVIDER_NAME] == conventions


@pytest.mark.parametrize(
    ("kind", "conventions"),
    [
        ("openai-chat", "openai"),
        ("azure-openai-chat", "azure.ai.openai"),
        ("anthropic-chat", "anthropic"),
        ("chat-google-generative-ai", "gcp.gemini"),
        ("amazon_bedrock_converse_chat", "aws.bedrock"),
        ("mistralai-chat", "mistral_ai"),
        ("perplexitychat", "perplexity"),
        ("xai-chat", "x_ai"),
        ("chat", "chat"),
        ("openai", "openai"),
    ],
)
def test_type_of_a_model_tells_its_provider_where_nothing_else_does(kind: str, conventions: str) -> None:
    """Without LangChain's `ls_provider` the model's `_type` is read, the word for a chat model apart."""
    assert describe_request("chat", {}, {"_type": kind})[sc.PROVIDER_NAME] == conventions
