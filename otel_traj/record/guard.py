"""What goes wrong inside a callback stays there: the agent must not feel any failure of its recorder.

The first failure of a handler is logged, by type and place and without the exception's text, which may be content;
all are counted. LangChain would swallow an exception of a handler too, but log its text each time (seen with
langchain-core 1.8.3). KeyboardInterrupt and its like are no failures of ours and go on to the agent.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from otel_traj.record.exception_event import find_place, name_exception

if TYPE_CHECKING:
    from collections.abc import Callable

    from otel_traj.record.counters import Counters

__all__ = ["Guarded", "guarded"]

_logger = logging.getLogger("otel_traj")
_Callback = TypeVar("_Callback", bound="Callable[..., None]")


class Guarded(Protocol):
    """What has guarded callbacks."""

    _counters: Counters


def guarded(callback: _Callback) -> _Callback:
    """Return the callback without its exceptions: they are counted as `callback_errors`."""

    @functools.wraps(callback)
    def call(*args: object, **kwargs: object) -> None:
        # Without a name for `self` the arguments are passed on as the tuple that they came in.
        try:
            callback(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the agent must not feel any failure of its recorder
            _note_failure(cast("Guarded", args[0])._counters, callback.__name__, error)

    return cast("_Callback", call)


def _note_failure(counters: Counters, callback: str, error: BaseException) -> None:
    if counters.add("callback_errors") != 1:
        return
    # A log handler of the application may raise, or the way to it.
    with contextlib.suppress(Exception):
        _logger.warning(
            "%s failed with %s (%s): something of this run is not recorded, the agent is not affected. "
            "Further failures are only counted, in the handler's `counters`.",
            callback,
            name_exception(error),
            find_place(error),
        )
