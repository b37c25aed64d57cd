"""Start a collector on free ports, say where it listens and writes, and end it whatever happens.

The configuration is the one that users get, unchanged: its addresses and its file are environment variables.
"""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.backends.launch import Launch, choose_addresses, kill, start, stop

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["CONFIG", "Collector", "running_collector"]

CONFIG = Path(__file__).parents[2] / "collector-config.yaml"
"""The configuration at the top level of the project."""


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
    span_metrics_address: tuple[str, int]
    """Host and port of the Prometheus metrics by node."""
    traces_path: Path
    """The file that spans are written to; not there before the first batch."""
    events_path: Path
    """The file that log events are written to, likewise."""
    log_path: Path
    """What the collector says, one line per message."""
    process: subprocess.Popen[bytes]
    """The guard that runs the collector; its exit status is the collector's."""

    def stop(self) -> int:
        """End the collector as an operator would, so that all it has taken in is in its file.

        Returns:
            The collector's exit status; 0 when it ended in order. A second call returns the same.
        """
        return stop(self.process)

    def kill(self) -> None:
        """End the collector in the middle of whatever it does; it is gone, and its addresses are free, on return."""
        kill(self.process)

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
        BackendError: It did not become healthy; the message ends in what it said.
    """
    log = directory / "collector.log"

    def prepare() -> Launch:
        variables = _choose_variables(directory) | dict(environment or {})
        return Launch(
            name="collector",
            command=[str(binary), f"--config={config}", *arguments],
            environment=variables,
            log=log,
            health=variables["OTEL_TRAJ_HEALTH"],
            health_path="/",
            healthy=b"Server available",
        )

    process, launch = start(prepare)
    variables = launch.environment
    try:
        yield Collector(
            grpc_endpoint=f"http://{variables['OTEL_TRAJ_OTLP_GRPC']}",
            http_endpoint=f"http://{variables['OTEL_TRAJ_OTLP_HTTP']}",
            health_address=_split(variables["OTEL_TRAJ_HEALTH"]),
            metrics_address=("127.0.0.1", int(variables["OTEL_TRAJ_METRICS_PORT"])),
            span_metrics_address=_split(variables["OTEL_TRAJ_SPAN_METRICS"]),
            traces_path=Path(variables["OTEL_TRAJ_TRACES"]),
            events_path=Path(variables["OTEL_TRAJ_EVENTS"]),
            log_path=log,
            process=process,
        )
    finally:
        stop(process)


def _choose_variables(directory: Path) -> dict[str, str]:
    grpc, otlp_http, health, metrics, span_metrics = choose_addresses(5)
    return {
        "OTEL_TRAJ_OTLP_GRPC": grpc,
        "OTEL_TRAJ_OTLP_HTTP": otlp_http,
        "OTEL_TRAJ_HEALTH": health,
        "OTEL_TRAJ_METRICS_PORT": metrics.rpartition(":")[2],
        "OTEL_TRAJ_SPAN_METRICS": span_metrics,
        "OTEL_TRAJ_EVENTS": str(directory / "events" / "events.jsonl"),
        "OTEL_TRAJ_TRACES": str(directory / "traces" / "traces.jsonl"),
    }


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
