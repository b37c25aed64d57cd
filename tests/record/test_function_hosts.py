"""A process that a host freezes between two calls, and one whose collector hangs: what is sent, and how long it takes."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from otel_traj import read_runs
from tests.deploying import SECONDS, make_environment
from tests.record.otlp_receiver import receiving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROTOCOLS = pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
WAYS = pytest.mark.parametrize(
    ("way", "protocol"),
    [("invoke", "grpc"), ("invoke", "http/protobuf"), ("ainvoke", "grpc"), ("instrumentor", "http/protobuf")],
)
NEVER = {"OTEL_BSP_SCHEDULE_DELAY": "600000"}

HOST = """
import asyncio, sys, time
from langgraph.graph import START, StateGraph
from otel_traj import LangGraphInstrumentor, TrajectoryCallbackHandler, configure

configure(service_name="function")
way, seconds = sys.argv[1], float(sys.argv[2])
config = {}
if way == "instrumentor":
    LangGraphInstrumentor().instrument(flush_on_end=seconds)
else:
    config["callbacks"] = [TrajectoryCallbackHandler(flush_on_end=seconds)]
builder = StateGraph(dict)
builder.add_node("a", lambda state: {"answer": state["question"].upper()})
builder.add_edge(START, "a")
graph = builder.compile(name="function")

def handle(question):
    if way == "ainvoke":
        return asyncio.run(graph.ainvoke({"question": question}, config))["answer"]
    return graph.invoke({"question": question}, config)["answer"]

for line in sys.stdin:
    before = time.monotonic()
    print(handle(line.strip()), time.monotonic() - before, flush=True)
"""


class Host:
    """A function in a process of its own, which runs only while it is asked."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Keep the process."""
        self._process = process

    def ask(self, question: str) -> tuple[str, float]:
        """Wake the process, ask, and freeze it when it has answered; return the answer and the seconds it took."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.send_signal(signal.SIGCONT)
        self._process.stdin.write(f"{question}\n")
        self._process.stdin.flush()
        answer, seconds = self._process.stdout.readline().split()
        self._process.send_signal(signal.SIGSTOP)
        return answer, float(seconds)


@contextmanager
def hosting(folder: Path, way: str, seconds: float, **variables: str) -> Iterator[Host]:
    """Host the function for the length of a `with` block; in the end it is killed, as hosts do."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOST, way, str(seconds)],
        env=make_environment(folder, **variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        # A function that says nothing is killed, and then `readline` returns.
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        try:
            yield Host(process)
        finally:
            timer.cancel()
            process.kill()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system freezes no process")
@WAYS
def test_t61_spans_are_out_before_the_process_is_frozen(tmp_path: Path, way: str, protocol: str) -> None:
    """A host that freezes the process as soon as it has answered gets all spans of each call, and then kills it."""
    with (
        receiving(tmp_path / "received.jsonl", protocol) as receiver,
        hosting(tmp_path, way, 60, **NEVER, **receiver.variables) as host,
    ):
        for count, question in enumerate(["hello", "again"], start=1):
            assert host.ask(question)[0] == question.upper()
            expected = ["invoke_node a"] * count + ["invoke_workflow function"] * count
            assert receiver.list_names() == expected
    assert [(run.steps, run.verified) for run in read_runs(receiver.path)] == [
        ([["__start__"], ["a"]], True)
    ] * 2


@contextmanager
def listening_in_silence() -> Iterator[int]:
    """Accept connections, take what is sent, and never answer; yields the port."""
    accepted: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            accepted.append(connection)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=accept)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    thread.join()
    for connection in accepted:
        connection.close()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system freezes no process")
@WAYS
def test_t61_a_collector_that_hangs_costs_each_call_the_time_given(
    tmp_path: Path, way: str, protocol: str
) -> None:
    """A collector that takes the connection and never answers delays no call by more than the time given."""
    with listening_in_silence() as port:
        variables = NEVER | {
            "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
            "OTEL_EXPORTER_OTLP_TIMEOUT": str(10 * SECONDS),
        }
        with hosting(tmp_path, way, 0.5, **variables) as host:
            for question in ("hello", "again"):
                answer, seconds = host.ask(question)
                assert answer == question.upper()
                # Without the bound it is the exporter's own timeout, many times as long.
                assert 0.4 < seconds < SECONDS / 4


JOB_THAT_ENDS_IN_ORDER = """
from langgraph.graph import START, StateGraph
from otel_traj import TrajectoryCallbackHandler, configure

configure(service_name="job")
builder = StateGraph(dict)
builder.add_node("a", lambda state: {})
builder.add_edge(START, "a")
builder.compile(name="job").invoke({}, {"callbacks": [TrajectoryCallbackHandler()]})
"""


@PROTOCOLS
def test_a_job_that_ends_in_order_delivers_without_a_flush(tmp_path: Path, protocol: str) -> None:
    """A short job whose interpreter ends in the regular way sends what waits, with no option set."""
    with receiving(tmp_path / "received.jsonl", protocol) as receiver:
        subprocess.run(
            [sys.executable, "-c", JOB_THAT_ENDS_IN_ORDER],
            env=make_environment(tmp_path, **NEVER, **receiver.variables),
            check=True,
            timeout=SECONDS,
        )
        assert receiver.list_names() == ["invoke_node a", "invoke_workflow job"]
