"""Choose the collector that the tests run: named, installed, built, in this order.

`OTEL_TRAJ_COLLECTOR` names one, and is then the only candidate: a person who names a collector wants that one
tested, not another one silently in its place. Next come `otelcol-contrib` and `otelcol` on the PATH, where they
have every part that the tests need, and last the one in the cache folder.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.backends.errors import BackendError
from tests.backends.named import find_named
from tests.backends.need import require
from tests.backends.parts import find_missing_parts
from tests.collector.recipe import COLLECTOR

__all__ = ["find_collector", "require_collector"]


def find_collector() -> Path | None:
    """Return the executable of a collector with every part that the tests need, or None where there is none.

    Raises:
        BackendError: `OTEL_TRAJ_COLLECTOR` names something that will not do.
    """
    if named := find_named("OTEL_TRAJ_COLLECTOR", COLLECTOR):
        return named
    for name in ("otelcol-contrib", "otelcol"):
        found = shutil.which(name)
        if found is not None and _will_do(Path(found)):
            return Path(found)
    return COLLECTOR.find_built()


def require_collector() -> Path:
    """Return a collector for a test; skip the test where there is none, or fail it where backends are required."""
    return require(
        COLLECTOR.name,
        find_collector,
        "run `make collector` (builds one with Go), or put otelcol-contrib on the PATH",
    )


def _will_do(binary: Path) -> bool:
    try:
        return not find_missing_parts(binary, COLLECTOR.parts)
    except BackendError:
        return False
