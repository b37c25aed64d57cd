"""What the user chose for one handler; fixed once it is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from otel_traj.record.run_end import RunEnd

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of a handler that the recorder works by."""

    content: bool = False
    """Inputs, outputs, messages, arguments and the text of exceptions are recorded."""
    models: bool = True
    tools: bool = True
    inner: bool = False
    """Functional-API tasks, conditional edges, error handlers and inner runnables get spans too."""
    metadata_keys: tuple[str, ...] = ("case",)
    """Keys of the config's metadata that are written."""
    on_run_end: Callable[[RunEnd], object] | None = None
