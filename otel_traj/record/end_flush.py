"""At the end of each top-level run its spans are sent, for programs that may not live to the next batch.

A batch processor sends every few seconds, and at a regular exit. A function host freezes the process between two
calls, a job is killed or leaves by `os._exit`: what waits then is late or lost.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from otel_traj.record.exception_event import name_exception
from otel_traj.record.flush_rounds import flush_provider

if TYPE_CHECKING:
    from otel_traj.record.counters import Counters
    from otel_traj.record.tracer_source import TracerSource

__all__ = ["EndFlush"]

_logger = logging.getLogger("otel_traj")


class EndFlush:
    """Flushes the provider of a handler, as its `flush_on_end` says."""

    def __init__(self, *, tracers: TracerSource, counters: Counters, seconds: float | None) -> None:
        """Keep the parts that a handler is made of, and the longest time to wait; None for no flush at all."""
        self._tracers = tracers
        self._counters = counters
        self._seconds = seconds

    def flush(self) -> None:
        """Have everything sent that has ended; never raises, never longer than the time that was given.

        Call it without a lock: exporters run meanwhile, and may record on their own.
        """
        if self._seconds is None:
            return
        try:
            failure = flush_provider(self._tracers.find_provider(), self._seconds)
        except Exception as error:  # noqa: BLE001 - the agent must not feel any failure of its recorder
            failure = f"raised {name_exception(error)}"
        if failure is not None and self._counters.add("flush_failures") == 1:
            _logger.warning(
                "flush_on_end=%s: the flush at the end of a run %s, so its spans may be late or lost; the agent goes "
                "on. Look at the exporter and where it sends to. Further failures are only counted.",
                self._seconds,
                failure,
            )
