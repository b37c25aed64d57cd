"""Attributes of tool calls and retrievals, by the GenAI semantic conventions (development, 1.42.0-dev).

A tool whose error was turned into an answer (`handle_tool_error`, ToolNode) ends as if all were well; only the
message's `status` says it (seen with langchain-core 0.3.80 and 1.8.3). A tool that returns a `Command` has its answer
among the messages of the update, where other calls' answers may stand as well: the call id tells which is its own.
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
    "describe_documents",
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
    """Return the id of the call that a tool's answer names, None where it names none, or several."""
    named = {found for answer in _list_answers(output) if (found := _read_call_id(answer)) is not None}
    return named.pop() if len(named) == 1 else None


def find_failure(output: object, tool_call_id: str | None) -> str | None:
    """Return `TOOL_ERROR` where a tool's answer says that it failed, else None.

    Args:
        output: What the tool returned.
        tool_call_id: The id of its call, as far as known.
    """
    for answer in _list_answers(output):
        status = _read(answer, "status")
        is_its_own = answer is output or (tool_call_id is not None and _read_call_id(answer) == tool_call_id)
        if is_its_own and isinstance(status, str) and status == "error":
            return TOOL_ERROR
    return None


def pick_tool_result(output: object) -> object:
    """Return what of a tool's answer is its result: the content of a message, anything else whole."""
    content = _read(output, "content")
    is_message = content is not None and isinstance(_read(output, "tool_call_id"), str)
    return content if is_message else output


def _list_answers(output: object) -> list[object]:
    """Return what may answer a call: what the tool returned, its elements, and what its `Command`s put into state."""
    answers = [output]
    try:
        if isinstance(output, (list, tuple)):
            answers += output
        for each in tuple(answers):
            update = _read(each, "update")
            for value in update.values() if isinstance(update, dict) else ():
                answers += value if isinstance(value, (list, tuple)) else [value]
    except Exception:  # noqa: BLE001 - a tool returns anything
        return [output]
    return answers


def _read_call_id(answer: object) -> str | None:
    found = _read(answer, "tool_call_id")
    return clean_text(found) if isinstance(found, str) and found else None


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


def describe_documents(documents: object) -> dict[str, AttributeValue]:
    """Return what a retriever's answer says, without content: how many documents it has, zero for none."""
    return {sc.DOCUMENT_COUNT: len(documents)} if isinstance(documents, (list, tuple)) else {}
