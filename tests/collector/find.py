"""Choose the collector that the tests run: named, installed, built, in this order.

`OTEL_TRAJ_COLLECTOR` names one, and is then the only candidate: a person who names a collector wants that one
tested, not another one silently in its place. Next come `otelcol-contrib` and `otelcol` on the PATH, where they
have every part that the tests need, and last the one in the cache folder. Running tests never start a build: it
takes minutes and downloads; `python -m tests.collector` (or `make collector`) does it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.collector.build import cached_path, is_built
from tests.collector.errors import CollectorError
from tests.collector.parts import find_missing_parts

__all__ = ["HOW_TO_GET_ONE", "find_collector", "require_collector"]

HOW_TO_GET_ONE = "run `make collector` (builds one with Go), or put otelcol-contrib on the PATH"
"""What a person without a collector can do."""


def find_collector() -> Path | None:
    """Return the executable of a collector with every part that the tests need, or None where there is none.

    Raises:
        CollectorError: `OTEL_TRAJ_COLLECTOR` names something that will not do.
    """
    if named := os.environ.get("OTEL_TRAJ_COLLECTOR"):
        found = shutil.which(named)
        if found is None:
            raise CollectorError(f"OTEL_TRAJ_COLLECTOR={named} is not an executable: correct or unset it")
        if missing := find_missing_parts(Path(found)):
            raise CollectorError(
                f"OTEL_TRAJ_COLLECTOR={named} lacks {', '.join(missing)}: name a newer otelcol-contrib, or unset it"
            )
        return Path(found)
    for name in ("otelcol-contrib", "otelcol"):
        found = shutil.which(name)
        if found is not None and _will_do(Path(found)):
            return Path(found)
    return cached_path() if is_built() else None


def require_collector() -> Path:
    """Return a collector for a test; skip the test where there is none.

    With `OTEL_TRAJ_REQUIRE_COLLECTOR` set to anything but 0 the test fails instead.
    """
    try:
        binary = find_collector()
        reason = f"no OpenTelemetry Collector: {HOW_TO_GET_ONE}"
    except CollectorError as error:
        pytest.fail(f"collector: {error}", pytrace=False)
    if binary is not None:
        return binary
    if os.environ.get("OTEL_TRAJ_REQUIRE_COLLECTOR", "0") not in {"", "0"}:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def _will_do(binary: Path) -> bool:
    try:
        return not find_missing_parts(binary)
    except CollectorError:
        return False
