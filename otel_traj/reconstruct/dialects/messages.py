"""Which tools a model was offered and which it chose, in the forms that emitters write them in.

LangChain's own (`{"name", "args", "id"}`), and OpenAI's (`{"id", "function": {"name", "arguments"}}`, the arguments as
JSON text).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.model import ChosenTool
from otel_traj.reconstruct.content import decode_content, read_content

if TYPE_CHECKING:
    from otel_traj.model import AttributeValue

__all__ = ["read_tool_calls", "read_tool_names", "step_into"]


def step_into(value: AttributeValue, *keys: str | int) -> AttributeValue:
    """Return what stands at a place inside decoded JSON, None where there is no such place."""
    for key in keys:
        if isinstance(key, str) and isinstance(value, dict):
            value = value.get(key)
        elif isinstance(key, int) and isinstance(value, list) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def read_tool_calls(calls: AttributeValue) -> tuple[ChosenTool, ...]:
    """Return the tool calls of an answer; of anything else than a list, none."""
    return tuple(_read_call(call) for call in calls) if isinstance(calls, list) else ()


def _read_call(call: AttributeValue) -> ChosenTool:
    function = step_into(call, "function")
    name, call_id = step_into(call if function is None else function, "name"), step_into(call, "id")
    args = step_into(call, "args") if function is None else read_content(step_into(function, "arguments"))
    return ChosenTool(
        name=name if isinstance(name, str) else "",
        id=call_id if isinstance(call_id, str) and call_id else None,
        args=args,
    )


def read_tool_names(definitions: AttributeValue) -> tuple[str, ...] | None:
    """Return the names of offered tools.

    Args:
        definitions: A list of definitions, or its JSON text; None where not recorded.

    Returns:
        Names in their order; None where they are not recorded, or not all whole.
    """
    if isinstance(definitions, str):
        definitions = decode_content(definitions)[0]
    if not isinstance(definitions, list):
        return None
    names = [step_into(tool, "name") or step_into(tool, "function", "name") for tool in definitions]
    known = tuple(name for name in names if isinstance(name, str))
    return known if len(known) == len(names) else None
