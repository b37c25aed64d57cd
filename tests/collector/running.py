"""Start a collector on free ports, say where it listens and writes, and end it whatever happens.

The configuration is the one that users get, unchanged: its addresses and its file are environment variables. The
collector runs under `guard.py`, which ends it when this process is gone, however it went.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.collector.errors import CollectorError
from tests.collector.log import read_last_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["CONFIG", "Collector", "running_collector"]

CONFIG = Path(__file__).parents[2] / "collector-config.yaml"
"""The configuration at the top level of the project."""

GUARD = Path(__file__).with_name("guard.py")
START_SECONDS = 60.0
STOP_SECONDS = 30.0
STARTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Collector:
    """A collector that has started and is healthy."""

    grpc_endpoint: str
    """OTLP/gRPC, as `OTEL_EXPORTER_OTLP_ENDPOINT` takes it."""
    http_endpoint: str
    """OTLP/HTTP, as `OTEL_EXPORTER_OTLP_ENDPOINT` takes it (exporters add `/v1/traces`)."""
    health_address: tuple[str, int]
    """Host and port of the health check."""
    metrics_address: tuple[str, int]
    """Host and port of the collector's own Prometheus metrics."""
    traces_path: Path
    """The file that spans are written to; not there before the first batch."""
    log_path: Path
    """What the collector says, one line per message."""
    process: subprocess.Popen[bytes]
    """The guard that runs the collector; its exit status is the collector's."""

    def stop(self) -> int:
        """End the collector as an operator would, so that all it has taken in is in its file.

        Returns:
            The collector's exit status; 0 when it ended in order. A second call returns the same.
        """
        return _stop(self.process)

    def wait_for_spans(self, count: int, *, seconds: float = 30.0) -> None:
        """Wait until the file holds a number of spans.

        Args:
            count: Spans to wait for, copies counted.
            seconds: The longest wait.

        Raises:
            TimeoutError: The file does not hold them in time.
        """
        deadline = time.monotonic() + seconds
        while (found := _count_spans(self.traces_path)) < count:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{found} of {count} spans in {self.traces_path} after {seconds} s")
            time.sleep(0.05)


@contextmanager
def running_collector(
    directory: Path,
    *,
    binary: Path,
    config: Path = CONFIG,
    environment: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
) -> Iterator[Collector]:
    """Run a collector for the length of a `with` block.

    Args:
        directory: An existing folder for the log (`collector.log`) and the spans (`traces/traces.jsonl`); a
            second collector in the same folder goes on with both.
        binary: The collector's executable.
        config: Its configuration.
        environment: Values for the configuration's variables in place of free ports and the file's path.
        arguments: More arguments, such as `--set=exporters.file.rotation.max_megabytes=1`.

    Yields:
        The collector, healthy. It has ended when the block is left.

    Raises:
        CollectorError: It did not become healthy; the message ends in what it said.
    """
    process, variables = _start(directory, binary, config, environment or {}, arguments)
    try:
        yield Collector(
            grpc_endpoint=f"http://{variables['OTEL_TRAJ_OTLP_GRPC']}",
            http_endpoint=f"http://{variables['OTEL_TRAJ_OTLP_HTTP']}",
            health_address=_split(variables["OTEL_TRAJ_HEALTH"]),
            metrics_address=("127.0.0.1", int(variables["OTEL_TRAJ_METRICS_PORT"])),
            traces_path=Path(variables["OTEL_TRAJ_TRACES"]),
            log_path=directory / "collector.log",
            process=process,
        )
    finally:
        _stop(process)


def _start(
    directory: Path, binary: Path, config: Path, environment: Mapping[str, str], arguments: Sequence[str]
) -> tuple[subprocess.Popen[bytes], dict[str, str]]:
    # A port that was free a moment ago may be taken when the collector binds it: then others are tried.
    for attempt in range(STARTS):
        variables = _free_addresses(directory) | dict(environment)
        process = _spawn(directory, [str(binary), f"--config={config}", *arguments], variables)
        try:
            _wait_until_healthy(process, _split(variables["OTEL_TRAJ_HEALTH"]), directory / "collector.log")
        except BaseException as error:
            _stop(process)
            if attempt + 1 < STARTS and "address already in use" in str(error):
                continue
            raise
        return process, variables
    raise AssertionError("unreachable: the last attempt returns or raises")


def _free_addresses(directory: Path) -> dict[str, str]:
    with ExitStack() as held:
        # All are held until all are chosen, or the kernel may hand out one twice.
        sockets = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(4)]
        grpc, otlp_http, health, metrics = (holder.getsockname()[1] for holder in sockets)
    return {
        "OTEL_TRAJ_OTLP_GRPC": f"127.0.0.1:{grpc}",
        "OTEL_TRAJ_OTLP_HTTP": f"127.0.0.1:{otlp_http}",
        "OTEL_TRAJ_HEALTH": f"127.0.0.1:{health}",
        "OTEL_TRAJ_METRICS_PORT": str(metrics),
        "OTEL_TRAJ_TRACES": str(directory / "traces" / "traces.jsonl"),
    }


def _spawn(directory: Path, command: list[str], variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    with (directory / "collector.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-I", str(GUARD), *command],
            cwd=directory,
            env=inherited | dict(variables),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _wait_until_healthy(process: subprocess.Popen[bytes], address: tuple[str, int], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not _is_healthy(address):
        if process.poll() is not None:
            raise CollectorError(f"the collector did not start: {read_last_line(log)}")
        if time.monotonic() > deadline:
            raise CollectorError(
                f"the collector was not healthy after {START_SECONDS} s: {read_last_line(log)}"
            )
        time.sleep(0.05)


def _is_healthy(address: tuple[str, int]) -> bool:
    # http.client, because urllib would ask a proxy that the environment names.
    connection = http.client.HTTPConnection(*address, timeout=5)
    try:
        connection.request("GET", "/")
        answer = connection.getresponse()
        return answer.status == http.HTTPStatus.OK and b"Server available" in answer.read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _stop(process: subprocess.Popen[bytes]) -> int:
    if process.stdin is not None:
        process.stdin.close()
    try:
        return process.wait(STOP_SECONDS)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


def _count_spans(path: Path) -> int:
    if not path.exists():
        return 0
    # What follows the last newline is a line that is still being written.
    lines = path.read_bytes().split(b"\n")[:-1]
    return sum(
        len(scope["spans"])
        for line in lines
        for resource in json.loads(line)["resourceSpans"]
        for scope in resource["scopeSpans"]
    )


def _split(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host, int(port)
