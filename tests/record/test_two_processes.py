"""A graph in one process whose node has a graph run in another: one trace, two runs, each whole."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from otel_traj import read_runs
from otel_traj import semconv as sc
from otel_traj.sources import open_source
from tests.deploying import SECONDS, make_environment, run_program, write_program
from tests.missing_api import needs
from tests.record.otlp_receiver import receiving
from tests.record.serving import serving

STAND_IN = os.fspath(Path(__file__).with_name("langgraph_server.py"))
COMMAND = Path(sysconfig.get_path("scripts")) / "opentelemetry-instrument"
ASYNC_CALL = {
    "import os\n": "import asyncio\nimport os\n",
    "graph.invoke(": "asyncio.run(graph.ainvoke(",
    "[TrajectoryCallbackHandler()]})": "[TrajectoryCallbackHandler()]}))",
}
SYNC_ENDPOINT = {
    "async def read_price": "def read_price",
    "await graph.ainvoke": "graph.invoke",
}


def check_two_runs(folder: Path, *, caller: str, callee: str, above: list[str]) -> None:
    """Hold the files of a folder to two whole runs in one trace.

    Args:
        folder: Where both processes wrote.
        caller: Service and node of the run that calls.
        callee: Service, graph and node of the run that is called.
        above: The names of what stands between the called run and the node, the innermost first.
    """
    shop, node = caller.split()
    service, graph, called_node = callee.split()
    first, second = read_runs(str(folder / "*.jsonl"))
    assert (first.service, first.steps) == (shop, [["__start__"], [node]])
    assert (second.service, second.graph, second.steps) == (service, graph, [["__start__"], [called_node]])
    assert len(first.trace_ids) == 1
    assert first.trace_ids == second.trace_ids
    for run in (first, second):
        assert (run.status, run.complete, run.verified, run.problems) == ("ok", True, True, [])
        (alone,) = read_runs(folder / f"{run.service}.jsonl")
        assert (alone.steps, alone.complete, alone.verified) == (run.steps, True, True)
    ancestors = list_ancestors(folder, graph=graph, service=service)
    assert ancestors == [*above, f"invoke_node {node}", "invoke_workflow shop"]


def list_ancestors(folder: Path, *, graph: str, service: str) -> list[str]:
    """Return the names of the spans above the run of a graph, the innermost first."""
    spans = list(open_source(str(folder / "*.jsonl")).read_spans(lambda problem: pytest.fail(str(problem))))
    by_id = {span.span_id: span for span in spans}
    (span,) = (
        each
        for each in spans
        if each.attributes.get(sc.GRAPH) == graph and each.resource["service.name"] == service
    )
    names = []
    while span.parent_span_id:
        span = by_id[span.parent_span_id]
        names.append(span.name)
    return names


@needs("instrumented servers and clients")
@pytest.mark.parametrize("endpoint", ["async", "sync"])
def test_t67_service_and_its_caller_are_two_runs_of_one_trace(tmp_path: Path, endpoint: str) -> None:
    """A service that runs a graph and a graph whose node calls it by HTTP: the service's run is below that node."""
    write_program(tmp_path, "prices.py", replace=SYNC_ENDPOINT if endpoint == "sync" else None)
    with serving(tmp_path, "-m", "uvicorn", "prices:app", "--port", "{port}", healthy="/openapi.json") as url:
        printed = run_program(write_program(tmp_path, "shop.py"), PRICES_URL=url)
    assert printed == "{'item': 'pencil', 'price': 6}\n"
    check_two_runs(
        tmp_path,
        caller="shop ask_price",
        callee="prices prices look_up",
        above=["GET /prices/{item}", "GET"],
    )


@needs("instrumented servers and clients")
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_t67_remote_graph_under_instrumentation_calls_a_stand_in_of_its_server(
    tmp_path: Path, mode: str
) -> None:
    """A `RemoteGraph` that is a node, under HTTPX instrumentation: the run of the server's graph is below it."""
    program = write_program(tmp_path, "remote.py", replace=ASYNC_CALL if mode == "async" else None)
    with serving(tmp_path, STAND_IN, "{port}", healthy="/ok") as url:
        printed = run_program(program, PRICES_URL=url)
    assert printed == "{'item': 'pencil', 'price': 6}\n"
    check_two_runs(
        tmp_path, caller="shop prices", callee="prices prices look_up", above=["POST /runs/stream", "POST"]
    )


def test_t67_remote_graph_with_a_hook_calls_a_stand_in_of_its_server(tmp_path: Path) -> None:
    """So it is where no instrumentation is installed, and a hook puts the context into the request."""
    with serving(tmp_path, STAND_IN, "{port}", healthy="/ok") as url:
        run_program(write_program(tmp_path, "remote_by_hand.py"), PRICES_URL=url)
    check_two_runs(
        tmp_path, caller="shop prices", callee="prices prices look_up", above=["POST /runs/stream"]
    )


PLAIN_SERVICE = """
from fastapi import FastAPI
from langgraph.graph import START, StateGraph

builder = StateGraph(dict)
builder.add_node("look_up", lambda state: {"price": len(state["item"])})
builder.add_edge(START, "look_up")
graph = builder.compile(name="prices")
app = FastAPI()

@app.get("/prices/{item}")
async def read_price(item: str) -> int:
    return (await graph.ainvoke({"item": item}))["price"]
"""
PLAIN_CALLER = """
import os, httpx
from langgraph.graph import START, StateGraph

builder = StateGraph(dict)
builder.add_node("ask_price", lambda state: {"price": httpx.get(os.environ["URL"] + "/prices/pencil").json()})
builder.add_edge(START, "ask_price")
print(builder.compile(name="shop").invoke({"item": "pencil"}))
"""


@needs("instrumented servers and clients")
def test_two_programs_without_a_line_about_telemetry_are_one_trace(tmp_path: Path) -> None:
    """Started by `opentelemetry-instrument`, a plain service and its plain caller are two runs of one trace."""
    (tmp_path / "plain.py").write_text(PLAIN_SERVICE, "utf-8")
    with receiving(tmp_path / "received.jsonl", "http/protobuf") as receiver:
        variables = receiver.variables | {
            "OTEL_METRICS_EXPORTER": "none",
            "OTEL_LOGS_EXPORTER": "none",
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }
        served = variables | {"OTEL_SERVICE_NAME": "prices"}
        command = [os.fspath(COMMAND), sys.executable, "-m", "uvicorn", "plain:app", "--port", "{port}"]
        with serving(tmp_path, *command, healthy="/openapi.json", variables=served) as url:
            done = subprocess.run(
                [COMMAND, sys.executable, "-c", PLAIN_CALLER],
                env=make_environment(tmp_path, URL=url, OTEL_SERVICE_NAME="shop", **variables),
                check=True,
                timeout=SECONDS,
                capture_output=True,
                text=True,
            )
            receiver.wait_for("invoke_workflow prices", 1)
    assert done.stdout == "{'price': 6}\n"
    first, second = read_runs(receiver.path)
    assert [(run.service, run.graph, run.verified) for run in (first, second)] == [
        ("shop", "shop", True),
        ("prices", "prices", True),
    ]
    assert first.trace_ids == second.trace_ids


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_worker_of_a_queue_is_a_run_of_the_same_trace(tmp_path: Path, method: str) -> None:
    """A message carries the context: the worker's run, in another process, is below the node that put it."""
    program = write_program(tmp_path, "jobs.py", replace={'"spawn"': repr(method)})
    assert run_program(program) == ""
    check_two_runs(tmp_path, caller="shop put", callee="worker pricing look_up", above=["process prices"])
