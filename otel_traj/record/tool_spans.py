"""Attributes of tool calls and retrievals, by the GenAI semantic conventions (development, 1.42.0-dev).

A tool whose error was turned into an answer (`handle_tool_error`, ToolNode) ends as if all were well; only the
message's `status` says it (seen with langchain-core 0.3.80 and 1.8.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.rendering import clean_text, render_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.util.types import AttributeValue

__all__ = [
    "TOOL_ERROR",
    "describe_retrieval",
    "describe_tool",
    "encode_tool_result",
    "find_failure",
    "find_tool_call_id",
    "read_retriever_name",
    "read_tool_name",
]

TOOL_ERROR = "tool_error"
"""`error.type` of a tool that answered with an error message instead of raising."""


def read_tool_name(serialized: object, name: object) -> str:
    """Return a tool's name from what its start callback shows."""
    shown = serialized.get("name") if isinstance(serialized, dict) else None
    return clean_text(next((text for text in (shown, name) if isinstance(text, str) and text), "tool"))


def describe_tool(
    name: str, serialized: object, tool_call_id: object, *, content: bool
) -> dict[str, AttributeValue]:
    """Return what a tool span starts with, but for its arguments.

    Args:
        name: The tool's name.
        serialized: LangChain's description of the tool.
        tool_call_id: The model's id of the call; None where the tool was called directly.
        content: Whether the tool's description may be written.
    """
    attributes: dict[str, AttributeValue] = {
        sc.OPERATION_NAME: sc.EXECUTE_TOOL,
        sc.TOOL_NAME: name,
        sc.TOOL_TYPE: "function",
    }
    if isinstance(tool_call_id, str) and tool_call_id:
        attributes[sc.TOOL_CALL_ID] = clean_text(tool_call_id)
    description = serialized.get("description") if isinstance(serialized, dict) else None
    if content and isinstance(description, str) and description:
        attributes[sc.TOOL_DESCRIPTION] = clean_text(description)
    return attributes


def find_tool_call_id(output: object) -> str | None:
    """Return the id of the call that a tool's answer names, None where it names none."""
    found = getattr(output, "tool_call_id", None)
    return clean_text(found) if isinstance(found, str) and found else None


def find_failure(output: object) -> str | None:
    """Return `TOOL_ERROR` where a tool's answer says that it failed, else None."""
    return TOOL_ERROR if getattr(output, "status", None) == "error" else None


def encode_tool_result(output: object) -> str:
    """Return a tool's answer as JSON: the content of a message, anything else whole."""
    is_message = hasattr(output, "tool_call_id") and hasattr(output, "content")
    return render_json(getattr(output, "content", None) if is_message else output)


def read_retriever_name(serialized: object, name: object, metadata: Mapping[str, object] | None) -> str:
    """Return a retriever's name from what its start callback shows."""
    metadata = metadata or {}
    shown = serialized.get("name") if isinstance(serialized, dict) else None
    names = (metadata.get("ls_retriever_name"), name, shown)
    return clean_text(next((text for text in names if isinstance(text, str) and text), "retriever"))


def describe_retrieval(name: str) -> dict[str, AttributeValue]:
    """Return what a retriever's span starts with, but for its query."""
    return {sc.OPERATION_NAME: sc.RETRIEVAL, sc.DATA_SOURCE_ID: name}
