"""LangGraph's own metadata of a callback, in whatever form an emitter wrote it.

LangGraph gives each callback `langgraph_step`, `langgraph_node`, `langgraph_path`, `langgraph_triggers` and
`langgraph_checkpoint_ns`, and what runs inside a task inherits its task's (seen with langgraph 1.2.22). The
namespace ends in the task's id, which is what tells tasks, attempts and emitters of one run apart and together.

Emitters write the keys behind a prefix of theirs, or all of them in one JSON text. A limit on the length of values
cuts such a text: then each key that stands whole in what is left is read, and the cut is said.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from otel_traj.reconstruct.content import decode_content
from otel_traj.reconstruct.typed_attributes import read_int, read_name, read_str, read_str_tuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otel_traj.model import AttributeValue

__all__ = ["METADATA_KEYS", "Metadata", "decode_metadata", "pick_metadata", "read_metadata"]

_THREAD_KEYS: Final = ("thread_id", "session_id", "conversation_id")
METADATA_KEYS: Final = (
    *("langgraph_step", "langgraph_node", "langgraph_checkpoint_ns", "langgraph_path", "langgraph_triggers"),
    *("ls_integration", "ls_model_name", "case"),
    *_THREAD_KEYS,
)
"""The keys that a run is rebuilt from."""

_PUSH: Final = "__pregel_push"
_ERROR_HANDLER: Final = "node_error_handler"
_ARRAY: Final = r"\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]"
_WHOLE_PAIR: Final = re.compile(
    rf'"({"|".join(METADATA_KEYS)})"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?=\s*[,}}])|{_ARRAY})'
)


class Metadata(Struct, frozen=True, kw_only=True):
    """What a callback's metadata says of the task that it is, or ran in."""

    key: str = ""
    """The attribute that it stood in, or the prefix of its attributes."""
    is_cut: bool = False
    """It was read out of a text that is not whole."""
    step: int | None = None
    node: str | None = None
    namespace: str = ""
    """Of the task's checkpoints; empty outside of any task."""
    path: tuple[str, ...] = ()
    """Its elements as texts."""
    triggers: tuple[str, ...] = ()
    thread_id: str | None = None
    integration: str | None = None
    model: str | None = None
    case: str | None = None

    @property
    def task_id(self) -> str:
        """The id of the task, empty where none is known."""
        return self.namespace.rpartition("|")[2].rpartition(":")[2]

    @property
    def is_inner(self) -> bool:
        """Whether the task is no node's: a functional-API task, or an error handler."""
        is_called = self.path[:1] == (_PUSH,) and self.path[-1] == "true"
        return is_called or self.path[2:3] == (_ERROR_HANDLER,)

    @property
    def push_index(self) -> int | None:
        """The index of a fan-out task, None for a task that an edge triggered."""
        if self.path[:1] != (_PUSH,):
            return None
        return next((int(item) for item in reversed(self.path) if item.isascii() and item.isdigit()), None)

    def name_key(self, name: str) -> str:
        """Return the attribute that a key of LangGraph's stands in, or would."""
        return self.key + name if self.key.endswith(".") else self.key


def read_metadata(
    values: Mapping[str, AttributeValue], key: str, *, is_cut: bool = False, thread_id: str | None = None
) -> Metadata:
    """Return the metadata that values under LangGraph's own keys make.

    Args:
        values: By key, without a prefix; an array may stand as its JSON text.
        key: The attribute or prefix that they were read from.
        is_cut: Whether that was not whole.
        thread_id: The thread that the emitter names itself, which goes last.
    """
    namespace = read_name(values, "langgraph_checkpoint_ns") or ""
    threads = (_read_id(values, name) for name in _THREAD_KEYS)
    return Metadata(
        key=key,
        is_cut=is_cut,
        step=read_int(values, "langgraph_step"),
        node=read_name(values, "langgraph_node") or namespace.rpartition("|")[2].rpartition(":")[0] or None,
        namespace=namespace,
        path=_read_path(values.get("langgraph_path")),
        triggers=read_str_tuple(values, "langgraph_triggers"),
        thread_id=next((thread for thread in threads if thread), None) or thread_id,
        integration=read_str(values, "ls_integration"),
        model=read_name(values, "ls_model_name"),
        case=read_name(values, "case"),
    )


def pick_metadata(attributes: Mapping[str, AttributeValue], prefix: str) -> dict[str, AttributeValue]:
    """Return the values that stand behind a prefix, by LangGraph's own keys."""
    found = ((name, attributes.get(prefix + name)) for name in METADATA_KEYS)
    return {name: value for name, value in found if value is not None}


def decode_metadata(text: str | None) -> tuple[dict[str, AttributeValue], bool]:
    """Return the metadata in a JSON text, and whether the text was cut.

    Args:
        text: A JSON object, whole or only its beginning; None where there is none.

    Returns:
        Values by key; of a cut text those that stand whole in what is left.
    """
    value, is_cut = decode_content(text)
    if isinstance(value, dict):
        return value, False
    if not is_cut or text is None:
        return {}, False
    pairs = ((match[1], decode_content(match[2])[0]) for match in _WHOLE_PAIR.finditer(text))
    return dict(reversed(list(pairs))), True


def _read_id(values: Mapping[str, AttributeValue], key: str) -> str | None:
    value = values.get(key)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_number else read_name(values, key)


def _read_path(value: AttributeValue) -> tuple[str, ...]:
    """Return the path's elements as lower-case texts: some emitters write numbers and bools as such, some do not."""
    if isinstance(value, str):
        value = decode_content(value)[0]
    if not isinstance(value, list):
        return ()
    return tuple(item if isinstance(item, str) and item[:1] == "_" else _as_text(item) for item in value)


def _as_text(item: AttributeValue) -> str:
    text = item if isinstance(item, str) else msgspec.json.encode(item).decode()
    return text.lower() if text in ("True", "False") else text
