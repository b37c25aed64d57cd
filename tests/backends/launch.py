"""Start a backend on free ports, wait until it is healthy, and end it whatever happens.

It runs under `guard.py`, which ends it when this process is gone, however it went.
"""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.backends.errors import BackendError
from tests.backends.log import read_last_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["Launch", "choose_addresses", "kill", "start", "stop"]

GUARD = Path(__file__).with_name("guard.py")
START_SECONDS = 60.0
STOP_SECONDS = 30.0
STARTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One attempt to start a backend."""

    name: str
    """What messages call it."""
    command: Sequence[str]
    environment: Mapping[str, str]
    """Added to this process's own, from which everything that begins with `OTEL_` is taken; `OTEL_TRAJ_HEALTH` is host
    and port of the health check."""
    log: Path
    """What it says is appended here; it runs in the log's folder."""
    health_path: str
    healthy: bytes
    """What stands in the answer of a healthy one."""


def choose_addresses(count: int) -> list[str]:
    """Return addresses of this machine, `host:port`, that nothing listens on at the moment."""
    with ExitStack() as held:
        # All are held until all are chosen, or the kernel may hand out one twice.
        sockets = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [f"127.0.0.1:{holder.getsockname()[1]}" for holder in sockets]


def start(prepare: Callable[[], Launch]) -> tuple[subprocess.Popen[bytes], Launch]:
    """Start a backend.

    Args:
        prepare: Returns what to start, with addresses chosen anew: a port that was free a moment ago may be taken when
            it is bound, and then others are tried.

    Returns:
        The guard that runs the backend, which is healthy, and what was started.

    Raises:
        BackendError: It did not become healthy; the message ends in what it said.
    """
    for attempt in range(STARTS):
        launch = prepare()
        process = _spawn(launch)
        try:
            _wait_until_healthy(process, launch)
        except BaseException as error:
            stop(process)
            if attempt + 1 < STARTS and "address already in use" in str(error):
                continue
            raise
        return process, launch
    raise AssertionError("unreachable: the last attempt returns or raises")


def stop(process: subprocess.Popen[bytes]) -> int:
    """End a backend as an operator would; return its exit status, 0 when it ended in order."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        return process.wait(STOP_SECONDS)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a backend in the middle of whatever it does; it is gone, and its addresses are free, on return."""
    process.send_signal(signal.SIGUSR1)
    process.wait(STOP_SECONDS)


def _spawn(launch: Launch) -> subprocess.Popen[bytes]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    with launch.log.open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-I", str(GUARD), *launch.command],
            cwd=launch.log.parent,
            env=inherited | dict(launch.environment),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _wait_until_healthy(process: subprocess.Popen[bytes], launch: Launch) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not _is_healthy(launch):
        if process.poll() is not None:
            raise BackendError(f"the {launch.name} did not start: {read_last_line(launch.log)}")
        if time.monotonic() > deadline:
            raise BackendError(
                f"the {launch.name} was not healthy after {START_SECONDS} s: {read_last_line(launch.log)}"
            )
        time.sleep(0.05)


def _is_healthy(launch: Launch) -> bool:
    # http.client, because urllib would ask a proxy that the environment names.
    connection = http.client.HTTPConnection(launch.environment["OTEL_TRAJ_HEALTH"], timeout=5)
    try:
        connection.request("GET", launch.health_path)
        answer = connection.getresponse()
        return answer.status == http.HTTPStatus.OK and launch.healthy in answer.read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
