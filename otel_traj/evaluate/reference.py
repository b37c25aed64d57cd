"""A reference: what the runs of one case are compared with.

Plain records, made from a file (`load_references`) or by hand. What the matching engine can't judge yet has no
field here, so that no reference can hold an expectation that nothing looks at.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from otel_traj import semconv as sc
from otel_traj.match import DuplicatesMode, GraphTrajectoryMatchMode, ReferenceStep
from otel_traj.model import AttributeValue, RunStatus

__all__ = ["DEFAULT_IGNORE", "DEFAULT_STATUS", "JUDGED_STATUSES", "AppliesTo", "Reference"]

DEFAULT_IGNORE: Final = (sc.START_NODE, sc.END_NODE)
DEFAULT_STATUS: Final[tuple[RunStatus, ...]] = ("ok", "interrupted")
JUDGED_STATUSES: Final[tuple[RunStatus, ...]] = ("ok", "error", "interrupted", "cancelled")
"""How a run that is judged can have ended; an open run is incomplete and never judged."""


class AppliesTo(Struct, frozen=True, kw_only=True):
    """Which runs a reference is for: all given keys must hold; without any it is for every run."""

    graph: str | None = None
    case: str | None = None
    thread: str | None = None
    tags: tuple[str, ...] = ()
    """Tags that the run must all carry."""
    inputs: AttributeValue = None
    """What the run's input must contain: maps key by key, everything else equal. None: any input."""
    attributes: dict[str, AttributeValue] = {}
    """Values of attributes of the run or its resource, by exact key."""


class Reference(Struct, frozen=True, kw_only=True):
    """One expected trajectory, and for which runs."""

    name: str
    """Unique among the references used together."""
    steps: list[ReferenceStep | list[str]]
    """Outer list = supersteps, in order; inner = node names. At least one."""
    applies_to: AppliesTo = AppliesTo()
    status: tuple[RunStatus, ...] = DEFAULT_STATUS
    """How a run may have ended to pass."""
    step_mode: GraphTrajectoryMatchMode = "unordered"
    """For the supersteps that name no mode of their own."""
    duplicates: DuplicatesMode = "count"
    ignore: tuple[str, ...] = DEFAULT_IGNORE
    """Names left out on both sides before comparing."""
    source: tuple[str, ...] = ()
    """Trace ids that the reference was learned from."""
