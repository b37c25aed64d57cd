"""`graph_trajectory_match` and its async twin: the comparison as an evaluator that answers with four keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_traj.errors import TrajectoryTypeError
from otel_traj.match.judge import Outputs, References, match_runs
from otel_traj.match.modes import DEFAULT_IGNORE, DEFAULT_STATUS, DuplicatesMode, GraphTrajectoryMatchMode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otel_traj.match.result import MatchResult

__all__ = ["graph_trajectory_match", "graph_trajectory_match_async"]

_KEY = "graph_trajectory_match"


def graph_trajectory_match(
    *,
    outputs: Outputs,
    reference_outputs: References,
    step_mode: GraphTrajectoryMatchMode = "unordered",
    duplicates: DuplicatesMode = "count",
    ignore: Iterable[str] = DEFAULT_IGNORE,
    status: str | Iterable[str] = DEFAULT_STATUS,
    key: str = _KEY,
) -> MatchResult:
    """Compare graph runs with their references, superstep by superstep.

    Runs and supersteps must be as many as expected: `subset` lets no whole superstep vanish, `superset` adds none.

    Args:
        outputs: One run or several, in order: mappings with `steps`, plain lists of supersteps, or `Run` records,
            whose status and completeness are looked at too.
        reference_outputs: What is expected, in the same forms; a superstep may be a `ReferenceStep`.
        step_mode: How a superstep is compared, actual against reference: `exact` (same names, same order),
            `unordered`, `subset` or `at_most` (actual lies within the reference), `superset` or `at_least`
            (actual contains the reference).
        duplicates: `count` takes two tasks of a node for two, `ignore` for one.
        ignore: Names that are left out on both sides; a superstep that loses all its names is dropped.
        status: Statuses in which a `Run` does not fail: a word, several, or `any`.
        key: The result's key.

    Returns:
        `key`; `score`: True, False, or None where nothing can be judged (incomplete, or waiting for a resume);
        `comment`: why, superstep by superstep, at most 2,048 bytes; `metadata`: the same for programs, with both
        sides whole. For a pass comment and metadata are None.

    Raises:
        TrajectoryTypeError: something that is no trajectory; the message says where.
        TrajectoryValueError: an option or a name that is not allowed; the message lists what is.
        InvalidReferenceError: a reference that can't be compared with.
    """
    _check_key(key)
    outcome = match_runs(
        outputs, reference_outputs, step_mode=step_mode, duplicates=duplicates, ignore=ignore, status=status
    )
    return {"key": key, "score": outcome.score, "comment": outcome.comment, "metadata": outcome.metadata}


async def graph_trajectory_match_async(
    *,
    outputs: Outputs,
    reference_outputs: References,
    step_mode: GraphTrajectoryMatchMode = "unordered",
    duplicates: DuplicatesMode = "count",
    ignore: Iterable[str] = DEFAULT_IGNORE,
    status: str | Iterable[str] = DEFAULT_STATUS,
    key: str = _KEY,
) -> MatchResult:
    """Compare as `graph_trajectory_match` does, for callers that await their evaluators.

    It computes without waiting for anything; arguments, result and errors are those of its twin.
    """
    return graph_trajectory_match(
        outputs=outputs,
        reference_outputs=reference_outputs,
        step_mode=step_mode,
        duplicates=duplicates,
        ignore=ignore,
        status=status,
        key=key,
    )


def _check_key(key: object) -> None:
    if not isinstance(key, str) or not key:
        raise TrajectoryTypeError(
            f"key is {key!r}: a result is found by its name. Write a string that is not empty."
        )
