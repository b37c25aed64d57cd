"""A run as plain lines: one for the run, one for each superstep.

Made for reading down and for `diff`: no times, no widths, names in canonical order and never shortened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.report.escape import quote
from otel_traj.report.supersteps import list_supersteps

if TYPE_CHECKING:
    from otel_traj.model import Run

__all__ = ["format_steps"]


def format_steps(run: Run) -> str:
    """Return the lines of one run, without a newline at the end.

    The first line names graph, run and status (and the problems of an incomplete run), each further line a
    superstep: its number, which counts from `__start__` as 0, and its names. `-` stands before the interrupt
    marker, which is not counted.
    """
    graph = "?" if run.graph is None else quote(run.graph)
    codes = ", ".join(dict.fromkeys(problem.code for problem in run.problems))
    state = "" if run.complete else f" incomplete ({codes})"
    lines = [f"{graph} {quote(run.run_id)} {run.status}{state}"]
    for superstep in list_supersteps(run):
        number = "-" if superstep.number is None else str(superstep.number)
        lines.append(f"{number:>4} {', '.join(map(quote, superstep.names))}".rstrip())
    return "\n".join(lines)
