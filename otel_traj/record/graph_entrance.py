"""Put a handler into the callbacks of every graph run of a process, and take it out again.

Every run of a graph, whichever way it is called, asks one of two functions of `langgraph.pregel.main` for its
callback manager, once, with the config that is already merged and its own (langgraph 0.6.0, 1.0.5, 1.1.6 and 1.2.24).
That is where the handler gets in: after the caller's callbacks are known, so that a handler of theirs wins, and before
LangGraph takes from the same config whom it tells of pauses. A handler that LangChain's configure hook adds is never
told (decision 0003).
"""

from __future__ import annotations

import functools
import logging
import threading
from typing import TYPE_CHECKING, TypeAlias

from opentelemetry import context

from otel_traj.record.exception_event import find_place, name_exception
from otel_traj.record.forking import renew_in_child

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from langchain_core.callbacks import BaseCallbackManager
    from langchain_core.runnables import RunnableConfig

    from otel_traj.record.handler import TrajectoryCallbackHandler

__all__ = ["ENTRANCE_MODULE", "GraphEntrance"]

_MakeManager: TypeAlias = "Callable[..., BaseCallbackManager]"

_logger = logging.getLogger("otel_traj")

ENTRANCE_MODULE = "langgraph.pregel.main"
_ENTRANCES = ("get_callback_manager_for_config", "get_async_callback_manager_for_config")
_SUPPRESSED = "suppress_instrumentation"
"""Context key under which OpenTelemetry's `suppress_instrumentation()` asks instrumentations to stand aside."""


class GraphEntrance:
    """Where the runs of a process meet their handler; safe between threads."""

    def __init__(
        self,
        handler: TrajectoryCallbackHandler | None,
        make_handler: Callable[[], TrajectoryCallbackHandler],
    ) -> None:
        """Keep the handler, or how it is made at the first run.

        Args:
            handler: What records, where it could be made already.
            make_handler: Makes it. A process that never runs a graph never pays for its import.
        """
        self.handler = handler
        self._make_handler = make_handler
        self._is_open = False
        self._has_failed = False
        self._replaced: list[tuple[ModuleType, str, _MakeManager, _MakeManager]] = []
        self.renew_locks()
        renew_in_child(self)

    def renew_locks(self) -> None:
        """Make the lock."""
        self._lock = threading.RLock()

    def open(self, module: ModuleType) -> None:
        """Let the handler into every run that begins from now on.

        Args:
            module: `langgraph.pregel.main`. Where it has not what is known of it, that is logged.
        """
        found = {name: getattr(module, name, None) for name in _ENTRANCES}
        missing = [name for name, function in found.items() if not callable(function)]
        if missing:
            _logger.warning(
                "LangGraphInstrumentor: %s of the installed langgraph has no %s, so no run is recorded. Pass a "
                "TrajectoryCallbackHandler as a callback instead.",
                module.__name__,
                ", ".join(missing),
            )
            return
        self._is_open = True
        for name, original in found.items():
            if original is not None:
                wrapper = self._wrap(original)
                setattr(module, name, wrapper)
                self._replaced.append((module, name, original, wrapper))

    def close(self) -> None:
        """Let it into no run any more, and put back what was there; runs under way keep it to their end."""
        self._is_open = False
        for module, name, original, wrapper in self._replaced:
            # What somebody has wrapped since stays, and passes through here unchanged.
            if getattr(module, name, None) is wrapper:
                setattr(module, name, original)
        self._replaced.clear()

    def _wrap(self, original: _MakeManager) -> _MakeManager:
        @functools.wraps(original)
        def make_manager(config: RunnableConfig, *args: Any, **kwargs: Any) -> BaseCallbackManager:  # noqa: ANN401 - LangGraph's own
            manager = original(config, *args, **kwargs)
            if not self._is_open or context.get_value(_SUPPRESSED):
                return manager
            try:
                handler = self._get_handler()
                return manager if handler is None else _join(manager, config, handler)
            except Exception as error:  # noqa: BLE001 - the agent must not feel any failure of its recorder
                self._note_failure(error)
                return manager

        return make_manager

    def _get_handler(self) -> TrajectoryCallbackHandler | None:
        if self.handler is None and not self._has_failed:
            with self._lock:
                if self.handler is None:
                    self.handler = self._make_handler()
        return self.handler

    def _note_failure(self, error: Exception) -> None:
        if not self._has_failed:
            self._has_failed = True
            _logger.warning(
                "LangGraphInstrumentor: a run could not be given its handler: %s (%s). It is not recorded, the "
                "agent is not affected; further failures are not logged.",
                name_exception(error),
                find_place(error),
            )


def _join(
    manager: BaseCallbackManager, config: RunnableConfig, handler: TrajectoryCallbackHandler
) -> BaseCallbackManager:
    """Return the manager with the handler, and have it in the config too; the caller's own objects stay as are."""
    if any(isinstance(each, type(handler)) for each in (*manager.handlers, *manager.inheritable_handlers)):
        return manager
    given = config.get("callbacks")
    shown: list[Any] | BaseCallbackManager
    if given is None or isinstance(given, list):
        shown = [*(given or ()), handler]
    else:
        shown = given.copy()
        shown.add_handler(handler)
    if manager is given and not isinstance(shown, list):
        manager = shown
    else:
        manager.add_handler(handler)
    config["callbacks"] = shown
    return manager
