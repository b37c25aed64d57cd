"""The same runs in several sources as text: which runs are where, and in what they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from otel_traj.match.names import show_superstep
from otel_traj.match.supersteps import number_supersteps
from otel_traj.report.escape import escape, shorten, wrap
from otel_traj.report.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.evaluate.doctor.diagnosis import Aspect, ComparedRun, SourceDiagnosis

__all__ = ["format_comparison"]

_INDENT = "    "
_WORDS = {
    "runs": "pieces of the run",
    "steps": "supersteps",
    "model_calls": "model calls",
    "tool_calls": "tool calls",
    "subgraph_runs": "subgraph runs",
}


def format_comparison(
    runs: Sequence[ComparedRun], sources: Sequence[SourceDiagnosis], *, width: int
) -> Iterator[str]:
    """Yield the lines of a comparison.

    Args:
        runs: Every run, as `diagnose` compares them.
        sources: All of them, in order; equal names are told apart by their number.
        width: Characters per line.
    """
    names = _tell_apart([source.source for source in sources])
    readable = sum(source.error is None for source in sources)
    alike = sum(run.agrees for run in runs)
    elsewhere = sum(not run.is_everywhere for run in runs)
    differing = sum(bool(run.differences) for run in runs)
    head = f"Compared: {count(len(runs), 'run')} in {count(readable, 'source')}"
    if runs:
        head += f", {alike:,} alike in all, {elsewhere:,} not in all, {differing:,} different"
    yield from wrap(head, width=width, hanging=_INDENT)
    for run in runs:
        if not run.agrees:
            yield from _format_run(run, names, width)


def _tell_apart(sources: Sequence[str]) -> list[str]:
    return [
        escape(name) if sources.count(name) == 1 else f"{escape(name)} (source {number})"
        for number, name in enumerate(sources, 1)
    ]


def _format_run(run: ComparedRun, names: Sequence[str], width: int) -> Iterator[str]:
    graph = "unknown graph" if run.graph is None else shorten(run.graph)
    thread = "" if run.thread_id is None else f", thread {shorten(run.thread_id)}"
    state = "DIFFERENT" if run.differences else "NOT IN ALL"
    yield from wrap(
        f"{state}: {graph} {shorten(run.run_id)}{thread}", width=width, indent="  ", hanging=_INDENT * 2
    )
    absent = [name for name, is_there in zip(names, run.present, strict=True) if is_there is False]
    texts = [f"not in {', '.join(absent)}"] if absent else []
    for aspect in run.differences:
        shown = [
            f"{value} in {name}"
            for value, name, is_there in zip(_show_values(aspect), names, run.present, strict=True)
            if is_there
        ]
        texts.append(f"{_WORDS.get(aspect.name, aspect.name)}: {'; '.join(shown)}")
    for text in texts:
        yield from wrap(text, width=width, indent=_INDENT, hanging=_INDENT + "  ")


def _show_values(aspect: Aspect) -> list[str]:
    if aspect.name == "steps":
        return _show_trajectories([cast("list[list[str]] | None", value) for value in aspect.values])
    return [_show(value) for value in aspect.values]


def _show(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _show_trajectories(trajectories: Sequence[list[list[str]] | None]) -> list[str]:
    """Return how many supersteps each has, and the first at which they part: the rest follows from it, or from loss."""
    there = [steps for steps in trajectories if steps is not None]
    place = next(at for at in range(max(map(len, there))) if _part(there, at))
    return [
        "" if steps is None else f"{len(steps):,}, with {_show_at(steps, place)}" for steps in trajectories
    ]


def _part(trajectories: Sequence[list[list[str]]], place: int) -> bool:
    """Whether the trajectories differ at a place."""
    return len({tuple(map(tuple, steps[place : place + 1])) for steps in trajectories}) > 1


def _show_at(steps: list[list[str]], place: int) -> str:
    number = number_supersteps(steps)[place] if place < len(steps) else None
    return "no more" if number is None else f"{show_superstep(steps[place])} as superstep {number}"
