"""When a request is tried again, and how long after: tenacity does it, this says what it shall do.

429, 502, 503 and 504 are what OTLP's specification calls worth another try, and backends answer so while they start.
A connection that fails is tried a few times only: the likely cause is a wrong port, which should be said soon.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from tenacity import Retrying, retry_if_exception_type
from tenacity.wait import wait_exponential_jitter

if TYPE_CHECKING:
    from collections.abc import Callable

    from tenacity import RetryCallState

    from otel_traj.sources.backend.answer import Answer

__all__ = ["BusyError", "LostError", "make_retrying"]

_DEADLINE_SECONDS: Final = 30.0
_BUSY_TRIES: Final = 6
_LOST_TRIES: Final = 4


class BusyError(Exception):
    """The backend says that it has no time now."""

    def __init__(self, answer: Answer, retry_after: str) -> None:
        """Keep the answer.

        Args:
            answer: What was answered.
            retry_after: The header of that name: seconds, a date of HTTP, or nothing.
        """
        super().__init__(str(answer.status))
        self.answer = answer
        """What was answered."""
        self.after_seconds = _read_retry_after(retry_after)
        """How long to wait, 0 where that is not said."""


class LostError(Exception):
    """The connection failed or broke off."""


def make_retrying(sleep: Callable[[float], None] = time.sleep) -> Retrying:
    """Return what calls a function, and again where it raises one of these errors, until it gives up with the last.

    Args:
        sleep: Waits so many seconds.
    """
    return Retrying(
        retry=retry_if_exception_type((BusyError, LostError)),
        wait=_Wait(),
        stop=_is_enough,
        sleep=sleep,
        reraise=True,
    )


class _Wait(wait_exponential_jitter):
    def __init__(self) -> None:
        super().__init__(initial=0.25, max=8.0, jitter=0.25)

    def __call__(self, retry_state: RetryCallState) -> float:
        return max(super().__call__(retry_state), _seconds_asked_for(retry_state))


def _is_enough(state: RetryCallState) -> bool:
    error = state.outcome.exception() if state.outcome else None
    tries = _LOST_TRIES if isinstance(error, LostError) else _BUSY_TRIES
    elapsed = state.seconds_since_start or 0.0
    return state.attempt_number >= tries or elapsed + _seconds_asked_for(state) > _DEADLINE_SECONDS


def _seconds_asked_for(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return error.after_seconds if isinstance(error, BusyError) else 0.0


def _read_retry_after(text: str) -> float:
    if text.isascii() and text.isdecimal():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)
