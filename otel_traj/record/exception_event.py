"""An exception as a span event: types and frames always, its words only where content is recorded.

An exception's message, notes and values often quote the very data that a service must not export, and a source
line may hold a literal. So without content the stack trace is written from code objects alone, in Python's own
order (causes first), with file, line and function of each frame. Frames are structure, which no cap on content may
take away: where Python's own text is cut, the same frames are written, and only what the exceptions say is cut. The
bounds are those of Python's `traceback` (repeated frames, width and depth of groups; 3.11 to 3.14), and where that
has none (mutual recursion, long chains of causes) some of ours, each of which says what it left out.
"""

from __future__ import annotations

import itertools
import re
import traceback
from typing import TYPE_CHECKING, Final

from otel_traj import semconv as sc
from otel_traj.byte_cap import cap_text
from otel_traj.rendering import CUT_MARK, clean_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

__all__ = ["describe_exception", "find_place", "name_exception", "name_exception_type"]

_MAX_FRAMES: Final = 200
"""Of one exception; the innermost and the outermost stay."""
_MAX_REPEATS: Final = 3
_MAX_CHAIN: Final = 10
_MAX_GROUP: Final = 15
_MAX_EXCEPTIONS: Final = 50
_MAX_TEXT: Final = 100_000
_MIN_WORDS: Final = 64
"""Bytes that each exception may say, however many there are."""

_CAUSE = "The above exception was the direct cause of the following exception:"
_CONTEXT = "During handling of the above exception, another exception occurred:"
_NAME = re.compile(r"[\w.<>()\[\]]{1,200}")
"""Of a class, of a generic one and of Ray's `RayTaskError(ValueError)`: no text that somebody wrote."""


def name_exception(error: BaseException) -> str:
    """Return the full name of an exception's type, without `builtins`."""
    cls = _find_named(error)
    module = _read_name(cls, "__module__")
    name = _read_name(cls, "__qualname__")
    return name if module in ("", "builtins") else f"{module}.{name}"


def name_exception_type(error: BaseException) -> str:
    """Return the name of an exception's type without its module: `error.type`."""
    return _read_name(_find_named(error), "__qualname__")


def _find_named(error: BaseException) -> type:
    """Return the type, or where a program made its name of some text, the nearest base that has a proper one."""
    bases = type.__dict__["__mro__"].__get__(type(error))
    return next((cls for cls in bases if _read_name(cls, "__qualname__")), object)


def _read_name(cls: type, which: str) -> str:
    """Return a name of a class, empty where it has none that is one."""
    try:
        name = getattr(cls, which, None)
    except Exception:  # noqa: BLE001 - a metaclass is foreign code
        return ""
    return clean_text(name) if isinstance(name, str) and _NAME.fullmatch(name) else ""


def describe_exception(
    error: BaseException, write: Callable[[str], str | None] | None = None
) -> dict[str, str]:
    """Return the attributes of an exception event.

    Args:
        error: The exception.
        write: Makes of messages, notes and source lines what is recorded of them, None for nothing; None where no
            content is recorded.

    Returns:
        Type and stack trace; with content the message too, and Python's own full stack trace. Where `write` cuts
        that, the frames are whole, without source lines, and what the exceptions say shares the room.
    """
    attributes = {sc.EXCEPTION_TYPE: name_exception(error)}
    trace = None
    if write is not None:
        message = write(_read_message(error))
        if message is not None:
            attributes[sc.EXCEPTION_MESSAGE] = message
        full = _format_fully(error)
        trace = write(full) if full else None
        if trace is not None and trace.count(CUT_MARK) > full.count(CUT_MARK):
            trace = _format_frames(error, write, len(trace.encode()))
    attributes[sc.EXCEPTION_STACKTRACE] = _format_frames(error) if trace is None else trace
    return attributes


def _format_fully(error: BaseException) -> str:
    """Return Python's own stack trace, empty where the exception can't be read."""
    try:
        return "".join(traceback.format_exception(error))
    except Exception:  # noqa: BLE001 - an exception's notes, causes and members are foreign code
        return ""


