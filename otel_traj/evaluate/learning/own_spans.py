"""Which spans of a trace belong to a run, where several runs share one.

A span belongs to the graph-run span that it stands below; what stands below none, a request around the run for
example, belongs to every run of its trace. A task whose graph-run span was lost is known by its run id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj import semconv as sc

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from otel_traj.model import Run, Span

__all__ = ["choose_spans"]


def choose_spans(spans: Sequence[Span], runs: Iterable[Run], chosen: Iterable[Run]) -> list[Span]:
    """Return the spans of chosen runs, in their order.

    Args:
        spans: Of all runs; copies of one that differ have the same fate.
        runs: All runs that were read of them.
        chosen: Those of them that are meant.
    """
    chosen = list(chosen)
    traces = {trace_id for run in chosen for trace_id in run.trace_ids}
    wanted = {id(run) for run in chosen}
    is_wanted = {key: id(run) in wanted for run in runs for key in _list_roots(run)}
    by_id = {(span.trace_id, span.span_id): span for span in spans}
    known: dict[tuple[str, str], bool] = {}
    return [span for span in spans if span.trace_id in traces and _is_meant(span, by_id, is_wanted, known)]


def _list_roots(run: Run) -> Iterable[object]:
    """Yield what a run's own spans are known by: graph-run spans by place, and run ids, of subgraph runs too."""
    for each in run.invocations:
        yield each.trace_id, each.span_id
        yield each.run_id
    for child in run.children:
        yield from _list_roots(child)


def _is_meant(
    span: Span,
    by_id: Mapping[tuple[str, str], Span],
    is_wanted: Mapping[object, bool],
    known: dict[tuple[str, str], bool],
) -> bool:
    """Return whether the nearest run above a span is meant; a span below none is."""
    path: dict[tuple[str, str], None] = {}
    answer: bool | None = None
    here: Span | None = span
    while here is not None and answer is None and (key := (here.trace_id, here.span_id)) not in path:
        path[key] = None
        answer = known.get(key, is_wanted.get(key))
        run_id = here.attributes.get(sc.RUN_ID)
        if answer is None and isinstance(run_id, str):
            answer = is_wanted.get(run_id)
        here = by_id.get((here.trace_id, here.parent_span_id))
    found = True if answer is None else answer
    known.update(dict.fromkeys(path, found))
    return found
