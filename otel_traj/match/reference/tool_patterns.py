"""Tool calls in a reference: a tool, and the arguments that it should be called with.

What was not recorded is neither right nor wrong. So a call whose arguments are unknown is accepted first, and where
that makes a pass, the comparison is made again with `doubt`, which accepts none of them: only if both say the same,
the verdict holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError
from otel_traj.match.levels import CalledTool
from otel_traj.match.reference.file_forms import show_entry_object
from otel_traj.match.reference.name_patterns import accepts, read_entry, show_entry, write_entry
from otel_traj.match.values.arguments import (
    ArgsMatch,
    ArgsRule,
    ArgsRules,
    ArgsUnknown,
    args_differ,
    read_args_mode,
)
from otel_traj.match.values.plain_data import copy_containers, make_json
from otel_traj.match.values_in_words import describe_value, show_value

if TYPE_CHECKING:
    from otel_traj.match.reference.name_patterns import Entry
    from otel_traj.match.values.arguments import ArgsMode
    from otel_traj.model import AttributeValue

__all__ = ["PreparedTool", "Tool", "doubt", "prepare_entry", "read_tool"]


@dataclass(frozen=True, slots=True)
class Tool:
    """A call of a tool with certain arguments, for the levels `tools` and `both`.

    Args:
        name: The tool as calls of it are listed, or a pattern. At level `both` the bare name of the tool stands for
            it in any node.
        args: The arguments expected, copied; None compares the name alone.
        args_mode: How they are compared: `exact`, `ignore`, `subset`, `superset`, a list of key paths, an
            `ArgsMatch`, or a callable(actual, expected). None takes what the option `args` of the comparison says of
            this tool, and `exact` where it says nothing.

    Raises:
        TrajectoryTypeError: `name` is neither a string nor a pattern, or `args` is no mapping with string keys.
        TrajectoryValueError: an unknown mode; the message lists the allowed ones.
        InvalidReferenceError: an empty name.
    """

    name: Entry
    args: Mapping[str, object] | str | None = None
    args_mode: ArgsMode | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", read_entry(self.name, "the name of a Tool"))
        if self.args is not None and not isinstance(self.args, Mapping | str):
            raise TrajectoryTypeError(
                f"args of a Tool is {describe_value(self.args)}: arguments are known by their names. Write a mapping,"
                f" such as {{'city': 'Rome'}}."
            )
        if self.args_mode is not None:
            read_args_mode(self.args_mode, "args_mode of a Tool")
        object.__setattr__(self, "args", copy_containers(self.args))

    def __hash__(self) -> int:
        return hash((self.name, repr(self.args)))

    def __str__(self) -> str:
        return _show(self.name, self.args)

    def accepts(self, name: str) -> bool:
        """Return whether a call is one of this tool, whatever its arguments."""
        return _accepts_name(self.name, name)

    def write(self) -> object:
        """Return `{"tool": ..., "args": ...}`, arguments that have no form as JSON rendered."""
        args = {} if self.args is None else {"args": make_json(self.args)}
        return {"tool": write_entry(self.name), **args}


@dataclass(frozen=True, slots=True)
class PreparedTool:
    """A tool call of a reference, ready to compare."""

    name: Entry
    args: object
    rule: ArgsRule = field(hash=False)
    is_written: bool
    """Whether a user wrote it; else it comes from a recorded run, and its arguments are that run's content."""

    def __hash__(self) -> int:
        return hash((self.name, repr(self.args)))

    def accepts(self, name: str) -> bool:
        """Return whether a call is the expected one; one of unknown arguments is, unless it is doubted."""
        if not _accepts_name(self.name, name):
            return False
        difference = self._compare(name)
        return not isinstance(name, _Doubted) if isinstance(difference, ArgsUnknown) else difference is None

    def say_difference(self, name: str) -> str | None:
        """Return how a call of the same tool differs in its arguments; None for another tool, or an equal call."""
        difference = self._compare(name) if _accepts_name(self.name, name) else None
        return difference.value if isinstance(difference, ArgsUnknown) else difference

    @property
    def _is_unknown(self) -> bool:
        """Whether it comes from a run whose arguments were not recorded, and they would be compared."""
        rule = self.rule
        return (
            not self.is_written
            and self.args is None
            and isinstance(rule, ArgsMatch)
            and rule.mode != "ignore"
        )

    def write(self) -> dict[str, object]:
        """Return it as it is written in a reference file."""
        written: dict[str, object] = {"tool": write_entry(self.name)}
        if self.is_written:
            written["args"] = make_json(self.args)
        return written

    def __str__(self) -> str:
        return _show(self.name, self.args)

    def _compare(self, name: str) -> str | ArgsUnknown | None:
        if self._is_unknown:
            return ArgsUnknown.NOT_RECORDED
        if not isinstance(name, CalledTool):
            return args_differ(None, self.args, self.rule, is_recorded=False)
        return args_differ(name.args, self.args, self.rule, is_recorded=name.is_recorded)


