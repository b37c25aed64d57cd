"""Fixtures with a real collector: the executable, and one that runs for the length of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.backends.environment import plain_environment  # noqa: F401 - a fixture
from tests.backends.need import pytest_runtest_makereport  # noqa: F401 - a hook
from tests.collector.find import require_collector
from tests.collector.running import Collector, running_collector

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def collector_binary() -> Path:
    """The executable of a collector; the test is skipped where there is none."""
    return require_collector()


@pytest.fixture
def collector(tmp_path: Path, collector_binary: Path) -> Iterator[Collector]:
    """A collector that runs the project's configuration in the test's own folder."""
    with running_collector(tmp_path, binary=collector_binary) as running:
        yield running
