"""Start a Jaeger with an empty store on free ports, say where it listens, ask it, and end it whatever happens."""

from __future__ import annotations

import http.client
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.backends.launch import Launch, choose_addresses
from tests.backends.running import Backend, run_backend

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

__all__ = ["CONFIG", "Jaeger", "running_jaeger"]

CONFIG = Path(__file__).with_name("jaeger-config.yaml")


@dataclass(frozen=True, slots=True)
class Jaeger(Backend):
    """A Jaeger that has started and is healthy; what it keeps is gone when it ends."""

    @property
    def query_address(self) -> str:
        """Host and port of the query API over HTTP."""
        return self.launch.environment["OTEL_TRAJ_QUERY_HTTP"]

    @property
    def query_grpc_address(self) -> str:
        """Host and port of the query API over gRPC."""
        return self.launch.environment["OTEL_TRAJ_QUERY_GRPC"]

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


def running_jaeger(
    directory: Path, *, binary: Path, environment: Mapping[str, str] | None = None
) -> AbstractContextManager[Jaeger]:
    """Run a Jaeger for the length of a `with` block.

    Args:
        directory: An existing folder for the log (`jaeger.log`).
        binary: The executable.
        environment: Values for the configuration's variables in place of free addresses.

    Returns:
        Gives Jaeger, healthy. It has ended when the block is left.

    Raises:
        BackendError: It did not become healthy; the message ends in what it said.
    """

    def prepare() -> Launch:
        names = ("OTLP_GRPC", "OTLP_HTTP", "HEALTH", "QUERY_HTTP", "QUERY_GRPC")
        variables = {
            f"OTEL_TRAJ_{name}": address
            for name, address in zip(names, choose_addresses(len(names)), strict=True)
        }
        return Launch(
            name="jaeger",
            command=[str(binary), f"--config={CONFIG}"],
            environment=variables | dict(environment or {}),
            log=directory / "jaeger.log",
            health_path="/status",
            healthy=b"StatusOK",
        )

    return run_backend(Jaeger, prepare)
