"""What the guard does when a command ends, and when whoever started it is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

GUARD = Path(__file__).with_name("guard.py")


def run_guarded(program: str) -> int:
    """Run a program under the guard, close the guard's stdin once it has begun, and return the guard's status."""
    with subprocess.Popen(
        [sys.executable, "-I", GUARD, sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as guard:
        assert guard.stdin is not None
        assert guard.stdout is not None
        assert guard.stdout.readline() == b"begun\n"
        guard.stdin.close()
        return guard.wait(60)


BEGIN = "print('begun', flush=True); "
IGNORED = "signal.signal(signal.SIGTERM, signal.SIG_IGN); "
LATE = "time.sleep(0.5); "
WAIT = "time.sleep(60)"
HANDLED = "signal.signal(signal.SIGINT, lambda *_: sys.exit({status})); "


@pytest.mark.parametrize(
    ("program", "status"),
    [
        (HANDLED.format(status=0) + BEGIN + WAIT, 0),
        (HANDLED.format(status=3) + BEGIN + WAIT, 3),
        (BEGIN + LATE + HANDLED.format(status=0) + WAIT, 0),
        (IGNORED + BEGIN + "os.kill(os.getpid(), signal.SIGKILL)", 256 - 9),
    ],
    ids=["ends in order", "fails at its end", "does not listen to the request yet", "is killed"],
)
def test_status_of_a_command_that_is_asked_to_end(program: str, status: int) -> None:
    """The guard ends with the command's status; one that does not listen yet is asked again, and ends in order."""
    imports = "import os, signal, sys, time; "
    assert run_guarded(imports + program) == status


def test_command_is_killed_on_demand() -> None:
    """However it listens to other signals, the command is gone when the guard is."""
    program = "import os, signal, sys, time; " + IGNORED + "print(os.getpid(), flush=True); " + WAIT
    with subprocess.Popen(
        [sys.executable, "-I", GUARD, sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as guard:
        assert guard.stdout is not None
        child = int(guard.stdout.readline())
        guard.send_signal(signal.SIGUSR1)
        assert guard.wait(60) == 256 - signal.SIGKILL
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
