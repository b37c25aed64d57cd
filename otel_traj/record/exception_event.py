"""An exception as a span event: types and frames always, its words only where content is recorded.

An exception's message, notes and values often quote the very data that a service must not export, and a source
line may hold a literal. So without content the stack trace is written from code objects alone, in Python's own
order (causes first), with file, line and function of each frame.
"""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.rendering import CUT_MARK, clean_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

__all__ = ["describe_exception", "find_place", "name_exception"]

_MAX_FRAMES = 60
_MAX_CHAIN = 10
_MAX_GROUP = 10
_MAX_TEXT = 50_000

_CAUSE = "The above exception was the direct cause of the following exception:"
_CONTEXT = "During handling of the above exception, another exception occurred:"


def name_exception(error: BaseException) -> str:
    """Return the full name of an exception's type, without `builtins`."""
    cls = type(error)
    module = "" if cls.__module__ in (None, "builtins") else f"{cls.__module__}."
    return clean_text(f"{module}{cls.__qualname__}")


def describe_exception(
    error: BaseException, write: Callable[[str], str | None] | None = None
) -> dict[str, str]:
    """Return the attributes of an exception event.

    Args:
        error: The exception.
        write: Makes of messages, notes and source lines what is recorded of them, None for nothing; None where no
            content is recorded.

    Returns:
        Type and stack trace; with content the message too, and Python's own full stack trace.
    """
    attributes = {sc.EXCEPTION_TYPE: name_exception(error)}
    trace = None
    if write is not None:
        message = write(_read_message(error))
        if message is not None:
            attributes[sc.EXCEPTION_MESSAGE] = message
        full = _format_fully(error)
        trace = write(full) if full else None
    attributes[sc.EXCEPTION_STACKTRACE] = _format_frames(error) if trace is None else trace
    return attributes


def _format_fully(error: BaseException) -> str:
    """Return Python's own stack trace, empty where the exception can't be read."""
    try:
        return "".join(traceback.format_exception(error))
    except Exception:  # noqa: BLE001 - an exception's notes, causes and members are foreign code
        return ""


def _format_frames(error: BaseException) -> str:
    """Return a stack trace without content, empty where not even that can be read."""
    try:
        return _bound("\n".join(_list_lines(error, set(), 0)))
    except Exception:  # noqa: BLE001 - as above
        return ""


def _read_message(error: BaseException) -> str:
    """Return an exception's own text, empty where it can't say it."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - an exception's __str__ is foreign code
        return ""


def find_place(error: BaseException) -> str:
    """Return the innermost frame of an exception as text, empty without a traceback."""
    try:
        frames = _list_frames(error.__traceback__)
    except Exception:  # noqa: BLE001 - an exception's attributes are foreign code
        return ""
    return frames[-1].strip() if frames else ""


def _bound(text: str) -> str:
    if len(text) > _MAX_TEXT:
        half = _MAX_TEXT // 2
        text = f"{text[:half]}{CUT_MARK}{len(text) - 2 * half} characters]{text[-half:]}"
    return clean_text(text)


def _list_lines(error: BaseException, seen: set[int], depth: int) -> list[str]:
    lines: list[str] = []
    seen.add(id(error))
    before, words = _find_before(error)
    if before is not None and id(before) not in seen and depth < _MAX_CHAIN:
        lines += [*_list_lines(before, seen, depth + 1), "", words, ""]
    lines.append("Traceback (most recent call last):")
    lines += _list_frames(error.__traceback__)
    lines.append(name_exception(error))
    if isinstance(error, BaseExceptionGroup) and depth < _MAX_CHAIN:
        for member in error.exceptions[:_MAX_GROUP]:
            lines += [f"  | {line}" for line in _list_lines(member, seen, depth + 1)]
    return lines


def _find_before(error: BaseException) -> tuple[BaseException | None, str]:
    if error.__cause__ is not None:
        return error.__cause__, _CAUSE
    return (None if error.__suppress_context__ else error.__context__), _CONTEXT


def _list_frames(trace: TracebackType | None) -> list[str]:
    frames = [
        f'  File "{frame.f_code.co_filename}", line {line}, in {frame.f_code.co_name}'
        for frame, line in traceback.walk_tb(trace)
    ]
    if len(frames) > _MAX_FRAMES:
        half = _MAX_FRAMES // 2
        frames[half:-half] = [f"  ... {len(frames) - 2 * half} frames"]
    return frames
