"""How a callback ended, from the exception that an emitter wrote beside its status.

LangGraph ends callbacks with exceptions that are no errors: an interrupt, a command to the parent graph, a closed
stream, a cancelled task. Emitters write these with every status there is (seen with openinference 0.1.80: OK;
openllmetry 0.62.4, langsmith 0.15.1, mlflow 3.17.2: ERROR), so that the exception decides and the status does not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from otel_traj import semconv as sc
from otel_traj.model import TaskStatus
from otel_traj.reconstruct.typed_attributes import read_str

if TYPE_CHECKING:
    from otel_traj.model import Span

__all__ = ["Ending", "end_with", "read_ending"]

_INTERRUPTS: Final = frozenset({"GraphInterrupt", "NodeInterrupt"})
_COMMAND: Final = "ParentCommand"
_CANCELLATIONS: Final = frozenset({"CancelledError", "GeneratorExit"})
_ANY: Final = frozenset({"", "Exception"})
"""What stands where the type was lost: langsmith writes every exception as a plain one, the real one in its text."""
_HEAD: Final = re.compile(r"([A-Za-z_][\w.]*)\(")
_BARE_INTERRUPT: Final = "(Interrupt("
"""How the message of an interrupt begins."""


class Ending(Struct, frozen=True, kw_only=True):
    """How a callback ended."""

    outcome: TaskStatus
    error_type: str | None = None
    interrupted: bool = False
    """In an interrupt that asks something; a static one inside a subgraph does not."""


def read_ending(span: Span) -> Ending:
    """Return how the callback ended that a span stands for; an open span has not."""
    error_type, message = _find_exception(span)
    return end_with(span, error_type, message)


def end_with(span: Span, error_type: str | None, message: str) -> Ending:
    """Return how a callback ended for which these are known.

    Args:
        span: Its span.
        error_type: Name of the exception's class; None where there was none, or its type is not known.
        message: Text of the exception; empty where it was not recorded.
    """
    if not span.end_ns:
        return Ending(outcome="open")
    if error_type in _INTERRUPTS:
        asks = "Interrupt(" in message.removeprefix(f"{error_type}(") or not message
        return Ending(outcome="interrupted", interrupted=asks)
    if error_type == _COMMAND:
        return Ending(outcome="ok")
    if error_type in _CANCELLATIONS:
        return Ending(outcome="cancelled")
    return Ending(outcome="error", error_type=error_type) if span.status == "error" else Ending(outcome="ok")


def _find_exception(span: Span) -> tuple[str | None, str]:
    """Return the class and the text of the last exception, which ended the span."""
    event = next((event for event in reversed(span.events) if event.name == sc.EXCEPTION_EVENT), None)
    attributes = event.attributes if event is not None else {}
    message = read_str(attributes, sc.EXCEPTION_MESSAGE) or span.status_message
    name = read_str(attributes, sc.EXCEPTION_TYPE) or read_str(span.attributes, sc.ERROR_TYPE) or ""
    name = name.rpartition(".")[2]
    if name in _ANY:
        head = _HEAD.match(message)
        name = head[1] if head else name
    if message.startswith(_BARE_INTERRUPT) and name in _ANY:
        name = "GraphInterrupt"
    return name or None, message
