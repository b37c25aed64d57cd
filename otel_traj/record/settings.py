"""What the user chose for one handler; fixed once it is made."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError

if TYPE_CHECKING:
    from collections.abc import Callable

    from otel_traj.record.content_policy import ContentPolicy
    from otel_traj.record.run_end import RunEnd

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of a handler that the recorder works by."""

    content: ContentPolicy | None = None
    """What is recorded of inputs, outputs, messages, arguments and the text of exceptions; None for nothing."""
    models: bool = True
    tools: bool = True
    inner: bool = False
    """Functional-API tasks, conditional edges, error handlers and inner runnables get spans too."""
    metadata_keys: tuple[str, ...] = ("case",)
    """Keys of the config's metadata that are written."""
    on_run_end: Callable[[RunEnd], object] | None = None
    max_open: int = 10_000
    """Most callback runs that are kept open at once."""
    flush_on_end: float | None = None
    """Most seconds that the end of a top-level run waits for its spans to be sent; None for no flush."""

    @property
    def omitted(self) -> list[str]:
        """Kinds of spans that are left to another instrumentation: a reader can't tell that from none at all."""
        kinds = (("models", self.models), ("tools", self.tools))
        return [kind for kind, is_recorded in kinds if not is_recorded]

    def __post_init__(self) -> None:
        """Refuse what can't be meant."""
        if self.max_open < 1:
            raise TrajectoryValueError(
                f"max_open is {self.max_open!r}, so no run could be recorded. Pass 1 or more."
            )
        _check_seconds(self.flush_on_end)


def _check_seconds(seconds: object) -> None:
    if seconds is None:
        return
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TrajectoryTypeError(
            f"flush_on_end is {seconds!r}, which is no time to wait. Pass a number of seconds, or None."
        )
    if not 0 < seconds <= threading.TIMEOUT_MAX:
        raise TrajectoryValueError(
            f"flush_on_end is {seconds!r}, which is no time that a run's end could wait. Pass a number of seconds "
            f"above 0, 5 say, or None for no flush."
        )
