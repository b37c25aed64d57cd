"""Choose the Jaeger that the tests run: named, else built.

`OTEL_TRAJ_JAEGER_BINARY` names one. One on the PATH is not taken: what its search obeys differs from release to
release, and the tests say what the one does that they build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.backends.named import find_named
from tests.backends.need import require
from tests.jaeger.recipe import JAEGER

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["find_jaeger", "require_jaeger"]


def find_jaeger() -> Path | None:
    """Return the executable of a Jaeger, or None where there is none.

    Raises:
        BackendError: `OTEL_TRAJ_JAEGER_BINARY` names something that will not do.
    """
    return find_named("OTEL_TRAJ_JAEGER_BINARY", JAEGER) or JAEGER.find_built()


def require_jaeger() -> Path:
    """Return a Jaeger for a test; skip the test where there is none, or fail it where backends are required."""
    return require(JAEGER.name, find_jaeger, "run `make jaeger` (builds one with Go)")
