"""What compares runs with one reference: the matching engine, given the reference's own options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from otel_traj.match import TrajectoryMatcher

if TYPE_CHECKING:
    from otel_traj.evaluate.references.reference import Reference

__all__ = ["PARTS", "prepare"]

PARTS: Final = ("steps", "any_of", "rules", "model_calls")
"""What a reference says of the trajectory of a run."""


def prepare(reference: Reference) -> TrajectoryMatcher:
    """Return what compares runs with a reference, by the reference's own options.

    Args:
        reference: One of runs.

    Raises:
        InvalidReferenceError: The reference can't be compared with.
        TrajectoryTypeError: Something of it is of the wrong type.
        TrajectoryValueError: An option of it is not allowed.
    """
    expected = {part: getattr(reference, part) for part in PARTS if getattr(reference, part) is not None}
    results = reference.results
    if results is not None:
        expected["results"] = results.value
    matcher = TrajectoryMatcher(
        expected,
        level=reference.level,
        depth=reference.depth,
        status=reference.status,
        trajectory_mode=reference.trajectory_mode,
        step_mode=reference.step_mode,
        duplicates=reference.duplicates,
        args=reference.args,
        ignore=reference.ignore,
        results="ignore" if results is None else results.mode,
    )
    matcher.check_for_runs()
    return matcher
