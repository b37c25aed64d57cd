"""The supersteps of a run with the numbers that people read.

They are the numbers of the matching engine's explanations, so that a fail can be looked up in the tree:
`__start__` is 0, the first nodes are 1, `__interrupt__` is not counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from otel_traj.match.supersteps import is_interrupt, number_supersteps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otel_traj.model import Run

__all__ = ["NumberedSuperstep", "list_supersteps"]


class NumberedSuperstep(Struct, frozen=True, kw_only=True):
    """One entry of `Run.steps`."""

    number: int
    """Of an interrupt marker: the one of the superstep before it."""
    is_interrupt: bool
    names: list[str]
    task_ids: list[str]
    """Beside `names`; empty for a marker."""


def list_supersteps(run: Run) -> Iterator[NumberedSuperstep]:
    """Yield the supersteps of a run in order, each with its number."""
    for index, (names, number) in enumerate(zip(run.steps, number_supersteps(run.steps), strict=True)):
        yield NumberedSuperstep(
            number=number,
            is_interrupt=is_interrupt(names),
            names=names,
            task_ids=run.step_task_ids[index],
        )
