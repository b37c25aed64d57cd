"""Is everything there that the recorder saw? What is missing gets a code and words.

The manifest at the end of a graph-run span says how many tasks ran and which trajectory they made. What
arrived is held against it: a lost batch is told from a short run. A span without its end, a key that is not
there or not whole, copies that disagree: each makes the run incomplete, because a verdict on it could be
wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.manifest import digest_steps, encode_steps
from otel_traj.model import Problem, ProblemCode
from otel_traj.reconstruct.names import name_run, name_span, name_spans
from otel_traj.reconstruct.supersteps import group_supersteps, list_recorded_steps
from otel_traj.reconstruct.without_manifest import check_without_manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from otel_traj.model import Task
    from otel_traj.reconstruct.facts import Manifest, Place
    from otel_traj.reconstruct.parts import Part

__all__ = ["check_part", "is_manifest_met"]

_RESEND = "Read the source again later, or look for spans that the exporter or the collector dropped."


def is_manifest_met(part: Part, tasks: Sequence[Task]) -> bool:
    """Return whether exactly the tasks are there that the part's manifest names."""
    manifest = part.graph.manifest if part.graph else None
    return manifest is not None and not _find_mismatch(manifest, part, tasks)


def check_part(
    part: Part, tasks: Sequence[Task], conflicts: Mapping[tuple[str, str], tuple[str, ...]]
) -> list[Problem]:
    """Return what is missing from or wrong with one call of a graph.

    Args:
        part: The call, with its task facts.
        tasks: The same tasks, attempts joined, by superstep.
        conflicts: Spans of which differing copies arrived.

    Returns:
        Problems in a fixed order; empty where all is well.
    """
    run = name_run(part)
    places = ([part.graph.place] if part.graph else []) + [task.place for task in part.tasks]
    return [
        *_check_root(part, run),
        *_check_open_tasks(part, run),
        *_check_orphans(part, run),
        *_check_manifest(part, tasks, run),
        *check_without_manifest(part, tasks),
        *_check_late(part, run),
        *_check_keys(places, run),
        *_check_copies(part, conflicts, run),
        *_check_unreadable(part, run),
    ]


def _problem(code: ProblemCode, message: str, places: Iterable[Place] = ()) -> Problem:
    return Problem(code=code, message=message, span_ids=tuple(sorted(place.span_id for place in places)))


def _check_root(part: Part, run: str) -> list[Problem]:
    if part.graph is None:
        places = [fact.place for fact in (*part.tasks, *part.strays)]
        message = (
            f"{run}: the graph-run span is missing; below it are {name_spans(places, shown=1)}. Without it nobody "
            f"knows whether the run ended or what it is part of. {_RESEND}"
        )
        return [_problem("root_missing", message, places)]
    place = part.graph.place
    if not place.end_ns:
        message = (
            f"{run}: the graph-run span {name_span(place)} has no end. The run is still going, or "
            f"its process died. Read the source again when it has ended."
        )
        return [_problem("root_open", message, [place])]
    return []


def _check_open_tasks(part: Part, run: str) -> list[Problem]:
    places = [task.place for task in part.tasks if not task.place.end_ns]
    if not places:
        return []
    message = f"{run}: task spans without an end: {name_spans(places)}. How they went is not known. {_RESEND}"
    return [_problem("task_open", message, places)]


def _check_orphans(part: Part, run: str) -> list[Problem]:
    places = [task.place for task in part.orphans]
    if not places:
        return []
    message = (
        f"{run}: spans whose own graph run, or task, is missing: {name_spans(places)}. They belong to this run or to a "
        f"subgraph run below it. {_RESEND}"
    )
    return [_problem("orphan", message, places)]


