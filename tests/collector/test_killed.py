"""A collector that is killed and started again while runs are exported to it: nothing is judged that is not whole."""

from __future__ import annotations

import logging
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from otel_traj import TrajectoryCallbackHandler, evaluate_runs, read_runs
from otel_traj.evaluate import AppliesTo, Reference
from otel_traj.record.samples import build_approval
from tests.backends.chains import Chains, list_missing, list_verdicts, name_runs, refer
from tests.backends.sending_once import SendingOnce
from tests.collector.running import Collector, running_collector
from tests.record.graphs import build_chain
from tests.sources.reading import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from langchain_core.runnables import RunnableConfig

pytestmark = pytest.mark.collector

STEPS = [["__start__"], ["first"], ["middle"], ["last"]]


class Restarting:
    """A collector whose successors listen where it listened, and write on in its file."""

    def __init__(self, folder: Path, binary: Path) -> None:
        """Start the first."""
        self._folder, self._binary = folder, binary
        self._stack = ExitStack()
        self.running = self._start({})

    def _start(self, variables: dict[str, str]) -> Collector:
        return self._stack.enter_context(
            running_collector(self._folder, binary=self._binary, environment=variables)
        )

    def kill(self) -> None:
        """End it as a machine without memory would."""
        self.running.kill()

    def start(self) -> None:
        """Start the next."""
        self.running = self._start(
            {"OTEL_TRAJ_OTLP_HTTP": self.running.http_endpoint.removeprefix("http://")}
        )

    def close(self) -> None:
        """End the last in order, so that all it took stands in the file."""
        assert self.running.stop() == 0
        self._stack.close()


@pytest.fixture
def restarting(tmp_path: Path, collector_binary: Path) -> Iterator[Restarting]:
    """A collector to kill and start again."""
    each = Restarting(tmp_path, collector_binary)
    yield each
    each.close()


def test_what_arrived_is_read_and_what_is_missing_is_named(restarting: Restarting) -> None:
    """Killed within a run, back within another: both are incomplete, the one between is gone, the others pass."""
    exporter = SendingOnce(restarting.running.http_endpoint)
    chains = Chains(exporter)
    chains.run("before")
    chains.run("killed in it", restarting.kill)
    chains.run("while it is down")
    chains.run("back in it", restarting.start)
    chains.run("after")
    restarting.close()
    assert exporter.lost == 3 + 4 + 1
    path = restarting.running.traces_path
    runs = name_runs(chains, read_runs(path, on_problem=refuse))
    assert set(runs) == set(chains.cases) - {"while it is down"}
    assert list_missing(runs) == {"killed in it": {"root_missing"}, "back in it": {"manifest_mismatch"}}
    assert [runs[case].steps for case in ("before", "after")] == [STEPS, STEPS]
    report = evaluate_runs(path, references=refer(*chains.cases))
    assert list_verdicts(report) == ["pass", "not_evaluated", "not_evaluated", "pass"]
    assert report.exit_code == 2
    # Even a reference that is met by what arrived of a run says nothing about it.
    partly = Reference(name="partly", applies_to=AppliesTo(case="back in it"), steps=[["middle"], ["last"]])
    (verdict,) = (
        each
        for each in evaluate_runs(path, references=[partly]).verdicts
        if each.run_id == runs["back in it"].run_id
    )
    assert verdict.verdict == "not_evaluated"


def test_a_run_that_nobody_took_is_missed_by_its_reference(restarting: Restarting) -> None:
    """Of a run that was lost whole no file knows; who demands it is told its reference's name."""
    chains = Chains(SendingOnce(restarting.running.http_endpoint))
    chains.run("before")
    restarting.kill()
    chains.run("lost")
    restarting.start()
    restarting.close()
    path = restarting.running.traces_path
    references = refer("before", "lost")
    assert evaluate_runs(path, references=references).exit_code == 0
    report = evaluate_runs(path, references=references, require_all=True)
    assert list_verdicts(report) == ["pass"]
    assert (report.exit_code, report.summary["unmet_references"]) == (1, ["lost"])


@pytest.mark.parametrize("lost", ["asked", "answered", ""])
def test_a_run_in_two_halves_around_the_kill(restarting: Restarting, lost: str) -> None:
    """Both halves make one run, wherever the collector was killed between; one alone is open or has no beginning."""
    chains = Chains(SendingOnce(restarting.running.http_endpoint))
    graph = build_approval(InMemorySaver())
    config: RunnableConfig = {"callbacks": [chains.handler], "configurable": {"thread_id": "mail"}}
    if lost == "asked":
        restarting.kill()
    graph.invoke({"topic": "lunch"}, config)
    if lost != "asked":
        restarting.kill()
    if lost != "answered":
        restarting.start()
    graph.invoke(Command(resume=True), config)
    if lost == "answered":
        restarting.start()
    restarting.close()
    (run,) = read_runs(restarting.running.traces_path, on_problem=refuse)
    codes = {problem.code for problem in run.problems}
    assert (run.status, run.complete, codes) == {
        "asked": ("ok", False, {"beginning_missing"}),
        "answered": ("interrupted", True, set()),
        "": ("ok", True, set()),
    }[lost]


def test_runs_in_batches_from_several_threads(
    restarting: Restarting, caplog: pytest.LogCaptureFixture
) -> None:
    """Killed twice at any moment under load: each run that is read is whole and right, or named incomplete."""
    caplog.set_level(logging.CRITICAL)
    provider = TracerProvider(shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=f"{restarting.running.http_endpoint}/v1/traces", timeout=5)
    provider.add_span_processor(
        BatchSpanProcessor(exporter, schedule_delay_millis=20, max_export_batch_size=7)
    )
    handler = TrajectoryCallbackHandler(tracer_provider=provider)
    graph = build_chain("first", "middle", "last")
    done = threading.Event()
    sent: list[int] = []

    def work() -> None:
        count = 0
        # The queue holds 2,048 spans of four a run.
        while not done.is_set() and count < 200:
            graph.invoke({}, {"callbacks": [handler]})
            count += 1
            done.wait(0.01)
        sent.append(count)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for _ in range(2):
        restarting.running.wait_for_spans(8)
        restarting.kill()
        restarting.start()
    done.set()
    for worker in workers:
        worker.join()
    provider.shutdown()
    restarting.close()
    path = restarting.running.traces_path
    runs = list(read_runs(path))
    assert len({run.run_id for run in runs}) == len(runs) <= sum(sent)
    whole = [run for run in runs if run.complete]
    assert whole
    assert all(run.verified and run.steps == STEPS for run in whole)
    assert all(run.problems for run in runs if not run.complete)
    references = [Reference(name="chain", steps=[["first"], ["middle"], ["last"]])]
    report = evaluate_runs(path, references=references, allow_unreadable=True)
    words = {verdict.run_id: verdict.verdict for verdict in report.verdicts}
    assert words == {run.run_id: "pass" if run.complete else "not_evaluated" for run in runs}
