"""Record every LangGraph run of a process without a line in it.

The class has the interface of OpenTelemetry's `BaseInstrumentor` (opentelemetry-instrumentation 0.66b2) and not its
base: so it is there in the base install, `opentelemetry-instrument` finds it by its entry point `otel_traj`, and the
same code runs with and without that package. How the handler reaches the runs stands in `graph_entrance`.
"""

from __future__ import annotations

import functools
import logging
import os
import threading
from importlib import import_module
from typing import TYPE_CHECKING, cast

from otel_traj.record.forking import renew_in_child
from otel_traj.record.graph_entrance import ENTRANCE_MODULE, GraphEntrance
from otel_traj.record.import_watch import ImportWatch

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from opentelemetry._logs import LoggerProvider
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from otel_traj.record.handler import TrajectoryCallbackHandler

__all__ = ["LangGraphInstrumentor"]

_logger = logging.getLogger("otel_traj")

_OF_THE_INTERFACE = ("skip_dep_check", "raise_exception_on_conflict")
"""What programs pass to any instrumentation alike, and this one has no use for."""


class LangGraphInstrumentor:
    """Gives every graph run of this process a handler. All instances are one: they act on the process.

    Runs that get a `TrajectoryCallbackHandler` from their caller keep theirs alone.
    """

    @property
    def is_instrumented_by_opentelemetry(self) -> bool:
        """Whether `instrument` was called, and `uninstrument` not since."""
        return _process.is_instrumented

    @property
    def handler(self) -> TrajectoryCallbackHandler | None:
        """What records now, for its `counters`; None before the first run, and where nothing is recorded."""
        entrance = _process.entrance
        return None if entrance is None else entrance.handler

    @property
    def logger_provider(self) -> LoggerProvider | None:
        """Where `record_feedback` sends what people judge, as `instrument` was told; None for the global provider."""
        return _process.logger_provider

    def instrumentation_dependencies(self) -> Collection[str]:
        """Return what is instrumented, as requirements."""
        return ("langgraph >= 0.6",)

    def instrument(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        logger_provider: LoggerProvider | None = None,
        **options: Any,  # noqa: ANN401 - the handler's own
    ) -> None:
        """Record every graph run that begins from now on.

        A second call is logged and changes nothing. With `OTEL_SDK_DISABLED` nothing is recorded. LangGraph is not
        imported before the program does it, unless an option is given, which is checked at once.

        Args:
            tracer_provider: Where spans go; the global provider, whenever it is set, if None.
            meter_provider: Where the duration and the tokens of each model call go, as metrics; nowhere if None.
            logger_provider: Where `record_feedback` sends its events, unless it is told otherwise; the global
                provider if None. Runs are recorded as spans alone.
            **options: Those of `TrajectoryCallbackHandler`. `skip_dep_check` and `raise_exception_on_conflict`,
                which programs pass to any instrumentation, are ignored.

        Raises:
            TypeError: The handler has no such option.
            TrajectoryTypeError: An option is of a wrong type.
            TrajectoryValueError: An option has a value that can't be meant.
        """
        given = {name: value for name, value in options.items() if name not in _OF_THE_INTERFACE}
        if tracer_provider is not None:
            given["tracer_provider"] = tracer_provider
        if meter_provider is not None:
            given["meter_provider"] = meter_provider
        with _process.lock:
            if _process.is_instrumented:
                _logger.warning("LangGraphInstrumentor: already instrumented; this call changes nothing.")
            else:
                _process.let_in(given)
                _process.logger_provider = logger_provider

    def uninstrument(self, **_options: object) -> None:
        """Give no later run a handler; LangGraph is as it was. Runs under way are recorded to their end."""
        with _process.lock:
            if _process.is_instrumented:
                _process.shut_out()
            else:
                _logger.warning("LangGraphInstrumentor: not instrumented; this call changes nothing.")


class _Process:
    """What is instrumented in this process."""

    def __init__(self) -> None:
        self.is_instrumented = False
        self.entrance: GraphEntrance | None = None
        self.logger_provider: LoggerProvider | None = None
        self._watch: ImportWatch | None = None
        self.renew_locks()
        renew_in_child(self)

    def renew_locks(self) -> None:
        self.lock = threading.RLock()

    def let_in(self, options: dict[str, Any]) -> None:
        if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() != "true":
            make_handler = functools.partial(_make_handler, options)
            self.entrance = GraphEntrance(make_handler() if options else None, make_handler)
            self._watch = ImportWatch(ENTRANCE_MODULE, self.entrance.open)
            self._watch.start()
        self.is_instrumented = True

    def shut_out(self) -> None:
        if self._watch is not None:
            self._watch.stop()
        if self.entrance is not None:
            self.entrance.close()
        self.entrance = self._watch = self.logger_provider = None
        self.is_instrumented = False


_process = _Process()


def _make_handler(options: dict[str, Any]) -> TrajectoryCallbackHandler:
    # By name: this module must not bring LangChain into a process that does not use it.
    made = import_module("otel_traj.record.handler").TrajectoryCallbackHandler(**options)
    return cast("TrajectoryCallbackHandler", made)
