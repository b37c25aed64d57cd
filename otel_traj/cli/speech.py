"""What commands say beside their answer, on stderr, and how they open what they read."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

from otel_traj.report import (
    choose_glyphs,
    escape,
    fit_stderr,
    format_run_json,
    format_source_problem,
    format_steps,
    format_tree,
    measure_width,
)
from otel_traj.sources import describe_defaults, open_source, refuse_to_overwrite

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from otel_traj.model import Run, SourceProblem
    from otel_traj.report import Prices, TraceLink
    from otel_traj.sources import Source

__all__ = ["COULD_NOT_TELL", "complain", "hint_at_references", "open_named", "print_problem", "print_runs"]

COULD_NOT_TELL = 2
"""The exit code of whatever kept a command from answering."""


def open_named(name: str, arguments: argparse.Namespace) -> Source:
    """Open the source, and say what of it is read where neither its name nor a selection says so.

    Raises:
        SinkError: The command's own output is a file that the source reads.
    """
    source = open_source(name)
    if _writes_a_file():
        refuse_to_overwrite("/dev/stdout", source)
    words = describe_defaults(source)
    if words and not any(
        (arguments.trace, arguments.run, arguments.thread, arguments.since, arguments.until)
    ):
        complain(f"{source.name}: {words}")
    if source.capabilities.lags and arguments.wait != 0 and sys.stderr.isatty():
        complain("runs that are incomplete are waited for (--wait 0 reads once)")
    return source


def _writes_a_file() -> bool:
    """Return whether the shell led standard output into a file."""
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):
        return False


def print_runs(
    runs: Sequence[Run], form: str, *, link: TraceLink | None = None, prices: Prices | None = None
) -> None:
    """Print runs as a tree, as steps or as JSON, with links and costs where these are given."""
    width, glyphs = measure_width(), choose_glyphs()
    if form == "json":
        texts = [f"\n{format_run_json(run, link=link, prices=prices)}" for run in runs]
        print("[" + ",".join(texts) + ("\n]" if runs else "]"))
    elif form == "steps":
        for run in runs:
            print(format_steps(run, link=link))
    else:
        for number, run in enumerate(runs):
            tree = format_tree(run, width=width, glyphs=glyphs, link=link, prices=prices)
            print("\n" if number else "", tree, sep="")


def print_problem(problem: SourceProblem) -> None:
    """Print a problem of a source to stderr."""
    print(fit_stderr(format_source_problem(problem)), file=sys.stderr)


def complain(message: str) -> None:
    """Print a sentence to stderr, after the name of the program; foreign text in it is escaped."""
    print(fit_stderr(f"otel-traj: {escape(message)}"), file=sys.stderr)


def hint_at_references(source: str) -> None:
    """Say where a reference file belongs, where one was given as the source."""
    if source.lower().endswith((".yaml", ".yml")):
        complain("a reference file stands after --references; the source holds spans")
