"""Random trajectories for the laws: few names, so that they often meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from otel_traj.match import StepMode

__all__ = ["MODES", "modes", "supersteps", "trajectories"]

MODES: tuple[StepMode, ...] = ("exact", "unordered", "subset", "superset")

modes = st.sampled_from(MODES)

supersteps = st.lists(st.sampled_from(["a", "b", "c"]), max_size=4)

trajectories = st.lists(supersteps, max_size=4)
