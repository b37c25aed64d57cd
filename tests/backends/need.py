"""What a test, or a person, gets who needs a backend: its executable, or one line that says why not.

Running tests never start a build: it takes minutes and downloads. `python -m tests.collector` and
`python -m tests.jaeger` do it (or `make collector`, `make jaeger`).
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from tests.backends.errors import BackendError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

__all__ = ["print_path", "pytest_runtest_makereport", "require"]

_NONE = "no real "
"""What every skip for want of a backend begins with."""


def require(name: str, find: Callable[[], Path | None], how_to_get_one: str) -> Path:
    """Return a backend's executable for a test; skip the test where there is none.

    With `OTEL_TRAJ_REQUIRE_BACKENDS` set to anything but 0 the test fails instead, as it does where one is named that
    will not do.

    Args:
        name: What messages call it.
        find: Returns the executable, or None; raises BackendError.
        how_to_get_one: One line, for a person without one.
    """
    try:
        binary = find()
    except BackendError as error:
        pytest.fail(f"{name}: {error}", pytrace=False)
    if binary is not None:
        return binary
    reason = f"{_NONE}{name}: {how_to_get_one}"
    if os.environ.get("OTEL_TRAJ_REQUIRE_BACKENDS", "0") not in {"", "0"}:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def print_path(name: str, have: Callable[[], Path]) -> int:
    """Find or build, then print the executable's path on stdout, or one line on stderr that says why not.

    Returns:
        An exit status.
    """
    try:
        binary = have()
    except BackendError as error:
        sys.stderr.write(f"{name}: {error}\n")
        return 1
    sys.stdout.write(f"{binary}\n")
    return 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Give every skip for want of a backend one place, so that the summary folds them into one line each."""
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple) and f"Skipped: {_NONE}" in report.longrepr[2]:
        report.longrepr = (__file__, 1, report.longrepr[2])
    return report
