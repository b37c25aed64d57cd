"""A Jaeger that is killed and started again while runs are exported to it: what it forgot is not invented."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from otel_traj import evaluate_runs, read_runs
from otel_traj.errors import SourceError
from tests.backends.chains import Chains, list_missing, list_verdicts, name_runs, refer
from tests.backends.sending_once import SendingOnce
from tests.jaeger.running import Jaeger, running_jaeger
from tests.sources.reading import codes, refuse
from tests.sources.real_jaeger import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from otel_traj.model import SourceProblem

pytestmark = pytest.mark.jaeger


class Restarting:
    """A Jaeger whose successors listen where it listened, and know nothing of what it kept in memory."""

    def __init__(self, folder: Path, binary: Path, stack: ExitStack) -> None:
        """Start the first."""
        self._folder, self._binary, self._stack = folder, binary, stack
        self.running: Jaeger = stack.enter_context(running_jaeger(folder, binary=binary))
        self.place = f"jaeger+http://{self.running.query_address}"

    def kill(self) -> None:
        """End it as a machine without memory would."""
        self.running.kill()

    def start(self) -> None:
        """Start the next."""
        variables = {
            "OTEL_TRAJ_OTLP_HTTP": self.running.http_endpoint.removeprefix("http://"),
            "OTEL_TRAJ_QUERY_HTTP": self.running.query_address,
        }
        self.running = self._stack.enter_context(
            running_jaeger(self._folder, binary=self._binary, environment=variables)
        )

    def restart(self) -> None:
        """Kill it, and start the next."""
        self.kill()
        self.start()


@pytest.fixture
def restarting(tmp_path: Path, jaeger_binary: Path) -> Iterator[Restarting]:
    """A Jaeger to kill and start again."""
    with ExitStack() as stack:
        yield Restarting(tmp_path, jaeger_binary, stack)


def test_a_run_that_lost_its_beginning_is_incomplete(restarting: Restarting) -> None:
    """Restarted within a run: what ended before is gone, the rest is incomplete; the run before is not there."""
    chains = Chains(SendingOnce(restarting.running.http_endpoint))
    chains.run("before")
    chains.run("restarted in it", restarting.restart)
    chains.run("after")
    wait_for(restarting.running, {chains.ends[1].trace_id: 3, chains.ends[2].trace_id: 4})
    runs = name_runs(chains, read_runs(restarting.place, wait=0, on_problem=refuse))
    assert set(runs) == {"restarted in it", "after"}
    assert list_missing(runs) == {"restarted in it": {"manifest_mismatch"}}
    report = evaluate_runs(restarting.place, references=refer(*chains.cases), wait=0, require_all=True)
    assert list_verdicts(report) == ["not_evaluated", "pass"]
    assert (report.exit_code, report.summary["unmet_references"]) == (1, ["before"])
    assert evaluate_runs(restarting.place, references=refer(*chains.cases), wait=0).exit_code == 2


def test_a_run_that_lost_its_end_is_incomplete(restarting: Restarting) -> None:
    """A reader is told that Jaeger is down; where a run's end did not arrive, its tasks are no run that ended."""
    restarting.kill()
    with pytest.raises(SourceError, match="look whether it runs"):
        list(read_runs(restarting.place))
    restarting.start()
    exporter = SendingOnce(restarting.running.http_endpoint)
    chains = Chains(exporter)
    chains.run("cut", lambda: setattr(exporter, "address", "127.0.0.1:1"))
    assert exporter.lost == 3
    wait_for(restarting.running, {chains.ends[0].trace_id: 1})
    runs = name_runs(chains, read_runs(restarting.place, wait=0, on_problem=refuse))
    assert list_missing(runs) == {"cut": {"root_missing"}}
    report = evaluate_runs(restarting.place, references=refer("cut"), wait=0)
    assert (list_verdicts(report), report.exit_code) == (["not_evaluated"], 2)


def test_a_trace_that_was_forgotten_is_not_invented(restarting: Restarting) -> None:
    """Asked for by id: nothing, said as such, instead of a run without steps."""
    chains = Chains(SendingOnce(restarting.running.http_endpoint))
    chains.run("before")
    trace = chains.ends[0].trace_id
    assert [run.complete for run in read_runs(restarting.place, trace=trace, on_problem=refuse)] == [True]
    restarting.restart()
    problems: list[SourceProblem] = []
    assert list(read_runs(restarting.place, trace=trace, wait=0, on_problem=problems.append)) == []
    assert codes(problems) == ["empty_source"]
    assert trace in problems[0].message
    report = evaluate_runs(restarting.place, references=refer("before"), wait=0)
    assert (report.verdicts, report.exit_code) == ([], 2)
