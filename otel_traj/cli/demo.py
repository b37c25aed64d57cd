"""`otel-traj demo`: sample agents recorded offline, shown and judged."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.cli.parser import add_command
from otel_traj.cli.speech import COULD_NOT_TELL, complain, print_problem, print_runs
from otel_traj.errors import OtelTrajError, SinkError
from otel_traj.evaluate import evaluate_runs
from otel_traj.reconstruct import read_runs
from otel_traj.report import name_program, print_report
from otel_traj.sources import open_source

if TYPE_CHECKING:
    import argparse

    from otel_traj.cli.parser import Commands
    from otel_traj.model import SourceProblem

__all__ = ["DEMO_EXAMPLE", "add_demo"]

DEMO_EXAMPLE = "otel-traj demo --out otel-traj-demo"
"""What a newcomer types first."""

_ELSEWHERE = 'give the demo another folder: otel-traj demo --out DIR, or make demo ARGS="--out DIR"'


def add_demo(commands: Commands) -> None:
    """Add the command.

    Args:
        commands: The commands of the program.
    """
    does = "record three sample agents offline, show and judge them"
    command = add_command(commands, "demo", does, usage="[--out DIR]", example=DEMO_EXAMPLE)
    command.set_defaults(command=_demo)
    command.add_argument(
        "--out", metavar="DIR", default="otel-traj-demo", help="folder to write to (%(default)s)"
    )


def _demo(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.out)
    traces, references = folder / "traces.jsonl", folder / "references.yaml"
    try:
        _record_samples(traces, references)
    except OSError as error:
        if isinstance(error, OtelTrajError):
            raise
        reason = "it is no folder" if isinstance(error, FileExistsError) else error.strerror or error
        words = f"{str(folder)!r} can't be written to ({reason}), so that the demo has no place for its files"
        raise SinkError(f"{words}; {_ELSEWHERE}", path=str(folder)) from error
    runs = list(read_runs(traces, on_problem=print_problem))
    if not runs:
        complain("nothing was recorded; is OTEL_SDK_DISABLED set?")
        return COULD_NOT_TELL
    print(
        f"Three sample agents have run, offline. Their spans are in\n  {traces}\nand these are the runs in them:\n"
    )
    print_runs(runs, "tree")
    print(f"\nJudged by\n  {references}\nwhich wants every run of the graph seven to take the long path:\n")
    print_report(evaluate_runs(traces, references=references))
    print("\nOne run fails, as it should: it took the shortcut. Now look for yourself:\n")
    program, spans = name_program(), shlex.quote(str(traces))
    print(f"  {program} show {spans}")
    print(f"  {program} eval {spans} --references {shlex.quote(str(references))}")
    return 0


def _record_samples(traces: Path, references: Path) -> None:
    """Write both files of the demo where nothing lies, or what an earlier demo wrote.

    Raises:
        SinkError: Something else lies there.
        OSError: The folder can't be written to.
    """
    from otel_traj.record.sample_runs import SAMPLE_REFERENCES, SAMPLE_SERVICE, record_sample_runs

    traces.parent.mkdir(parents=True, exist_ok=True)
    if traces.exists() and not _are_samples(traces, SAMPLE_SERVICE):
        words = f"{str(traces)!r} holds more than an earlier demo wrote, and is kept; {_ELSEWHERE}"
        raise SinkError(words, path=str(traces))
    if references.exists() and not (
        references.is_file() and references.read_bytes() == SAMPLE_REFERENCES.encode()
    ):
        words = f"{str(references)!r} is not as the demo writes it, and is kept; {_ELSEWHERE}"
        raise SinkError(words, path=str(references))
    with tempfile.TemporaryDirectory(dir=traces.parent, prefix=".recording-") as scratch:
        recorded = Path(scratch) / traces.name
        record_sample_runs(recorded)
        recorded.replace(traces)
    references.write_text(SAMPLE_REFERENCES, encoding="utf-8")


def _are_samples(traces: Path, service: str) -> bool:
    problems: list[SourceProblem] = []
    spans = open_source(traces).read_spans(problems.append)
    is_of_service = all(span.resource.get(sc.SERVICE_NAME) == service for span in spans)
    return is_of_service and all(problem.code == "empty_source" for problem in problems)
