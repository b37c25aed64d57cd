"""Which tools a model was offered and which calls it chose, from the attributes of its span.

Names and ids have attributes of their own, arguments stand in the recorded messages only. A list counts where it is
as long as the number beside it says, so that "none" differs from "not recorded", and a list that a limit cut from
a whole one. A span without these attributes (an older recorder's) still tells its calls where its messages do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.model import ChosenTool
from otel_traj.reconstruct.content import read_content
from otel_traj.reconstruct.typed_attributes import read_int, read_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.model import AttributeValue

__all__ = ["read_chosen_calls", "read_offered_tools"]


def read_offered_tools(attributes: Mapping[str, AttributeValue]) -> tuple[str, ...] | None:
    """Return the names of the tools that a model could choose from; None where not recorded or not whole."""
    return _read_counted(attributes, sc.MODEL_TOOLS, sc.MODEL_TOOL_COUNT)


def read_chosen_calls(attributes: Mapping[str, AttributeValue]) -> tuple[ChosenTool, ...] | None:
    """Return the tool calls that a model chose, in order.

    Args:
        attributes: Of the span of a model call that was answered.

    Returns:
        Calls, with arguments where the messages were recorded; None where nothing tells them, or only some.
    """
    told = _list_told(read_content(attributes.get(sc.OUTPUT_MESSAGES)))
    names = _read_counted(attributes, sc.MODEL_TOOL_CALLS, sc.MODEL_TOOL_CALL_COUNT)
    if names is None:
        return told
    if told is not None and tuple(call.name for call in told) == names:
        return told
    ids = _read_counted(attributes, sc.MODEL_TOOL_CALL_IDS, sc.MODEL_TOOL_CALL_COUNT)
    known = ids or ("",) * len(names)
    return tuple(
        ChosenTool(name=name, id=call_id or None) for name, call_id in zip(names, known, strict=True)
    )


def _read_counted(
    attributes: Mapping[str, AttributeValue], key: str, count_key: str
) -> tuple[str, ...] | None:
    count = read_int(attributes, count_key)
    if count is None:
        return None
    names = read_names(attributes, key)
    return names if names is not None and len(names) == count else None


def _list_told(messages: AttributeValue) -> tuple[ChosenTool, ...] | None:
    """Return the tool calls in recorded answers; None where there are no answers in a form that is known."""
    if not isinstance(messages, list):
        return None
    told: list[ChosenTool] = []
    for message in messages:
        parts = message.get("parts") if isinstance(message, dict) else None
        if not isinstance(parts, list):
            return None
        told += [
            _read_part(part) for part in parts if isinstance(part, dict) and part.get("type") == "tool_call"
        ]
    return tuple(told)


def _read_part(part: Mapping[str, AttributeValue]) -> ChosenTool:
    name, call_id = part.get("name"), part.get("id")
    return ChosenTool(
        name=name if isinstance(name, str) else "",
        id=call_id if isinstance(call_id, str) and call_id else None,
        args=part.get("arguments"),
    )
