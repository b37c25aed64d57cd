"""Starting and ending a Jaeger."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.jaeger.running import Jaeger, running_jaeger
from tests.jaeger.sending import SERVICE, send_unfinished

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.jaeger


def list_services(jaeger: Jaeger) -> list[str]:
    """Ask which services a Jaeger knows."""
    status, body = jaeger.get("/api/v3/services")
    assert status == 200
    services: list[str] = json.loads(body).get("services", [])
    return services


def test_two_jaegers_run_side_by_side(tmp_path: Path, jaeger_binary: Path, jaeger: Jaeger) -> None:
    """Each has ports and a store of its own, and ends in order; stopping again changes nothing."""
    (tmp_path / "second").mkdir()
    with running_jaeger(tmp_path / "second", binary=jaeger_binary) as second:
        send_unfinished(second)
        assert list_services(second) == [SERVICE]
        assert list_services(jaeger) == []
    assert second.process.returncode == 0
    assert [jaeger.stop(), jaeger.stop()] == [0, 0]
    with pytest.raises(OSError, match="refused"):
        jaeger.get("/")
