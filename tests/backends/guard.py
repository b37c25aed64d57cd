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

GRACE_SECONDS = 15
"""From the request to end until the command is killed."""


def end(child: subprocess.Popen[bytes]) -> None:
    """Ask the command to end, and kill it when it does not."""
    child.terminate()
    try:
        child.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()


def main(command: list[str]) -> int:
    """Run the command to its end, or until stdin closes, and return its exit status.

    A collector is healthy a moment before it listens to signals (`Collector.Run` of 0.161.0): one that dies of the
    request to end has taken nothing in yet, and counts as ended in order.
    """
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end_at_eof() -> None:
        # Not sys.stdin: a thread that waits inside a buffered reader makes the interpreter abort at its own end.
        while os.read(0, 1024):
            pass
        end(child)

    threading.Thread(target=end_at_eof, daemon=True).start()
    status = child.wait()
    return 0 if status == -signal.SIGTERM else status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
