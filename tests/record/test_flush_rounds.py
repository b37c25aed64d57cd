from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, cast

import pytest

from otel_traj.record.flush_rounds import flush_provider

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.trace import TracerProvider

LONG = 60


class Gate:
    """A provider whose flushes wait until they are let through."""

    def __init__(self) -> None:
        """Let nothing through."""
        self.entered = threading.Semaphore(0)
        self.let_through = threading.Semaphore(0)
        self.timeouts: list[int] = []

    def force_flush(self, timeout_millis: int) -> bool:
        """Wait."""
        self.timeouts.append(timeout_millis)
        self.entered.release()
        return self.let_through.acquire(timeout=LONG)

    def flush(self, seconds: float = LONG) -> str | None:
        """Ask for a flush."""
        return flush_provider(cast("TracerProvider", self), seconds)


class Answer:
    """A provider that answers as told."""

    def __init__(self, answer: Callable[[], object]) -> None:
        """Keep the answer."""
        self._answer = answer

    def force_flush(self, timeout_millis: int) -> object:  # noqa: ARG002 - OpenTelemetry's interface
        """Answer."""
        return self._answer()


def list_flush_threads() -> list[threading.Thread]:
    """Return the threads that flush now."""
    return [thread for thread in threading.enumerate() if thread.name == "otel_traj-flush"]


def wait_for_threads() -> None:
    """Wait until nothing flushes any more."""
    for thread in list_flush_threads():
        thread.join(LONG)
    assert list_flush_threads() == []


def test_a_round_under_way_does_not_count_for_who_asks_later() -> None:
    """Who asks while a round is under way waits for the next one, and all who do share it."""
    gate = Gate()
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(gate.flush)
        assert gate.entered.acquire(timeout=LONG)
        later = [pool.submit(gate.flush, LONG + 1) for _ in range(6)]
        gate.let_through.release()
        assert first.result(LONG) is None
        assert gate.entered.acquire(timeout=LONG)
        assert not any(each.done() for each in later)
        gate.let_through.release(2)  # where a late one came after the second round had left, there is a third
        assert [each.result(LONG) for each in later] == [None] * 6
    assert len(gate.timeouts) in (2, 3)
    assert gate.timeouts[:2] == [LONG * 1000, (LONG + 1) * 1000]
    wait_for_threads()


def test_many_who_ask_of_a_provider_that_hangs_hold_one_thread() -> None:
    """However many ask and give up, one thread hangs; when it goes on, it flushes for them all once more."""
    gate = Gate()
    before = time.monotonic()
    with ThreadPoolExecutor(30) as pool:
        told = list(pool.map(gate.flush, [0.05] * 30))
    assert time.monotonic() - before < LONG / 2
    assert set(told) == {"timed out"}
    assert len(list_flush_threads()) == 1
    gate.let_through.release(2)
    wait_for_threads()
    assert len(gate.timeouts) == 2


def test_providers_do_not_wait_for_each_other() -> None:
    """A provider that hangs keeps no other one from being flushed."""
    gate = Gate()
    assert gate.flush(0.01) == "timed out"
    assert flush_provider(cast("TracerProvider", Answer(lambda: True)), LONG) is None
    gate.let_through.release()
    wait_for_threads()


def test_a_flush_that_is_asked_for_inside_a_flush_is_not_waited_for() -> None:
    """Who asks in the thread that flushes, as a run that the garbage collector ends there, gets no deadlock."""
    asked: list[str | None] = []

    def ask_again() -> bool:
        if not asked:
            asked.append(flush_provider(provider, LONG))
        return True

    provider = cast("TracerProvider", Answer(ask_again))
    before = time.monotonic()
    assert flush_provider(provider, LONG) is None
    assert time.monotonic() - before < LONG / 2
    assert asked == [None]
    wait_for_threads()


def leave() -> None:
    """End the interpreter, as an exporter must not."""
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("provider", "failure"),
    [
        (Answer(lambda: True), None),
        (Answer(lambda: None), None),
        (Answer(lambda: False), "said that it failed"),
        (Answer(lambda: 1 / 0), "raised ZeroDivisionError"),
        (Answer(leave), "raised SystemExit"),
        (object(), "found a provider that can't be flushed"),
    ],
    ids=["true", "none", "false", "raises", "exits", "no flush"],
)
def test_what_a_flush_did_wrong_is_told(provider: object, failure: str | None) -> None:
    """A flush that failed says how, whatever the provider does."""
    assert flush_provider(cast("TracerProvider", provider), LONG) == failure
    wait_for_threads()


FORK = """
import os, sys, threading
from otel_traj.record.flush_rounds import flush_provider

class Provider:
    def __init__(self):
        self.parent, self.done = os.getpid(), threading.Event()
    def force_flush(self, timeout_millis):
        return os.getpid() != self.parent or self.done.wait()

provider = Provider()
assert flush_provider(provider, 0.01) == "timed out"
child = os.fork()
if child == 0:
    os._exit(0 if flush_provider(provider, 60) is None else 3)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_does_not_wait_for_a_thread_of_its_parent() -> None:
    """A child that was forked while a flush hung flushes on its own; the parent ends although it still hangs."""
    command = [sys.executable, "-c", FORK]
    done = subprocess.run(command, check=False, timeout=LONG, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
