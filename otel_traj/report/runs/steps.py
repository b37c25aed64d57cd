"""A run as plain lines: one for the run, one for each superstep.

Made for reading down, for `diff` and for simple programs: no times, no widths, names in canonical order and never
shortened. A wide fan-out is folded to `worker x40`, which no name can be taken for: one with a space is quoted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.match.names import fold_names
from otel_traj.report.escape import show_word
from otel_traj.report.runs.supersteps import list_supersteps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.model import Run
    from otel_traj.report.trace_link import TraceLink

__all__ = ["format_steps"]


def format_steps(run: Run, *, link: TraceLink | None = None) -> str:
    """Return the lines of one run, without a newline at the end.

    Args:
        run: The run.
        link: Makes its links, which end the first line.

    Returns:
        The first line names graph, run and status (the error's type, and the problems of an incomplete run), each
        further line a superstep: its number, which counts from `__start__` as 0, and its names; a name that stands
        more than three times in a row is written once, `worker x40`. `-` stands before the interrupt marker, which
        is not counted.
    """
    graph = "?" if run.graph is None else show_word(run.graph)
    error = "" if run.error_type is None else f" {show_word(run.error_type)}"
    codes = ", ".join(dict.fromkeys(problem.code for problem in run.problems))
    state = "" if run.complete else f" incomplete ({codes})"
    links = "" if link is None else "".join(f" {each}" for each in link.link_run(run))
    lines = [f"{graph} {show_word(run.run_id)} {run.status}{error}{state}{links}"]
    for superstep in list_supersteps(run):
        number = "-" if superstep.is_interrupt else str(superstep.number)
        lines.append(f"{number:>4} {_list_names(superstep.names)}".rstrip())
    return "\n".join(lines)


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(
        show_word(name) if number == 1 else f"{show_word(name)} x{number}"
        for name, number in fold_names(names)
    )
