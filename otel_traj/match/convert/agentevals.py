"""Trajectories as agentevals writes them, to and from.

agentevals (seen with 0.0.9) keeps one flat list of node names per segment: a segment begins with an input or with a
resume, and ends with the run or at an interrupt. Which names ran in one superstep is not in it, and what ran side by
side stands in reversed task order. So nothing can bring supersteps back: what comes from there has one name in each,
and is compared in the flat modes, which look at no boundaries. What goes there is flattened as agentevals would have
written it. Nothing of agentevals is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypedDict

from otel_traj.errors import TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.explain.standing import incomplete_codes, is_incomplete
from otel_traj.match.inputs import GivenRun, is_list, read_outputs, split_runs
from otel_traj.match.supersteps import INTERRUPT, START, is_interrupt
from otel_traj.match.values_in_words import describe_value
from otel_traj.model import Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otel_traj.match.given import Outputs
    from otel_traj.model import AttributeValue, GraphRunTrajectory

__all__ = ["AgentevalsTrajectory", "from_agentevals", "to_agentevals"]

_RESUMING: Final = "__resuming__"
_FORM: Final = "a GraphTrajectory has 'steps', one list of node names per segment"


class AgentevalsTrajectory(TypedDict):
    """The `GraphTrajectory` of agentevals: three lists with one entry per segment."""

    inputs: list[object]
    """`{"__start__": input}` of a segment that an input began, `"__resuming__"` of one that was resumed; None: not
    recorded."""
    results: list[object]
    """What the segment ended with; `{}` where it ended at an interrupt, None where it was not recorded."""
    steps: list[list[str]]
    """Node names in a row, `__start__` and `__interrupt__` among them."""


def to_agentevals(outputs: Outputs) -> AgentevalsTrajectory:
    """Return runs as the one GraphTrajectory that agentevals has for a thread.

    Args:
        outputs: One run or several, as for `graph_trajectory_match`, in the order of the thread.

    Returns:
        One segment per run, and one more after each interrupt that was followed by something. Names of one superstep
        are reversed: that is agentevals' order where they stand in the order of the graph, as from a history or
        `read_runs(..., node_order=list(graph.nodes))`. Supersteps are gone.

    Raises:
        TrajectoryTypeError: something that is no trajectory; the message says where.
        TrajectoryValueError: a run that is incomplete; agentevals has no word for that.
    """
    entries = split_runs(outputs, "outputs", _is_plain_run)
    flat = AgentevalsTrajectory(inputs=[], results=[], steps=[])
    for index, (entry, given) in enumerate(zip(entries, read_outputs(entries), strict=True)):
        _refuse_incomplete(given, index)
        segments = list(_split_segments(given.steps))
        flat["steps"] += segments
        flat["inputs"] += [_get_inputs(entry), *[_RESUMING] * (len(segments) - 1)]
        flat["results"] += [*({} for _ in segments[1:]), given.results]
    return flat


def from_agentevals(trajectory: Mapping[str, object]) -> list[GraphRunTrajectory]:
    """Return the runs of a GraphTrajectory of agentevals, one name per superstep.

    Compare them in a flat mode, such as `trajectory_mode="flat_exact"`: it takes the names of one superstep in any
    order. A mode that looks at supersteps would take every name for one.

    Args:
        trajectory: What agentevals compares, extracted or written by hand; or a whole extraction
            (`{"inputs": ..., "outputs": ...}`).

    Returns:
        One run per input: segments that were resumed are joined to what they resume. A segment is taken for resumed
        where its input says so; without inputs, where it has no `__start__` and stands behind an interrupt. Several
        markers at the end of a segment are one superstep `["__interrupt__"]`, its last.

    Raises:
        TrajectoryTypeError: something that is no GraphTrajectory; the message says where.
        TrajectoryValueError: inputs or results that are not as many as the segments.
    """
    trajectory = _unwrap(trajectory)
    segments = _read_segments(trajectory["steps"])
    inputs = _read_beside(trajectory, "inputs", len(segments))
    results = _read_beside(trajectory, "results", len(segments))
    runs: list[GraphRunTrajectory] = []
    for index, segment in enumerate(segments):
        steps = [[name] for name in _end_with_marker(segment)]
        if runs and _is_resumed(inputs[index], segment, runs[-1]["steps"]):
            runs[-1]["steps"] += steps
            runs[-1]["results"] = _as_record(results[index], "results", index)
            continue
        given = None if inputs[index] == _RESUMING else inputs[index]
        runs.append(
            {
                "inputs": _as_record(given, "inputs", index),
                "results": _as_record(results[index], "results", index),
                "steps": steps,
            }
        )
    return runs


def _unwrap(trajectory: object) -> Mapping[str, object]:
    """Return the GraphTrajectory of an extraction, which has its inputs beside it."""
    found = f"is {describe_value(trajectory)}"
    if isinstance(trajectory, Mapping):
        if "steps" in trajectory:
            return trajectory
        inner = trajectory.get("outputs")
        if isinstance(inner, Mapping) and "steps" in inner:
            return {**inner, "inputs": inner.get("inputs") or trajectory.get("inputs")}
        found = f"has the keys {list(trajectory)!r}"
    raise TrajectoryTypeError(
        f"trajectory {found}: {_FORM}. Pass it, or the extraction that holds it under 'outputs'."
    )


def _is_plain_run(entries: Sequence[object]) -> bool:
    rows = [entry for entry in entries if is_list(entry)]
    return bool(entries) and (
        any(isinstance(entry, str) for entry in entries)
        or (bool(rows) and not any(is_list(name) for names in rows for name in names))
    )


def _refuse_incomplete(given: GivenRun, index: int) -> None:
    if given.run is not None and is_incomplete(given.run):
        codes = ", ".join(incomplete_codes(given.run)) or "complete=False"
        raise TrajectoryValueError(
            f"outputs: run {index} ({given.run.run_id!r}) is incomplete ({codes}): agentevals would take what is left"
            f" for all that ran. Pass complete runs, or the mapping with the steps that you know of."
        )


def _get_inputs(entry: object) -> object:
    if isinstance(entry, Run):
        return None if entry.inputs is None else {START: entry.inputs}
    return entry.get("inputs") if isinstance(entry, Mapping) else None


def _split_segments(steps: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the names of a run, in a new list after each interrupt that something follows."""
    segment: list[str] = []
    for position, names in enumerate(steps):
        segment += reversed(names)
        if is_interrupt(names) and position + 1 < len(steps):
            yield segment
            segment = []
    yield segment


