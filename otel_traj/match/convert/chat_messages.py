"""The tool calls of a chat, as a trajectory at level `tools`, to and from.

What a chat shows of an agent is which tools its model called, message by message: the calls of one message run at
once and are one superstep, messages that call nothing are none. Messages come in OpenAI's form or in LangChain's, as
objects or as their dumps (seen with langchain-core 1.8.3 and agentevals 0.0.9), and are told by their fields alone;
nothing of these is imported. A call becomes the mapping that a reference file has for it, which stands on either side
of a comparison and survives JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.explain.standing import incomplete_codes, is_incomplete
from otel_traj.match.inputs import is_list, read_outputs
from otel_traj.match.levels import CalledTool, is_level_known, list_level
from otel_traj.match.supersteps import INTERRUPT, START
from otel_traj.match.values_in_words import describe_value
from otel_traj.rendering import render_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.given import Outputs
    from otel_traj.match.inputs import GivenRun

__all__ = ["ToolEntry", "ToolTrajectory", "from_messages", "to_messages"]

_FORM: Final = "a message has a role or a type, and its tool calls under 'tool_calls'"
_CALL_BLOCKS: Final = {"tool_use": "input", "tool_call": "args"}
"""Content blocks that are calls (Anthropic's, LangChain's standard ones), and where their arguments stand."""


class ToolEntry(TypedDict):
    """One tool call, as a reference file writes it."""

    tool: str
    """Name of the tool."""
    args: NotRequired[dict[str, object] | str]
    """Its arguments; the text itself where that is no JSON object."""


class ToolTrajectory(TypedDict):
    """The tool calls of a chat, as `graph_trajectory_match` takes them on either side."""

    inputs: None
    results: None
    steps: list[list[ToolEntry]]
    """Outer list = messages that call tools, in order; inner list = the calls of one."""


def from_messages(messages: object, *, with_args: bool = True) -> ToolTrajectory:
    """Return the tool calls of a chat as a trajectory at level `tools`.

    Args:
        messages: A list of messages, or a mapping with `messages`: OpenAI's or LangChain's, as mappings or objects.
        with_args: Whether arguments are kept. As a reference, calls with arguments are compared by them, exactly
            where the option `args` says nothing else; calls without are compared by name.

    Returns:
        `steps`: one superstep per message that calls tools, in order; its calls in the message's order. Arguments that
        are no JSON object stay the text they are; calls that LangChain found invalid never ran and are left out.

    Raises:
        TrajectoryTypeError: something that is no list of messages, or no message; the message says where.
    """
    found = messages.get("messages") if isinstance(messages, Mapping) else messages
    if not is_list(found):
        raise TrajectoryTypeError(
            f"messages is {describe_value(messages)}: a chat is a list of messages. Pass the list, or a mapping with it"
            f" under 'messages'."
        )
    steps = [_read_message(message, f"messages[{at}]") for at, message in enumerate(found)]
    if not with_args:
        steps = [[{"tool": call["tool"]} for call in calls] for calls in steps]
    return {"inputs": None, "results": None, "steps": [calls for calls in steps if calls]}


def to_messages(outputs: Outputs) -> list[dict[str, object]]:
    """Return the tool calls of one run as messages in OpenAI's form.

    Args:
        outputs: One `Run`, or one trajectory at level `tools`: from `from_messages`, or supersteps of mappings with
            `tool` and `args`.

    Returns:
        One assistant message per superstep with calls, their ids `call_1`, `call_2`, ... Nothing else: what the user
        and the tools said is not in a trajectory. agentevals compares them in all modes but `strict`, which counts
        all messages of the chat.

    Raises:
        TrajectoryTypeError: something that is no trajectory; the message says where.
        TrajectoryValueError: several runs, a run that is incomplete, or a call without its arguments.
    """
    runs = read_outputs(outputs)
    if len(runs) != 1:
        raise TrajectoryValueError(
            f"outputs: holds {len(runs)} runs: messages tell the calls of one run from those of the next by nothing."
            f" Pass one run at a time."
        )
    messages: list[dict[str, object]] = []
    number = 0
    for position, names in enumerate(_list_calls(runs[0])):
        calls = []
        for name in names:
            number += 1
            calls.append(_write_call(name, position, number))
        if calls:
            messages.append({"role": "assistant", "content": "", "tool_calls": calls})
    return messages


def _read_message(message: object, where: str) -> list[ToolEntry]:
    if is_list(message) and len(message) == 2 and all(isinstance(part, str) for part in message):
        return []  # LangChain's short form of role and text
    fields = _unwrap(message)
    if isinstance(fields, str | bytes) or not (_get(fields, "role") or _get(fields, "type")):
        raise TrajectoryTypeError(f"{where} is {describe_value(message)}: {_FORM}. Pass messages.")
    calls = _get(fields, "tool_calls") or _find_other_calls(fields)
    if not is_list(calls):
        raise TrajectoryTypeError(
            f"tool_calls of {where} is {describe_value(calls)}: it lists calls. Pass a list."
        )
    return [_read_call(call, f"tool_calls[{at}] of {where}") for at, call in enumerate(calls)]


def _unwrap(message: object) -> object:
    """Return the fields of a message that LangChain has dumped: under `data`, or `kwargs` of a constructor."""
    for key in ("data", "kwargs"):
        inner = message.get(key) if isinstance(message, Mapping) and "content" not in message else None
        if isinstance(inner, Mapping):
            return {"type": _get(message, "type"), **inner}
    return message


def _find_other_calls(fields: object) -> Sequence[object]:
    """Return calls that stand elsewhere: as content blocks, or as OpenAI's one call of old."""
    content = _get(fields, "content")
    blocks = content if is_list(content) else ()
    found = [block for block in blocks if _get(block, "type") in _CALL_BLOCKS]
    return found or [call for call in (_get(fields, "function_call"),) if call]


