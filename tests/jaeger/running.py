"""Start a Jaeger with an empty store on free ports, say where it listens, ask it, and end it whatever happens."""

from __future__ import annotations

import http.client
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.backends.launch import Launch, choose_addresses, kill, start, stop

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Mapping

__all__ = ["CONFIG", "Jaeger", "running_jaeger"]

CONFIG = Path(__file__).with_name("jaeger-config.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Jaeger:
    """A Jaeger that has started and is healthy."""

    grpc_endpoint: str
    """OTLP/gRPC, as `OTEL_EXPORTER_OTLP_ENDPOINT` takes it."""
    http_endpoint: str
    """OTLP/HTTP, as `OTEL_EXPORTER_OTLP_ENDPOINT` takes it (exporters add `/v1/traces`)."""
    query_address: str
    """Host and port of the query API over HTTP."""
    query_grpc_address: str
    """Host and port of the query API over gRPC."""
    log_path: Path
    """What Jaeger says, one line per message."""
    process: subprocess.Popen[bytes]
    """The guard that runs Jaeger; its exit status is Jaeger's."""

    def get(self, path: str) -> tuple[int, bytes]:
        """Ask the query API.

        Args:
            path: Path and query, as in `/api/v3/services`.

        Returns:
            Status and body of the answer.
        """
        connection = http.client.HTTPConnection(self.query_address, timeout=30)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def stop(self) -> int:
        """End Jaeger, which forgets all; return its exit status. A second call returns the same."""
        return stop(self.process)

    def kill(self) -> None:
        """End Jaeger in the middle of whatever it does; it is gone, and its addresses are free, on return."""
        kill(self.process)


@contextmanager
def running_jaeger(
    directory: Path, *, binary: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Jaeger]:
    """Run a Jaeger for the length of a `with` block.

    Args:
        directory: An existing folder for the log (`jaeger.log`).
        binary: The executable.
        environment: Values for the configuration's variables in place of free addresses.

    Yields:
        Jaeger, healthy. It has ended when the block is left.

    Raises:
        BackendError: It did not become healthy; the message ends in what it said.
    """
    log = directory / "jaeger.log"

    def prepare() -> Launch:
        names = ("OTLP_GRPC", "OTLP_HTTP", "HEALTH", "QUERY_HTTP", "QUERY_GRPC")
        variables = {
            f"OTEL_TRAJ_{name}": address
            for name, address in zip(names, choose_addresses(len(names)), strict=True)
        }
        variables |= environment or {}
        return Launch(
            name="jaeger",
            command=[str(binary), f"--config={CONFIG}"],
            environment=variables,
            log=log,
            health=variables["OTEL_TRAJ_HEALTH"],
            health_path="/status",
            healthy=b"StatusOK",
        )

    process, launch = start(prepare)
    variables = launch.environment
    try:
        yield Jaeger(
            grpc_endpoint=f"http://{variables['OTEL_TRAJ_OTLP_GRPC']}",
            http_endpoint=f"http://{variables['OTEL_TRAJ_OTLP_HTTP']}",
            query_address=variables["OTEL_TRAJ_QUERY_HTTP"],
            query_grpc_address=variables["OTEL_TRAJ_QUERY_GRPC"],
            log_path=log,
            process=process,
        )
    finally:
        stop(process)
