from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from otel_traj.record.counters import Counters
from otel_traj.record.guard import guarded

if TYPE_CHECKING:
    from collections.abc import Callable


class Recorder:
    """Something with one guarded callback."""

    def __init__(self, act: Callable[[], object]) -> None:
        """Keep what the callback does."""
        self._counters = Counters()
        self._act = act

    @guarded
    def on_something(self) -> None:
        """Do it."""
        self._act()

    @property
    def failures(self) -> int:
        """How many failures were counted."""
        return self._counters.read()["callback_errors"]


def test_failures_are_counted_and_the_first_is_logged_without_its_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A callback that raises returns; each time counts, one line says which callback, which type and where."""

    def fail() -> None:
        raise ValueError("planted secret")

    recorder = Recorder(fail)
    for _ in range(3):
        recorder.on_something()
    assert recorder.failures == 3
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith("on_something failed with ValueError (")
    assert "test_guard.py" in line
    assert "planted" not in line


def test_what_stops_a_program_is_no_failure_of_ours() -> None:
    """KeyboardInterrupt goes on to the agent, uncounted."""

    def stop() -> None:
        raise KeyboardInterrupt

    recorder = Recorder(stop)
    with pytest.raises(KeyboardInterrupt):
        recorder.on_something()
    assert recorder.failures == 0


def test_log_that_raises_is_no_ones_problem() -> None:
    """A log handler of the application that fails does not make a failure of ours the agent's."""

    class Broken(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise RuntimeError(record)

    def fail() -> None:
        raise ValueError("planted secret")

    recorder, broken, logger = Recorder(fail), Broken(), logging.getLogger("otel_traj")
    logger.addHandler(broken)
    try:
        recorder.on_something()
    finally:
        logger.removeHandler(broken)
    assert recorder.failures == 1
