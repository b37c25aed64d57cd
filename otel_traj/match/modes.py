"""The modes in which supersteps, trajectories and threads are compared, and the checked options of a comparison.

A direction is always read as *actual* against *reference*: `subset` means that what ran lies within the
reference. Users of other evaluators stumble over exactly this, so the same two modes also answer to `at_most`
and `at_least`; inside the package only the first names are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast, get_args

from otel_traj import semconv as sc
from otel_traj.errors import TrajectoryValueError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "DEFAULT_IGNORE",
    "DEFAULT_STATUS",
    "DuplicatesMode",
    "GraphTrajectoryMatchMode",
    "GraphTrajectoryMatchModel",
    "JudgedStatus",
    "RunsMode",
    "StepMode",
    "TrajectoryMode",
    "canonical_mode",
    "check_mode",
]

GraphTrajectoryMatchMode: TypeAlias = Literal[
    "exact", "unordered", "subset", "superset", "at_most", "at_least"
]
"""How one superstep is compared: the same names in the same order, in any order, actual within the reference,
actual contains the reference; `at_most` is `subset`, `at_least` is `superset`."""

GraphTrajectoryMatchModel: TypeAlias = GraphTrajectoryMatchMode
"""Another name of `GraphTrajectoryMatchMode`."""

StepMode: TypeAlias = Literal["exact", "unordered", "subset", "superset"]
"""A mode by its one name inside the package."""

DuplicatesMode: TypeAlias = Literal["count", "ignore"]
"""Whether two tasks of one node in a superstep are two (`count`) or one (`ignore`)."""

TrajectoryMode: TypeAlias = Literal[
    "strict",
    "starts_with",
    "so_far",
    "contains",
    "subsequence",
    "steps_any_order",
    "flat_exact",
    "flat_in_order",
    "flat_unordered",
    "flat_subset",
    "flat_superset",
]
"""How whole trajectories are compared. `strict`: each superstep against its own; `starts_with`: the run begins with
the reference; `so_far`: the run is a beginning of it (an `__interrupt__` at its end is left out); `contains`: the reference stands somewhere in the run;
`subsequence`: its supersteps come in order, with others between; `steps_any_order`: the same supersteps in any order.
The `flat_*` modes know no supersteps and no step mode: the same names in an order that the supersteps allow
(`flat_exact`), in such an order with others between (`flat_in_order`), in any order (`flat_unordered`), what ran lies
within the reference (`flat_subset`) or contains it (`flat_superset`)."""

RunsMode: TypeAlias = Literal["strict", "each", "last", "first", "any"]
"""How the runs of a thread meet their references: run by run; each run the one reference; only the last or the first
run; at least one run."""

JudgedStatus: TypeAlias = Literal["ok", "error", "interrupted", "cancelled"]

DEFAULT_IGNORE: Final = (sc.START_NODE, sc.END_NODE)
"""Names that are left out on both sides before anything is compared."""

DEFAULT_STATUS: Final = ("ok", "interrupted")
"""Statuses in which a run may stand without failing for it."""

_SAME_AS: Final[Mapping[str, StepMode]] = {"at_most": "subset", "at_least": "superset"}


def check_mode(mode: object) -> GraphTrajectoryMatchMode:
    """Return the mode as it was given.

    Raises:
        TrajectoryValueError: it is none of the allowed names; the message lists them.
    """
    allowed = get_args(GraphTrajectoryMatchMode)
    if mode not in allowed:
        raise TrajectoryValueError(
            f"unknown match mode {mode!r}: no superstep can be compared by it. Allowed: {', '.join(allowed)}."
        )
    return cast("GraphTrajectoryMatchMode", mode)


def canonical_mode(mode: object) -> StepMode:
    """Return the mode's one name: `subset` for `at_most`, `superset` for `at_least`.

    Raises:
        TrajectoryValueError: it is none of the allowed names; the message lists them.
    """
    given = check_mode(mode)
    return _SAME_AS.get(given, cast("StepMode", given))
