"""Run a command that ends when this process's stdin closes (`python guard.py COMMAND...`).

A pytest that is killed can run no cleanup, and its backend would listen on. The kernel closes a dead process's pipes
whatever killed it, so a backend is started through this guard, whose stdin is a pipe from the tests.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

GRACE_SECONDS = 15
"""From the request to end until the command is killed."""


def end(child: subprocess.Popen[bytes]) -> None:
    """Ask the command to end until it does, and kill it when it does not."""
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline:
        child.send_signal(signal.SIGINT)
        time.sleep(0.05)
        if child.poll() is not None:
            return
    child.kill()


def main(command: list[str]) -> int:
    """Run the command to its end, or until stdin closes, and return its exit status.

    SIGUSR1 kills the command, as a machine without memory would; the guard ends when it is gone, its ports free again.
    A collector is healthy a moment before it listens to signals (`Collector.Run` of 0.161.0), and on a busy machine that
    moment is long enough to take spans in: SIGTERM would then kill it with all that waits in its queues. SIGINT is
    ignored from its start, which a Go program leaves so until it listens (`os/signal`), and is sent until it is heard.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    signal.signal(signal.SIGUSR1, lambda *_: child.kill())

    def end_at_eof() -> None:
        # Not sys.stdin: a thread that waits inside a buffered reader makes the interpreter abort at its own end.
        while os.read(0, 1024):
            pass
        end(child)

    threading.Thread(target=end_at_eof, daemon=True).start()
    return child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
