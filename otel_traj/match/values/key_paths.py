"""Paths of keys into JSON values: how they are written, and the part of a value that they select.

A path is written as a text with dots (`query.city`), or as a tuple of keys where a key holds a dot itself
(`("query", "city.name")`). In a list a key is a position, `items.0.name`. What is selected keeps its place, so that a
difference is named by the whole path; containers above it are always there, so that only the selected keys themselves
can be missing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.values_in_words import describe_value, show_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.rendering import JsonValue

__all__ = ["KeyPath", "read_key_paths", "select_keys"]

KeyPath: TypeAlias = tuple[str, ...]
"""Keys from the outermost to the innermost, at least one."""

_FORM: Final = "A key path is a text such as 'query.city', or a tuple of keys such as ('query', 'city.name')"
_POSITION: Final = re.compile("[0-9]{1,9}")
_MISSING: Final = object()


def read_key_paths(value: object, where: str) -> tuple[KeyPath, ...]:
    """Read a list of key paths.

    Args:
        value: A list or tuple of paths; paths that were read already stay as they are.
        where: What to call it in an error.

    Raises:
        TrajectoryTypeError: No list, or something in it that is no path.
        TrajectoryValueError: An empty list, an empty path, or a text with nothing between two dots.
    """
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise TrajectoryTypeError(
            f"{where} is {describe_value(value)}: key paths stand in a list, also one. {_FORM}."
        )
    if not value:
        raise TrajectoryValueError(
            f"{where} is an empty list of keys: nothing would be compared. Name a key, or say 'ignore'."
        )
    return tuple(_read_path(path, f"{where}[{index}]") for index, path in enumerate(value))


def select_keys(value: JsonValue, paths: Iterable[KeyPath]) -> JsonValue:
    """Return what paths select of a value, as dicts in dicts.

    Args:
        value: A JSON value; it is not changed.
        paths: A path that another one begins adds nothing to it.
    """
    wanted = sorted(set(paths), key=len)
    kept: list[KeyPath] = []
    selected: dict[str, JsonValue] = {}
    for path in wanted:
        if any(path[: len(shorter)] == shorter for shorter in kept):
            continue
        kept.append(path)
        place = selected
        for key in path[:-1]:
            inner = place.setdefault(key, {})
            # No path that ends above this one is kept, so what stands here was made here.
            place = inner if isinstance(inner, dict) else {}
        found = _follow(value, path)
        if found is not _MISSING:
            place[path[-1]] = found  # type: ignore[assignment]  # a sentinel apart from every JsonValue
    return selected


def _follow(value: JsonValue, path: KeyPath) -> object:
    for key in path:
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and _POSITION.fullmatch(key) and int(key) < len(value):
            value = value[int(key)]
        else:
            return _MISSING
    return value


def _read_path(path: object, where: str) -> KeyPath:
    if isinstance(path, str):
        keys = tuple(path.split("."))
        if "" in keys:
            raise TrajectoryValueError(
                f"{where} is {show_value(path)}, in which a key is empty. {_FORM}, where a key may hold anything."
            )
        return keys
    if isinstance(path, bytes) or not isinstance(path, Sequence):
        raise TrajectoryTypeError(f"{where} is {describe_value(path)}, no path of keys. {_FORM}.")
    if not path:
        raise TrajectoryValueError(f"{where} is an empty path, which names no key. {_FORM}.")
    for key in path:
        if not isinstance(key, str):
            raise TrajectoryTypeError(f"{where} holds {describe_value(key)}, and keys are strings. {_FORM}.")
    return tuple(path)
