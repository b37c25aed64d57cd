"""What reading other emitters costs: the same runs as each of them wrote them, from a file, against ours.

The graph is that of the recorded corpora in `tests/`: seven nodes, once by the long branch and once by the short one.
Each copy has ids of its own. Ours is recorded here, with its content, because the others record theirs. Both are read in
turn in one run, as in `match.py`. `python benchmarks/dialects.py` prints the table, `--json PATH` writes the same as JSON.
The kept result is `dialects.txt`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import re
import sys
import tempfile
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from environments import CHECKOUT
from match import compare
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_traj import TrajectoryCallbackHandler, read_runs
from otel_traj.record import JsonLinesSpanExporter
from otel_traj.record.samples import build_seven_nodes

sys.path.append(str(CHECKOUT))  # or the corpora would be here and in the tests
from tests.reconstruct.dialects.corpora import EMITTERS, name_corpus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.runnables import RunnableConfig

__all__ = ["Reading", "main", "measure"]

COPIES = 150
ROUNDS = 9
PACKAGES = ("otel-traj", "msgspec")
_SCENARIO = "s01_branch_parallel"
_ID = re.compile(r"\b(?:[0-9a-f]{32}|[0-9a-f]{16}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")


@dataclass(frozen=True, slots=True)
class Reading:
    """One line of the table."""

    emitter: str
    kibibytes: float
    """Of one copy."""
    milliseconds: float
    """Median processor time of a run."""
    ratio: float
    """Median of the rounds: time of reading it / time of reading ours."""


def record_ours(path: Path, copies: int) -> None:
    """Write both branches so many times, recorded by our handler."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(JsonLinesSpanExporter(path)))
    config: RunnableConfig = {
        "callbacks": [TrajectoryCallbackHandler(tracer_provider=provider, content=True)]
    }
    graph = build_seven_nodes()
    for _ in range(copies):
        for shortcut in (False, True):
            graph.invoke({"shortcut": shortcut, "nodes": []}, config=config)
    provider.shutdown()


def copy_corpus(path: Path, emitter: str, copies: int) -> None:
    """Write the corpus of an emitter so many times, each with ids of its own."""
    text = name_corpus(emitter, _SCENARIO).read_text("utf-8")
    copied = (rename_all(text, copy) for copy in range(copies))
    path.write_text("".join(copied), "utf-8")


def rename_all(text: str, copy: int) -> str:
    """Return spans with other ids, which stand for the same in all of them."""
    return _ID.sub(lambda found: rename(found[0], copy), text)


def rename(name: str, copy: int) -> str:
    """Return another id of the same form."""
    digits = iter(hashlib.sha256(f"{copy} {name}".encode()).hexdigest())
    return "".join("-" if letter == "-" else next(digits) for letter in name)


def count_runs(path: Path) -> int:
    """Return how many complete runs a file holds."""
    return sum(run.complete for run in read_runs(path))


def measure(
    emitters: Sequence[str] = EMITTERS, *, copies: int = COPIES, rounds: int = ROUNDS
) -> list[Reading]:
    """Return a row for each emitter."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        ours = Path(folder, "ours.jsonl")
        record_ours(ours, copies)
        for emitter in emitters:
            theirs = Path(folder, f"{emitter}.jsonl")
            copy_corpus(theirs, emitter, copies)
            for path in (ours, theirs):
                if (found := count_runs(path)) != 2 * copies:
                    raise ValueError(f"{path.name}: {found} complete runs instead of {2 * copies}")
            row = compare(
                emitter,
                lambda theirs=theirs: count_runs(theirs),  # type: ignore[misc] # binds the loop's
                "otel_traj",
                lambda: count_runs(ours),
                rounds=rounds,
            )
            size = theirs.stat().st_size / 1024 / copies
            rows.append(Reading(emitter, size, row.milliseconds / copies / 2, row.ratio))
    return rows


def main() -> None:
    """Measure, print, and write JSON where asked to."""
    parser = argparse.ArgumentParser(description="Measure reading other emitters.")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the rows as JSON, too")
    path: Path | None = parser.parse_args().json
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        **{package: version(package) for package in PACKAGES},
    }
    rows = measure()
    print(", ".join(f"{key} {value}" for key, value in about.items()), end="\n\n")
    print("| emitter | KiB for two runs | ms for a run | times ours |\n|---|---:|---:|---:|")
    for row in rows:
        print(f"| {row.emitter} | {row.kibibytes:.1f} | {row.milliseconds:.3f} | {row.ratio:.2f} |")
    if path is not None:
        path.write_text(
            json.dumps({**about, "rows": [asdict(row) for row in rows]}, indent=1) + "\n", "utf-8"
        )


if __name__ == "__main__":
    main()
