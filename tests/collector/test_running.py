"""Starting, watching and ending a collector."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.backends.errors import BackendError
from tests.collector.running import Collector, running_collector

pytestmark = pytest.mark.collector

ROOT = Path(__file__).parents[2]


def listens(address: tuple[str, int]) -> bool:
    """Say whether anything takes connections there."""
    with socket.socket() as probe:
        return probe.connect_ex(address) == 0


def wait_until_silent(address: tuple[str, int]) -> None:
    """Return once nothing takes connections there any more; fail after half a minute."""
    deadline = time.monotonic() + 30
    while listens(address):
        assert time.monotonic() < deadline, f"{address} still listens"
        time.sleep(0.05)


def test_collector_starts_and_ends(collector: Collector) -> None:
    """A started collector listens; a stopped one has ended in order, and stopping again changes nothing."""
    assert listens(collector.health_address)
    assert listens(collector.metrics_address)
    assert [collector.stop(), collector.stop()] == [0, 0]
    assert not listens(collector.health_address)


def test_two_collectors_run_side_by_side(
    tmp_path: Path, collector_binary: Path, collector: Collector
) -> None:
    """Ports are chosen per collector, so that two never meet."""
    (tmp_path / "second").mkdir()
    with running_collector(tmp_path / "second", binary=collector_binary) as second:
        assert listens(collector.health_address)
        assert listens(second.health_address)
        assert second.traces_path != collector.traces_path


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_collector_ends_when_the_block_raises(
    tmp_path: Path, collector_binary: Path, error: type[BaseException]
) -> None:
    """An exception in a test, Ctrl-C among them, passes through and leaves no process behind."""
    with pytest.raises(error), running_collector(tmp_path, binary=collector_binary) as running:
        raise error
    assert running.process.returncode == 0
    assert not listens(running.health_address)


def test_collector_ends_when_its_parent_is_killed(tmp_path: Path, collector_binary: Path) -> None:
    """A test run that is killed outright can't clean up, and leaves no process behind all the same."""
    program = """
import sys, pathlib
from tests.collector.running import running_collector
with running_collector(pathlib.Path(sys.argv[1]), binary=pathlib.Path(sys.argv[2])) as running:
    print(running.health_address[1], flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path), str(collector_binary)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as parent:
        assert parent.stdout is not None
        address = ("127.0.0.1", int(parent.stdout.readline()))
        assert listens(address)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    wait_until_silent(address)


def test_port_in_use_is_named(tmp_path: Path, collector_binary: Path) -> None:
    """A collector that can't listen is no hang and no skip: the error says which address was in use."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with (
            pytest.raises(BackendError, match=rf"listen tcp {address}: bind: address already in use"),
            running_collector(
                tmp_path, binary=collector_binary, environment={"OTEL_TRAJ_OTLP_GRPC": address}
            ),
        ):
            pytest.fail("a collector started on a port in use")


def test_refused_config_is_named(tmp_path: Path, collector_binary: Path) -> None:
    """A collector that refuses its configuration fails at once, with its own words."""
    with (
        pytest.raises(BackendError, match="nowhere"),
        running_collector(
            tmp_path, binary=collector_binary, environment={"OTEL_TRAJ_EXPORTERS": "[nowhere]"}
        ),
    ):
        pytest.fail("a collector started with an unknown exporter")


def test_missing_spans_are_not_waited_for_without_end(collector: Collector) -> None:
    """Waiting for spans that nobody sent ends with an error that counts."""
    with pytest.raises(TimeoutError, match="0 of 1 spans"):
        collector.wait_for_spans(1, seconds=0)
