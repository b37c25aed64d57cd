"""A server in a process of its own: started on a free port, asked, and ended as an operator would end it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx

from tests.deploying import SECONDS, make_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["find_free_port", "make_client", "serving"]


def find_free_port() -> int:
    """Return a port that nobody listens at now."""
    with socket.create_server(("127.0.0.1", 0)) as holder:
        return int(holder.getsockname()[1])


def make_client() -> httpx.Client:
    """Return a client that no settings of this machine touch, and that makes a connection for each request."""
    return httpx.Client(trust_env=False, timeout=SECONDS, headers={"Connection": "close"})


@contextmanager
def serving(
    folder: Path, *command: str, healthy: str, variables: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Run a server for the length of a `with` block, and end it then by SIGTERM.

    Args:
        folder: Where it runs; its log is `server.log` there.
        command: Arguments of Python, or another command and its arguments; `{port}` in these is the port.
        healthy: A path that is answered without a graph run once it serves.
        variables: Variables of its environment.

    Yields:
        Its address.
    """
    port = find_free_port()
    arguments = [part.replace("{port}", str(port)) for part in command]
    if command[0] == "-m" or command[0].endswith(".py"):
        arguments.insert(0, sys.executable)
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            arguments,
            cwd=folder,
            env=make_environment(folder, **(variables or {})),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_healthy(process, f"{url}{healthy}", log)
        yield url
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS)
    finally:
        process.kill()
        process.wait()


def _wait_until_healthy(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    with make_client() as client:
        while not _answers(client, url):
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(log.read_text("utf-8"))
            time.sleep(0.05)


def _answers(client: httpx.Client, url: str) -> bool:
    try:
        client.get(url)
    except httpx.TransportError:
        return False
    return True
