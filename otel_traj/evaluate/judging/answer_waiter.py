"""Waiting for what asynchronous evaluators answer, in a function that is not asynchronous itself.

One event loop serves all evaluators and all runs, so that a client that one of them holds lives as long as they do.
Where a loop is running already (a notebook, an asynchronous test) no other can run in its thread: ours then has a
thread of its own.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from types import TracebackType

__all__ = ["AnswerWaiter"]

_LONGEST_SLEEP: Final = 0.2


class AnswerWaiter:
    """Waits for answers; a context manager, whose end closes the event loop."""

    def __enter__(self) -> Self:
        """Find out where a loop can run."""
        self._runner = asyncio.Runner()
        self._task: asyncio.Task[object] | None = None
        self._is_closed = False
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._thread = None
        else:
            self._thread = ThreadPoolExecutor(max_workers=1)
            # The thread begins now: the pool loses one that an interrupt comes upon while it begins.
            self._thread.submit(int).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        """Close it. Whoever interrupts the program does not wait for an answer any more: it is cancelled."""
        if self._thread is None:
            self._runner.close()
            return
        self._is_closed = True
        if self._task is not None and not self._task.done():
            self._task.get_loop().call_soon_threadsafe(self._task.cancel)
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()

    def wait(self, answer: Awaitable[object]) -> object:
        """Return what is answered in the end.

        Args:
            answer: What a call of an evaluator returned.
        """
        if self._thread is None:
            return self._runner.run(self._bring(answer))
        answered = self._thread.submit(self._runner.run, self._bring(answer))
        # An interrupt that comes just before a thread blocks is seen only when it wakes.
        while not wait([answered], timeout=_LONGEST_SLEEP).done:
            continue
        return answered.result()

    async def _bring(self, answer: Awaitable[object]) -> object:
        self._task = asyncio.current_task()
        # An interrupt may come before the other thread has begun.
        if self._is_closed:
            raise asyncio.CancelledError
        return await answer