def _format_frames(
    error: BaseException, write: Callable[[str], str | None] | None = None, max_bytes: int = 0
) -> str:
    """Return a stack trace of types and frames, empty where not even that can be read.

    Args:
        error: The exception.
        write: Makes what is recorded of an exception's words; None for none of them.
        max_bytes: What all exceptions may say together.
    """
    try:
        outline = _Outline()
        lines = outline.list_lines(error, 0)
        if write is not None:
            share = max(_MIN_WORDS, max_bytes // max(1, outline.count))
            lines = _Outline(lambda each: _quote(each, write, share)).list_lines(error, 0)
        return _bound("\n".join(lines))
    except Exception:  # noqa: BLE001 - as above
        return ""


def _quote(error: BaseException, write: Callable[[str], str | None], max_bytes: int) -> str:
    """Return what is recorded of an exception's message and notes, in at most so many bytes."""
    notes = getattr(error, "__notes__", None)
    said = [_read_message(error), *(notes if isinstance(notes, (list, tuple)) else ())]
    text = write("\n".join(each for each in said if isinstance(each, str) and each))
    return cap_text(text, max_bytes) if text else ""


def _read_message(error: BaseException) -> str:
    """Return an exception's own text, empty where it can't say it."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - an exception's __str__ is foreign code
        return ""


def find_place(error: BaseException) -> str:
    """Return the innermost frame of an exception as text, empty without a traceback."""
    try:
        frames = _name_frames(error.__traceback__)
    except Exception:  # noqa: BLE001 - an exception's attributes are foreign code
        return ""
    return frames[-1].strip() if frames else ""


def _bound(text: str) -> str:
    if len(text) > _MAX_TEXT:
        half = _MAX_TEXT // 2
        text = f"{text[:half]}{CUT_MARK}{len(text) - 2 * half} characters]{text[-half:]}"
    return clean_text(text)


class _Outline:
    """One walk over an exception, its causes and its members."""

    def __init__(self, quote: Callable[[BaseException], str] | None = None) -> None:
        self._quote = quote
        self._seen: set[int] = set()

    @property
    def count(self) -> int:
        """How many exceptions it met."""
        return len(self._seen)

    def list_lines(self, error: BaseException, depth: int) -> list[str]:
        lines: list[str] = []
        self._seen.add(id(error))
        before, words = _find_before(error)
        if before is not None and id(before) not in self._seen:
            if self._has_room(depth):
                lines += [*self.list_lines(before, depth + 1), "", words, ""]
            else:
                lines += ["... what was raised before it", "", words, ""]
        lines.append("Traceback (most recent call last):")
        lines += _list_frames(error.__traceback__)
        said = self._quote(error) if self._quote is not None else ""
        name = name_exception(error)
        lines += (f"{name}: {said}" if said else name).split("\n")
        if isinstance(error, BaseExceptionGroup):
            lines += [f"  | {line}" for line in self._list_members(error, depth)]
        return lines

    def _list_members(self, group: BaseExceptionGroup[BaseException], depth: int) -> list[str]:
        lines: list[str] = []
        for position, member in enumerate(group.exceptions):
            if position == _MAX_GROUP or not self._has_room(depth):
                lines.append(f"... {len(group.exceptions) - position} more exceptions")
                break
            if id(member) not in self._seen:
                lines += self.list_lines(member, depth + 1)
        return lines

    def _has_room(self, depth: int) -> bool:
        return depth < _MAX_CHAIN and len(self._seen) < _MAX_EXCEPTIONS


def _find_before(error: BaseException) -> tuple[BaseException | None, str]:
    if error.__cause__ is not None:
        return error.__cause__, _CAUSE
    return (None if error.__suppress_context__ else error.__context__), _CONTEXT


def _list_frames(trace: TracebackType | None) -> list[str]:
    """Return one line per frame, outermost first; of a frame that repeats itself a few, as Python does."""
    frames: list[str] = []
    for text, repeated in itertools.groupby(_name_frames(trace)):
        count = sum(1 for _ in repeated)
        frames += [text] * min(count, _MAX_REPEATS)
        if count > _MAX_REPEATS:
            frames.append(f"  [Previous line repeated {count - _MAX_REPEATS} more times]")
    if len(frames) > _MAX_FRAMES:
        half = _MAX_FRAMES // 2
        frames[half:-half] = [f"  ... {len(frames) - 2 * half} frames"]
    return frames


def _name_frames(trace: TracebackType | None) -> list[str]:
    return [
        f'  File "{frame.f_code.co_filename}", line {line}, in {frame.f_code.co_name}'
        for frame, line in traceback.walk_tb(trace)
    ]
