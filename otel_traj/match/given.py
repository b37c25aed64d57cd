"""The types of what users pass to be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from otel_traj.match.reference.reference import AnyOf, GraphRunReferenceTrajectory
from otel_traj.model import GraphRunTrajectory, Run

__all__ = ["Outputs", "References"]

_Trajectory: TypeAlias = Run | GraphRunTrajectory | Mapping[str, object] | Sequence[Sequence[object]]
_Reference: TypeAlias = (
    Run
    | AnyOf
    | GraphRunReferenceTrajectory
    | GraphRunTrajectory
    | Mapping[str, object]
    # Items of `ReferenceItem`; of lists that mix them type checkers know no more than this.
    | Sequence[object]
)

Outputs: TypeAlias = _Trajectory | Iterable[_Trajectory]
"""One run or several: `Run` records, mappings with `steps`, or plain lists of supersteps."""

References: TypeAlias = _Reference | Iterable[_Reference]
"""The same on the reference side, with everything that a reference may hold."""