def _read_segments(steps: object) -> list[list[str]]:
    if not is_list(steps):
        raise TrajectoryTypeError(f"steps is {describe_value(steps)}: {_FORM}. Pass a list of such lists.")
    for index, segment in enumerate(steps):
        if not is_list(segment):
            raise TrajectoryTypeError(
                f"steps[{index}] is {describe_value(segment)}: {_FORM}. Pass such a list, also for one segment."
            )
        for position, name in enumerate(segment):
            if not isinstance(name, str) or not name:
                raise TrajectoryTypeError(
                    f"steps[{index}][{position}] is {describe_value(name)}: {_FORM}. Supersteps of our own form are"
                    f" compared without this conversion."
                )
    return [[str(name) for name in segment] for segment in steps if is_list(segment)]


def _read_beside(trajectory: Mapping[str, object], key: str, count: int) -> Sequence[object]:
    """Return what stands beside the segments, one entry each; a list that was left out or empty is all None."""
    values = trajectory.get(key)
    if values is None or (is_list(values) and not values):
        return [None] * count
    if not is_list(values):
        raise TrajectoryTypeError(
            f"{key} is {describe_value(values)}: it has one entry per segment. Pass a list, or leave it out."
        )
    if len(values) != count:
        raise TrajectoryValueError(
            f"{key} has {len(values)} entries and steps {count}: nothing tells which belong together. Give one per"
            f" segment, or leave {key} out."
        )
    return values


def _end_with_marker(segment: Sequence[str]) -> list[str]:
    """Return a segment with one marker at its end: what follows the first marker ran beside what was interrupted."""
    names = [name for name in segment if name != INTERRUPT]
    return names if len(names) == len(segment) else [*names, INTERRUPT]


def _is_resumed(given: object, segment: Sequence[str], before: Sequence[Sequence[str]]) -> bool:
    if given is not None:
        return given == _RESUMING
    return bool(segment and before) and segment[0] != START and is_interrupt(before[-1])


def _as_record(value: object, key: str, index: int) -> dict[str, AttributeValue] | None:
    if value is None or isinstance(value, Mapping):
        return None if value is None else dict(value)
    raise TrajectoryTypeError(
        f"{key}[{index}] is {describe_value(value)}: it is a mapping, or None where it is not known. Pass one of them."
    )
