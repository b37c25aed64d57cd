"""What of a program's content may be recorded: the user's choice, checked once.

The keys that a trajectory is rebuilt from are no content and obey none of this. An allow-list of kinds, so that a
kind that a later version adds is not recorded by those who chose theirs before. The kinds follow where content
stands on spans: what the GenAI conventions call opt-in, and what a LangGraph run has beyond it.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import regex

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.rendering import CUT_MARK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from otel_traj.rendering import JsonValue

__all__ = ["CONTENT_KINDS", "ContentKind", "ContentPolicy"]

ContentKind: TypeAlias = Literal[
    "events",
    "exceptions",
    "inputs",
    "messages",
    "outputs",
    "retriever_documents",
    "retriever_queries",
    "state",
    "tool_arguments",
    "tool_definitions",
    "tool_results",
]
"""Input and results of graph runs (`inputs`, `outputs`), what node tasks are given and return (`state`), a model's
messages, what tools take and give, what the model is told of them (`tool_definitions`), a retriever's queries and
documents, the data of custom events, and the text of exceptions."""

CONTENT_KINDS: tuple[ContentKind, ...] = get_args(ContentKind)
"""All kinds, sorted."""

_MIN_BYTES = 64
"""Room for the mark of a cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentPolicy:
    """What is recorded of inputs, outputs, messages and the like, and what is hidden in it.

    In this order a value is rendered with keys and patterns masked at any depth, given to `redact`, and cut to
    `max_bytes`. Whatever goes wrong with a value, it is left out and counted in the handler's `counters`.

    Args:
        kinds: What is recorded at all.
        mask_keys: Names or globs of keys whose values are hidden, upper and lower case alike: of mappings, fields,
            pairs, in texts that are JSON, and as `key=value` in any other text.
        mask_patterns: Regular expressions (of the `regex` package); what they find in any text, key or number is
            hidden.
        mask: What stands where something is hidden.
        redact: Called with the kind and the rendered value, which is its own to change; returns what is recorded,
            None for nothing. Must be quick: it runs in the agent's thread.
        max_bytes: Most UTF-8 bytes of one value; above it the middle is cut out, and its reader knows that. None
            leaves only the bounds of rendering.

    Raises:
        TrajectoryTypeError: A part of the policy has another type.
        TrajectoryValueError: An unknown kind, an empty key, a pattern that is no expression, a mask that reads like
            a cut, or too small a number of bytes.
    """

    kinds: Iterable[ContentKind] = CONTENT_KINDS
    """What is recorded; once made, a sorted tuple."""
    mask_keys: Iterable[str] = ()
    """Keys whose values are hidden; once made, a tuple."""
    mask_patterns: Iterable[str] = ()
    """What is hidden in texts; once made, a tuple."""
    mask: str = "[masked]"
    """What stands where something is hidden."""
    redact: Callable[[ContentKind, JsonValue], JsonValue] | None = None
    """The user's own redaction."""
    max_bytes: int | None = 8_192
    """Most UTF-8 bytes of one value, None for any number."""

    def __post_init__(self) -> None:
        kinds = _read_texts(self.kinds, "kinds", "names of kinds")
        unknown = sorted(set(kinds) - set(CONTENT_KINDS))
        if unknown:
            raise TrajectoryValueError(
                f"kinds holds {', '.join(map(repr, unknown))}, which names nothing that is recorded. Pass some of"
                f" {', '.join(CONTENT_KINDS)}."
            )
        object.__setattr__(self, "kinds", tuple(sorted(set(kinds))))
        object.__setattr__(
            self, "mask_keys", _read_texts(self.mask_keys, "mask_keys", "names or globs of keys")
        )
        object.__setattr__(
            self, "mask_patterns", _read_texts(self.mask_patterns, "mask_patterns", "regular expressions")
        )
        for pattern in self.mask_patterns:
            _check_pattern(pattern)
        _check_mask(self.mask)
        _check_redact(self.redact)
        _check_bytes(self.max_bytes)


def _read_texts(given: object, name: str, what: str) -> tuple[str, ...]:
    if isinstance(given, (str, bytes)):
        raise TrajectoryTypeError(f"{name} is {given!r}, whose letters would be the {what}. Pass a tuple.")
    try:
        texts = tuple(given)  # type: ignore[var-annotated, arg-type]  # what can't be iterated is refused
    except TypeError:
        raise TrajectoryTypeError(f"{name} is {given!r}; it lists {what}. Pass a tuple of strings.") from None
    for text in texts:
        if not isinstance(text, str):
            raise TrajectoryTypeError(f"{name} holds {text!r}; it lists {what}. Pass each as a string.")
        if not text:
            raise TrajectoryValueError(f"{name} holds an empty string, which names nothing. Leave it out.")
    return texts


def _check_pattern(pattern: str) -> None:
    try:
        regex.compile(pattern)
    except (regex.error, OverflowError, RecursionError, MemoryError) as error:
        raise TrajectoryValueError(
            f"mask_patterns holds {pattern!r}, which is no regular expression ({error}): what it should hide would be"
            f" shown. Mend it."
        ) from None


def _check_mask(mask: object) -> None:
    if not isinstance(mask, str):
        raise TrajectoryTypeError(f"mask is {mask!r}; it stands where something is hidden. Pass a string.")
    if CUT_MARK.strip() in mask:
        raise TrajectoryValueError(
            f"mask is {mask!r}, which a reader takes for the mark of a cut. Pass another text."
        )


def _check_redact(redact: object) -> None:
    if redact is not None and (not callable(redact) or inspect.iscoroutinefunction(redact)):
        raise TrajectoryTypeError(
            f"redact is {redact!r}; it is called with a kind and a value and returns what is recorded, at once. Pass"
            f" a plain function or None."
        )


def _check_bytes(count: object) -> None:
    if count is None:
        return
    if not isinstance(count, int) or isinstance(count, bool):
        raise TrajectoryTypeError(
            f"max_bytes is {count!r}; it is how long a recorded value may be. Pass a number of bytes, or None."
        )
    if count < _MIN_BYTES:
        raise TrajectoryValueError(
            f"max_bytes is {count}, too few even to say that something was cut. Pass {_MIN_BYTES} or more, or leave"
            f" kinds out to record nothing of them."
        )
