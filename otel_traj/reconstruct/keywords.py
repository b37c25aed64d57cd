"""Types of what a caller gives by keyword: refused at the call, by name, before a long reading begins.

A wrong type that is only compared would select nothing without a word, and one that is used would end in an error
far from its cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from otel_traj.errors import TrajectoryTypeError

__all__ = ["check_callback", "check_mapping", "check_names", "check_texts"]

_Value = TypeVar("_Value")
_NAMES_EXAMPLE: Final = "Pass a list of texts, such as list(graph.nodes)."


def check_texts(values: Mapping[str, object]) -> None:
    """Raise where one of the values is neither a text nor None.

    Args:
        values: By the names of their keywords.

    Raises:
        TrajectoryTypeError: One is not; the message names it.
    """
    for name, value in values.items():
        if value is not None and not isinstance(value, str):
            raise TrajectoryTypeError(
                _say(name, value, "runs are selected by text. Pass a str, or leave it out.")
            )


def check_mapping(name: str, value: Mapping[str, _Value] | None) -> dict[str, _Value]:
    """Return a mapping by text as a dict of its own; an empty one for None.

    Args:
        name: The keyword.
        value: What was given.

    Raises:
        TrajectoryTypeError: It is no mapping, or a key of it is no text.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TrajectoryTypeError(_say(name, value, "attributes have keys and values. Pass a dict."))
    for key in value:
        if not isinstance(key, str):
            raise TrajectoryTypeError(
                _say(f"a key of {name}", key, "attributes are named by text. Pass a str.")
            )
    return dict(value)


def check_names(name: str, value: object) -> list[str]:
    """Return an iterable of texts as a list; an empty one for None.

    Args:
        name: The keyword.
        value: What was given; an iterator is used up.

    Raises:
        TrajectoryTypeError: It is none, or a text itself, whose letters nobody means.
    """
    if value is None:
        return []
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise TrajectoryTypeError(_say(name, value, f"it takes several names. {_NAMES_EXAMPLE}"))
    names = list(value)
    for item in names:
        if not isinstance(item, str):
            raise TrajectoryTypeError(_say(f"one of {name}", item, f"each must be a text. {_NAMES_EXAMPLE}"))
    return names


def check_callback(name: str, value: object) -> None:
    """Raise where something that is to be called can't be.

    Args:
        name: The keyword.
        value: What was given; None is nothing to call.

    Raises:
        TrajectoryTypeError: It is neither None nor callable.
    """
    if value is not None and not callable(value):
        raise TrajectoryTypeError(
            _say(name, value, "it is called with each problem. Pass a function of one argument.")
        )


def _say(name: str, value: object, why: str) -> str:
    return f"{name} is a {type(value).__name__}; {why}"
