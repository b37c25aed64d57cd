"""What every way to compare whole trajectories offers: a verdict, and the explanation of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otel_traj.match.explain.hints import Hint
    from otel_traj.match.explain.ops import SpanIndex
    from otel_traj.match.explain.result import MatchOp, Tolerated
    from otel_traj.match.explain.scores import RunScore
    from otel_traj.match.reference.items import Item
    from otel_traj.match.supersteps import ActualStep

__all__ = ["Comparer", "Explanation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How one run differs from its reference; no ops where it matches."""

    ops: list[MatchOp]
    lines: list[str]
    """One sentence per op, in the same order."""
    hints: list[Hint] = field(default_factory=list)
    note: str | None = None
    """What the explanation leaves out; None where it is whole."""
    score: RunScore
    tolerated: Tolerated | None = None
    """What differs and is allowed; None where that is not known."""


class Comparer(Protocol):
    """A reference ready to compare by one trajectory mode."""

    items: Sequence[Item]
    """The reference as it is written."""

    @property
    def size(self) -> int:
        """How much there is to compare each superstep of a run with."""

    def matches(self, actual: Sequence[ActualStep]) -> bool:
        """Return whether a run matches."""

    def may_go_on(self, actual: Sequence[ActualStep]) -> bool:
        """Return whether a run that waits may still come to match."""

    def explain(self, actual: Sequence[ActualStep], run: int, spans: SpanIndex) -> Explanation:
        """Explain how a run differs.

        Args:
            actual: Supersteps that ran, ready to compare.
            run: Index of the run, for the ops.
            spans: Where the run's spans are found.
        """

    def worst_cost(self) -> int:
        """Return what the shortest way through the reference costs if none of it ran."""
