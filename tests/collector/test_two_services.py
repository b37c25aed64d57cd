"""A service and its caller, both sending to one real collector: one trace with two runs in its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from otel_traj import read_runs
from tests.deploying import run_program, write_program
from tests.missing_api import needs
from tests.record.serving import serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collector.running import Collector

pytestmark = pytest.mark.collector


@needs("instrumented servers and clients")
@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_two_runs_of_one_trace_come_back_from_the_collectors_file(
    tmp_path: Path, collector: Collector, protocol: str
) -> None:
    """What two processes send by OTLP is two whole runs in one trace, each with its service."""
    endpoint = collector.grpc_endpoint if protocol == "grpc" else collector.http_endpoint
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol}
    write_program(tmp_path, "prices.py", replace={', path="prices.jsonl"': ""})
    shop = write_program(tmp_path, "shop.py", replace={', path="shop.jsonl"': ""})
    command = ["-m", "uvicorn", "prices:app", "--port", "{port}"]
    with serving(tmp_path, *command, healthy="/openapi.json", variables=variables) as url:
        printed = run_program(shop, PRICES_URL=url, **variables)
    assert printed == "{'item': 'pencil', 'price': 6}\n"
    collector.stop()
    first, second = read_runs(collector.traces_path)
    assert [(run.service, run.steps) for run in (first, second)] == [
        ("shop", [["__start__"], ["ask_price"]]),
        ("prices", [["__start__"], ["look_up"]]),
    ]
    assert all(run.complete and run.verified for run in (first, second))
    assert first.trace_ids == second.trace_ids
    assert len(first.trace_ids) == 1
