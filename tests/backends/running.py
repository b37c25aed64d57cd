"""A backend that runs for the length of a `with` block: where it takes spans, what it says, and how it ends.

Its configuration names addresses by environment variables, which are alike for all backends: `OTEL_TRAJ_OTLP_GRPC`,
`OTEL_TRAJ_OTLP_HTTP` and `OTEL_TRAJ_HEALTH`.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from tests.backends.launch import Launch, kill, start, stop

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["Backend", "run_backend"]


@dataclass(frozen=True, slots=True)
class Backend:
    """A backend that has started and is healthy."""

    launch: Launch
    """How it was started."""
    process: subprocess.Popen[bytes]
    """The guard that runs it; its exit status is the backend's."""

    @property
    def grpc_endpoint(self) -> str:
        """OTLP/gRPC, as `OTEL_EXPORTER_OTLP_ENDPOINT` takes it."""
        return f"http://{self.launch.environment['OTEL_TRAJ_OTLP_GRPC']}"

    @property
    def http_endpoint(self) -> str:
        """OTLP/HTTP, as `OTEL_EXPORTER_OTLP_ENDPOINT` takes it (exporters add `/v1/traces`)."""
        return f"http://{self.launch.environment['OTEL_TRAJ_OTLP_HTTP']}"

    @property
    def log_path(self) -> Path:
        """What it says, one line per message."""
        return self.launch.log

    def stop(self) -> int:
        """End it as an operator would, so that a collector has written all it has taken in.

        Returns:
            Its exit status; 0 when it ended in order. A second call returns the same.
        """
        return stop(self.process)

    def kill(self) -> None:
        """End it in the middle of whatever it does; it is gone, and its addresses are free, on return."""
        kill(self.process)


_Kind = TypeVar("_Kind", bound=Backend)


@contextmanager
def run_backend(kind: type[_Kind], prepare: Callable[[], Launch]) -> Iterator[_Kind]:
    """Run a backend for the length of a `with` block.

    Args:
        kind: What it is.
        prepare: Returns what to start, with addresses chosen anew; see `start`.

    Yields:
        The backend, healthy. It has ended when the block is left.

    Raises:
        BackendError: It did not become healthy; the message ends in what it said.
    """
    process, launch = start(prepare)
    try:
        yield kind(launch, process)
    finally:
        stop(process)
