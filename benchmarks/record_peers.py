"""What recording costs beside other recorders: each adds how much to a node that does nothing?

A graph of 200 such nodes (`record.py`), sync and async, is run without a recorder and with: the floor, ours, and
four others in environments of their own (`environments.py`) with one release of LangGraph in all. Each environment
is one process that waits (`record_worker.py`); rounds of all take turns in changing order, never two at once. What
counts is what a recorder adds to a run without one in the same process and round, in processor time of all threads
until the last span is exported: what else the machine does is no part of it. The median of the rounds is taken.

    python benchmarks/record_peers.py --json benchmarks/record_peers.json > benchmarks/record_peers.txt

The first time it fills the environments out of the package index. A recorder that makes fewer spans than there are
nodes is shown, and no measure for what recording nodes costs.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from operator import sub
from pathlib import Path
from typing import TYPE_CHECKING

from environments import CHECKOUT, SHARED, make_environment, read_versions
from record import MODES, NODES, ROUNDS

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ENVIRONMENTS", "Row", "judge", "main", "measure", "summarize"]

OURS = "otel_traj"
ENVIRONMENTS: dict[str, tuple[str, tuple[str, ...]]] = {
    OURS: ("otel-traj", ("--editable", str(CHECKOUT))),
    "openinference": ("openinference-instrumentation-langchain", ()),
    "openllmetry": ("opentelemetry-instrumentation-langchain", ()),
    "langfuse": ("langfuse", ()),
    "official": ("opentelemetry-instrumentation-genai-langchain", ()),
}
"""By name: the package that records, and what pip is told to install where that is not its name."""
LIMITS = {"floor": 1.6, "peer": 0.4}
"""How much of the floor's and of the cheapest other node recorder's cost ours may be."""

Taken = dict[str, tuple[float, float, int]]


@dataclass(frozen=True, slots=True)
class Row:
    """What one recorder adds in one mode."""

    mode: str
    recorder: str
    environment: str
    processor: float
    """Microseconds per node of all threads, until the last span is exported."""
    least: float
    """The same of the least run without and the least with it: what a busy machine adds is not in there."""
    wall: float
    """Microseconds per node that the caller waits longer: on a busy machine, longer than that."""
    spans: int
    """Spans per run."""

    @property
    def records_nodes(self) -> bool:
        """Whether there is a span for each node."""
        return self.spans >= NODES


class Process:
    """A worker that waits in an environment of its own."""

    def __init__(self, environment: str, python: Path) -> None:
        self.environment = environment
        worker = Path(__file__).with_name("record_worker.py")
        self._process = subprocess.Popen(
            [python, worker, environment], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._read()

    def run_round(self, mode: str) -> Taken:
        """Have it run a round, and return what it says."""
        assert self._process.stdin is not None
        print(mode, file=self._process.stdin, flush=True)
        return {name: (wall, used, spans) for name, (wall, used, spans) in json.loads(self._read()).items()}

    def stop(self) -> None:
        """End it."""
        self._process.communicate()

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"the worker of {self.environment} ended with {self._process.wait()}; see above")
        return line


def measure(pythons: dict[str, Path], rounds: int) -> list[Row]:
    """Return what each recorder adds.

    Args:
        pythons: By environment: its Python.
        rounds: How often all take turns in each mode.
    """
    workers = [Process(environment, python) for environment, python in pythons.items()]
    taken: dict[tuple[str, str], list[Taken]] = {}
    try:
        for number in range(rounds):
            for mode in MODES:
                for worker in workers:
                    taken.setdefault((mode, worker.environment), []).append(worker.run_round(mode))
            workers = [*workers[1:], workers[0]]
            if sys.stderr.isatty():
                print(f"\rround {number + 1} of {rounds}", end="", file=sys.stderr)
    finally:
        for worker in workers:
            worker.stop()
    if sys.stderr.isatty():
        print("\r", end="", file=sys.stderr)
    return [
        row for (mode, environment), found in taken.items() for row in summarize(mode, environment, found)
    ]


def summarize(mode: str, environment: str, rounds: list[Taken]) -> Iterable[Row]:
    """Yield a row for a bare run of an environment, then one for what each of its recorders adds."""
    for name in sorted(rounds[0], key=lambda name: name != "none"):
        walls, used, spans = zip(*(found[name] for found in rounds), strict=True)
        base_walls = base_used = (0.0,) * len(rounds)
        if name != "none":
            base_walls, base_used, _ = zip(*(found["none"] for found in rounds), strict=True)
        per_node = 1e6 / NODES
        yield Row(
            mode,
            name,
            environment,
            processor=statistics.median(map(sub, used, base_used)) * per_node,
            least=(min(used) - min(base_used)) * per_node,
            wall=statistics.median(map(sub, walls, base_walls)) * per_node,
            spans=round(statistics.median(spans)),
        )


def judge(rows: list[Row], mode: str) -> dict[str, float | str]:
    """Return what ours costs against the floor and against the cheapest other that records nodes."""
    added = {row.recorder: row for row in rows if row.mode == mode and row.recorder != "none"}
    others = [row for row in added.values() if row.environment != OURS and row.records_nodes]
    cheapest = min(others, key=lambda row: row.processor)
    return {
        "ours / floor": round(added[OURS].processor / added["floor"].processor, 3),
        "ours / cheapest": round(added[OURS].processor / cheapest.processor, 3),
        "cheapest": cheapest.recorder,
    }


def print_report(rows: list[Row], versions: dict[str, str], rounds: int) -> None:
    """Print what was measured, as Markdown."""
    print(f"{NODES} nodes that do nothing, {rounds} rounds, {describe_machine()}.")
    print(", ".join(f"{name} {release}" for name, release in versions.items()) + ".")
    for mode in MODES:
        bare = [row.processor for row in rows if row.mode == mode and row.recorder == "none"]
        floor = next(row for row in rows if row.mode == mode and row.recorder == "floor")
        print(
            f"\n{mode}: {min(bare):.0f} to {max(bare):.0f} us per node without a recorder; added to that:\n"
        )
        print(
            "| recorder | us per node | least | times the floor | spans per run |\n|---|---:|---:|---:|---:|"
        )
        shown = [row for row in rows if row.mode == mode and row.recorder != "none"]
        for row in sorted(shown, key=lambda row: row.processor):
            spans = f"{row.spans}{'' if row.records_nodes else ', none for nodes'}"
            ratio = row.processor / floor.processor
            print(f"| {row.recorder} | {row.processor:.0f} | {row.least:.0f} | {ratio:.2f} | {spans} |")
        found = judge(rows, mode)
        print(f"\n- ours / floor: {found['ours / floor']:.2f} (at most {LIMITS['floor']})")
        print(f"- ours / {found['cheapest']}, the cheapest other that records nodes: ", end="")
        print(f"{found['ours / cheapest']:.2f} (at most {LIMITS['peer']})")


def describe_machine() -> str:
    """Return when and where."""
    today = datetime.now(UTC).date().isoformat()
    return f"{today}, Python {platform.python_version()} on {platform.machine()}"


def main() -> None:
    """Make the environments, measure, print, and write JSON where asked to."""
    parser = argparse.ArgumentParser(description="Measure what recording costs, beside other recorders.")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the numbers as JSON, too")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often all take turns (%(default)s)")
    given = parser.parse_args()
    pythons: dict[str, Path] = {}
    versions: dict[str, str] = {}
    for name, (package, installed_as) in ENVIRONMENTS.items():
        pythons[name] = make_environment(name, list(installed_as) or [package])
        versions |= read_versions(pythons[name], (*SHARED, package))
    rows = measure(pythons, given.rounds)
    print_report(rows, versions, given.rounds)
    if given.json is not None:
        written = {
            "date": datetime.now(UTC).date().isoformat(),
            "python": platform.python_version(),
            "machine": platform.machine(),
            "versions": versions,
            "nodes": NODES,
            "rounds": given.rounds,
            "limits": LIMITS,
            "found": {mode: judge(rows, mode) for mode in MODES},
            "rows": [asdict(row) for row in rows],
        }
        given.json.write_text(json.dumps(written, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
