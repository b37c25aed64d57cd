"""What to say to whoever asked for a graph that no run is of.

A graph that another one calls has no runs of its own: they stand inside the caller's. Who selects it, or writes a
reference for it, meets no run, and would look for lost telemetry where only the name is another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.match.names import list_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otel_traj.model import Run

__all__ = ["explain_absent_graphs"]


def explain_absent_graphs(runs: Iterable[Run], graphs: Iterable[str]) -> str | None:
    """Return which of some graphs have no runs of their own, and which graphs have.

    Args:
        runs: All top-level runs of the source.
        graphs: Names that were asked for.

    Returns:
        One sentence without a full stop, names safe to print; None where each graph has runs, or of no run the
        graph is known.
    """
    top: set[str] = set()
    inner: set[str] = set()
    for run in runs:
        inner.update(_list_inner(run))
        # A subgraph's run that stands on top has lost its caller.
        if run.graph is not None:
            (top if run.parent_task_id is None else inner).add(run.graph)
    absent = sorted(set(graphs) - top)
    if not absent or not top:
        return None
    noun = "graph" if len(absent) == 1 else "graphs"
    sentence = f"no run is of the {noun} {list_names(absent)}; graphs there: {list_names(sorted(top))}"
    only_inner = sorted(inner - top)
    return f"{sentence}; only as subgraphs: {list_names(only_inner)}" if only_inner else sentence


def _list_inner(run: Run) -> Iterator[str]:
    for child in run.children:
        if child.graph is not None:
            yield child.graph
        yield from _list_inner(child)
