"""What a user writes as a reference: supersteps, each a list of names with a mode of its own or none.

Everything is checked where it is written, at construction, so that a misspelt mode is an error in the test's
own line and not a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from otel_traj.errors import InvalidReferenceError, TrajectoryTypeError, TrajectoryValueError
from otel_traj.match.modes import GraphTrajectoryMatchMode, check_mode
from otel_traj.match.values_in_words import describe_value
from otel_traj.model import AttributeValue  # noqa: TC001 - users resolve the type hints at run time

__all__ = ["GraphRunReferenceTrajectory", "ReferenceStep"]


@dataclass(frozen=True, slots=True)
class ReferenceStep:
    """One superstep of a reference.

    Args:
        steps: The node names of the superstep, a list or tuple; copied. A name that stands twice means two
            tasks. Empty stands for a superstep without names.
        match_mode: How an actual superstep is compared with it; None takes the call's `step_mode`.

    Raises:
        TrajectoryTypeError: `steps` is no list of strings.
        InvalidReferenceError: an unknown mode (the message lists the allowed ones), or an empty name.
    """

    steps: Sequence[str]
    """The node names of the superstep; a list."""
    match_mode: GraphTrajectoryMatchMode | None = None
    """None: the call's `step_mode`."""

    def __post_init__(self) -> None:
        if isinstance(self.steps, str | bytes) or not isinstance(self.steps, Sequence):
            raise TrajectoryTypeError(
                f"steps of a ReferenceStep is {describe_value(self.steps)}: a superstep is a list of node names,"
                " also of one. Write a list, such as ['node1']."
            )
        for index, name in enumerate(self.steps):
            if not isinstance(name, str):
                raise TrajectoryTypeError(
                    f"entry {index} of a ReferenceStep is {describe_value(name)}: node names are strings. Write a"
                    " string."
                )
            if not name:
                raise InvalidReferenceError(
                    f"entry {index} of a ReferenceStep is an empty string: no node has that name. Name the node."
                )
        object.__setattr__(self, "steps", list(self.steps))
        if self.match_mode is not None:
            try:
                check_mode(self.match_mode)
            except TrajectoryValueError as error:
                raise InvalidReferenceError(str(error)) from None

    def __hash__(self) -> int:
        return hash((tuple(self.steps), self.match_mode))


class GraphRunReferenceTrajectory(TypedDict):
    """One run as it is expected; only `steps` is compared."""

    inputs: NotRequired[dict[str, AttributeValue] | None]
    results: NotRequired[dict[str, AttributeValue] | None]
    steps: list[ReferenceStep | list[str]]
    """Outer list = supersteps in order; a plain list of names takes the call's `step_mode`."""
