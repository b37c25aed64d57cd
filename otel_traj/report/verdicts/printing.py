"""A report on stdout, in colours where it is a terminal and rich is there, as plain text everywhere else."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import TYPE_CHECKING

from otel_traj.report.terminal import measure_width
from otel_traj.report.verdicts.verdicts import format_report

if TYPE_CHECKING:
    from otel_traj.evaluate import Report
    from otel_traj.report.prices import Prices
    from otel_traj.report.trace_link import TraceLink

__all__ = ["print_report"]


def print_report(report: Report, *, link: TraceLink | None = None, prices: Prices | None = None) -> None:
    """Print a report to stdout.

    Args:
        report: What `evaluate_runs` returned.
        link: Makes the links of each run.
        prices: What model calls cost.
    """
    # Importing rich takes longer than judging a few runs.
    may_colour = sys.stdout.isatty() or os.environ.get("FORCE_COLOR")
    if may_colour and importlib.util.find_spec("rich") is not None:
        from rich.console import Console

        from otel_traj.report.verdicts.coloured import print_coloured

        console = Console(markup=False, emoji=False)
        if console.is_terminal and not console.is_dumb_terminal:
            print_coloured(report, console, link=link, prices=prices)
            return
    print(format_report(report, width=measure_width(), link=link, prices=prices))  # noqa: T201 - its job
