"""The tokens of one model call, each counted once, by the GenAI semantic conventions (development, 1.42.0-dev).

LangChain's own form (`usage_metadata` of the answer) goes first: its integrations have brought the provider's figures
into it. Where it is missing or says only zeros, the provider's own figures are read, wherever an integration left
them (the answer, its generation, or the result of the whole call). By the conventions input tokens include the cached
ones and output tokens the reasoning; LangChain sums it up so too, Anthropic's and Bedrock's own figures leave the
cached ones out, and Gemini's the reasoning (seen in langchain-core 1.8.3, langchain-openai 1.7.4, langchain-anthropic
1.7.10, langchain-google-genai 4.4.3, langchain-aws 1.9.1, langchain-ollama 1.1.0 and langchain-cohere 0.6.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj import semconv as sc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from opentelemetry.util.types import AttributeValue

__all__ = ["find_chunk_usage", "is_running_total", "read_count", "read_usage"]

_PLACES: Final = ("token_usage", "usage", "usage_metadata", "token_count", "amazon-bedrock-invocationMetrics")
"""Where integrations keep what the provider said."""

_INPUT: Final = (
    "prompt_tokens",
    "input_tokens",
    "inputTokens",
    "prompt_token_count",
    "inputTokenCount",
    "input_token_count",
    "prompt_eval_count",
)
_OUTPUT: Final = (
    "completion_tokens",
    "output_tokens",
    "outputTokens",
    "candidates_token_count",
    "outputTokenCount",
    "generated_token_count",
    "eval_count",
)
_READ_APART: Final = ("cache_read_input_tokens", "cacheReadInputTokens", "cacheReadInputTokenCount")
_WRITTEN_APART: Final = (
    "cache_creation_input_tokens",
    "cache_write_input_tokens",
    "cacheWriteInputTokens",
    "cacheWriteInputTokenCount",
)
_READ_WITHIN: Final = ("cached_content_token_count", "prompt_cache_hit_tokens", "cached_tokens")
_INPUT_DETAILS: Final = ("prompt_tokens_details", "input_tokens_details")
_OUTPUT_DETAILS: Final = ("completion_tokens_details", "output_tokens_details")
_REASONING_APART: Final = ("thoughts_token_count",)
_REASONING_WITHIN: Final = ("reasoning_tokens", "thinking_tokens")


def read_count(value: object) -> int | None:
    """Return a number that an attribute can hold as an integer, None for anything else."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_int = isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
    return int(value) if is_int else None  # type: ignore[call-overload]  # mypy can't follow is_int


def read_usage(
    usages: Iterable[object], sources: Iterable[Mapping[str, object]]
) -> dict[str, AttributeValue]:
    """Return the tokens of a call.

    Args:
        usages: LangChain's `usage_metadata` of the call's answers. Providers repeat the call's total on each, so the
            first that says something counts.
        sources: Where the provider's own figures may stand.

    Returns:
        What is known of input, output, cached and reasoning tokens.
    """
    for usage in usages:
        if isinstance(usage, dict) and _says_something(usage):
            return _drop_unknown(_read_standard(usage))
    for source in sources:
        for figures in (*(source.get(place) for place in _PLACES), source):
            counts = _drop_unknown(_read_figures(figures)) if isinstance(figures, dict) else {}
            if any(counts.values()):
                return counts
    return {}


def find_chunk_usage(chunk: object) -> object:
    """Return what a chunk of a streamed answer says of its tokens, None where it says nothing."""
    try:
        return getattr(getattr(chunk, "message", None), "usage_metadata", None) or None
    except Exception:  # noqa: BLE001 - chunks are foreign objects
        return None


def is_running_total(before: object, after: object) -> bool:
    """Return whether the usage of a streamed chunk is the total so far, what the chunk before it said included.

    Chunks must say what came new, LangChain adds them up. Some models repeat the total instead: then the tokens of
    the prompt, which is sent once, come again.
    """
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    pairs = [
        (read_count(before.get(key)), read_count(after.get(key))) for key in ("input_tokens", "output_tokens")
    ]
    told = [(first, second) for first, second in pairs if first is not None and second is not None]
    return len(told) == 2 and told[0][0] > 0 and all(second >= first for first, second in told)


def _says_something(usage: Mapping[str, object]) -> bool:
    return any(read_count(usage.get(key)) for key in ("input_tokens", "output_tokens", "total_tokens"))


def _read_standard(usage: Mapping[str, object]) -> dict[str, int | None]:
    inputs, outputs = (
        _as_mapping(usage.get("input_token_details")),
        _as_mapping(usage.get("output_token_details")),
    )
    return {
        sc.USAGE_INPUT_TOKENS: read_count(usage.get("input_tokens")),
        sc.USAGE_OUTPUT_TOKENS: read_count(usage.get("output_tokens")),
        # A service tier stands before a name (`priority_cache_read`), and how long a cache lives makes several of one.
        sc.USAGE_CACHE_READ_INPUT_TOKENS: _add(inputs, lambda key: key.endswith("cache_read")),
        sc.USAGE_CACHE_WRITE_INPUT_TOKENS: _add(
            inputs, lambda key: key.endswith("cache_creation") or key.startswith("ephemeral_")
        ),
        sc.USAGE_REASONING_OUTPUT_TOKENS: _add(outputs, lambda key: key.endswith("reasoning")),
    }


def _read_figures(figures: Mapping[str, object]) -> dict[str, int | None]:
    inputs, outputs = _find(figures, _INPUT), _find(figures, _OUTPUT)
    input_details, output_details = (
        _find_mapping(figures, _INPUT_DETAILS),
        _find_mapping(figures, _OUTPUT_DETAILS),
    )
    read, written = _find(figures, _READ_APART), _find(figures, _WRITTEN_APART)
    if inputs is not None:
        inputs += (read or 0) + (written or 0)
    reasoning = _find(figures, _REASONING_APART)
    if outputs is not None:
        outputs += reasoning or 0
    if read is None:
        read = _first(_find(figures, _READ_WITHIN), _find(input_details, ("cached_tokens",)))
    return {
        sc.USAGE_INPUT_TOKENS: inputs,
        sc.USAGE_OUTPUT_TOKENS: outputs,
        sc.USAGE_CACHE_READ_INPUT_TOKENS: read,
        sc.USAGE_CACHE_WRITE_INPUT_TOKENS: _first(written, _find(input_details, ("cache_write_tokens",))),
        sc.USAGE_REASONING_OUTPUT_TOKENS: _first(reasoning, _find(output_details, _REASONING_WITHIN)),
    }


def _find(figures: Mapping[str, object], keys: Iterable[str]) -> int | None:
    return next((count for key in keys if (count := read_count(figures.get(key))) is not None), None)


def _find_mapping(figures: Mapping[str, object], keys: Iterable[str]) -> Mapping[str, object]:
    return next((value for key in keys if isinstance(value := figures.get(key), dict)), {})


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)


def _add(details: Mapping[str, object], is_part: Callable[[str], bool]) -> int | None:
    counts = [
        count
        for key, value in details.items()
        if is_part(str(key)) and (count := read_count(value)) is not None
    ]
    return sum(counts) if counts else None


def _as_mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _drop_unknown(counts: Mapping[str, int | None]) -> dict[str, AttributeValue]:
    return {key: count for key, count in counts.items() if count is not None}
