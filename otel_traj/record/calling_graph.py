"""Which graph made this callback: read from the call stack, where LangGraph's callbacks don't say it.

Whoever calls the callback manager is on the stack of a handler that runs inline, in sync and in async graphs
alike. Two things are learnt so that old versions say in no other way:

* That a run is a graph's. langgraph before 1.1.4 does not mark its roots (`ls_integration`), so one without a
  single node task (its input refused, every node cached, a static interrupt before the first node) would look
  like any chain and leave no span.
* Whether it has static interrupts. langgraph before 1.1.8 tells no handler that a run paused, so a run that has
  some and ends without an error may have paused at one.

Both go when the oldest supported langgraph is 1.1.8. Read: the `self` of the calling method, `Pregel`'s public
`interrupt_before_nodes` and `interrupt_after_nodes`, and the arguments of the same names that override them (seen
with langgraph 0.6.0, 0.6.11, 1.0.5, 1.1.6 and 1.2.24).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec

from langgraph.pregel import Pregel

__all__ = ["HEARS_PAUSES", "CallingGraph", "find_calling_graph"]

HEARS_PAUSES = find_spec("langgraph.callbacks") is not None
"""LangGraph tells its handlers when a run pauses."""

_MANAGER = "langchain_core.callbacks.manager"
_MAX_FRAMES = 16
"""More than there are between a handler and what calls the callback manager, a user's subclass included."""


@dataclass(frozen=True, slots=True)
class CallingGraph:
    """A graph whose own run a callback reports."""

    may_pause: bool
    """It has static interrupts, of its own or for this run only."""


def find_calling_graph() -> CallingGraph | None:
    """Return what called the callback manager that calls the caller, None where that is no graph."""
    frame = sys._getframe(1)
    in_manager = False
    for _ in range(_MAX_FRAMES):
        is_manager = frame.f_globals.get("__name__") == _MANAGER
        if in_manager and not is_manager:
            given = frame.f_locals
            return _describe(given.get("self"), given.get("interrupt_before"), given.get("interrupt_after"))
        in_manager = is_manager
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return None


def _describe(caller: object, before: object, after: object) -> CallingGraph | None:
    if not isinstance(caller, Pregel):
        return None
    return CallingGraph(
        may_pause=bool(before or after or caller.interrupt_before_nodes or caller.interrupt_after_nodes)
    )