class _Doubted(CalledTool):
    """A call whose arguments, where they are unknown, are taken to differ."""

    __slots__ = ()


def doubt(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of which none is accepted for arguments that are not known."""
    return tuple(_Doubted(name, tool=_get_tool(name), args=_get_args(name)) for name in names)


def prepare_entry(entry: Entry, args: ArgsRules) -> Entry:
    """Return an entry of a reference that is ready to compare.

    Args:
        entry: A name or pattern; a `Tool`, or a call of a recorded run, becomes a `PreparedTool` where its arguments
            are compared.
        args: The option `args` of the comparison.
    """
    if isinstance(entry, Tool):
        if entry.args is None and entry.args_mode is None:
            return entry
        return PreparedTool(entry.name, entry.args, _choose_rule(entry, args), is_written=True)
    if isinstance(entry, CalledTool) and not args.compare_nothing:
        listed = str.__str__(entry)
        return PreparedTool(listed, entry.args, args.for_tool(listed, entry.tool), is_written=False)
    return entry


def read_tool(value: Mapping[object, object], where: str) -> Tool:
    """Return the tool call that a mapping with `tool`, `args` and `args_mode` describes.

    Raises:
        InvalidReferenceError: It holds something else; the message lists what it may hold.
    """
    unknown = [key for key in value if key not in ("tool", "args", "args_mode")]
    pattern = show_entry_object(value)
    if pattern is not None:
        raise InvalidReferenceError(
            f"{where} is {show_value(value)}, as a reference file has it: in Python a pattern is an object. Write"
            f" {pattern}."
        )
    if unknown or "tool" not in value:
        raise InvalidReferenceError(
            f"{where} has the keys {list(value)!r}: a tool call has tool, and may have args and args_mode. Write those."
        )
    return Tool(value["tool"], value.get("args"), value.get("args_mode"))  # type: ignore[arg-type] # Tool checks them


def _choose_rule(tool: Tool, args: ArgsRules) -> ArgsRule:
    names = _list_names(tool.name) if isinstance(tool.name, str) else ()
    if tool.args_mode is not None:
        return read_args_mode(tool.args_mode, "args_mode of a Tool").for_tool(*names)
    return args.for_written(*names)


def _list_names(listed: str) -> tuple[str, ...]:
    """Return what a call goes by: `node>tool` and `outer/tool` are calls of `tool`."""
    return (listed, listed.rpartition(">")[2] if ">" in listed else listed.rpartition("/")[2])


def _accepts_name(entry: Entry, name: str) -> bool:
    if accepts(entry, name):
        return True
    node, arrow, tool = name.rpartition(">")
    return bool(arrow and node) and isinstance(name, CalledTool) and accepts(entry, tool)


def _show(name: Entry, args: object) -> str:
    keys = ", ".join(map(str, args)) if isinstance(args, Mapping) else "..." * (args is not None)
    return show_entry(name) if args is None else f"{show_entry(name)}({keys})"


def _get_tool(name: str) -> str:
    return name.tool if isinstance(name, CalledTool) else name


def _get_args(name: str) -> AttributeValue:
    return name.args if isinstance(name, CalledTool) else None
