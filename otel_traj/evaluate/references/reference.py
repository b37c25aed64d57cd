"""A reference: what the runs of one case are compared with, or the runs of one thread.

Plain records, made from a file (`load_references`) or by hand. What is expected is written in the matching
engine's own types, and what it can't judge has no field here, so that no reference can hold an expectation that
nothing looks at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from otel_traj import semconv as sc
from otel_traj.match import (
    ArgsMode,
    DuplicatesMode,
    Glob,
    GraphTrajectoryMatchMode,
    Level,
    ResultsMode,
    Rules,
    RunsMode,
    TrajectoryMode,
)
from otel_traj.model import AttributeValue, RunStatus

__all__ = [
    "DEFAULT_IGNORE",
    "DEFAULT_STATUS",
    "JUDGED_STATUSES",
    "AppliesTo",
    "ExpectedResults",
    "ExpectedThread",
    "Reference",
]

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


class ExpectedResults(Struct, frozen=True, kw_only=True):
    """What a run results in; needs recorded content."""

    value: AttributeValue
    mode: ResultsMode = "exact"


class ExpectedThread(Struct, frozen=True, kw_only=True):
    """What the runs of a thread are compared with, in the order of their start."""

    runs: tuple[str, ...]
    """Names of references of runs; compared whatever their own `applies_to` says. At least one."""
    mode: RunsMode = "strict"


class Reference(Struct, frozen=True, kw_only=True):
    """What is expected of one run, or of the runs of one thread, and for which of them.

    It holds at least one of `steps`, `any_of`, `rules`, `results`, `model_calls` and `thread`; not both of `steps`
    and `any_of`, and nothing beside `thread` of what is expected of a run.
    """

    name: str
    """Unique among the references used together."""
    steps: Sequence[Any] | None = None
    """Outer list = supersteps, in order: what `graph_trajectory_match` takes as `steps`."""
    any_of: Sequence[Sequence[Any]] | None = None
    """Several trajectories, each as `steps`; one of them is enough."""
    rules: Rules | None = None
    results: ExpectedResults | None = None
    model_calls: Sequence[Mapping[str, Any]] | None = None
    """What single model calls chose, as `graph_trajectory_match` takes it."""
    thread: ExpectedThread | None = None
    applies_to: AppliesTo = AppliesTo()
    """Of a thread: which each of its runs must meet."""
    level: Level = "nodes"
    depth: int | None = 0
    status: tuple[RunStatus, ...] = DEFAULT_STATUS
    """How a run may have ended to pass."""
    trajectory_mode: TrajectoryMode = "strict"
    step_mode: GraphTrajectoryMatchMode = "unordered"
    """For the supersteps that name no mode of their own."""
    duplicates: DuplicatesMode = "count"
    args: ArgsMode = "ignore"
    """How arguments of tools are compared that say nothing themselves."""
    ignore: tuple[str | Glob, ...] = DEFAULT_IGNORE
    """Names left out on both sides before comparing."""
    source: tuple[str, ...] = ()
    """Trace ids that the reference was learned from."""
