"""Which tools a model was offered and which calls it chose: names and call ids, never arguments.

What a model chose is what an agent is judged by, so it is told without content too. The GenAI conventions
(development, 1.42.0-dev) have it only inside content (`gen_ai.tool.definitions`, `gen_ai.output.messages`), hence
attributes of our own. The counts are always there, zero too: they tell "none" from "not recorded" where a store
drops empty lists, and a list that is not whole from one that is. Calls are LangChain's `tool_calls`; what it could
not parse (`invalid_tool_calls`) no agent runs.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from otel_traj import semconv as sc
from otel_traj.rendering import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from opentelemetry.util.types import AttributeValue

__all__ = ["describe_chosen_calls", "describe_offered_tools"]

_MAX_ENTRIES: Final = 128
"""As many tools as OpenAI takes; longer lists are cut, and their count says so."""
_MAX_CHARACTERS: Final = 8_000
_NESTED_KEYS: Final = ("function", "toolSpec", "tool_spec")
"""Where OpenAI and Bedrock keep a tool's name."""
_DECLARATION_KEYS: Final = ("function_declarations", "functionDeclarations")
"""Where Gemini keeps several tools in one."""


def describe_offered_tools(parameters: Mapping[str, object]) -> dict[str, AttributeValue]:
    """Return which tools a model call may choose from.

    Args:
        parameters: The callback's `invocation_params`.

    Returns:
        How many, and their names in the order given; a tool of the provider's own goes by its type.
    """
    tools = _as_sequence(parameters.get("tools")) or _as_sequence(parameters.get("functions"))
    if not tools:
        return {sc.MODEL_TOOL_COUNT: 0}
    names = [name for tool in islice(tools, _MAX_ENTRIES) for name in _list_names(tool)]
    count = len(names) + max(0, len(tools) - _MAX_ENTRIES)
    return {sc.MODEL_TOOL_COUNT: count, sc.MODEL_TOOLS: _fit(names)}


def describe_chosen_calls(generations: Iterable[object]) -> dict[str, AttributeValue]:
    """Return which tools a model chose to call.

    Args:
        generations: LangChain's generations, at least one.

    Returns:
        How many calls, and where there are some, the tools' names and the calls' ids side by side: of all
        generations, in order. A call without an id has an empty one.
    """
    chosen: list[tuple[str, str]] = []
    count = 0
    for generation in generations:
        calls = _as_sequence(_read(_read(generation, "message"), "tool_calls"))
        count += len(calls)
        shown = islice(calls, max(0, _MAX_ENTRIES - len(chosen)))
        chosen += [(_as_text(_read(call, "name")), _as_text(_read(call, "id"))) for call in shown]
    if not count:
        return {sc.MODEL_TOOL_CALL_COUNT: 0}
    return {
        sc.MODEL_TOOL_CALL_COUNT: count,
        sc.MODEL_TOOL_CALLS: _fit([name for name, _ in chosen]),
        sc.MODEL_TOOL_CALL_IDS: _fit([call_id for _, call_id in chosen]),
    }


def _list_names(tool: object) -> list[str]:
    """Return the names in one entry of `tools`, in the form of any provider; never none.

    Models are called often and with many tools, so the commonest form is looked for first.
    """
    for key in _NESTED_KEYS:
        nested = _read(tool, key)
        if nested is not None and (name := _as_text(_read(nested, "name"))):
            return [name]
    if name := _as_text(_read(tool, "name")):
        return [name]
    for key in _DECLARATION_KEYS:
        if declared := _as_sequence(_read(tool, key)):
            return [_as_text(_read(each, "name")) for each in declared]
    return [_as_text(_read(tool, "__name__")) or _as_text(_read(tool, "type"))]


def _fit(texts: Sequence[str]) -> list[str]:
    """Return as many of the first texts as an attribute should hold, each whole."""
    kept: list[str] = []
    room = _MAX_CHARACTERS
    for text in texts[:_MAX_ENTRIES]:
        room -= len(text)
        if room < 0:
            break
        kept.append(text)
    return kept


def _as_sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else ()


def _as_text(value: object) -> str:
    return clean_text(value) if isinstance(value, str) else ""


def _read(holder: object, name: str) -> object:
    """Return an entry of a dict or an attribute of anything else, None where there is none or reading raises."""
    if isinstance(holder, dict):
        return holder.get(name)
    try:
        return getattr(holder, name, None)
    except Exception:  # noqa: BLE001 - tools and messages are foreign objects
        return None
