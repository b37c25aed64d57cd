"""A fixture for tests whose exporters talk to a backend on this machine."""

from __future__ import annotations

import os

import pytest

__all__ = ["plain_environment"]


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine's exporter settings and proxies away from exporters that talk to 127.0.0.1."""
    for name in os.environ:
        if name.startswith("OTEL_") and not name.startswith("OTEL_TRAJ_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
