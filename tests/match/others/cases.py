"""The cases that other evaluators are asked about, in the fixture's form, which is plain JSON.

Imports nothing but the standard library: it is loaded where only the other evaluators are installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypeAlias, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "CALLABLES",
    "ArgsMode",
    "ArgumentsAnswer",
    "ArgumentsCase",
    "Call",
    "GraphCase",
    "Message",
    "MessagesAnswer",
    "MessagesCase",
    "MessagesMode",
    "Override",
    "ToolsAnswer",
    "ToolsCase",
]

ArgsMode: TypeAlias = Literal["exact", "ignore", "subset", "superset"]
MessagesMode: TypeAlias = Literal["strict", "unordered", "subset", "superset"]
Override: TypeAlias = str | list[str]
"""A mode, a name in `CALLABLES`, or key paths."""
Call: TypeAlias = list[Any]
"""A tool's name and its arguments: a mapping, or a text that is no JSON."""
Message: TypeAlias = str | list[Call]
"""A message's role, or the tool calls of an assistant's message."""


class GraphCase(TypedDict):
    """For agentevals' graph trajectories: runs of supersteps, which are asked flattened, run by run."""

    expected: list[list[list[str]]]
    actual: list[list[list[str]]]
    is_tuple: NotRequired[bool]
    """Whether the actual side is asked in tuples."""


class MessagesCase(TypedDict):
    """For agentevals' message trajectories."""

    mode: MessagesMode
    args: ArgsMode
    overrides: dict[str, Override]
    expected: list[Message]
    actual: list[Message]


class MessagesAnswer(TypedDict):
    """What agentevals says."""

    verdict: bool | str
    """The type of the exception where one was raised."""
    best: bool
    """Its verdict with the calls of one side in the order that suits it best."""


class ToolsCase(TypedDict):
    """For pydantic-evals' sequences of tools."""

    expected: list[str]
    actual: list[list[tuple[str, bool]]] | None
    """Supersteps of calls, in the order in which they started: a tool, and whether it failed. None: no spans."""


class ToolsAnswer(TypedDict):
    """What pydantic-evals says: the scores of TrajectoryMatch by order, and ToolCorrectness."""

    exact: float
    in_order: float
    any_order: float
    only: bool
    """Without extra calls."""
    at_least: bool
    """With extra calls allowed."""
    only_by_default: bool
    """As `only`, failed calls left out; in all the others they count."""


class ArgumentsCase(TypedDict):
    """For pydantic-evals' ArgumentCorrectness."""

    tool: str
    args: dict[str, Any]
    mode: Literal["exact", "subset"]
    occurrence: Literal["first", "last"]
    actual: list[Call]


ArgumentsAnswer: TypeAlias = bool


def _is_no_less(actual: Mapping[str, int], expected: Mapping[str, int]) -> bool:
    return actual.get("a", 0) >= expected.get("a", 0)


CALLABLES: Mapping[str, Callable[[Mapping[str, int], Mapping[str, int]], bool]] = {"no_less": _is_no_less}
"""Comparisons of arguments that see which side is which."""
