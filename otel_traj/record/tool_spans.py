"""Attributes of tool calls and retrievals, by the GenAI semantic conventions (development, 1.42.0-dev).

A tool whose error was turned into an answer (`handle_tool_error`, ToolNode) ends as if all were well; only the
message's `status` says it (seen with langchain-core 0.3.80 and 1.8.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.rendering import clean_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.util.types import AttributeValue

__all__ = [
    "TOOL_ERROR",
    "describe_retrieval",
    "describe_tool",
    "find_failure",
    "find_tool_call_id",
    "pick_tool_result",
    "read_retriever_name",
    "read_tool_description",
    "read_tool_name",
]

TOOL_ERROR = "tool_error"
"""`error.type` of a tool that answered with an error message instead of raising."""


def read_tool_name(serialized: object, name: object) -> str:
    """Return a tool's name from what its start callback shows."""
    shown = serialized.get("name") if isinstance(serialized, dict) else None
    return clean_text(next((text for text in (shown, name) if isinstance(text, str) and text), "tool"))


def describe_tool(name: str, tool_call_id: object) -> dict[str, AttributeValue]:
    """Return what a tool span starts with, without content.

    Args:
        name: The tool's name.
        tool_call_id: The model's id of the call; None where the tool was called directly.
    """
    attributes: dict[str, AttributeValue] = {
        sc.OPERATION_NAME: sc.EXECUTE_TOOL,
        sc.TOOL_NAME: name,
        sc.TOOL_TYPE: "function",
    }
    if isinstance(tool_call_id, str) and tool_call_id:
        attributes[sc.TOOL_CALL_ID] = clean_text(tool_call_id)
    return attributes


def read_tool_description(serialized: object) -> str | None:
    """Return what a tool says of itself, None where its start callback does not show it: content."""
    description = serialized.get("description") if isinstance(serialized, dict) else None
    return description if isinstance(description, str) and description else None


def find_tool_call_id(output: object) -> str | None:
    """Return the id of the call that a tool's answer names, None where it names none."""
    found = _read(output, "tool_call_id")
    return clean_text(found) if isinstance(found, str) and found else None


def find_failure(output: object) -> str | None:
    """Return `TOOL_ERROR` where a tool's answer says that it failed, else None."""
    status = _read(output, "status")
    return TOOL_ERROR if isinstance(status, str) and status == "error" else None


def pick_tool_result(output: object) -> object:
    """Return what of a tool's answer is its result: the content of a message, anything else whole."""
    content = _read(output, "content")
    is_message = content is not None and isinstance(_read(output, "tool_call_id"), str)
    return content if is_message else output


def _read(output: object, name: str) -> object:
    """Return an attribute of what a tool returned, None where it has none or raises."""
    try:
        return getattr(output, name, None)
    except Exception:  # noqa: BLE001 - a tool returns anything
        return None


def read_retriever_name(serialized: object, name: object, metadata: Mapping[str, object] | None) -> str:
    """Return a retriever's name from what its start callback shows."""
    metadata = metadata or {}
    shown = serialized.get("name") if isinstance(serialized, dict) else None
    names = (metadata.get("ls_retriever_name"), name, shown)
    return clean_text(next((text for text in names if isinstance(text, str) and text), "retriever"))


def describe_retrieval(name: str) -> dict[str, AttributeValue]:
    """Return what a retriever's span starts with, but for its query."""
    return {sc.OPERATION_NAME: sc.RETRIEVAL, sc.DATA_SOURCE_ID: name}
