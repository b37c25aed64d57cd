"""What may stand in a reference where a name does: patterns, each of which accepts some names.

Patterns are objects of their own, because a node may be called `node*` or `a|b`: a plain string is always a
literal. Globs are those of `fnmatch` (`*`, `?`, `[...]`, upper and lower case told apart). Regular expressions are
those of the `regex` package, which has a time limit: a reference is data, and `(a+)+` from a file must not hang a
gate. Every pattern must accept the whole name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import translate
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, runtime_checkable

import regex

from otel_traj.errors import InvalidReferenceError, PatternTimeoutError, TrajectoryTypeError
from otel_traj.match.names import quote
from otel_traj.match.values_in_words import describe_value, show_value

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "Any",
    "Entry",
    "Glob",
    "NamePattern",
    "OneOf",
    "Regex",
    "accepts",
    "read_entry",
    "show_entry",
    "write_entry",
]

REGEX_SECONDS: Final = 0.5
"""Longest search of one expression in one name."""


@runtime_checkable
class NamePattern(Protocol):
    """What accepts some names, and says in words which."""

    def accepts(self, name: str) -> bool:
        """Return whether a name is one of them."""

    def write(self) -> object:
        """Return the pattern as it is written in a reference file."""

    def __str__(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Glob:
    """Any name of a shape: `*` stands for any characters, `?` for one, `[ab]` for one of them.

    Args:
        pattern: Upper and lower case are told apart.

    Raises:
        TrajectoryTypeError: `pattern` is no string.
        InvalidReferenceError: It is empty, and no name is.
    """

    pattern: str
    _fits: Callable[[str], object] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_text(self.pattern, "Glob")
        object.__setattr__(self, "_fits", re.compile(translate(self.pattern)).match)

    def accepts(self, name: str) -> bool:
        """Return whether a name has this shape."""
        return self._fits(name) is not None

    def write(self) -> object:
        """Return `{"glob": ...}`."""
        return {"glob": self.pattern}

    def __str__(self) -> str:
        return f"glob({self.pattern})"


@dataclass(frozen=True, slots=True)
class Regex:
    """Any name that a regular expression matches as a whole.

    Args:
        pattern: An expression of the `regex` package, which takes those of `re` too.

    Raises:
        TrajectoryTypeError: `pattern` is no string.
        InvalidReferenceError: It is empty, or no regular expression.
    """

    pattern: str

    def __post_init__(self) -> None:
        _check_text(self.pattern, "Regex")
        try:
            _compile(self.pattern)
        except (regex.error, OverflowError, RecursionError, MemoryError) as error:
            raise InvalidReferenceError(
                f"{show_value(self.pattern)} is no regular expression ({error}): no name can be compared with it. Mend it, or"
                f" write the plain name."
            ) from None

    def accepts(self, name: str) -> bool:
        """Return whether the expression matches the whole name.

        Raises:
            PatternTimeoutError: It did not come to an end in half a second.
        """
        try:
            return _compile(self.pattern).fullmatch(name, timeout=REGEX_SECONDS) is not None
        except TimeoutError:
            raise PatternTimeoutError(
                f"the regular expression {quote(self.pattern)} took longer than {REGEX_SECONDS} s on one name: nested"
                f" repetition takes exponential time. Write it without, or list the names."
            ) from None

    def write(self) -> object:
        """Return `{"regex": ...}`."""
        return {"regex": self.pattern}

    def __str__(self) -> str:
        return f"regex({self.pattern})"


@dataclass(frozen=True, slots=True)
class Any:
    """Any one name."""

    def accepts(self, name: str) -> bool:  # noqa: ARG002 - every name
        """Return True."""
        return True

    def write(self) -> object:
        """Return `{"any": True}`."""
        return {"any": True}

    def __str__(self) -> str:
        return "any"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class OneOf:
    """One of several: in a superstep one of these names; in place of a superstep one of these supersteps.

    Args:
        choices: In a superstep names or patterns; in place of one supersteps, or lists of what stands in a
            trajectory. At least one.

    Raises:
        InvalidReferenceError: There is none.
    """

    choices: tuple[object, ...]

    def __init__(self, *choices: object) -> None:
        if not choices:
            raise InvalidReferenceError(
                "OneOf has no choice: nothing could ever match it. Name at least one."
            )
        object.__setattr__(self, "choices", choices)

    def accepts(self, name: str) -> bool:
        """Return whether one of the choices accepts a name."""
        return any(accepts(choice, name) for choice in self.choices)  # type: ignore[arg-type] # names here

    def write(self) -> object:
        """Return `{"one_of": [...]}`."""
        return {
            "one_of": [
                write_entry(choice) for choice in self.choices if isinstance(choice, NamePattern | str)
            ]
        }

    def __repr__(self) -> str:
        return f"OneOf({', '.join(map(repr, self.choices))})"

    def __str__(self) -> str:
        return f"one of ({' | '.join(map(str, self.choices))})"


Entry: TypeAlias = str | NamePattern
"""What stands in a superstep of a reference."""


def accepts(entry: Entry, name: str) -> bool:
    """Return whether an entry of a reference accepts a name."""
    return entry == name if isinstance(entry, str) else entry.accepts(name)


def show_entry(entry: Entry) -> str:
    """Return the name of a literal, or what a pattern accepts, in words: `glob(node*)`."""
    return entry if isinstance(entry, str) else str(entry)


def write_entry(entry: Entry) -> object:
    """Return an entry as it is written in a reference file: a name, or a map such as `{"glob": "node*"}`."""
    return str.__str__(entry) if isinstance(entry, str) else entry.write()


def read_entry(entry: object, where: str) -> Entry:
    """Return a name or pattern of a reference, checked.

    Args:
        entry: What stands there.
        where: The place, for the message.

    Raises:
        TrajectoryTypeError: It is neither a string nor a pattern.
        InvalidReferenceError: An empty name.
    """
    if isinstance(entry, str):
        if not entry:
            raise InvalidReferenceError(f"{where} is an empty string: no node has that name. Name the node.")
        # A member of a string enumeration is its text, whatever its `str()` says.
        return str.__str__(entry)
    if isinstance(entry, OneOf):
        return OneOf(*(read_entry(choice, f"a choice of OneOf in {where}") for choice in entry.choices))
    if isinstance(entry, NamePattern) and not isinstance(entry, type):
        return entry
    raise TrajectoryTypeError(
        f"{where} is {describe_value(entry)}: an entry of a superstep is a node name or a pattern. Write a string, or"
        f" one of Glob, Regex, Any(), OneOf, Tool."
    )


def _check_text(pattern: object, kind: str) -> None:
    if not isinstance(pattern, str):
        raise TrajectoryTypeError(
            f"the pattern of {kind} is {describe_value(pattern)}: it is a text. Write a string."
        )
    if not pattern:
        raise InvalidReferenceError(
            f"the pattern of {kind} is empty: no name is. Write what a name may look like."
        )


@lru_cache(maxsize=512)
def _compile(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern)
