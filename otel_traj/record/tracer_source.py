"""Where the tracer comes from: the provider that was given, else the global one, looked up at each run.

The lookup is repeated because a program may set its provider after it made the handler.
"""

from __future__ import annotations

import os
import threading
import warnings
from typing import TYPE_CHECKING

from opentelemetry import trace

import otel_traj
from otel_traj import semconv as sc
from otel_traj.record.forking import renew_in_child

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer, TracerProvider

__all__ = ["TracerSource"]

_NO_SDK = (
    "TrajectoryCallbackHandler: the tracer provider has no OpenTelemetry SDK behind it, so no span of this run "
    "or of later runs is recorded. Call otel_traj.configure() before the first run, or pass tracer_provider=."
)


class TracerSource:
    """The tracer of a handler; safe between threads."""

    def __init__(self, provider: TracerProvider | None) -> None:
        """Keep the provider; None means the global one."""
        self.given = provider
        """The provider that the user passed, None where the global one counts."""
        self.renew_locks()
        renew_in_child(self)
        self._cached: tuple[TracerProvider, Tracer] | None = None
        self._has_warned = False

    def renew_locks(self) -> None:
        """Make the lock."""
        self._lock = threading.RLock()

    def find_provider(self) -> TracerProvider:
        """Return the provider that counts now."""
        return self.given if self.given is not None else trace.get_tracer_provider()

    def get_tracer(self) -> Tracer:
        """Return the tracer for a run that starts now."""
        provider = self.find_provider()
        cached = self._cached
        if cached is None or cached[0] is not provider:
            tracer = provider.get_tracer(sc.SCOPE_NAME, otel_traj.__version__)
            cached = self._cached = (provider, tracer)
        return cached[1]

    def warn_without_sdk(self) -> None:
        """Warn, the first time, where nothing will be recorded and nobody asked for that."""
        cached = self._cached
        if self._has_warned or cached is None or not _lacks_sdk(cached[0]):
            return
        with self._lock:
            if self._has_warned:
                return
            self._has_warned = True
        warnings.warn(_NO_SDK, UserWarning, stacklevel=2)


def _lacks_sdk(provider: TracerProvider) -> bool:
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    return isinstance(provider, (trace.ProxyTracerProvider, trace.NoOpTracerProvider))
