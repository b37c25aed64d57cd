"""Waiting for what asynchronous evaluators answer, in a function that is not asynchronous itself.

One event loop serves all evaluators and all runs, so that a client that one of them holds lives as long as they do.
Where a loop is running already (a notebook, an asynchronous test) no other can run in its thread: ours then has a
thread of its own.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from types import TracebackType

__all__ = ["AnswerWaiter"]


class AnswerWaiter:
    """Waits for answers; a context manager, whose end closes the event loop."""

    def __enter__(self) -> Self:
        """Find out where a loop can run."""
        self._runner = asyncio.Runner()
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._thread = None
        else:
            self._thread = ThreadPoolExecutor(max_workers=1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        """Close it; what is still running in it is cancelled."""
        if self._thread is None:
            self._runner.close()
        else:
            self._thread.submit(self._runner.close).result()
            self._thread.shutdown()

    def wait(self, answer: Awaitable[object]) -> object:
        """Return what is answered in the end.

        Args:
            answer: What a call of an evaluator returned.
        """

        async def bring() -> object:
            return await answer

        if self._thread is None:
            return self._runner.run(bring())
        answered = self._thread.submit(self._runner.run, bring())
        try:
            return answered.result()
        finally:
            if not answered.done():
                # Whoever interrupts the program does not wait for an answer any more.
                loop = self._runner.get_loop()
                for task in asyncio.all_tasks(loop):
                    loop.call_soon_threadsafe(task.cancel)
