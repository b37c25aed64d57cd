"""A user's own data, kept as they were given and told as plain data.

A prepared reference must not change with the mapping that its user goes on to fill, so containers are copied; what
they hold may be anything, a client with a lock too, and stays what it is. Metadata travel as JSON, so what has no
form as JSON is rendered there as a recorder renders it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeVar, cast

from otel_traj.rendering import render

__all__ = ["copy_containers", "make_json"]

_Value = TypeVar("_Value")


def copy_containers(value: _Value) -> _Value:
    """Return a value whose mappings, lists and tuples are copies; one that holds itself is returned as it is."""
    try:
        return cast("_Value", _copy(value))
    except RecursionError:
        return value


def make_json(value: object) -> object:
    """Return a value as it is where JSON can hold it, else rendered."""
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return render(value)
    return value


def _copy(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _copy(inner) for key, inner in value.items()}
    if type(value) is list:
        return [_copy(inner) for inner in value]
    return tuple(map(_copy, value)) if type(value) is tuple else value
