"""Fixtures with a real collector: the executable, and one that runs for the length of a test."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.collector import find
from tests.collector.find import HOW_TO_GET_ONE, require_collector
from tests.collector.running import Collector, running_collector

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
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


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine's exporter settings and proxies away from exporters that talk to 127.0.0.1."""
    for name in os.environ:
        if name.startswith("OTEL_") and not name.startswith("OTEL_TRAJ_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Give every skip for want of a collector one place, so that the summary folds them into one line."""
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple) and HOW_TO_GET_ONE in report.longrepr[2]:
        report.longrepr = (str(find.__file__), 1, report.longrepr[2])
    return report
