"""Counts of what a recorder could not record as usual."""

from __future__ import annotations

import threading
from typing import Literal, TypeAlias, get_args

from otel_traj.record.forking import renew_in_child

__all__ = ["Counter", "Counters"]

Counter: TypeAlias = Literal[
    "callback_errors",
    "content_dropped",
    "duplicate_starts",
    "evicted",
    "flush_failures",
    "late_starts",
    "mask_timeouts",
    "run_end_errors",
    "unknown_ends",
]


class Counters:
    """Counts by name; safe between threads."""

    def __init__(self) -> None:
        """Start every count at 0."""
        self.renew_locks()
        renew_in_child(self)
        self._counts: dict[Counter, int] = dict.fromkeys(get_args(Counter), 0)

    def renew_locks(self) -> None:
        """Make the lock."""
        self._lock = threading.RLock()

    def add(self, name: Counter) -> int:
        """Add one and return the new count."""
        with self._lock:
            self._counts[name] += 1
            return self._counts[name]

    def read(self) -> dict[str, int]:
        """Return all counts as they are now."""
        with self._lock:
            return {str(name): count for name, count in self._counts.items()}
