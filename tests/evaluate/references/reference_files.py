"""Reference files as texts: read, and complained of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from otel_traj import InvalidReferenceError
from otel_traj.evaluate.references.json_document import parse_json
from otel_traj.evaluate.references.schema import read_references
from otel_traj.evaluate.references.yaml_document import parse_yaml

if TYPE_CHECKING:
    from otel_traj.evaluate import Reference

__all__ = ["HEAD", "complain", "complain_of", "read_json", "read_one", "read_yaml"]

HEAD = "version: 1\nreferences:\n"
_LEAD = "  - {name: x, "
_OF_PROGRAMS = re.compile(
    r"reference_outputs|\brun 0\b|ReferenceStep|\bRepeat\b|Glob\b|OneOf|AnyOf|ArgsMatch|\bNone\b|\bPass \b"
    r"|callable|tuple|of type |Python"
)


def read_yaml(text: str) -> list[Reference]:
    """Return the references of a YAML text."""
    root = parse_yaml(text, path="refs.yaml")
    assert root is not None
    return read_references(root)


def read_json(text: str) -> list[Reference]:
    """Return the references of a JSON text."""
    root = parse_json(text, path="refs.json")
    assert root is not None
    return read_references(root)


def read_one(keys: str) -> Reference:
    """Return a reference that holds these keys, in YAML on one line, beside its name."""
    [reference] = read_yaml(f"{HEAD}{_LEAD}{keys}}}\n")
    return reference


def complain(text: str) -> tuple[int | None, int | None, str]:
    """Return line, column and words of the complaint about a YAML text, which speaks of a file and not of Python."""
    with pytest.raises(InvalidReferenceError) as caught:
        read_yaml(text)
    error = caught.value
    start = f"refs.yaml:{error.line}:{error.column}: "
    assert str(error).startswith(start)
    words = str(error).removeprefix(start)
    assert _OF_PROGRAMS.search(words) is None
    return error.line, error.column, words


def complain_of(keys: str) -> tuple[str, str]:
    """Return where the complaint about a reference of these keys points, as the rest of the line, and its words."""
    line, column, words = complain(f"{HEAD}{_LEAD}{keys}}}\n")
    assert line == 3
    assert column is not None
    return f"{_LEAD}{keys}}}"[column - 1 :].removesuffix("}"), words