def _find_mismatch(manifest: Manifest, part: Part, tasks: Sequence[Task]) -> str:
    """Return in words what the recorder saw other than what arrived; empty where the manifest is met."""
    in_time = [fact for fact in part.tasks if not fact.place.late]
    spans = len(in_time)
    ids_in_time = {fact.task_id for fact in in_time}
    tasks = [task for task in tasks if task.task_id in ids_in_time]
    if len(tasks) < manifest.task_count:
        return f"saw {manifest.task_count} tasks, {len(tasks)} arrived"
    if spans < manifest.task_span_count:
        return f"wrote {manifest.task_span_count} task spans, {spans} arrived"
    steps = list_recorded_steps(group_supersteps(tasks))
    if digest_steps(encode_steps(steps)) != manifest.steps_sha256:
        recorded = f" {manifest.steps}" if manifest.steps else ""
        return f"saw other supersteps{recorded} than arrived {encode_steps(steps)}"
    interrupted = sum(task.interrupted for task in tasks)
    if manifest.interrupted_count is not None and interrupted != manifest.interrupted_count:
        return f"saw {manifest.interrupted_count} tasks interrupted, {interrupted} say so"
    if len(tasks) > manifest.task_count:
        return f"saw {manifest.task_count} tasks, {len(tasks)} arrived"
    return ""


def _check_manifest(part: Part, tasks: Sequence[Task], run: str) -> list[Problem]:
    graph = part.graph
    if graph is None or graph.manifest is None:
        return []
    mismatch = _find_mismatch(graph.manifest, part, tasks)
    if mismatch:
        message = f"{run}: the recorder of {name_span(graph.place)} {mismatch}. {_RESEND}"
        return [_problem("manifest_mismatch", message, [graph.place])]
    wanted = graph.manifest.span_count
    there = sum(not place.late for place in part.places)
    if wanted is None or there >= wanted:
        return []
    message = (
        f"{run}: all its tasks are there, but of {wanted} spans below {name_span(graph.place)} only {there} "
        f"arrived. Verdicts on nodes stand; model calls, tool calls or subgraph runs are missing. {_RESEND}"
    )
    return [_problem("spans_missing", message, [graph.place])]


def _check_late(part: Part, run: str) -> list[Problem]:
    below = part.places + [task.place for task in part.tasks]
    places = list({place.span_id: place for place in below if place.late}.values())
    if not places:
        return []
    message = (
        f"{run}: spans that started when their graph run, or the top-level run, had ended: {name_spans(places)}. No "
        f"manifest can count them, so there may be more. Wait for the work that the graph starts before it returns."
    )
    return [_problem("late_span", message, places)]


def _check_keys(places: Sequence[Place], run: str) -> list[Problem]:
    problems = []
    for place in places:
        span = f"{run}: the span {name_span(place)}"
        if place.missing_keys:
            dropped = f" The SDK dropped {place.dropped_attributes} of its attributes at a limit."
            message = (
                f"{span} lacks {', '.join(place.missing_keys)}.{dropped if place.dropped_attributes else ''} "
                f"Keep these keys in redaction and attribute processors."
            )
            problems.append(_problem("key_missing", message, [place]))
        if place.cut_keys:
            message = (
                f"{span} has only the beginning of {', '.join(place.cut_keys)}. Raise the limit on the length of "
                f"attribute values in the SDK and in the backend."
            )
            problems.append(_problem("key_cut", message, [place]))
    return problems


def _check_copies(
    part: Part, conflicts: Mapping[tuple[str, str], tuple[str, ...]], run: str
) -> list[Problem]:
    places = ([part.graph.place] if part.graph else []) + [task.place for task in part.tasks]
    problems = []
    for place in places:
        differing = conflicts.get((place.trace_id, place.span_id))
        if differing:
            message = (
                f"{run}: copies of the span {name_span(place)} differ in {', '.join(differing)}. "
                f"Nobody can say which is right. Look for a processor that rewrites one of two export paths."
            )
            problems.append(_problem("conflicting_copy", message, [place]))
    return problems


def _check_unreadable(part: Part, run: str) -> list[Problem]:
    places = ([part.graph.place] if part.graph else []) + part.places + [task.place for task in part.tasks]
    damaged = {place.span_id: place for place in places if place.unreadable}
    if not damaged:
        return []
    keys = sorted({key for place in damaged.values() for key in place.unreadable})
    message = (
        f"{run}: attributes that can't be decoded ({', '.join(keys)}) on {name_spans(list(damaged.values()))}. "
        f"Look for a tool that rewrote the file."
    )
    return [_problem("unreadable", message, damaged.values())]
