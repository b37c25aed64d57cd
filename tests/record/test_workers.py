"""Servers with several workers, pools of processes and forks: the runs of every process arrive."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from otel_traj import read_runs
from tests.deploying import SECONDS, make_environment, run_program, write_program
from tests.missing_api import needs
from tests.record.otlp_receiver import receiving
from tests.record.serving import make_client, serving

if TYPE_CHECKING:
    from pathlib import Path

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

WORKERS = 2
AT_ONCE = 8
MOST_ROUNDS = 30
NAMING_THE_WORKER = """
import os
from prices import app

@app.middleware("http")
async def name_the_worker(request, call_next):
    response = await call_next(request)
    response.headers["worker"] = str(os.getpid())
    return response
"""
CONFIGURED_AFTER_THE_FORK = """
def post_fork(server, worker):
    from otel_traj import configure

    configure(service_name="prices")
"""
SERVERS = {
    "uvicorn": ["-m", "uvicorn", "named:app", "--port", "{port}", f"--workers={WORKERS}"],
    "gunicorn": ["-m", "gunicorn", "named:app", "-b", "127.0.0.1:{port}", f"-w{WORKERS}", "-kasgi"],
}
SERVERS["gunicorn, preloaded"] = [*SERVERS["gunicorn"], "--preload"]
SERVERS["gunicorn, post_fork"] = [*SERVERS["gunicorn, preloaded"], "-c", "gunicorn_hooks.py"]
SERVERS["gunicorn, recycled"] = [*SERVERS["gunicorn"], "--max-requests=3"]


def ask_until_all_have_answered(url: str) -> int:
    """Ask, several at once, until every worker has answered; return how often."""
    seen: set[str] = set()
    count = 0

    def ask(number: int) -> str:
        with make_client() as client:
            answer = client.get(f"{url}/prices/{'x' * number}")
            assert answer.raise_for_status().json() == number
            return str(answer.headers["worker"])

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in range(MOST_ROUNDS):
            seen.update(pool.map(ask, range(1, AT_ONCE + 1)))
            count += AT_ONCE
            if len(seen) >= WORKERS:
                return count
    pytest.fail(f"only {len(seen)} of {WORKERS} workers answered {count} requests")


@needs("instrumented servers and clients")
@needs_fork
@pytest.mark.parametrize(
    ("server", "protocol"),
    [*((server, "grpc") for server in SERVERS), ("gunicorn, preloaded", "http/protobuf")],
)
def test_t58_every_workers_runs_arrive(tmp_path: Path, server: str, protocol: str) -> None:
    """Whatever worker answers a request, its run arrives by OTLP, whole and once, before the server has ended."""
    replace = {', path="prices.jsonl"': ""}
    if server == "gunicorn, post_fork":
        replace = {
            'configure(service_name="prices", path="prices.jsonl")': "trace.get_tracer_provider()",
            "from typing import TypedDict": "from typing import TypedDict; from opentelemetry import trace",
        }
    write_program(tmp_path, "prices.py", replace=replace)
    (tmp_path / "named.py").write_text(NAMING_THE_WORKER, "utf-8")
    (tmp_path / "gunicorn_hooks.py").write_text(CONFIGURED_AFTER_THE_FORK, "utf-8")
    command = [*SERVERS[server], *(["--no-control-socket"] if "gunicorn" in server else [])]
    with receiving(tmp_path / "received.jsonl", protocol) as receiver:
        with serving(tmp_path, *command, healthy="/openapi.json", variables=receiver.variables) as url:
            count = ask_until_all_have_answered(url)
        receiver.wait_for("invoke_workflow prices", count)
    runs = list(read_runs(receiver.path))
    assert len(runs) == count
    assert all((run.steps, run.verified) == ([["__start__"], ["look_up"]], True) for run in runs)
    assert len({run.trace_ids for run in runs}) == count


@needs_fork
@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_t59_runs_of_a_forked_pool_arrive(tmp_path: Path, protocol: str) -> None:
    """A pool kills its children, and their runs have arrived all the same, as `flush_on_end` promises."""
    with receiving(tmp_path / "received.jsonl", protocol) as receiver:
        program = write_program(tmp_path, "pool.py")
        printed = run_program(program, OTEL_BSP_SCHEDULE_DELAY="600000", **receiver.variables)
    assert printed == "[0, 1, 4, 9]\n"
    runs = list(read_runs(receiver.path))
    assert [(run.steps, run.verified) for run in runs] == [([["__start__"], ["square"]], True)] * 4


@needs_fork
def test_without_a_flush_the_runs_of_a_pool_are_lost(tmp_path: Path) -> None:
    """What the recipe is for: without `flush_on_end`, what waits in a child's batch is gone with the child."""
    with receiving(tmp_path / "received.jsonl", "http/protobuf") as receiver:
        program = write_program(tmp_path, "pool.py", replace={"flush_on_end=5": ""})
        run_program(program, OTEL_BSP_SCHEDULE_DELAY="600000", **receiver.variables)
    assert receiver.list_names() == []


FORKS_WHILE_A_RUN_IS_OPEN = """
import os
from langgraph.graph import START, StateGraph
from otel_traj import TrajectoryCallbackHandler, configure

provider = configure(service_name="forking")
handler = TrajectoryCallbackHandler()
def build(name, body):
    builder = StateGraph(dict)
    builder.add_node("a", body)
    builder.add_edge(START, "a")
    return builder.compile(name=name)

child_graph = build("child", lambda state: {})
def fork(state):
    child = os.fork()
    if child == 0:
        try:
            child_graph.invoke({}, {"callbacks": [handler]})
            provider.force_flush()
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    return {}

build("parent", fork).invoke({}, {"callbacks": [handler]})
"""


@needs_fork
def test_a_node_that_forks_is_recorded_once(tmp_path: Path) -> None:
    """What a node's child runs is a subgraph run of that node, sent by the child; the parent's own spans come once."""
    with receiving(tmp_path / "received.jsonl", "http/protobuf") as receiver:
        done = subprocess.run(
            [sys.executable, "-c", FORKS_WHILE_A_RUN_IS_OPEN],
            env=make_environment(tmp_path, **receiver.variables),
            check=False,
            timeout=SECONDS,
            capture_output=True,
            text=True,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert receiver.list_names() == [
        "invoke_node a",
        "invoke_node a",
        "invoke_workflow child",
        "invoke_workflow parent",
    ]
    (run,) = read_runs(receiver.path)
    assert (run.graph, run.steps, run.verified) == ("parent", [["__start__"], ["a"]], True)
    assert [(each.graph, each.complete) for each in run.children] == [("child", True)]