def _read_call(call: object, where: str) -> ToolEntry:
    function = _get(call, "function") or call
    name = _get(function, "name")
    if not isinstance(name, str) or not name:
        raise TrajectoryTypeError(
            f"{where} is {describe_value(call)}: a call has the name of its tool, and args or arguments. Pass such calls."
        )
    kind = _get(call, "type")
    block_key = _CALL_BLOCKS.get(kind) if isinstance(kind, str) else None
    found = (_get(function, key) for key in (block_key, "args", "arguments") if key)
    args = next((value for value in found if value is not None), None)
    entry: ToolEntry = {"tool": name}
    if isinstance(args, str):
        entry["args"] = _decode(args)
    elif isinstance(args, Mapping):
        entry["args"] = dict(args)
    elif args is not None:
        raise TrajectoryTypeError(
            f"the arguments of {where} are {describe_value(args)}: arguments are known by their names. Pass a mapping, or"
            f" its JSON."
        )
    return entry


def _decode(text: str) -> dict[str, object] | str:
    try:
        decoded = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return text
    return decoded if isinstance(decoded, dict) else text


def _get(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, Mapping) else getattr(value, key, None)


def _list_calls(given: GivenRun) -> list[list[str]]:
    run = given.run
    if run is None:
        return [[name for name in names if name not in (START, INTERRUPT)] for names in given.steps]
    reason = ", ".join(incomplete_codes(run)) if is_incomplete(run) else is_level_known(run, "tools", 0)
    if reason is not None:
        raise TrajectoryValueError(
            f"outputs: the tool calls of run {run.run_id!r} are not all known ({reason}): messages can't say so. Pass a"
            f" run that is complete, with tool calls recorded."
        )
    return list_level(run, "tools", 0).names


def _write_call(name: str, position: int, number: int) -> dict[str, object]:
    args = name.args if isinstance(name, CalledTool) else None
    tool = name.tool if isinstance(name, CalledTool) else name
    if args is None:
        raise TrajectoryValueError(
            f"outputs: the arguments of {tool!r} in steps[{position}] are not known: a message has them. Record content,"
            f" or write {{'tool': {tool!r}, 'args': {{}}}} where arguments are not compared."
        )
    arguments = args if isinstance(args, str) else render_json(args)
    function = {"name": tool, "arguments": arguments}
    return {"id": f"call_{number}", "type": "function", "function": function}
