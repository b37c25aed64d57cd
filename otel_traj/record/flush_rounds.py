"""Flush a tracer provider in a time that is kept.

`force_flush` keeps no time: the SDK's batch processor exports in the thread that calls it, however long the exporter
takes (seen with opentelemetry-sdk 1.45.2). So a thread of ours calls it, and who asked waits no longer than he said.
There is one such thread for a provider, while there is something to flush: it works in rounds. Who asks while a round
is under way waits for the next one, with all others who do, because the round under way may have left with less than
has ended since. An exporter that hangs thus holds one thread, however many runs end meanwhile.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from otel_traj.record.exception_event import name_exception
from otel_traj.record.forking import renew_in_child

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

__all__ = ["flush_provider"]


class _Round:
    """One call of `force_flush`, and those who wait for it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.done = threading.Event()
        self.failure: str | None = None

    def run(self, provider: TracerProvider) -> None:
        flush = getattr(provider, "force_flush", None)
        try:
            if not callable(flush):
                self.failure = "found a provider that can't be flushed"
            elif flush(max(1, int(self.seconds * 1000))) is False:
                self.failure = "said that it failed"
        except BaseException as error:  # noqa: BLE001 - SystemExit too would leave all others waiting
            self.failure = f"raised {name_exception(error)}"
        finally:
            self.done.set()


class _FlushThread(threading.Thread):
    """Flushes one provider as long as there are rounds; daemonic, so that no exporter keeps a process from ending."""

    def __init__(self, rounds: _Rounds, provider: TracerProvider) -> None:
        super().__init__(name="otel_traj-flush", daemon=True)
        self._rounds = rounds
        self._provider = provider

    def run(self) -> None:
        while (waiting := self._rounds.take(self._provider)) is not None:
            waiting.run(self._provider)


class _Rounds:
    """The rounds that wait, by provider; a provider is here exactly as long as it has a thread."""

    def __init__(self) -> None:
        self.renew_locks()
        renew_in_child(self)

    def renew_locks(self) -> None:
        """Make the lock, and forget the rounds: in a child the threads that work on them are not there."""
        self._lock = threading.RLock()
        self._waiting: dict[int, _Round | None] = {}

    def join(self, provider: TracerProvider, seconds: float) -> _Round:
        key = id(provider)  # stays its own: the thread holds the provider
        with self._lock:
            waiting = self._waiting.get(key)
            if waiting is not None:
                waiting.seconds = max(waiting.seconds, seconds)
                return waiting
            has_thread = key in self._waiting
            self._waiting[key] = waiting = _Round(seconds)
            if not has_thread:
                self._start(provider)
            return waiting

    def _start(self, provider: TracerProvider) -> None:
        try:
            _FlushThread(self, provider).start()
        except BaseException:
            del self._waiting[id(provider)]
            raise

    def take(self, provider: TracerProvider) -> _Round | None:
        key = id(provider)
        with self._lock:
            waiting = self._waiting.get(key)
            if waiting is None:
                self._waiting.pop(key, None)
            else:
                self._waiting[key] = None
            return waiting


_rounds = _Rounds()


def flush_provider(provider: TracerProvider, seconds: float) -> str | None:
    """Have everything sent that has ended so far, and wait for it, but no longer than that.

    Args:
        provider: What is flushed.
        seconds: Longest time to wait, also told to the provider. What is late goes on, unwaited for.

    Returns:
        What the flush did wrong, as the verb of a sentence; None where the provider says that all is well, which need
        not mean that all arrived.

    Raises:
        RuntimeError: No thread can be started any more: the interpreter is ending, or the system has no more.
    """
    waiting = _rounds.join(provider, seconds)
    if isinstance(threading.current_thread(), _FlushThread):
        # The garbage collector ended a run in here: the thread can't wait for what it has to do itself.
        return None
    return waiting.failure if waiting.done.wait(seconds) else "timed out"
