"""The entries of a reference file: a node's name, a pattern for names, or a call of a tool.

A text is a name, whatever characters it holds (`node*` is a legal one); a pattern is a map, so that the two can't be
taken for one another. A tool call stands only where calls are seen, and its arguments only where they are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from otel_traj.evaluate.references.document import ListNode, MapNode, complain
from otel_traj.evaluate.references.engine_words import standing_at
from otel_traj.evaluate.references.expect import (
    check_keys,
    describe,
    get_needed,
    read_list,
    read_name,
    read_true,
    read_value,
    read_word,
)
from otel_traj.match import Any, ArgsMatch, Glob, OneOf, Regex, Tool
from otel_traj.match.values.arguments import read_args_mode
from otel_traj.match.values.key_paths import read_key_paths
from otel_traj.match.values_in_words import show_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from otel_traj.evaluate.references.document import Node
    from otel_traj.match import ArgsMode
    from otel_traj.match.reference.name_patterns import Entry

__all__ = [
    "ENTRY_KEYS",
    "EntryKind",
    "read_args",
    "read_args_rule",
    "read_entries",
    "read_entry",
    "read_ignored",
]

EntryKind: TypeAlias = Literal["calls", "tools", "nodes", "names"]
"""What may stand beside names and patterns: tool calls with their arguments; tools by their names; nothing, since the
level is nodes; nothing at all."""

_ArgsWord: TypeAlias = Literal["exact", "ignore", "subset", "superset"]
_ArgsRule: TypeAlias = _ArgsWord | ArgsMatch
_TOOL_KEYS: Final = ("tool", "args", "args_mode")
_WITHOUT_TOOLS: Final[Mapping[EntryKind, str]] = {
    "nodes": "level is nodes, at which a run lists none; write level: tools or both, or the node's name",
    "names": "names and patterns alone may; write its name",
}
_ARGS_MODES: Final[tuple[_ArgsWord, ...]] = get_args(_ArgsWord)


def read_entries(node: Node, what: str, kind: EntryKind) -> list[Entry]:
    """Return a list of entries; `what` names the list in the complaint."""
    return [read_entry(item, kind) for item in read_list(node, what).items]


def read_entry(node: Node, kind: EntryKind) -> Entry:
    """Return one entry: a name, or an object of the matching engine.

    Args:
        node: Where it stands.
        kind: What may stand there.

    Raises:
        InvalidReferenceError: Something else stands there.
    """
    if not isinstance(node, MapNode):
        return read_name(node, "a name")
    if "tool" in node.entries:
        return _read_tool(node, kind)
    key = next((key for key in _PATTERNS if key in node.entries), None)
    if key is None:
        check_keys(node, allowed=ENTRY_KEYS, what="an entry")
        raise complain(
            node.place, f"an entry is a name, or a map with one of {', '.join((*_PATTERNS, 'tool'))}"
        )
    check_keys(node, allowed=(key,), what=f"a pattern with {key}")
    with standing_at(node.entries[key].place):
        return _PATTERNS[key](node.entries[key])


def read_ignored(node: Node) -> str | Glob:
    """Return what is left out of a comparison: a name, or a glob."""
    if not isinstance(node, MapNode):
        return read_name(node, "an ignored name")
    check_keys(node, allowed=("glob",), what="an ignored name that is a map")
    glob = get_needed(node, "glob", "an ignored name that is a map", "the shape of the names")
    with standing_at(glob.place):
        return _read_glob(glob)


def read_args(node: Node) -> ArgsMode:
    """Return the option `args` of a reference: one rule, or one for each tool, with `*` for all others."""
    if not isinstance(node, MapNode):
        return read_args_rule(node, "args")
    rules = {tool: read_args_rule(rule, f"args of {show_value(tool)}") for tool, rule in node.entries.items()}
    with standing_at(node.place):
        read_args_mode(rules)
    return rules


def read_args_rule(node: Node, what: str) -> _ArgsRule:
    """Return how the arguments of a tool are compared: a mode, or the paths of the keys that alone count."""
    if not isinstance(node, ListNode):
        return read_word(node, _ARGS_MODES, f"{what} (or a list of key paths)")
    with standing_at(node.place):
        return ArgsMatch(keys=read_key_paths([_read_path(item) for item in node.items], what))


def _read_path(node: Node) -> str | list[str]:
    if isinstance(node, ListNode):
        return [read_name(item, "a key") for item in node.items]
    return read_name(node, "a key path")


def _read_tool(node: MapNode, kind: EntryKind) -> Tool:
    entries = node.entries
    if kind in _WITHOUT_TOOLS:
        raise complain(node.key_places["tool"], f"a tool call stands here, and {_WITHOUT_TOOLS[kind]}")
    if kind == "tools" and len(entries) > 1:
        check_keys(
            node, allowed=("tool",), what="a tool in a rule, which counts calls whatever their arguments,"
        )
    check_keys(node, allowed=_TOOL_KEYS, what="a tool call")
    args, mode = entries.get("args"), entries.get("args_mode")
    if mode is not None and args is None:
        raise complain(
            node.key_places["args_mode"], "args_mode says how args are compared, and there are none"
        )
    return Tool(
        read_entry(entries["tool"], "names"),
        None if args is None else _read_call_args(args),
        None if mode is None else read_args_rule(mode, "args_mode"),
    )


def _read_call_args(node: Node) -> Mapping[str, object] | str:
    """Return arguments: by their names, or the text that the model wrote in their place."""
    value = read_value(node, "args")
    if isinstance(value, dict | str):
        return value
    raise complain(node.place, f"args of a tool call must be a map, or a text, found {describe(node)}")


def _read_glob(node: Node) -> Glob:
    return Glob(read_name(node, "a glob"))


def _read_regex(node: Node) -> Regex:
    return Regex(read_name(node, "a regex"))


def _read_any(node: Node) -> Any:
    read_true(node, "any")
    return Any()


def _read_one_of(node: Node) -> OneOf:
    return OneOf(*read_entries(node, "one_of", "names"))


_PATTERNS: Final[Mapping[str, Callable[[Node], Entry]]] = {
    "glob": _read_glob,
    "regex": _read_regex,
    "any": _read_any,
    "one_of": _read_one_of,
}
ENTRY_KEYS: Final = (*_PATTERNS, *_TOOL_KEYS)
"""Keys of which one alone, or those of a tool call together, make a map an entry."""
