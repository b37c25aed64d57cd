"""What a copy of a handler is: itself. What a pickled one is: a new one with the same options.

Programs copy configs with the handler in it (deeply, before they change them), and a handler holds locks and open
spans, of which there can't be two. LangChain tells handlers apart by identity, so a copy that is the handler
itself records each run once. In another process nothing of it is open, and a handler of its own is what is meant.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from otel_traj.errors import TrajectoryTypeError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from otel_traj.record.model_metrics import ModelMetrics
    from otel_traj.record.settings import Settings
    from otel_traj.record.tracer_source import TracerSource

__all__ = ["Copies"]


class Copies:
    """How a handler is copied and pickled."""

    _settings: Settings
    _tracers: TracerSource
    _metrics: ModelMetrics | None

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[[], Self], tuple[()]]:
        if self._tracers.given is not None:
            raise TrajectoryTypeError(
                f"{type(self).__name__}: it was made with a tracer_provider, which can't be pickled. Make the "
                f"handler in the process that uses it, or leave the provider to the global one there."
            )
        if self._metrics is not None:
            raise TrajectoryTypeError(
                f"{type(self).__name__}: it was made with a meter_provider, which can't be pickled. Make the handler "
                f"in the process that uses it."
            )
        options = {
            field.name: getattr(self._settings, field.name) for field in dataclasses.fields(self._settings)
        }
        if options["content"] is None:
            # None would ask the environment of the other process.
            options["content"] = False
        return functools.partial(type(self), **options), ()
