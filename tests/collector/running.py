"""Start a collector on free ports, say where it listens and writes, and end it whatever happens.

The configuration is the one that users get, unchanged: its addresses and its file are environment variables.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.backends.launch import Launch, choose_addresses
from tests.backends.running import Backend, run_backend

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

__all__ = ["CONFIG", "Collector", "running_collector"]

CONFIG = Path(__file__).parents[2] / "collector-config.yaml"
"""The configuration at the top level of the project."""


@dataclass(frozen=True, slots=True)
class Collector(Backend):
    """A collector that has started and is healthy."""

    @property
    def health_address(self) -> tuple[str, int]:
        """Host and port of the health check."""
        return _split(self.launch.environment["OTEL_TRAJ_HEALTH"])

    @property
    def metrics_address(self) -> tuple[str, int]:
        """Host and port of the collector's own Prometheus metrics."""
        return "127.0.0.1", int(self.launch.environment["OTEL_TRAJ_METRICS_PORT"])

    @property
    def span_metrics_address(self) -> tuple[str, int]:
        """Host and port of the Prometheus metrics by node."""
        return _split(self.launch.environment["OTEL_TRAJ_SPAN_METRICS"])

    @property
    def traces_path(self) -> Path:
        """The file that spans are written to; not there before the first batch."""
        return Path(self.launch.environment["OTEL_TRAJ_TRACES"])

    @property
    def events_path(self) -> Path:
        """The file that log events are written to, likewise."""
        return Path(self.launch.environment["OTEL_TRAJ_EVENTS"])

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


def running_collector(
    directory: Path,
    *,
    binary: Path,
    config: Path = CONFIG,
    environment: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
) -> AbstractContextManager[Collector]:
    """Run a collector for the length of a `with` block.

    Args:
        directory: An existing folder for the log (`collector.log`) and the spans (`traces/traces.jsonl`); a
            second collector in the same folder goes on with both.
        binary: The collector's executable.
        config: Its configuration.
        environment: Values for the configuration's variables in place of free ports and the file's path.
        arguments: More arguments, such as `--set=exporters.file.rotation.max_megabytes=1`.

    Returns:
        Gives the collector, healthy. It has ended when the block is left.

    Raises:
        BackendError: It did not become healthy; the message ends in what it said.
    """

    def prepare() -> Launch:
        return Launch(
            name="collector",
            command=[str(binary), f"--config={config}", *arguments],
            environment=_choose_variables(directory) | dict(environment or {}),
            log=directory / "collector.log",
            health_path="/",
            healthy=b"Server available",
        )

    return run_backend(Collector, prepare)


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
