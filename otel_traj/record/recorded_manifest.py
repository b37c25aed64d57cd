"""The manifest of a graph run: how many tasks it had and which trajectory, as the recorder saw it.

It stands on the end of the graph-run span. The reader compares it with the spans that arrived; that is how a
lost batch is told from a short run.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from otel_traj import semconv as sc
from otel_traj.manifest import MAX_STEPS_BYTES, digest_steps, encode_steps, sibling_sort_key

if TYPE_CHECKING:
    from opentelemetry.util.types import AttributeValue

    from otel_traj.record.graph_run import GraphRun, SeenTask

__all__ = ["build_manifest", "list_steps"]


def list_steps(run: GraphRun) -> list[list[str]]:
    """Return the node names of a graph run in this invocation.

    Returns:
        Outer list = supersteps, ascending; inner = names in canonical order. A traced `__start__` is left out.
    """
    tasks = sorted((task for task in run.tasks.values() if task.node != sc.START_NODE), key=_sort_key)
    return [[task.node for task in group] for _, group in groupby(tasks, key=lambda task: task.step)]


def _sort_key(task: SeenTask) -> tuple[int, tuple[int, int, str]]:
    return task.step, sibling_sort_key(task.node, task.push_index)


def _is_mixed(run: GraphRun) -> bool:
    """Whether this is two runs: a config gave them the same id at once, and their callbacks can't be told apart.

    A handler that is bound twice begins its runs twice too. But in one run the edges trigger each node once in a
    superstep; only fan-outs repeat it.
    """
    if not run.begun_twice:
        return False
    pulled = [(task.step, task.node) for task in run.tasks.values() if task.push_index is None]
    return len(set(pulled)) < len(pulled)


def build_manifest(run: GraphRun) -> dict[str, AttributeValue]:
    """Return the attributes that a graph-run span owes at its end.

    Args:
        run: The graph run; the lock of its table is held.

    Returns:
        Counts and digest; the trajectory itself while it is short. Only the number of spans where two runs were
        mixed, so that a reader takes the run for incomplete.
    """
    manifest: dict[str, AttributeValue] = {sc.SCHEMA: sc.SCHEMA_VERSION}
    if run.parent is None:
        manifest[sc.SPAN_COUNT] = run.span_count
    if _is_mixed(run):
        return manifest
    encoded = encode_steps(list_steps(run))
    manifest |= {
        sc.TASK_COUNT: len(run.tasks),
        sc.TASK_SPAN_COUNT: run.task_span_count,
        sc.STEPS_SHA256: digest_steps(encoded),
        sc.INTERRUPTED_COUNT: len(run.interrupted_ids),
    }
    if len(encoded.encode("utf-8", "surrogatepass")) <= MAX_STEPS_BYTES:
        manifest[sc.STEPS] = encoded
    return manifest
